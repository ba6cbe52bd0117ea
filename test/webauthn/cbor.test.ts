import { describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/kernel/bytes.js';
import { CborFloat, CborSyntaxError, type CborValue, decodeCbor, decodeCborMap, encodeCbor } from '../../src/webauthn/cbor.js';
import { fc } from '../properties.js';
import { bytes, cborMap, cborValue, damaged } from './arbitraries.js';

const decodeHex = (hex: string) => decodeCbor(fromHex(hex)).value;
const float = (value: number) => new CborFloat(value);
const map = (...entries: [CborValue, CborValue][]) => new Map(entries);

/** RFC 8949 appendix A: [hexadecimal, value, is also what we write]. */
const VECTORS: [string, CborValue, boolean][] = [
  ['00', 0, true],
  ['01', 1, true],
  ['0a', 10, true],
  ['17', 23, true],
  ['1818', 24, true],
  ['1819', 25, true],
  ['1864', 100, true],
  ['1903e8', 1000, true],
  ['1a000f4240', 1000000, true],
  ['1b000000e8d4a51000', 1000000000000, true],
  ['1bffffffffffffffff', 18446744073709551615n, true],
  ['c249010000000000000000', 18446744073709551616n, true],
  ['3bffffffffffffffff', -18446744073709551616n, true],
  ['c349010000000000000000', -18446744073709551617n, true],
  ['20', -1, true],
  ['29', -10, true],
  ['3863', -100, true],
  ['3903e7', -1000, true],
  ['f90000', float(0), false],
  ['f98000', float(-0), false],
  ['fb8000000000000000', float(-0), true],
  ['f93c00', float(1), false],
  ['fb3ff199999999999a', float(1.1), true],
  ['f93e00', float(1.5), false],
  ['f97bff', float(65504), false],
  ['fa47c35000', float(100000), false],
  ['fa7f7fffff', float(3.4028234663852886e38), false],
  ['fb7e37e43c8800759c', float(1.0e300), true],
  ['f90001', float(5.960464477539063e-8), false],
  ['f90400', float(0.00006103515625), false],
  ['f9c400', float(-4), false],
  ['fbc010666666666666', float(-4.1), true],
  ['f97c00', float(Number.POSITIVE_INFINITY), false],
  ['f97e00', float(Number.NaN), false],
  ['f9fc00', float(Number.NEGATIVE_INFINITY), false],
  ['fa7f800000', float(Number.POSITIVE_INFINITY), false],
  ['fb7ff0000000000000', float(Number.POSITIVE_INFINITY), true],
  ['fb7ff8000000000000', float(Number.NaN), true],
  ['f4', false, true],
  ['f5', true, true],
  ['f6', null, true],
  ['f7', undefined, true],
  ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z', false],
  ['c11a514b67b0', 1363896240, false],
  ['d74401020304', Uint8Array.of(1, 2, 3, 4), false],
  ['40', new Uint8Array(), true],
  ['4401020304', Uint8Array.of(1, 2, 3, 4), true],
  ['60', '', true],
  ['6449455446', 'IETF', true],
  ['62225c', '"\\', true],
  ['62c3bc', 'ü', true],
  ['63e6b0b4', '水', true],
  ['64f0908591', '\u{10151}', true],
  ['80', [], true],
  ['83010203', [1, 2, 3], true],
  ['8301820203820405', [1, [2, 3], [4, 5]], true],
  ['98190102030405060708090a0b0c0d0e0f101112131415161718181819', Array.from({ length: 25 }, (_, index) => index + 1), true],
  ['a0', map(), true],
  ['a201020304', map([1, 2], [3, 4]), true],
  ['a26161016162820203', map(['a', 1], ['b', [2, 3]]), true],
  ['826161a161626163', ['a', map(['b', 'c'])], true],
  ['5f42010243030405ff', Uint8Array.of(1, 2, 3, 4, 5), false],
  ['7f657374726561646d696e67ff', 'streaming', false],
  ['9fff', [], false],
  ['9f018202039f0405ffff', [1, [2, 3], [4, 5]], false],
  ['83018202039f0405ff', [1, [2, 3], [4, 5]], false],
  ['bf61610161629f0203ffff', map(['a', 1], ['b', [2, 3]]), false],
  ['bf6346756ef563416d7421ff', map(['Fun', true], ['Amt', -2]), false],
  // Longer heads than needed, which CTAP2 forbids and real encoders have written.
  ['1800', 0, false],
  ['1b0000000000000001', 1, false],
  ['590001ff', Uint8Array.of(255), false],
  ['c24101', 1, false],
];

describe('decodeCbor', () => {
  test.each(VECTORS)('reads %s', (hex, value) => {
    expect(decodeCbor(fromHex(hex))).toEqual({ value, end: hex.length / 2 });
  });

  test('starts at the offset and leaves the rest', () => {
    expect(decodeCbor(fromHex('ff830102031818'), 1)).toEqual({ value: [1, 2, 3], end: 5 });
  });

  test('keeps a byte order mark in text', () => {
    expect(decodeHex('64efbbbf61')).toBe('\ufeffa');
  });

  test('copies byte strings, also out of a Buffer', () => {
    const source = Buffer.from('420102', 'hex');
    const { value } = decodeCbor(source);
    source.fill(0);
    expect(value).toEqual(Uint8Array.of(1, 2));
    expect(value).not.toBeInstanceOf(Buffer);
  });

  test.each([
    ['', 0, 'expected an item, got the end'],
    ['18', 1, 'expected the length or value of an unsigned integer, got the end'],
    ['1b0000', 3, 'expected 8 bytes'],
    ['1c', 0, 'additional information 28 is reserved'],
    ['8201', 0, 'an array of length 2 is announced, but only 1 byte is left'],
    ['820118', 3, 'got the end'],
    ['4401', 0, 'a byte string of length 4 is announced'],
    ['9bffffffffffffffff', 0, 'an array of length 18446744073709551615 is announced'],
    ['bb00000000ffffffff00', 0, 'a map of length 4294967295 is announced'],
    ['5bffffffffffffffff00', 0, 'a byte string of length 18446744073709551615'],
    ['62c328', 2, 'UTF-8'],
    ['61ff', 1, 'UTF-8'],
    ['61c3', 2, 'UTF-8'],
    ['1f', 0, 'an unsigned integer cannot have an indefinite length'],
    ['df', 0, 'a tag cannot have an indefinite length'],
    ['ff', 0, 'a break is outside'],
    ['81ff', 1, 'a break is outside'],
    ['bf01ff', 2, 'a break is outside'],
    ['5f6161ff', 1, 'expected a definite chunk of a byte string or a break'],
    ['5f5f4101ffff', 1, 'expected a definite chunk'],
    ['5f4101', 3, 'expected an item, got the end'],
    ['9f01', 2, 'expected an item, got the end'],
    ['f800', 0, 'simple value 0 has no meaning in WebAuthn'],
    ['f0', 0, 'simple value 16'],
    ['f8ff', 0, 'simple value 255'],
    ['a201020103', 3, 'the map already has this key'],
    ['a20102180103', 3, 'the map already has this key'],
    ['a2410102410103', 4, 'the map already has this key'],
    ['a2f93c0002fa3f80000003', 5, 'the map already has this key'],
    ['a2f97e0002fb7ff800000000000003', 5, 'the map already has this key'],
    ['a2004081010203', 3, 'expected a key that is neither array nor map'],
    ['a1a00000', 1, 'expected a key that is neither array nor map'],
    ['c201', 0, 'expected a byte string inside the tag of a big number'],
    [`${'81'.repeat(17)}01`, 16, 'more than 16 levels'],
    [`${'c1'.repeat(17)}01`, 16, 'more than 16 levels'],
    [`${'a100'.repeat(17)}01`, 32, 'more than 16 levels'],
  ])('refuses %j at byte %i', (hex, offset, detail) => {
    const error = catching(() => decodeCbor(fromHex(hex)));
    expect(error).toBeInstanceOf(CborSyntaxError);
    expect(error).toMatchObject({ offset, detail: expect.stringContaining(detail), message: expect.stringContaining(`byte ${offset}`) });
  });

  test('reads 16 levels', () => {
    expect(decodeCbor(fromHex(`${'81'.repeat(16)}01`)).end).toBe(17);
  });

  test('throws nothing but CborSyntaxError, with an offset inside the bytes', () => {
    fc.assert(
      fc.property(fc.oneof(bytes(80), damaged(cborValue.map(encodeCbor))), (value) => {
        const error = catching(() => decodeCbor(value));
        if (error !== undefined) {
          expect(error).toBeInstanceOf(CborSyntaxError);
          expect(error).toSatisfy(({ offset }: CborSyntaxError) => offset >= 0 && offset <= value.length);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('the limits of decodeCbor', () => {
  // An array of n items has n + 1 heads.
  const arrayOf = (size: number) => Uint8Array.of(0x9a, 0, size >> 16, size >> 8, size, ...new Uint8Array(size));

  test('65,536 items are read, and no more', () => {
    expect(decodeCbor(arrayOf(65_535)).value).toHaveLength(65_535);
    expect(() => decodeCbor(arrayOf(65_536))).toThrow(expect.objectContaining({ offset: 65_540, detail: 'expected at most 65536 items' }));
  });

  test('chunks of strings are items too', () => {
    const chunks = (count: number) => Uint8Array.of(0x7f, ...new Uint8Array(count).fill(0x60), 0xff);
    expect(decodeCbor(chunks(65_535)).value).toBe('');
    expect(() => decodeCbor(chunks(65_536))).toThrow(expect.objectContaining({ name: 'CborSyntaxError', offset: 65_536 }));
  });

  test('a big number has 128 bytes at most', () => {
    const bigNumber = (size: number) => Uint8Array.of(0xc2, 0x58, size, ...new Uint8Array(size).fill(0xff));
    expect(decodeCbor(bigNumber(128)).value).toBe(2n ** 1024n - 1n);
    expect(() => decodeCbor(bigNumber(129))).toThrow(
      expect.objectContaining({ offset: 0, detail: 'expected a big number of at most 128 bytes, got 129' }),
    );
  });

  test('as many items are written', () => {
    const whole = Array.from({ length: 65_535 }, () => 0);
    expect(decodeCbor(encodeCbor(whole)).value).toEqual(whole);
    expect(encodeCbor(Array.from({ length: 300_000 }, () => 0))).toHaveLength(300_005);
  });
});

describe('decodeCborMap', () => {
  test('tells where the values stand', () => {
    const { value, end, offsets } = decodeCborMap(fromHex('00a3010263666f6f8101200400'), 1);
    expect(value).toEqual(map([1, 2], ['foo', [1]], [-1, 4]));
    expect(end).toBe(12);
    expect(offsets).toEqual(
      new Map<CborValue, number>([
        [1, 3],
        ['foo', 8],
        [-1, 11],
      ]),
    );
  });

  test.each([
    ['8101', 'expected a map, got an array'],
    ['4101', 'expected a map, got a byte string'],
    ['f6', 'expected a map, got a simple value'],
  ])('refuses %s', (hex, detail) => {
    expect(() => decodeCborMap(fromHex(hex))).toThrow(expect.objectContaining({ offset: 0, detail }));
  });
});

describe('encodeCbor', () => {
  test.each(VECTORS.filter(([, , canonical]) => canonical))('writes %s', (hex, value) => {
    expect(toHex(encodeCbor(value))).toBe(hex);
  });

  test('comes back as it was', () => {
    fc.assert(
      fc.property(cborValue, (value) => {
        const encoded = encodeCbor(value);
        expect(decodeCbor(encoded)).toEqual({ value, end: encoded.length });
      }),
    );
  });

  test('writes the same bytes whatever the order of the keys', () => {
    fc.assert(
      fc.property(cborMap, (value) => {
        expect(encodeCbor(new Map([...value].toReversed()))).toEqual(encodeCbor(value));
      }),
    );
  });

  test('sorts keys by major type, then length, then bytes', () => {
    const keys: CborValue[] = [new CborFloat(1), 'aa', 'b', -1, 256, Uint8Array.of(9), -300, 10, 24, 'a', true, 1];
    const encoded = encodeCbor(new Map(keys.map((key) => [key, 0])));
    const sorted = [1, 10, 24, 256, -1, -300, Uint8Array.of(9), 'a', 'b', 'aa', true, new CborFloat(1)];
    expect([...(decodeCborMap(encoded).value.keys() ?? [])]).toEqual(sorted);
  });

  test('refuses keys that are the same in CBOR', () => {
    expect(() => encodeCbor(map([1, 'a'], [1n, 'b']))).toThrow(TypeError);
  });
});

function catching(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}
