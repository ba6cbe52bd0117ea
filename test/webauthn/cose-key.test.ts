import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, fromHex } from '../../src/kernel/bytes.js';
import { ALGORITHMS, algorithmName } from '../../src/webauthn/algorithms.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { CborFloat, type CborValue, decodeCborMap, encodeCbor } from '../../src/webauthn/cbor.js';
import { type CoseKey, decodeCoseKey, encodeCoseKey, readCoseAlgorithm } from '../../src/webauthn/cose-key.js';
import { fc } from '../properties.js';
import { answersOrRefuses, bytes, cborMap, damaged } from './arbitraries.js';

const NODE_CURVES: Readonly<Record<number, string>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521', 8: 'secp256k1' };
const ML_DSA_BYTES: Readonly<Record<number, number>> = { [-48]: 1312, [-49]: 1952, [-50]: 2592 };

function publicKey(alg: number): CoseKey {
  const algorithm = ALGORITHMS.find(({ id }) => id === alg);
  const part = (text: string | undefined) => decodeBase64url(text ?? '');
  switch (algorithm?.kty) {
    case 2: {
      const crv = algorithm.crv ?? 0;
      const { x, y } = generateKeyPairSync('ec', { namedCurve: NODE_CURVES[crv] ?? '' }).publicKey.export({ format: 'jwk' });
      return { kty: 2, alg, crv, x: part(x), y: part(y) };
    }
    case 1: {
      const { publicKey: key } = algorithm.crv === 6 ? generateKeyPairSync('ed25519') : generateKeyPairSync('ed448');
      return { kty: 1, alg, crv: algorithm.crv ?? 0, x: part(key.export({ format: 'jwk' }).x) };
    }
    case 3:
      return { kty: 3, alg, n: new Uint8Array(256).fill(0xc5), e: Uint8Array.of(1, 0, 1) };
    default:
      return { kty: 7, alg, pub: new Uint8Array(ML_DSA_BYTES[alg] ?? 0).fill(7) };
  }
}

const KEYS = ALGORITHMS.map(({ id }) => publicKey(id));
const keyOf = (alg: number) => encodeCoseKey(KEYS.find((key) => key.alg === alg) ?? publicKey(alg));
/** A good key with members set, or removed where the value is `undefined`. */
const changed = (alg: number, change: readonly [CborValue, CborValue][]): Uint8Array => {
  const { value: map } = decodeCborMap(keyOf(alg));
  for (const [label, value] of change) {
    if (value === undefined) {
      map.delete(label);
    } else {
      map.set(label, value);
    }
  }
  return encodeCbor(map);
};

describe('ALGORITHMS', () => {
  test('has each algorithm once', () => {
    expect(new Set(ALGORITHMS.map(({ id }) => id)).size).toBe(ALGORITHMS.length);
    expect(new Set(ALGORITHMS.map(({ name }) => name)).size).toBe(ALGORITHMS.length);
  });

  test.each([
    [-7, 'ES256'],
    [-8, 'EdDSA'],
    [-9, 'ESP256'],
    [-19, 'Ed25519'],
    [-47, 'ES256K'],
    [-48, 'ML-DSA-44'],
    [-53, 'Ed448'],
    [-257, 'RS256'],
    [-65535, 'RS1'],
    [-999, 'COSE algorithm -999'],
  ])('calls %i %s', (id, name) => {
    expect(algorithmName(id)).toBe(name);
  });
});

describe('decodeCoseKey', () => {
  test.each(KEYS.map((key): [string, CoseKey] => [algorithmName(key.alg), key]))('reads a key for %s as it was written', (_, key) => {
    expect(decodeCoseKey(encodeCoseKey(key))).toEqual(key);
    expect(readCoseAlgorithm(encodeCoseKey(key))).toBe(key.alg);
  });

  test.each([1, 2, 3, 8].flatMap((crv) => Array.from({ length: 5 }, () => crv)))('finds points of Node on curve %i', (crv) => {
    const alg = ALGORITHMS.find((algorithm) => algorithm.crv === crv)?.id ?? 0;
    expect(() => decodeCoseKey(encodeCoseKey(publicKey(alg)))).not.toThrow();
  });

  const membersOf = () => [...decodeCborMap(keyOf(-7)).value].toReversed().flatMap((member) => member.map(encodeCbor));

  test('reads members in any order', () => {
    expect(decodeCoseKey(concatBytes(Uint8Array.of(0xa5), ...membersOf()))).toEqual(KEYS.find(({ alg }) => alg === -7));
  });

  test.each(['f93c00', 'fa3f800000', 'fb3ff0000000000000'])('does not take the floating-point number %s for the label 1', (one) => {
    const good = keyOf(-7);
    expect(good.slice(0, 2)).toEqual(fromHex('a501'));
    const key = concatBytes(good.slice(0, 1), fromHex(one), good.slice(2));
    expect(() => decodeCoseKey(key)).toThrow(
      expect.objectContaining({
        code: 'public_key_malformed',
        message: expect.stringContaining('at byte 0: expected "kty" (label 1) to be an integer, got none'),
      }),
    );
    const twice = concatBytes(Uint8Array.of(0xa6), fromHex(one), Uint8Array.of(2), good.slice(1));
    expect(() => decodeCoseKey(twice)).toThrow('expected only the labels 1, 3, -1, -2, -3, got a label that is neither integer nor text');
  });

  const tagged = concatBytes(Uint8Array.of(0xa5, 0xc1), ...membersOf());
  test.each([
    ['of indefinite length', concatBytes(Uint8Array.of(0xbf), ...membersOf(), Uint8Array.of(0xff)), 0, 'the length of a map is definite'],
    ['with a long head', concatBytes(Uint8Array.of(0xb8, 5), ...membersOf()), 0, 'writes 5 in the fewest bytes'],
    ['with a tag', tagged, 1, 'has no tags'],
  ])('refuses one %s, as CTAP2 does', (_, bytes, offset, detail) => {
    for (const decode of [decodeCoseKey, readCoseAlgorithm]) {
      expect(() => decode(bytes)).toThrow(
        expect.objectContaining({
          code: 'public_key_malformed',
          message: expect.stringMatching(`at byte ${offset}: expected canonical CBOR.*${detail}`),
        }),
      );
    }
  });

  const point = (length: number) => new Uint8Array(length).fill(1);
  test.each([
    ['no key type', changed(-7, [[1, undefined]]), 0, 'expected "kty" (label 1) to be an integer, got none'],
    ['no algorithm', changed(-7, [[3, undefined]]), 0, 'expected "alg" (label 3) to be an integer, got none'],
    ['an algorithm by name', changed(-7, [[3, 'ES256']]), 4, 'to be an integer, got something else'],
    [
      'a floating-point key type',
      changed(-7, [[1, new CborFloat(2)]]),
      2,
      '"kty" (label 1) to be an integer, got the floating-point number 2.0',
    ],
    [
      'a floating-point algorithm',
      changed(-7, [[3, new CborFloat(-7)]]),
      4,
      '"alg" (label 3) to be an integer, got the floating-point number -7.0',
    ],
    [
      'a floating-point curve',
      changed(-7, [[-1, new CborFloat(1)]]),
      6,
      '"crv" (label -1) to be an integer, got the floating-point number 1.0',
    ],
    ['an algorithm between integers', changed(-7, [[3, -7.5]]), 4, 'got the floating-point number -7.5'],
    ['a floating-point coordinate', changed(-7, [[-2, new CborFloat(3)]]), 8, 'expected "x" (label -2) to be 32 bytes, got something else'],
    ['an unknown algorithm', changed(-7, [[3, -6]]), 4, 'expected a known "alg", got -6'],
    ['another key type', changed(-7, [[1, 3]]), 2, 'expected "kty" 2 (EC2) for ES256, got 3 (RSA)'],
    ['a symmetric key', changed(-7, [[1, 4]]), 2, 'got 4 (Symmetric)'],
    ['another curve', changed(-7, [[-1, 2]]), 6, 'expected "crv" 1 for ES256, got 2'],
    ['no curve', changed(-7, [[-1, undefined]]), 0, 'expected "crv" (label -1) to be an integer, got none'],
    ['Ed448 under EdDSA', changed(-8, [[-1, 7]]), 6, 'expected "crv" 6 for EdDSA, got 7'],
    ['a short x', changed(-7, [[-2, point(31)]]), 8, 'expected "x" (label -2) to be 32 bytes, got 31 bytes'],
    ['a long y', changed(-7, [[-3, point(33)]]), 43, 'expected "y" (label -3) to be 32 bytes, got 33 bytes'],
    [
      'a compressed point',
      changed(-7, [[-3, true]]),
      43,
      'got something else (the compressed form of a point, which WebAuthn does not allow)',
    ],
    ['no y', changed(-7, [[-3, undefined]]), 0, 'expected "y" (label -3) to be 32 bytes, got none'],
    ['a point beside the curve', changed(-7, [[-3, point(32)]]), 8, 'expected "x" and "y" to be a point on P-256'],
    ['a coordinate beyond the field', changed(-7, [[-2, new Uint8Array(32).fill(255)]]), 8, 'to be a point on P-256'],
    ['a private key', changed(-7, [[-4, point(32)]]), 78, 'expected only the labels 1, 3, -1, -2, -3, got label -4'],
    ['a key ID', changed(-7, [[2, point(3)]]), 4, 'got label 2'],
    ['a label of text', changed(-7, [['x', point(3)]]), 0, 'got label x'],
    ['a label of bytes', changed(-7, [[point(1), 1]]), 0, 'got a label that is neither integer nor text'],
    ['a short Ed25519 key', changed(-19, [[-2, point(31)]]), 8, 'to be 32 bytes, got 31 bytes'],
    ['an Ed25519 key with y', changed(-8, [[-3, point(32)]]), 43, 'expected only the labels 1, 3, -1, -2, got label -3'],
    ['a short Ed448 key', changed(-53, [[-2, point(56)]]), 9, 'to be 57 bytes, got 56 bytes'],
    [
      'RSA of 1024 bits',
      changed(-257, [[-1, point(128)]]),
      8,
      'an odd number of 256 to 2048 bytes without a leading zero byte, got 128 bytes',
    ],
    ['RSA of 32768 bits', changed(-257, [[-1, point(4096)]]), 8, 'got 4096 bytes'],
    ['an even modulus', changed(-257, [[-1, new Uint8Array(256).fill(2)]]), 8, 'an odd number'],
    ['a modulus with a leading zero', changed(-257, [[-1, concatBytes(Uint8Array.of(0), point(256))]]), 8, 'without a leading zero byte'],
    ['an exponent of 1', changed(-257, [[-2, Uint8Array.of(1)]]), 268, 'expected "e" (label -2) to be an odd number above 1'],
    ['an even exponent', changed(-257, [[-2, Uint8Array.of(1, 0)]]), 268, 'an odd number above 1'],
    ['no exponent', changed(-257, [[-2, undefined]]), 0, 'expected "e" (label -2) to be a byte string, got none'],
    ['an empty exponent', changed(-257, [[-2, new Uint8Array()]]), 268, 'got 0 bytes'],
    ['a short ML-DSA key', changed(-49, [[-1, point(1312)]]), 7, 'expected "pub" (label -1) to be 1952 bytes, got 1312 bytes'],
    ['a byte more', concatBytes(keyOf(-7), Uint8Array.of(0)), 77, 'expected nothing after it, got 1 more byte'],
    ['an array', fromHex('80'), 0, 'expected a map, got an array'],
    ['nothing', new Uint8Array(), 0, 'expected an item, got the end'],
  ])('refuses %s', (_, value, offset, detail) => {
    const message = `The credential public key is malformed at byte ${offset}: `;
    expect(() => decodeCoseKey(value)).toThrow(
      expect.objectContaining({ code: 'public_key_malformed', message: expect.stringContaining(message) }),
    );
    expect(() => decodeCoseKey(value)).toThrow(detail);
  });

  test('answers or refuses whatever it is given', () => {
    const good = fc.constantFrom(...KEYS.filter((key) => key.kty !== 7).map(encodeCoseKey));
    fc.assert(
      fc.property(fc.oneof(bytes(80), cborMap.map(encodeCbor), damaged(good)), (value) => {
        answersOrRefuses('public_key_malformed', () => decodeCoseKey(value));
        answersOrRefuses('public_key_malformed', () => readCoseAlgorithm(value));
      }),
      { numRuns: 150 },
    );
  });
});

describe('readCoseAlgorithm', () => {
  test('reads the algorithm of a key of which nothing else is known', () => {
    expect(readCoseAlgorithm(fromHex('a2011903e7033903e7'))).toBe(-1000);
    expect(() => readCoseAlgorithm(fromHex('a2011903e703f9c700'))).toThrow(
      'at byte 6: expected "alg" (label 3) to be an integer, got the floating-point number -7.0',
    );
  });
});
