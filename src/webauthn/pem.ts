import { encodeBase64 } from './base64url.js';

// By itself, since a short command that shows a key needs nothing else of what writes certificates.

/** First and last line of a certificate in PEM (RFC 7468 §5). */
export const PEM = { begin: '-----BEGIN CERTIFICATE-----', end: '-----END CERTIFICATE-----' } as const;

/** Writes DER as PEM in lines of 64 characters (RFC 7468), with the first and last line of a certificate by default. */
export function writePem(der: Uint8Array, { begin, end }: { readonly begin: string; readonly end: string } = PEM): string {
  return [begin, ...(encodeBase64(der).match(/.{1,64}/g) ?? []), end].join('\n');
}
