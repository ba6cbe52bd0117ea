import { createPublicKey, verify } from 'node:crypto';
import { p256, p384, p521 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { publicPoint, scalarFrom, signDeterministically } from '../../src/authenticator/ecdsa.js';
import { concatBytes, encodeUtf8, fromHex, toHex } from '../../src/kernel/bytes.js';
import { CURVES, type Curve } from '../../src/webauthn/algorithms.js';
import { ecdsaSignature } from '../../src/webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../src/webauthn/subject-public-key-info.js';
import { fc } from '../properties.js';

function curve(name: string): Curve {
  const found = CURVES.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`Expected a curve named ${name}.`);
  return found;
}

/** RFC 6979 appendix A.2.5 to A.2.7: the message "sample", hashed with the hash as long as the curve, and one with another. */
const PUBLISHED = [
  {
    name: 'P-256',
    hash: 'sha256',
    scalar: 'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721',
    r: 'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
    s: 'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
  },
  {
    name: 'P-256',
    hash: 'sha512',
    scalar: 'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721',
    r: '8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00',
    s: '2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe',
  },
  {
    name: 'P-384',
    hash: 'sha384',
    scalar: '6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5',
    r: '94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46',
    s: '99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8',
  },
  {
    name: 'P-521',
    hash: 'sha512',
    scalar:
      '00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538',
    r: '00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e377fa',
    s: '00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af282623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a',
  },
] as const;

describe('deterministic ECDSA', () => {
  test.each(PUBLISHED)('signs "sample" on $name with $hash as RFC 6979 appendix A.2 does', ({ name, hash, scalar, r, s }) => {
    const signature = signDeterministically({ curve: curve(name), scalar: BigInt(`0x${scalar}`) }, hash, encodeUtf8('sample'));
    expect([toHex(signature.r), toHex(signature.s)]).toEqual([r, s]);
  });

  const others = [
    { name: 'P-256', hash: 'sha256', other: p256 },
    { name: 'P-384', hash: 'sha384', other: p384 },
    { name: 'P-521', hash: 'sha512', other: p521 },
    { name: 'secp256k1', hash: 'sha256', other: secp256k1 },
  ] as const;
  test.each(others)('agrees with @noble/curves and verifies by Node on $name, for any key and message', ({ name, hash, other }) => {
    const on = curve(name);
    const bytes = fc.uint8Array({ minLength: on.size, maxLength: on.size });
    fc.assert(
      fc.property(bytes, fc.uint8Array({ maxLength: 200 }), (seed, data) => {
        const key = { curve: on, scalar: scalarFrom(on, seed) };
        const { r, s } = signDeterministically(key, hash, data);
        const secret = fromHex(key.scalar.toString(16).padStart(2 * on.size, '0'));
        expect(concatBytes(r, s)).toEqual(other.sign(data, secret, { lowS: false }));
        const spki = encodeSubjectPublicKeyInfo({ kty: 2, alg: 0, crv: on.crv, ...publicPoint(key) });
        const publicKey = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
        expect(verify(hash, data, publicKey, ecdsaSignature(r, s))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test('keeps bytes that are a private key, and brings others into range', () => {
    const p = curve('P-256');
    const n = p.weierstrass?.n ?? 0n;
    const bytes = (value: bigint) => fromHex(value.toString(16).padStart(64, '0'));
    expect([1n, 2n, n - 1n].map((value) => scalarFrom(p, bytes(value)))).toEqual([1n, 2n, n - 1n]);
    expect([0n, n, n + 1n].map((value) => scalarFrom(p, bytes(value)))).toEqual([n - 1n, 1n, 2n]);
  });

  test('refuses a curve that has no ECDSA', () => {
    expect(() => signDeterministically({ curve: curve('Ed25519'), scalar: 1n }, 'sha256', new Uint8Array())).toThrow(
      new TypeError('Expected a curve for ECDSA; got Ed25519.'),
    );
  });
});
