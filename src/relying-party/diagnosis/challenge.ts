import { asciiText, readHex } from '../../webauthn/annotate/text-encoding.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { equalBytes } from '../../webauthn/bytes.js';

export const CHALLENGE_HINTS = {
  unknown: 'Ask for new options, and answer with the response to exactly those; options of another tab, server or process do not count.',
  used: 'A challenge is good for one response; ask for new options for each try.',
  expired: 'Ask for new options shortly before they are needed.',
} as const;

/** One sentence on a challenge that is not the issued one; `received` as it stands in the client data. */
export function challengeHint(received: string, issued: Uint8Array): string {
  const bytes = decodeBase64(received)?.bytes;
  if (bytes !== undefined && equalBytes(bytes, issued)) {
    return 'These are the right bytes, but a client writes them as base64url without padding (- and _, no =).';
  }
  if (standsFor(received, issued)) {
    return 'The client data has the issued bytes in hexadecimal; a client writes them as base64url without padding.';
  }
  const text = bytes && asciiText(bytes);
  if (text !== undefined && standsFor(text, issued)) {
    return 'The challenge was encoded twice: the page gave the text of the challenge to the browser (TextEncoder); decode it from base64url first.';
  }
  const issuedText = asciiText(issued);
  if (bytes !== undefined && issuedText !== undefined && standsFor(issuedText, bytes)) {
    return 'The expected challenge is the text of the one that was sent; decode it from base64url before it is compared.';
  }
  return bytes !== undefined && bytes.length === issued.length
    ? 'This is another challenge: of another tab, an earlier try, a lost session, or another server; keep the one that these options had and answer to it.'
    : 'Pass the challenge of the options to the browser as it is, decoded once.';
}

/** Whether the text is `bytes` in base64, base64url or hexadecimal. */
function standsFor(text: string, bytes: Uint8Array): boolean {
  return [decodeBase64(text)?.bytes, readHex(text)?.bytes].some((read) => read !== undefined && read.length > 0 && equalBytes(read, bytes));
}
