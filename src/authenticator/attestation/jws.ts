import { encodeUtf8 } from '../../kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { type CertifiedKey, ES256 } from './attestation-key.js';

/** Writes a JWS in compact serialization (RFC 7515 §7.1), with the signer's certificates in its header. */
export function writeJws({ key, x5c }: CertifiedKey, payload: object, header: object = {}): string {
  const alg = key.algorithm === ES256 ? 'ES256' : 'RS256';
  const parts = [{ alg, ...header, x5c: x5c.map((certificate) => encodeBase64(certificate)) }, payload];
  const input = parts.map((part) => encodeBase64url(encodeUtf8(JSON.stringify(part)))).join('.');
  return `${input}.${encodeBase64url(key.signJws(encodeUtf8(input)))}`;
}
