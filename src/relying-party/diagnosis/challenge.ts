import { equalBytes, readUtf8 } from '../../kernel/bytes.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { MIN_CHALLENGE_BYTES } from '../../webauthn/limits.js';
import { asciiText, decodedTwice, readHex } from '../../webauthn/text-encoding.js';

export const CHALLENGE_HINTS = {
  unknown:
    'This server does not know the challenge, or no longer knows it: it expired minutes ago, or belongs to another tab, a lost session, or another server or process. Request new options, and answer those.',
  used: 'This challenge was already used. Each is valid for one response: request new options for every attempt.',
  expired: 'Too much time passed between options and response. Request options when the user acts, not when the page loads.',
} as const;

const ENCODED_TWICE =
  'The challenge was encoded twice: the page passed its text to the browser (TextEncoder). Decode it from base64url first.';

/**
 * Explains, in one sentence, a challenge that this server never issued. If the challenge reads as text, it was encoded twice, since random
 * bytes are not text by chance.
 */
export function unknownChallengeHint(received: string): string {
  const bytes = decodeBase64(received)?.bytes;
  const inner = bytes && decodedTwice(bytes);
  return inner !== undefined && inner.length >= MIN_CHALLENGE_BYTES ? ENCODED_TWICE : CHALLENGE_HINTS.unknown;
}

/** Explains, in one sentence, how a challenge differs from the issued one. `received` is the challenge as written in the client data. */
export function challengeHint(received: string, issued: Uint8Array): string {
  const bytes = decodeBase64(received)?.bytes;
  if (bytes !== undefined && equalBytes(bytes, issued)) {
    return "These are the right bytes in another encoding. Send the browser's client data unchanged: it has base64url without padding (- and _, no =).";
  }
  if (standsFor(received, issued)) {
    return "The client data has the right bytes in hexadecimal. Send the browser's client data unchanged: it has base64url without padding.";
  }
  const text = bytes && asciiText(bytes);
  if (text !== undefined && standsFor(text, issued)) {
    return ENCODED_TWICE;
  }
  if (bytes !== undefined && isMangled(bytes, issued)) {
    return 'The bytes were treated as text: atob() returns one character per byte, and TextEncoder writes those above 127 as two; use Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), or parseCreationOptionsFromJSON().';
  }
  const issuedText = asciiText(issued);
  if (bytes !== undefined && issuedText !== undefined && standsFor(issuedText, bytes)) {
    return 'The expected challenge is the base64url text of the received one. Decode it before you compare.';
  }
  if (bytes === undefined) {
    return 'The challenge in the client data is not base64url, which every browser writes. Send response.clientDataJSON unchanged.';
  }
  return bytes.length === issued.length
    ? 'This challenge comes from another tab, an earlier attempt, a lost session, or another server. Store the challenge of these options and compare with that.'
    : `This challenge is not from these options (${bytes.length} bytes, not ${issued.length}); pass the challenge of the options to the browser unchanged, decoded from base64url once.`;
}

/** Tells whether a string is `bytes` in base64, base64url or hexadecimal. */
function standsFor(text: string, bytes: Uint8Array): boolean {
  return [decodeBase64(text)?.bytes, readHex(text)?.bytes].some((read) => read !== undefined && read.length > 0 && equalBytes(read, bytes));
}

/** Tells whether `bytes` are the result of treating each byte of `original` as a character and encoding these characters as UTF-8. */
function isMangled(bytes: Uint8Array, original: Uint8Array): boolean {
  const text = bytes.length > original.length ? readUtf8(bytes) : undefined;
  if (text === undefined) return false;
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  return codes.length === original.length && codes.every((code, index) => code === original[index]);
}
