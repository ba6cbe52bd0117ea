import { findAlgorithm } from './algorithms.js';

/** ML-DSA (FIPS 204) of one set of parameters, without the help of Node. */
type MlDsa = typeof import('@noble/post-quantum/ml-dsa.js').ml_dsa44;

/**
 * Loads ML-DSA for Node versions that do not know it (those before 24), and for signatures that must repeat. It is a large module, so only
 * this loads it.
 *
 * @returns the scheme of a COSEAlgorithmIdentifier; undefined for one that is not ML-DSA.
 */
export async function loadMlDsa(): Promise<(alg: number) => MlDsa | undefined> {
  const { ml_dsa44, ml_dsa65, ml_dsa87 } = await import('@noble/post-quantum/ml-dsa.js');
  const schemes: Readonly<Record<string, MlDsa>> = { 'ML-DSA-44': ml_dsa44, 'ML-DSA-65': ml_dsa65, 'ML-DSA-87': ml_dsa87 };
  return (alg) => schemes[findAlgorithm(alg)?.name ?? ''];
}
