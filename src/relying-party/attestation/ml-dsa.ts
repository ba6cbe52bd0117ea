import { KEY_TYPES } from '../../webauthn/algorithms.js';
import type { SubjectPublicKey } from '../../webauthn/certificate.js';
import type { CoseKey } from '../../webauthn/cose-key.js';
import { loadMlDsa } from '../../webauthn/ml-dsa.js';
import { importCoseKey, verifySignature } from './signature.js';

/**
 * Verifies an ML-DSA signature (FIPS 204) without Node's crypto module.
 *
 * @param publicKey the public key as FIPS 204 encodes it, which COSE and X.509 contain unchanged.
 */
export type MlDsaVerifier = (signed: {
  readonly alg: number;
  readonly publicKey: Uint8Array;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}) => boolean;

/** Loads the ML-DSA verifier for Node versions that do not support ML-DSA (before 24). */
async function loadMlDsaVerifier(): Promise<MlDsaVerifier> {
  const schemeOf = await loadMlDsa();
  return ({ alg, publicKey, data, signature }) => {
    const scheme = schemeOf(alg);
    // It throws for a signature or key of another length, which verifies nothing.
    if (scheme === undefined || publicKey.length !== scheme.lengths.publicKey || signature.length !== scheme.lengths.signature) {
      return false;
    }
    return scheme.verify(signature, data, publicKey);
  };
}

/** COSE identifiers of the ML-DSA algorithms, by OID. RFC 9881 uses the same OIDs for keys and for signatures. */
const ALGORITHMS_BY_OID: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.3.17', -48],
  ['2.16.840.1.101.3.4.3.18', -49],
  ['2.16.840.1.101.3.4.3.19', -50],
]);
/** The DER bytes that all OIDs of ML-DSA have in common. Only the last byte differs. */
const OID_START = Buffer.from([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03]);
const ML_DSA_44 = { kty: KEY_TYPES.AKP, alg: -48, pub: new Uint8Array(1312) } as const;

/**
 * Loads the ML-DSA verifier if the public key or one of the certificates (DER) needs it and Node does not support ML-DSA; otherwise returns
 * undefined.
 */
export async function loadMlDsaFor(key: CoseKey | undefined, certificates: readonly Uint8Array[] = []): Promise<MlDsaVerifier | undefined> {
  const isUsed = key?.kty === KEY_TYPES.AKP || certificates.some((der) => Buffer.from(der).includes(OID_START));
  return isUsed && importCoseKey(ML_DSA_44) === undefined ? loadMlDsaVerifier() : undefined;
}

/** A key that Node cannot import, with a function that verifies signatures made with that key. */
interface OtherKey {
  /** COSEAlgorithmIdentifier of the signatures that the key makes. */
  readonly alg: number;
  readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean;
}

/** Reads the ML-DSA key in a certificate; undefined if the certificate has another kind of key, or if there is no verifier. */
export function mlDsaKey({ algorithm, key }: SubjectPublicKey, mlDsa: MlDsaVerifier | undefined): OtherKey | undefined {
  const alg = ALGORITHMS_BY_OID.get(algorithm.oid);
  return alg === undefined || mlDsa === undefined
    ? undefined
    : { alg, verify: (data, signature) => mlDsa({ alg, publicKey: key, data, signature }) };
}

/**
 * `unsupported`: this Node version does not support the algorithm. `key`: OpenSSL does not accept the key at all, or not for this
 * algorithm.
 */
type SignatureVerdict = 'valid' | 'invalid' | 'unsupported' | 'key';

interface Signed {
  readonly key: CoseKey;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
  /** Verifies ML-DSA signatures if Node cannot. */
  readonly mlDsa?: MlDsaVerifier | undefined;
}

/**
 * Verifies a signature that is encoded as in WebAuthn L3 §6.5.5: in DER for ECDSA, raw for EdDSA and RSA. OpenSSL accepts only canonical
 * DER. A signature with surplus bytes, or with another encoding of the same numbers, therefore does not verify.
 */
export function verifyCredentialSignature({ key, data, signature, mlDsa }: Signed): SignatureVerdict {
  const imported = importCoseKey(key);
  if (imported === undefined) {
    if (key.kty === KEY_TYPES.AKP && mlDsa !== undefined) {
      return mlDsa({ alg: key.alg, publicKey: key.pub, data, signature }) ? 'valid' : 'invalid';
    }
    // A key of a wrong shape was refused when it was decoded; older Node versions lack ML-DSA.
    return key.kty === 7 ? 'unsupported' : 'key';
  }
  const verdict = verifySignature(key.alg, imported, data, signature);
  return verdict === 'mismatch' ? 'key' : verdict;
}
