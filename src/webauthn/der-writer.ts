import { concatBytes, encodeUtf8, fromHex, toHex } from '../kernel/bytes.js';
import { formatSecond } from '../kernel/wording.js';
import { TAG } from './der.js';

/** Writes DER (X.690 §8, §10). Every function returns a whole element: tag, length, contents. */

const CONSTRUCTED = 0x20;
const CONTEXT = 0x80;

function length(size: number): Uint8Array {
  if (size < 0x80) return Uint8Array.of(size);
  const bytes = bigEndian(BigInt(size));
  return concatBytes(Uint8Array.of(0x80 | bytes.length), bytes);
}

/** Writes a number in big-endian order, with as few bytes as possible but at least one. */
function bigEndian(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return fromHex(digits.padStart(digits.length + (digits.length % 2), '0'));
}

/** Writes a DER element that begins with the byte `tag`. */
export function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...content);
  return concatBytes(Uint8Array.of(tag), length(body.length), body);
}

/** Writes a constructed element with a context tag of any number, for explicit tagging or for several elements under one tag. */
export function context(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  if (tag < 0x1f) return der(CONTEXT | CONSTRUCTED | tag, ...content);
  const groups = [tag & 0x7f];
  for (let rest = tag >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  const body = concatBytes(...content);
  return concatBytes(Uint8Array.of(CONTEXT | CONSTRUCTED | 0x1f, ...groups), length(body.length), body);
}

/** Writes a primitive element with an implicit context tag, whose number must be below 31. */
export const contextPrimitive = (tag: number, content: Uint8Array) => der(CONTEXT | tag, content);

export const sequence = (...content: readonly Uint8Array[]) => der(CONSTRUCTED | TAG.sequence, ...content);
export const octetString = (bytes: Uint8Array) => der(TAG.octetString, bytes);
export const bitString = (bytes: Uint8Array, unused = 0) => der(TAG.bitString, Uint8Array.of(unused), bytes);
export const boolean = (value: boolean) => der(TAG.boolean, Uint8Array.of(value ? 0xff : 0));
export const nothing = () => der(TAG.null);
export const utf8String = (text: string) => der(TAG.utf8String, encodeUtf8(text));
/** Writes a PrintableString. The caller must pass only letters, digits, spaces and `'()+,-./:=?`. */
export const printableString = (text: string) => der(TAG.printableString, encodeUtf8(text));

/** Writes a SET OF, with its elements sorted by their encodings (X.690 §11.6). */
export function set(...content: readonly Uint8Array[]): Uint8Array {
  return der(CONSTRUCTED | TAG.set, ...content.toSorted(compare));
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const index = a.findIndex((byte, at) => byte !== b[at]);
  return index === -1 ? a.length - b.length : (a[index] ?? 0) - (b[index] ?? -1);
}

/** Writes an INTEGER of zero or more. @throws RangeError if the number is negative. */
export function integer(value: number | bigint, tag: number = TAG.integer): Uint8Array {
  const number = BigInt(value);
  if (number < 0n) throw new RangeError(`Expected a number that is not negative; got ${number}.`);
  const bytes = bigEndian(number);
  return der(tag, (bytes[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), bytes) : bytes);
}

/** Writes an INTEGER from its big-endian bytes, without leading zeros. */
export const writeInteger = (bytes: Uint8Array) => integer(bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`));

export const enumerated = (value: number) => integer(value, TAG.enumerated);

/** Writes an OBJECT IDENTIFIER from its dotted form. */
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
 * Writes a time in whole seconds: UTCTime until 2049, GeneralizedTime after that (RFC 5280 §4.1.2.5).
 *
 * @param milliseconds since the epoch
 */
export function time(milliseconds: number): Uint8Array {
  const digits = formatSecond(milliseconds).replace(/[-:T]|\.\d+/g, '');
  const short = milliseconds >= Date.UTC(1950, 0) && milliseconds < Date.UTC(2050, 0);
  return short ? der(TAG.utcTime, encodeUtf8(digits.slice(2))) : der(TAG.generalizedTime, encodeUtf8(digits));
}

/** Writes an ECDSA signature in DER (WebAuthn L3 §6.5.5) from its big-endian r and s. */
export const ecdsaSignature = (r: Uint8Array, s: Uint8Array) => sequence(writeInteger(r), writeInteger(s));
