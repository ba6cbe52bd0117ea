import { ALGORITHMS, type Algorithm, type Curve, findCurve, KEY_TYPES, opensslHash } from '../webauthn/algorithms.js';

/** Kind of key that an algorithm signs with. `name` is a curve name, `RSA`, or the name of an ML-DSA parameter set. */
export type KeyKind =
  | { readonly type: 'ec'; readonly name: string; readonly curve: Curve }
  | { readonly type: 'okp'; readonly name: string; readonly curve: Curve }
  | { readonly type: 'rsa'; readonly name: string; readonly pss: boolean }
  | { readonly type: 'ml-dsa'; readonly name: string; readonly publicKeyBytes: number };

/** A COSE signature algorithm that the software authenticator supports. */
export interface SigningAlgorithm {
  /** COSEAlgorithmIdentifier, e.g. -7 for ES256. */
  readonly id: number;
  readonly name: string;
  readonly key: KeyKind;
  /**
   * OpenSSL's name of the digest; null if the signature scheme hashes the message itself. No supported algorithm uses SHA-1, which occurs
   * only in deliberately faulty signatures.
   */
  readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512' | null;
}

/** Every algorithm of the table `ALGORITHMS` except RS1, which only TPM statements may use (§8.3). */
export const SIGNING_ALGORITHMS: readonly SigningAlgorithm[] = ALGORITHMS.flatMap((algorithm) => toSigning(algorithm) ?? []);

const BY_ID: ReadonlyMap<number, SigningAlgorithm> = new Map(SIGNING_ALGORITHMS.map((algorithm) => [algorithm.id, algorithm]));

function toSigning(algorithm: Algorithm): SigningAlgorithm | undefined {
  const { id, name, hash } = algorithm;
  if (hash === 'SHA-1') return undefined;
  const key = toKeyKind(algorithm);
  return key && { id, name, key, hash: hash === undefined ? null : opensslHash(hash) };
}

function toKeyKind({ name, kty, crv, pss, publicKeyBytes }: Algorithm): KeyKind | undefined {
  const curve = findCurve(crv);
  if (kty === KEY_TYPES.RSA) return { type: 'rsa', name: 'RSA', pss: pss ?? false };
  if (publicKeyBytes !== undefined) return { type: 'ml-dsa', name, publicKeyBytes };
  return curve && { type: kty === KEY_TYPES.EC2 ? 'ec' : 'okp', name: curve.name, curve };
}

/** Finds a signing algorithm by its COSE number. @throws TypeError for an algorithm that this authenticator does not have. */
export function signingAlgorithm(id: number): SigningAlgorithm {
  const algorithm = BY_ID.get(id);
  if (algorithm === undefined) {
    const known = SIGNING_ALGORITHMS.map(({ id, name }) => `${id} (${name})`).join(', ');
    throw new TypeError(`Expected a COSE algorithm that this authenticator has, one of ${known}; got ${id}.`);
  }
  return algorithm;
}
