import { KEY_TYPES } from '../../webauthn/algorithms.js';
import type { SubjectPublicKey } from '../../webauthn/certificate.js';
import type { CoseKey } from '../../webauthn/cose-key.js';
import { loadMlDsa } from '../../webauthn/ml-dsa.js';
import { importCoseKey, verifySignature } from './signature.js';

/**
 * Verifies an ML-DSA signature (FIPS 204) without Node's crypto.
 *
 * @param publicKey as COSE and X.509 contain it: the bytes of FIPS 204.
 */
export type MlDsaVerifier = (signed: {
  readonly alg: number;
  readonly publicKey: Uint8Array;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}) => boolean;

/** Loads the verifier for Node versions without ML-DSA (before 24). */
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

/** COSE identifiers by the OIDs of RFC 9881, which name both keys and signatures. */
const ALGORITHMS_BY_OID: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.3.17', -48],
  ['2.16.840.1.101.3.4.3.18', -49],
  ['2.16.840.1.101.3.4.3.19', -50],
]);
/** DER that these OIDs share: all but the last byte. */
const OID_START = Buffer.from([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03]);
const ML_DSA_44 = { kty: KEY_TYPES.AKP, alg: -48, pub: new Uint8Array(1312) } as const;

/** Loads the verifier if the public key or a certificate (DER) needs ML-DSA and Node lacks it; otherwise returns undefined. */
export async function loadMlDsaFor(key: CoseKey | undefined, certificates: readonly Uint8Array[] = []): Promise<MlDsaVerifier | undefined> {
  const isUsed = key?.kty === KEY_TYPES.AKP || certificates.some((der) => Buffer.from(der).includes(OID_START));
  return isUsed && importCoseKey(ML_DSA_44) === undefined ? loadMlDsaVerifier() : undefined;
}

/** A key that Node cannot import, with a function that verifies its signatures. */
interface OtherKey {
  /** COSEAlgorithmIdentifier of the key's signatures. */
  readonly alg: number;
  readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean;
}

/** Reads the ML-DSA key of a certificate; undefined for other keys, and without a verifier. */
export function mlDsaKey({ algorithm, key }: SubjectPublicKey, mlDsa: MlDsaVerifier | undefined): OtherKey | undefined {
  const alg = ALGORITHMS_BY_OID.get(algorithm.oid);
  return alg === undefined || mlDsa === undefined
    ? undefined
    : { alg, verify: (data, signature) => mlDsa({ alg, publicKey: key, data, signature }) };
}

/** `unsupported`: this Node version lacks the algorithm. `key`: OpenSSL does not accept the key, or not for this algorithm. */
type SignatureVerdict = 'valid' | 'invalid' | 'unsupported' | 'key';

interface Signed {
  readonly key: CoseKey;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
  /** Verifies ML-DSA if Node cannot. */
  readonly mlDsa?: MlDsaVerifier | undefined;
}

/**
 * Verifies a signature in the form of WebAuthn L3 §6.5.5: DER for ECDSA, raw for EdDSA and RSA. OpenSSL accepts only canonical DER, so
 * surplus bytes and other spellings of the same numbers do not verify.
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
