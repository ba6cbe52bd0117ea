import { algorithmName, findAlgorithm } from '../webauthn/cose-key.js';

type EcCurve = 'P-256' | 'P-384' | 'P-521';
type OkpCurve = 'Ed25519' | 'Ed448';

export type KeyKind =
  | { readonly type: 'ec'; readonly namedCurve: EcCurve }
  | { readonly type: 'okp'; readonly namedCurve: OkpCurve }
  | { readonly type: 'rsa'; readonly pss: boolean };

/** A COSE signature algorithm that the software authenticator can have. */
export interface SigningAlgorithm {
  /** COSEAlgorithmIdentifier. */
  readonly id: number;
  readonly name: string;
  readonly key: KeyKind;
  /** Node's name of the digest; null where the signature scheme hashes by itself. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
}

type Hash = SigningAlgorithm['hash'];
const row = (id: number, key: KeyKind, hash: Hash): SigningAlgorithm => ({ id, name: algorithmName(id), key, hash });
const ec = (id: number, namedCurve: EcCurve, hash: Hash) => row(id, { type: 'ec', namedCurve }, hash);
const okp = (id: number, namedCurve: OkpCurve) => row(id, { type: 'okp', namedCurve }, null);
const rsa = (id: number, pss: boolean, hash: Hash) => row(id, { type: 'rsa', pss }, hash);

/** One row each; a further algorithm of a known kind of key is one more row. */
export const SIGNING_ALGORITHMS: readonly SigningAlgorithm[] = [
  ec(-7, 'P-256', 'sha256'),
  okp(-8, 'Ed25519'),
  rsa(-257, false, 'sha256'),
  ec(-35, 'P-384', 'sha384'),
  ec(-36, 'P-521', 'sha512'),
  rsa(-37, true, 'sha256'),
  rsa(-38, true, 'sha384'),
  rsa(-39, true, 'sha512'),
  rsa(-258, false, 'sha384'),
  rsa(-259, false, 'sha512'),
  okp(-53, 'Ed448'),
  // Fully specified identifiers of RFC 9864.
  ec(-9, 'P-256', 'sha256'),
  ec(-51, 'P-384', 'sha384'),
  ec(-52, 'P-521', 'sha512'),
  okp(-19, 'Ed25519'),
];

/** @throws TypeError for an algorithm that is not in the table. */
export function signingAlgorithm(id: number): SigningAlgorithm {
  const algorithm = SIGNING_ALGORITHMS.find((known) => known.id === id);
  if (algorithm === undefined) {
    const known = SIGNING_ALGORITHMS.map(({ id, name }) => `${id} (${name})`).join(', ');
    throw new TypeError(`Expected a COSE algorithm that this authenticator can have, one of ${known}; got ${id}.`);
  }
  return algorithm;
}

/** COSE elliptic curve of an algorithm (RFC 9053 §7.1); 0 for a key without a curve. */
export function coseCurve({ id }: SigningAlgorithm): number {
  return findAlgorithm(id)?.crv ?? 0;
}
