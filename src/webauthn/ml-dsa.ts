import { findAlgorithm } from './algorithms.js';

/** ML-DSA (FIPS 204) for one parameter set, implemented without Node's crypto. */
type MlDsa = typeof import('@noble/post-quantum/ml-dsa.js').ml_dsa44;

/**
 * Loads ML-DSA for Node versions before 24, which lack it, and for repeatable signatures. Loads the module on demand, because it is large.
 *
 * @returns a function that finds the implementation for a COSEAlgorithmIdentifier; undefined for algorithms other than ML-DSA.
 */
export async function loadMlDsa(): Promise<(alg: number) => MlDsa | undefined> {
  const { ml_dsa44, ml_dsa65, ml_dsa87 } = await import('@noble/post-quantum/ml-dsa.js');
  const schemes: Readonly<Record<string, MlDsa>> = { 'ML-DSA-44': ml_dsa44, 'ML-DSA-65': ml_dsa65, 'ML-DSA-87': ml_dsa87 };
  return (alg) => schemes[findAlgorithm(alg)?.name ?? ''];
}
