import { concatBytes, encodeUtf8, fromHex, toHex } from '../kernel/bytes.js';
import { formatSecond } from '../kernel/wording.js';
import { TAG } from './der.js';

/** Writes DER (X.690 §8, §10). Every function gives a whole element: tag, length, contents. */

const CONSTRUCTED = 0x20;
const CONTEXT = 0x80;

function length(size: number): Uint8Array {
  if (size < 0x80) return Uint8Array.of(size);
  const bytes = bigEndian(BigInt(size));
  return concatBytes(Uint8Array.of(0x80 | bytes.length), bytes);
}

/** In as few bytes as it needs, at least one. */
function bigEndian(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return fromHex(digits.padStart(digits.length + (digits.length % 2), '0'));
}

/** An element with this first byte. */
export function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...content);
  return concatBytes(Uint8Array.of(tag), length(body.length), body);
}

/** A constructed element with a context tag of any number: explicit tagging, or a choice of several elements. */
export function context(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  if (tag < 0x1f) return der(CONTEXT | CONSTRUCTED | tag, ...content);
  const groups = [tag & 0x7f];
  for (let rest = tag >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  const body = concatBytes(...content);
  return concatBytes(Uint8Array.of(CONTEXT | CONSTRUCTED | 0x1f, ...groups), length(body.length), body);
}

/** Implicit tagging of a primitive element by a context tag below 31. */
export const contextPrimitive = (tag: number, content: Uint8Array) => der(CONTEXT | tag, content);

export const sequence = (...content: readonly Uint8Array[]) => der(CONSTRUCTED | TAG.sequence, ...content);
export const octetString = (bytes: Uint8Array) => der(TAG.octetString, bytes);
export const bitString = (bytes: Uint8Array, unused = 0) => der(TAG.bitString, Uint8Array.of(unused), bytes);
export const boolean = (value: boolean) => der(TAG.boolean, Uint8Array.of(value ? 0xff : 0));
export const nothing = () => der(TAG.null);
export const utf8String = (text: string) => der(TAG.utf8String, encodeUtf8(text));
/** Letters, digits, space and `'()+,-./:=?` only; nothing checks that. */
export const printableString = (text: string) => der(TAG.printableString, encodeUtf8(text));

/** A SET OF: its elements are sorted by their encodings (X.690 §11.6). */
export function set(...content: readonly Uint8Array[]): Uint8Array {
  return der(CONSTRUCTED | TAG.set, ...content.toSorted(compare));
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const index = a.findIndex((byte, at) => byte !== b[at]);
  return index === -1 ? a.length - b.length : (a[index] ?? 0) - (b[index] ?? -1);
}

/** An INTEGER that is not negative. @throws RangeError for a negative one. */
export function integer(value: number | bigint, tag: number = TAG.integer): Uint8Array {
  const number = BigInt(value);
  if (number < 0n) throw new RangeError(`Expected a number that is not negative; got ${number}.`);
  const bytes = bigEndian(number);
  return der(tag, (bytes[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), bytes) : bytes);
}

/** An INTEGER from its big-endian bytes; leading zeros are dropped. */
export const writeInteger = (bytes: Uint8Array) => integer(bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`));

export const enumerated = (value: number) => integer(value, TAG.enumerated);

/** From the dotted form. */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const groups = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left % 128) + 128);
    return groups;
  });
  return der(TAG.oid, Uint8Array.from(bytes));
}

/**
 * UTCTime until 2049, GeneralizedTime from then on (RFC 5280 §4.1.2.5); whole seconds.
 *
 * @param milliseconds since the epoch
 */
export function time(milliseconds: number): Uint8Array {
  const digits = formatSecond(milliseconds).replace(/[-:T]|\.\d+/g, '');
  const short = milliseconds >= Date.UTC(1950, 0) && milliseconds < Date.UTC(2050, 0);
  return short ? der(TAG.utcTime, encodeUtf8(digits.slice(2))) : der(TAG.generalizedTime, encodeUtf8(digits));
}

/** The DER form of an ECDSA signature (§6.5.5) from r and s, big-endian. */
export const ecdsaSignature = (r: Uint8Array, s: Uint8Array) => sequence(writeInteger(r), writeInteger(s));
