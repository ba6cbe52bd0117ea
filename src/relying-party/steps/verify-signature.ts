import type { CoseKey } from '../../webauthn/cose-key.js';
import { importCoseKey, verifySignature as verifyWithKey } from '../attestation/signature.js';

/** `unsupported`: this Node has no such algorithm. `key`: OpenSSL does not take the key, or not for the algorithm. */
export type SignatureVerdict = 'valid' | 'invalid' | 'unsupported' | 'key';

/**
 * Verifies a signature as WebAuthn L3 §6.5.5 shapes it: DER for ECDSA, raw for EdDSA and RSA. OpenSSL takes DER only in its one
 * right form, so bytes after it and other spellings of the same numbers do not verify.
 */
export function verifySignature(key: CoseKey, data: Uint8Array, signature: Uint8Array): SignatureVerdict {
  const imported = importCoseKey(key);
  if (imported === undefined) {
    // A key of a wrong shape was refused when it was decoded; older Node versions lack ML-DSA.
    return key.kty === 7 ? 'unsupported' : 'key';
  }
  const verdict = verifyWithKey(key.alg, imported, data, signature);
  return verdict === 'mismatch' ? 'key' : verdict;
}
