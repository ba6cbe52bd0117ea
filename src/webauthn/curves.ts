/** Short Weierstrass curves y² = x³ + ax + b over a prime field: SEC 2 and FIPS 186-5. */
interface Curve {
  /** COSE elliptic curve identifier. */
  readonly crv: number;
  readonly name: string;
  /** Bytes of one coordinate. */
  readonly size: number;
  readonly p: bigint;
  readonly a: bigint;
  readonly b: bigint;
}

const P256 = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const P384 = 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n;
const P521 = 2n ** 521n - 1n;

export const CURVES: readonly Curve[] = [
  { crv: 1, name: 'P-256', size: 32, p: P256, a: -3n, b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn },
  {
    crv: 2,
    name: 'P-384',
    size: 48,
    p: P384,
    a: -3n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  },
  {
    crv: 3,
    name: 'P-521',
    size: 66,
    p: P521,
    a: -3n,
    b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  },
  { crv: 8, name: 'secp256k1', size: 32, p: 2n ** 256n - 2n ** 32n - 977n, a: 0n, b: 7n },
];

/** Whether the coordinates (big-endian) are those of a point on the curve. The curves have cofactor 1, so no more needs to be asked of a public key. */
export function isOnCurve({ p, a, b }: Curve, xHex: string, yHex: string): boolean {
  const x = BigInt(`0x${xHex}`);
  const y = BigInt(`0x${yHex}`);
  return x < p && y < p && (y * y - (x * x * x + a * x + b)) % p === 0n;
}
