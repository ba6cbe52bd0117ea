import { readUtf8 } from '../../kernel/bytes.js';

/**
 * Matches the beginning of client data as browsers write it (§5.8.1.1). Firefox before 2022 began with the challenge; some browsers add
 * members at the end.
 */
const BEGINNING = /^\{"(?:type":"webauthn\.\w+","challenge|challenge)":/;

/**
 * Describes how client data differs from the form that browsers write, which shows that it was parsed and written again. The signature
 * covers the original bytes and therefore does not verify. Returns undefined if a browser may have written the client data.
 */
export function findRewriting(clientDataJSON: Uint8Array): string | undefined {
  const text = readUtf8(clientDataJSON)?.replace(/^\ufeff/, '');
  if (text === undefined) return undefined;
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  if (/\s/.test(outside)) return 'white space between its members';
  if (text.includes('\\/')) return 'slashes with a backslash before them';
  if (/\\u00[2-7][\da-f]/i.test(text)) return 'escapes of characters that need none';
  return BEGINNING.test(text) ? undefined : 'its members in another order';
}

/** Explains, in one sentence, that the client data was parsed and written again. */
export function rewritingHint(found: string): string {
  return `The client data was parsed and written again: it has ${found}, which no browser writes. The signature covers the original bytes; send and store response.clientDataJSON unchanged.`;
}
