import { KEY_TYPES } from '../../webauthn/algorithms.js';
import { decodeCoseKey } from '../../webauthn/cose-key.js';
import { loadMlDsa } from '../../webauthn/ml-dsa.js';
import { importCoseKey } from './signature.js';
import { attempt } from './sub-check.js';

/**
 * Verifies a signature of ML-DSA (FIPS 204) without the help of Node.
 *
 * @param publicKey as COSE and X.509 hold it: the bytes of FIPS 204.
 */
export type MlDsaVerifier = (signed: {
  readonly alg: number;
  readonly publicKey: Uint8Array;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}) => boolean;

/** The verifier for Node versions that know no ML-DSA (those before 24). */
export async function loadMlDsaVerifier(): Promise<MlDsaVerifier> {
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

/** The verifier where this public key (COSE_Key) needs it: one of ML-DSA, on a Node that cannot import it. Undefined for all others. */
export async function mlDsaFor(publicKey: Uint8Array | undefined): Promise<MlDsaVerifier | undefined> {
  const key = publicKey && attempt(() => decodeCoseKey(publicKey));
  const needed = key?.ok === true && key.value.kty === KEY_TYPES.AKP && importCoseKey(key.value) === undefined;
  return needed ? loadMlDsaVerifier() : undefined;
}
