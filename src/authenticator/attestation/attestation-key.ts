import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { concatBytes } from '../../kernel/bytes.js';
import { findAlgorithm, findCurve, KEY_TYPES, opensslHash } from '../../webauthn/algorithms.js';
import { ecdsaSignature, nothing, objectIdentifier, sequence } from '../../webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import { type EcdsaParts, publicPoint, scalarFrom, signDeterministically } from '../ecdsa.js';

/** COSEAlgorithmIdentifier of ES256, for attestation keys. */
export const ES256 = -7;
export const ES384 = -35;
export const RS256 = -257;
/** COSEAlgorithmIdentifier of RS1 (RSASSA-PKCS1-v1_5 with SHA-1), which only TPM statements may use (§8.3). */
export const RS1 = -65535;

/** A key that signs attestation statements, certificates or JWTs. It always gives the same signature for the same message. */
export interface AttestationKey {
  /** COSEAlgorithmIdentifier of the key's signatures. */
  readonly algorithm: number;
  /** Public key as SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** AlgorithmIdentifier in DER, which names this key's signature algorithm in the certificates that the key signs. */
  readonly certificateAlgorithm: Uint8Array;
  /** Signs data. The signature has the format of WebAuthn L3 §6.5.5. */
  sign(data: Uint8Array): Uint8Array;
  /** Signs data. The signature has the format of JWS (RFC 7518 §3). */
  signJws(data: Uint8Array): Uint8Array;
}

type EcAlgorithm = typeof ES256 | typeof ES384;
export type RsaAlgorithm = typeof RS256 | typeof RS1;

/** AlgorithmIdentifiers of certificate signatures (RFC 5758 §3.2, RFC 8017 appendix A.2.4). Those for RSA have the parameters NULL. */
const CERTIFICATE_ALGORITHMS: Readonly<Record<EcAlgorithm | RsaAlgorithm, Uint8Array>> = {
  [ES256]: sequence(objectIdentifier('1.2.840.10045.4.3.2')),
  [ES384]: sequence(objectIdentifier('1.2.840.10045.4.3.3')),
  [RS256]: sequence(objectIdentifier('1.2.840.113549.1.1.11'), nothing()),
  [RS1]: sequence(objectIdentifier('1.2.840.113549.1.1.5'), nothing()),
};

/** A signing key with its certificate and the chain to the root. */
export interface CertifiedKey {
  readonly key: AttestationKey;
  /** Certificates in DER: the certificate of the key first, then the chain to the root. */
  readonly x5c: readonly Uint8Array[];
}

/**
 * Creates an ECDSA key from `bytes`, which must be as long as the curve's order. If their number is in the curve's range, it is the private
 * key itself.
 */
export function ecAttestationKey(bytes: Uint8Array, algorithm: EcAlgorithm = ES256): AttestationKey {
  const { crv, hash } = findAlgorithm(algorithm) ?? {};
  const curve = findCurve(crv);
  if (curve === undefined || hash === undefined) throw new Error(`Algorithm ${algorithm} is not in the table of algorithms.`);
  const key = { curve, scalar: scalarFrom(curve, bytes) };
  const parts = (data: Uint8Array): EcdsaParts => signDeterministically(key, opensslHash(hash), data);
  return {
    algorithm,
    publicKey: encodeSubjectPublicKeyInfo({ kty: KEY_TYPES.EC2, alg: algorithm, crv: curve.crv, ...publicPoint(key) }),
    certificateAlgorithm: CERTIFICATE_ALGORITHMS[algorithm],
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

/** Creates an RSASSA-PKCS1-v1_5 key from its RSAPrivateKey (RFC 8017 A.1.2) in DER. This signature scheme is deterministic by itself. */
export function rsaAttestationKey(privateKey: Uint8Array, algorithm: RsaAlgorithm): AttestationKey {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs1' });
  const signature = (data: Uint8Array) => new Uint8Array(sign(algorithm === RS1 ? 'sha1' : 'sha256', data, key));
  return {
    algorithm,
    publicKey: new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' })),
    certificateAlgorithm: CERTIFICATE_ALGORITHMS[algorithm],
    sign: signature,
    signJws: signature,
  };
}
