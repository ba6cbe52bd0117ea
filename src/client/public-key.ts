import { createPublicKey } from 'node:crypto';
import { encodeBase64url } from '../webauthn/base64url.js';
import { type CoseKey, decodeCoseKey } from '../webauthn/cose-key.js';

const EC_CURVES: ReadonlyMap<number, string> = new Map([
  [1, 'P-256'],
  [2, 'P-384'],
  [3, 'P-521'],
]);
const OKP_CURVES: ReadonlyMap<number, string> = new Map([
  [6, 'Ed25519'],
  [7, 'Ed448'],
]);

/**
 * getPublicKey() (§5.2.1): the DER SubjectPublicKeyInfo of a COSE key, or undefined where this client does not know its kind.
 *
 * @throws PasskeyError `public_key_malformed` when it is no COSE key.
 */
export function subjectPublicKeyInfo(coseKey: Uint8Array): Uint8Array | undefined {
  const jwk = toJwk(decodeCoseKey(coseKey));
  return jwk && new Uint8Array(createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' }));
}

function toJwk(key: CoseKey): Record<string, string> | undefined {
  switch (key.kty) {
    case 2: {
      const crv = EC_CURVES.get(key.crv);
      return crv === undefined ? undefined : { kty: 'EC', crv, x: encodeBase64url(key.x), y: encodeBase64url(key.y) };
    }
    case 1: {
      const crv = OKP_CURVES.get(key.crv);
      return crv === undefined ? undefined : { kty: 'OKP', crv, x: encodeBase64url(key.x) };
    }
    case 3:
      return { kty: 'RSA', n: encodeBase64url(key.n), e: encodeBase64url(key.e) };
    default:
      return undefined;
  }
}
