import { readUtf8 } from '../../kernel/bytes.js';

/** Members as browsers order them (§5.8.1.1); Firefox before 2022 began with the challenge, and some add members behind. */
const BEGINNING = /^\{"(?:type":"webauthn\.\w+","challenge|challenge)":/;

/**
 * How client data differ from a browser's: if they were parsed and written again, a signature over the original bytes does not verify.
 * Undefined if a browser may have made them.
 */
export function findRewriting(clientDataJSON: Uint8Array): string | undefined {
  const text = readUtf8(clientDataJSON)?.replace(/^\ufeff/, '');
  if (text === undefined) return undefined;
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  if (/\s/.test(outside)) return 'white space between its members';
  if (text.includes('\\/')) return 'slashes with a backslash before them';
  if (/\\u00[2-7][\da-f]/i.test(text)) return 'escapes of characters that need none';
  return BEGINNING.test(text) ? undefined : 'another order of its members';
}

/** One sentence on client data that were written again. */
export function rewritingHint(found: string): string {
  return `The client data were parsed and written again: they have ${found}, which no browser writes. The signature covers the bytes as they came; send and keep response.clientDataJSON unchanged.`;
}
