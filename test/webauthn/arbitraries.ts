import { expect } from 'vitest';
import { type ErrorCode, PasskeyError } from '../../src/errors.js';
import { CborFloat, type CborMap, type CborValue } from '../../src/webauthn/cbor.js';
import { fc } from '../properties.js';

export const bytes = (maxLength: number, minLength = 0): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength, maxLength });

/** Every code point but surrogates; `fc.string` of them would first make a table of all million, in every worker. */
const codePoint = fc.integer({ min: 0, max: 0x10f7ff }).map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

/** Text that UTF-8 can carry: no lone surrogates. */
export const text = (maxLength = 20): fc.Arbitrary<string> =>
  fc.oneof(
    fc.array(codePoint, { maxLength }).map((characters) => characters.join('')),
    fc.string({ maxLength }),
  );

const scalar: fc.Arbitrary<CborValue> = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).filter((value) => value > 2n ** 53n || value < -(2n ** 53n)),
  fc.double().map((value) => new CborFloat(value)),
  text(),
  bytes(20),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
);
const key: fc.Arbitrary<CborValue> = fc.oneof(fc.maxSafeInteger(), text(8));

const valueOf = (leaf: fc.Arbitrary<CborValue>): fc.Arbitrary<CborValue> =>
  fc.letrec<{ value: CborValue; map: CborMap }>((tie) => ({
    map: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries) => new Map(entries)),
    value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, leaf, fc.array(tie('value'), { maxLength: 5 }), tie('map')),
  })).value;
const mapOf = (value: fc.Arbitrary<CborValue>): fc.Arbitrary<CborMap> =>
  fc.array(fc.tuple(key, value), { maxLength: 5 }).map((entries) => new Map(entries));

/** Values that come back from CBOR as they were. */
export const cborValue = valueOf(scalar);
export const cborMap = mapOf(cborValue);
/** Without numbers beyond 64 bits, which need a tag. */
export const canonicalMap = mapOf(
  valueOf(scalar.filter((value) => typeof value !== 'bigint' || (value < 1n << 64n && value >= -(1n << 64n)))),
);

/** One good encoding with a byte changed, cut off, or followed by more: nearer to a decoder's corners than random bytes are. */
export const damaged = (good: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(good, fc.nat(), fc.nat(255), fc.constantFrom('change', 'cut', 'extend')).map(([whole, at, byte, how]) => {
    const position = whole.length === 0 ? 0 : at % whole.length;
    if (how === 'cut') {
      return whole.slice(0, position);
    }
    return how === 'extend' ? Uint8Array.of(...whole, byte) : whole.with(position, byte);
  });

/** Runs a decoder that may answer or throw a PasskeyError of this code, and nothing else. */
export function answersOrRefuses(code: ErrorCode, decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    expect(error).toBeInstanceOf(PasskeyError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/ at byte \d+: /) });
  }
}
