import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { findCurve } from '../../webauthn/algorithms.js';
import { concatBytes } from '../../webauthn/bytes.js';
import { ecdsaSignature } from '../../webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import { type EcdsaParts, publicPoint, scalarFrom, signDeterministically } from '../ecdsa.js';

/** COSEAlgorithmIdentifiers that attestation keys sign with. */
export const ES256 = -7;
export const RS256 = -257;
/** With SHA-1: in statements of TPMs only (§8.3). */
export const RS1 = -65535;

/** A key that signs attestation statements, certificates or JWTs; the same message always gets the same signature. */
export interface AttestationKey {
  /** COSEAlgorithmIdentifier. */
  readonly algorithm: number;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** In the form of §6.5.5. */
  sign(data: Uint8Array): Uint8Array;
  /** In the form of JWS (RFC 7518 §3). */
  signJws(data: Uint8Array): Uint8Array;
}

/** An ES256 key from 32 bytes: the private key itself where they are in its range. */
export function ecAttestationKey(bytes: Uint8Array): AttestationKey {
  const curve = findCurve(1);
  if (curve === undefined) throw new Error('P-256 is not in the table of curves.');
  const key = { curve, scalar: scalarFrom(curve, bytes) };
  const parts = (data: Uint8Array): EcdsaParts => signDeterministically(key, 'sha256', data);
  return {
    algorithm: ES256,
    publicKey: encodeSubjectPublicKeyInfo({ kty: 2, alg: ES256, crv: curve.crv, ...publicPoint(key) }),
    sign(data) {
      const { r, s } = parts(data);
      return ecdsaSignature(r, s);
    },
    signJws(data) {
      const { r, s } = parts(data);
      return concatBytes(r, s);
    },
  };
}

export type RsaAlgorithm = typeof RS256 | typeof RS1;

/** An RSASSA-PKCS1-v1_5 key from its RSAPrivateKey (RFC 8017 A.1.2) in DER: a scheme that is deterministic in itself. */
export function rsaAttestationKey(privateKey: Uint8Array, algorithm: RsaAlgorithm): AttestationKey {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs1' });
  const signature = (data: Uint8Array) => new Uint8Array(sign(algorithm === RS1 ? 'sha1' : 'sha256', data, key));
  return {
    algorithm,
    publicKey: new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' })),
    sign: signature,
    signJws: signature,
  };
}
