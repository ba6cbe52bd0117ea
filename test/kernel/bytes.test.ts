import { describe, expect, test } from 'vitest';
import { concatBytes, decodeUtf8, encodeUtf8, equalBytes, findInvalidUtf8, fromHex, toHex } from '../../src/kernel/bytes.js';
import { fc } from '../properties.js';
import { bytes, text } from '../webauthn/arbitraries.js';

describe('equalBytes', () => {
  test('compares content and length', () => {
    expect(equalBytes(Uint8Array.of(1, 2), Buffer.from([1, 2]))).toBe(true);
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0))).toBe(false);
    expect(equalBytes(new Uint8Array(), new Uint8Array())).toBe(true);
  });
});

describe('concatBytes', () => {
  test('puts one after the other', () => {
    fc.assert(
      fc.property(fc.array(bytes(10)), (parts) => {
        expect([...concatBytes(...parts)]).toEqual(parts.flatMap((part) => [...part]));
      }),
    );
  });
});

describe('hexadecimal', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(bytes(50), (value) => {
        expect(toHex(value)).toBe(Buffer.from(value).toString('hex'));
        expect(fromHex(toHex(value).toUpperCase())).toEqual(value);
      }),
    );
  });

  test.each([
    ['abc', 'got 3 digits'],
    ['ab0g', 'got "g" at position 3'],
    ['0x12', 'got "x" at position 1'],
  ])('is refused when it is %j', (value, detail) => {
    expect(() => fromHex(value)).toThrow(expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(detail) }));
  });
});

test('hexadecimal of every byte, millions of times', () => {
  const bytes = Uint8Array.from({ length: 2_000_000 }, (_, index) => index);
  expect(toHex(bytes) === Buffer.from(bytes).toString('hex')).toBe(true);
});

describe('UTF-8', () => {
  test('comes back as it was, a byte order mark included', () => {
    fc.assert(
      fc.property(text(), (value) => {
        expect(decodeUtf8(encodeUtf8(value))).toBe(value);
      }),
    );
    expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  });

  test.each([
    ['ff', 0],
    ['61c3', 2],
    ['61c328', 2],
    ['e28228', 2],
    ['f09f9880ff', 4],
    ['eda080', 1],
    ['c080', 0],
    ['6180', 1],
  ])('of %s goes wrong at byte %i', (hex, offset) => {
    expect(findInvalidUtf8(fromHex(hex))).toBe(offset);
    expect(() => decodeUtf8(fromHex(hex))).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(`byte ${offset} is invalid`) }),
    );
  });

  test('is UTF-8 up to the byte that is named', () => {
    fc.assert(
      fc.property(bytes(40), (value) => {
        const offset = findInvalidUtf8(value);
        if (offset === undefined) {
          expect(encodeUtf8(decodeUtf8(value))).toEqual(value);
        } else {
          expect(() => new TextDecoder('utf-8', { fatal: true }).decode(value.slice(0, offset), { stream: true })).not.toThrow();
        }
      }),
    );
  });
});
