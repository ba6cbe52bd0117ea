import { concatBytes, encodeUtf8, fromHex } from './bytes.js';

/** A small writer of DER (X.690); independent of the reader. */

function length(size: number): Uint8Array {
  if (size < 0x80) return Uint8Array.of(size);
  const digits = size.toString(16);
  const bytes = fromHex(digits.padStart(digits.length + (digits.length % 2), '0'));
  return concatBytes(Uint8Array.of(0x80 | bytes.length), bytes);
}

/** An element with this first byte. */
export function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...content);
  return concatBytes(Uint8Array.of(tag), length(body.length), body);
}

/** An explicit context tag, of any number. */
export function context(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  if (tag < 0x1f) return der(0xa0 | tag, ...content);
  const groups = [tag & 0x7f];
  for (let rest = tag >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  const body = concatBytes(...content);
  return concatBytes(Uint8Array.of(0xbf, ...groups), length(body.length), body);
}

export const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
export const set = (...content: readonly Uint8Array[]) => der(0x31, ...content);
export const octetString = (bytes: Uint8Array) => der(0x04, bytes);
export const bitString = (bytes: Uint8Array, unused = 0) => der(0x03, Uint8Array.of(unused), bytes);
export const boolean = (value: boolean) => der(0x01, Uint8Array.of(value ? 0xff : 0));
export const nothing = () => der(0x05);
export const utf8String = (text: string) => der(0x0c, encodeUtf8(text));
export const printableString = (text: string) => der(0x13, encodeUtf8(text));

export function integer(value: number | bigint, tag = 0x02): Uint8Array {
  const digits = BigInt(value).toString(16);
  const bytes = fromHex(digits.padStart(digits.length + (digits.length % 2), '0'));
  return der(tag, (bytes[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), bytes) : bytes);
}

export const enumerated = (value: number) => integer(value, 0x0a);

export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const groups = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left % 128) + 128);
    return groups;
  });
  return der(0x06, Uint8Array.from(bytes));
}
