import { decodeBase64 } from '../../webauthn/base64url.js';
import { writePem } from '../../webauthn/pem.js';
import { invalid, type ReadCredential, type Shape } from './shape.js';

const PEM = { begin: '-----BEGIN PRIVATE KEY-----', end: '-----END PRIVATE KEY-----' } as const;

export function writePrivateKeyPem(privateKey: Uint8Array): string {
  return writePem(privateKey, PEM);
}

/**
 * Reads the private keys in PEM from a string, and ignores the text around them.
 *
 * @throws PasskeyError `validation_failed` if a key cannot be read. The message shows nothing of the string.
 */
export function readPrivateKeyPems(text: string, at: string): Uint8Array[] {
  const blocks = text.split(PEM.begin).slice(1);
  if (blocks.length === 0) throw invalid(`Expected ${at} to hold a private key between "${PEM.begin}" and "${PEM.end}"; got none.`);
  return blocks.map((block, index) => {
    const body = block.includes(PEM.end) ? (block.split(PEM.end)[0] ?? '') : '';
    const der = decodeBase64(body.replace(/\s/gu, ''))?.bytes;
    if (der === undefined || der.length === 0) {
      throw invalid(`Expected private key ${index + 1} of ${at} to be base64 up to "${PEM.end}"; got something else.`);
    }
    return der;
  });
}

/** Private keys in PEM (RFC 5958, RFC 7468), without the other members of a credential, which the caller supplies. */
export const pkcs8Pem: Shape = {
  title: 'PKCS#8 in PEM',
  carries: [],
  read: (text) => readPrivateKeyPems(text, 'the text').map((privateKey, index): ReadCredential => ({ at: `key ${index + 1}`, privateKey })),
  write: (sources) => sources.map(({ privateKey }) => writePrivateKeyPem(privateKey)).join('\n'),
};
