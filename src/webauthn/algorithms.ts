/** COSE key types (IANA COSE Key Types). WebAuthn uses OKP, EC2, RSA and AKP. */
export const KEY_TYPES = { OKP: 1, EC2: 2, RSA: 3, Symmetric: 4, AKP: 7 } as const;
type SignatureKeyType = Exclude<(typeof KEY_TYPES)[keyof typeof KEY_TYPES], 4>;

const { OKP, EC2, RSA, AKP } = KEY_TYPES;

/** Name of a COSE key type, e.g. `EC2`; undefined for a key type outside the table. */
export function keyTypeName(kty: unknown): string | undefined {
  return Object.entries(KEY_TYPES).find(([, id]) => id === kty)?.[0];
}

/** An elliptic curve y² = x³ + ax + b over the prime field of order p. `n` is the order of the base point (SEC 2, FIPS 186-5). */
export interface Weierstrass {
  readonly p: bigint;
  readonly a: bigint;
  readonly b: bigint;
  readonly n: bigint;
}

/** An elliptic curve that a COSE key can have (IANA COSE Elliptic Curves). */
export interface Curve {
  /** COSE elliptic curve identifier. */
  readonly crv: number;
  /** Name of the curve in COSE and in JSON Web Keys (RFC 7518, RFC 8037, RFC 8812). */
  readonly name: string;
  readonly kty: typeof OKP | typeof EC2;
  /** Length in bytes of one coordinate, or of the whole public key if the key type is OKP. */
  readonly size: number;
  /** OpenSSL's name of the curve. */
  readonly openssl: string;
  /** The curve's equation; present only for curves of EC2 keys. */
  readonly weierstrass?: Weierstrass;
}

const P256: Weierstrass = {
  p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
  a: -3n,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};
const P384: Weierstrass = {
  p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
  a: -3n,
  b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
};
const P521: Weierstrass = {
  p: 2n ** 521n - 1n,
  a: -3n,
  b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  n: 0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
};
const SECP256K1: Weierstrass = {
  p: 2n ** 256n - 2n ** 32n - 977n,
  a: 0n,
  b: 7n,
  n: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
};

/** The COSE curves. X25519 and X448 are for key agreement, so no WebAuthn algorithm uses them, but a key may name one by mistake. */
export const CURVES: readonly Curve[] = [
  { crv: 1, name: 'P-256', kty: EC2, size: 32, openssl: 'prime256v1', weierstrass: P256 },
  { crv: 2, name: 'P-384', kty: EC2, size: 48, openssl: 'secp384r1', weierstrass: P384 },
  { crv: 3, name: 'P-521', kty: EC2, size: 66, openssl: 'secp521r1', weierstrass: P521 },
  { crv: 4, name: 'X25519', kty: OKP, size: 32, openssl: 'x25519' },
  { crv: 5, name: 'X448', kty: OKP, size: 56, openssl: 'x448' },
  { crv: 6, name: 'Ed25519', kty: OKP, size: 32, openssl: 'ed25519' },
  { crv: 7, name: 'Ed448', kty: OKP, size: 57, openssl: 'ed448' },
  { crv: 8, name: 'secp256k1', kty: EC2, size: 32, openssl: 'secp256k1', weierstrass: SECP256K1 },
];

/** Finds a COSE curve by its number. */
export function findCurve(crv: unknown): Curve | undefined {
  return CURVES.find((curve) => curve.crv === crv);
}

/**
 * Tests whether the point with these coordinates (big-endian hexadecimal) is on the curve. A public key needs no other check, because the
 * curves have cofactor 1.
 */
export function isOnCurve({ p, a, b }: Weierstrass, xHex: string, yHex: string): boolean {
  const x = BigInt(`0x${xHex}`);
  const y = BigInt(`0x${yHex}`);
  return x < p && y < p && (y * y - (x * x * x + a * x + b)) % p === 0n;
}

export type HashName = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';

/** A COSE signature algorithm (IANA COSE Algorithms). */
export interface Algorithm {
  /** COSEAlgorithmIdentifier, e.g. -7 for ES256. */
  readonly id: number;
  readonly name: string;
  readonly kty: SignatureKeyType;
  /** The only curve that WebAuthn L3 §5.8.5 and RFC 9864 allow with this algorithm. */
  readonly crv?: number;
  /** Hash applied to the message before signing; absent if the signature scheme defines its own. */
  readonly hash?: HashName;
  /** Set if the algorithm is RSASSA-PSS, with a salt as long as the hash. */
  readonly pss?: true;
  /** Length of the public key in bytes; AKP only. */
  readonly publicKeyBytes?: number;
  /**
   * Node versions on which the verification library supports the algorithm: all versions, or 24 and later. Absent if no version does; then
   * only this project's own steps verify the signature.
   */
  readonly library?: 'always' | 'node-24';
}

export const ALGORITHMS: readonly Algorithm[] = [
  { id: -7, name: 'ES256', kty: EC2, crv: 1, hash: 'SHA-256', library: 'always' },
  { id: -8, name: 'EdDSA', kty: OKP, crv: 6, library: 'always' },
  { id: -9, name: 'ESP256', kty: EC2, crv: 1, hash: 'SHA-256' },
  { id: -19, name: 'Ed25519', kty: OKP, crv: 6 },
  { id: -35, name: 'ES384', kty: EC2, crv: 2, hash: 'SHA-384', library: 'always' },
  { id: -36, name: 'ES512', kty: EC2, crv: 3, hash: 'SHA-512', library: 'always' },
  { id: -37, name: 'PS256', kty: RSA, hash: 'SHA-256', pss: true, library: 'always' },
  { id: -38, name: 'PS384', kty: RSA, hash: 'SHA-384', pss: true, library: 'always' },
  { id: -39, name: 'PS512', kty: RSA, hash: 'SHA-512', pss: true, library: 'always' },
  { id: -47, name: 'ES256K', kty: EC2, crv: 8, hash: 'SHA-256' },
  { id: -48, name: 'ML-DSA-44', kty: AKP, publicKeyBytes: 1312, library: 'node-24' },
  { id: -49, name: 'ML-DSA-65', kty: AKP, publicKeyBytes: 1952, library: 'node-24' },
  { id: -50, name: 'ML-DSA-87', kty: AKP, publicKeyBytes: 2592, library: 'node-24' },
  { id: -51, name: 'ESP384', kty: EC2, crv: 2, hash: 'SHA-384' },
  { id: -52, name: 'ESP512', kty: EC2, crv: 3, hash: 'SHA-512' },
  { id: -53, name: 'Ed448', kty: OKP, crv: 7 },
  { id: -257, name: 'RS256', kty: RSA, hash: 'SHA-256', library: 'always' },
  { id: -258, name: 'RS384', kty: RSA, hash: 'SHA-384', library: 'always' },
  { id: -259, name: 'RS512', kty: RSA, hash: 'SHA-512', library: 'always' },
  { id: -65535, name: 'RS1', kty: RSA, hash: 'SHA-1', library: 'always' },
];

/** Finds a COSE algorithm by its number. */
export function findAlgorithm(id: unknown): Algorithm | undefined {
  return ALGORITHMS.find((algorithm) => algorithm.id === id);
}

/** Name of an algorithm as IANA registers it, e.g. `ES256`; `COSE algorithm -999` for an algorithm outside the table. */
export function algorithmName(id: number): string {
  return findAlgorithm(id)?.name ?? `COSE algorithm ${id}`;
}

/** OpenSSL's name of a hash, e.g. `sha256`. */
export function opensslHash<Name extends HashName>(hash: Name) {
  return hash.toLowerCase().replace('-', '') as Name extends `SHA-${infer Bits}` ? `sha${Bits}` : never;
}
