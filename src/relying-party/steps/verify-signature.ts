import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { algorithmName, type CoseKey, findAlgorithm } from '../../webauthn/cose-key.js';

const EC_CURVES: Readonly<Record<number, string>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521', 8: 'secp256k1' };
const OKP_CURVES: Readonly<Record<number, string>> = { 6: 'Ed25519', 7: 'Ed448' };
const RSA_PSS = new Set([-37, -38, -39]);

/** `unsupported`: this Node has no such algorithm. `key`: OpenSSL does not take the key. */
export type SignatureVerdict = 'valid' | 'invalid' | 'unsupported' | 'key';

/**
 * Verifies a signature as WebAuthn L3 §6.5.5 shapes it: DER for ECDSA, raw for EdDSA and RSA. OpenSSL takes DER only in its one
 * right form, so bytes after it and other spellings of the same numbers do not verify.
 */
export function verifySignature(key: CoseKey, data: Uint8Array, signature: Uint8Array): SignatureVerdict {
  const algorithm = findAlgorithm(key.alg);
  const publicKey = importKey(key);
  if (algorithm === undefined || publicKey === undefined) {
    // A key of a wrong shape was refused when it was decoded; older Node versions lack ML-DSA.
    return key.kty === 7 ? 'unsupported' : 'key';
  }
  const padding = RSA_PSS.has(key.alg) ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  return verify(digest(algorithm.hash), data, { key: publicKey, ...padding }, signature) ? 'valid' : 'invalid';
}

/** OpenSSL knows `sha256` and its like; EdDSA hashes by itself. */
function digest(hash: string | undefined): string | null {
  return hash === undefined ? null : hash.toLowerCase().replace('-', '');
}

function importKey(key: CoseKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: toJwk(key), format: 'jwk' });
  } catch {
    return undefined;
  }
}

function toJwk(key: CoseKey): Record<string, string> {
  switch (key.kty) {
    case 2:
      return { kty: 'EC', crv: EC_CURVES[key.crv] ?? '', x: encodeBase64url(key.x), y: encodeBase64url(key.y) };
    case 1:
      return { kty: 'OKP', crv: OKP_CURVES[key.crv] ?? '', x: encodeBase64url(key.x) };
    case 3:
      return { kty: 'RSA', n: encodeBase64url(key.n), e: encodeBase64url(key.e) };
    case 7:
      return { kty: 'AKP', alg: algorithmName(key.alg), pub: encodeBase64url(key.pub) };
  }
}
