import { constants, sign } from 'node:crypto';
import { KEY_TYPES } from '../webauthn/algorithms.js';
import type { CoseKey } from '../webauthn/cose-key.js';
import { loadMlDsa } from '../webauthn/ml-dsa.js';
import type { SigningAlgorithm } from './algorithms.js';
import { makeCoseKey, makeKeyObject, type PrivateKey, readPrivateKey } from './private-key.js';

/** Key pair of a credential, ready for signing. */
export interface SigningKey {
  readonly algorithm: SigningAlgorithm;
  /** Credential public key (§6.5.1). */
  readonly coseKey: CoseKey;
  /**
   * Signs data in the signature format of §6.5.5: DER for ECDSA, the scheme's own format for the others. A PSS salt is as long as the hash.
   */
  sign(data: Uint8Array): Uint8Array;
}

/**
 * Prepares a private key (PKCS#8 DER) for signing. Reads the same byte array only once.
 *
 * @throws TypeError if the bytes are not PKCS#8 DER, or if `algorithm` needs a key of another kind.
 */
export type KeyOpener = (algorithm: SigningAlgorithm, pkcs8: Uint8Array) => SigningKey | Promise<SigningKey>;

/** Prepares a key that signs with Node's own cryptography. For ML-DSA, uses a separate module if Node lacks it. */
export const openSigningKey: KeyOpener = (algorithm, pkcs8) => {
  const privateKey = readPrivateKey(algorithm, pkcs8);
  return algorithm.key.type === 'ml-dsa' && !isKnownToNode(privateKey)
    ? openMlDsaKey(algorithm, privateKey)
    : nativeKey(algorithm, privateKey);
};

/** Tests whether Node can name the type of the key. Node 22 may read an ML-DSA key, but can neither name its type nor sign with it. */
function isKnownToNode(privateKey: PrivateKey): boolean {
  try {
    return String(makeKeyObject(privateKey).asymmetricKeyType) === privateKey.kind.toLowerCase();
  } catch {
    return false;
  }
}

export function nativeKey(algorithm: SigningAlgorithm, privateKey: PrivateKey): SigningKey {
  const { key, hash } = algorithm;
  const padding =
    key.type === 'rsa' && key.pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : undefined;
  return {
    algorithm,
    get coseKey() {
      return makeCoseKey(algorithm, privateKey);
    },
    sign(data) {
      const object = makeKeyObject(privateKey);
      return new Uint8Array(sign(hash, data, padding ? { key: object, ...padding } : object));
    },
  };
}
/** Cache of ML-DSA keys expanded from their seed, because expanding a seed takes as long as signing. */
const expanded = new WeakMap<PrivateKey, { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array }>();

/**
 * Prepares an ML-DSA key with a module that does not need Node's support for ML-DSA.
 *
 * @param entropy false to leave out the random bytes that FIPS 204 mixes into a signature, which makes signatures deterministic (§3.4).
 */
export async function openMlDsaKey(algorithm: SigningAlgorithm, privateKey: PrivateKey, entropy?: false): Promise<SigningKey> {
  const schemeOf = await loadMlDsa();
  const scheme = schemeOf(algorithm.id);
  if (scheme === undefined) throw new TypeError(`Expected an algorithm of ML-DSA; got ${algorithm.name}.`);
  const keys = expanded.get(privateKey) ?? scheme.keygen(privateKey.secret);
  expanded.set(privateKey, keys);
  return {
    algorithm,
    coseKey: { kty: KEY_TYPES.AKP, alg: algorithm.id, pub: keys.publicKey },
    sign: (data) => scheme.sign(data, keys.secretKey, entropy === false ? { extraEntropy: false } : {}),
  };
}
