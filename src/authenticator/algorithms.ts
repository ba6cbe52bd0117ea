import { ALGORITHMS, type Algorithm, type Curve, findCurve, KEY_TYPES, opensslHash } from '../webauthn/algorithms.js';

/** The kind of key that an algorithm signs with. */
export type KeyKind =
  | { readonly type: 'ec'; readonly curve: Curve }
  | { readonly type: 'okp'; readonly curve: Curve }
  | { readonly type: 'rsa'; readonly pss: boolean };

/** A COSE signature algorithm that the software authenticator has. */
export interface SigningAlgorithm {
  /** COSEAlgorithmIdentifier. */
  readonly id: number;
  readonly name: string;
  readonly key: KeyKind;
  /** OpenSSL's name of the digest; null where the signature scheme hashes by itself. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
}

/** Every algorithm of the table but those on secp256k1, with SHA-1 and of ML-DSA. */
export const SIGNING_ALGORITHMS: readonly SigningAlgorithm[] = ALGORITHMS.flatMap((algorithm) => toSigning(algorithm) ?? []);

function toSigning({ id, name, kty, crv, hash, pss }: Algorithm): SigningAlgorithm | undefined {
  const curve = findCurve(crv);
  if (hash === 'SHA-1' || curve?.name === 'secp256k1') return undefined;
  const digest = hash === undefined ? null : opensslHash(hash);
  if (kty === KEY_TYPES.RSA) return { id, name, key: { type: 'rsa', pss: pss ?? false }, hash: digest };
  return curve && { id, name, key: { type: kty === KEY_TYPES.EC2 ? 'ec' : 'okp', curve }, hash: digest };
}

/** @throws TypeError for an algorithm that this authenticator does not have. */
export function signingAlgorithm(id: number): SigningAlgorithm {
  const algorithm = SIGNING_ALGORITHMS.find((known) => known.id === id);
  if (algorithm === undefined) {
    const known = SIGNING_ALGORITHMS.map(({ id, name }) => `${id} (${name})`).join(', ');
    throw new TypeError(`Expected a COSE algorithm that this authenticator has, one of ${known}; got ${id}.`);
  }
  return algorithm;
}
