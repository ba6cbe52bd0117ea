import { toHex } from '../kernel/bytes.js';
import { MAX_NUMBER_BYTES } from '../kernel/limits.js';
import { contents, type DerElement, DerSyntaxError, decodeDer, expectUniversal, isUniversal, sequence, TAG } from './der.js';

/**
 * Reads an INTEGER or ENUMERATED of at most 128 bytes.
 *
 * @throws DerSyntaxError if the element is missing, has another type or is longer.
 */
export function integer(element: DerElement | undefined, name: string, parent?: DerElement): bigint {
  const found = isUniversal(element, TAG.enumerated) ? element : expectUniversal(element, TAG.integer, name, parent);
  const bytes = contents(found);
  if (bytes.length === 0) {
    throw new DerSyntaxError(found.contentStart, `expected at least one byte of ${name}`);
  }
  checkNumber(found, name);
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${toHex(bytes)}`));
}

/**
 * Reads an INTEGER or ENUMERATED that must be a safe integer of zero or more.
 *
 * @throws DerSyntaxError if it is negative or beyond 2^53.
 */
export function smallInteger(element: DerElement | undefined, name: string, parent?: DerElement): number {
  const value = Number(integer(element, name, parent));
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new DerSyntaxError(element?.contentStart ?? 0, `expected ${name} from 0 to 2^53-1, got ${value}`);
  }
  return value;
}

/** Reads a BOOLEAN. Any byte but 0 is true, because some vendors do not write 0xff. @throws DerSyntaxError */
export function boolean(element: DerElement): boolean {
  const bytes = contents(expectUniversal(element, TAG.boolean, 'a boolean'));
  if (bytes.length !== 1) {
    throw new DerSyntaxError(element.contentStart, `expected one byte of a boolean, got ${bytes.length}`);
  }
  return bytes[0] !== 0;
}

/**
 * Limits the length of a DER number, because decoding time grows with the square of the length.
 *
 * @throws DerSyntaxError above 128 bytes.
 */
export function checkNumber(element: DerElement, name: string): void {
  const { length } = contents(element);
  if (length > MAX_NUMBER_BYTES) {
    throw new DerSyntaxError(element.start, `expected ${name} of at most ${MAX_NUMBER_BYTES} bytes, got ${length}`);
  }
}

/** Reads an OBJECT IDENTIFIER of at most 128 bytes in dotted form. @throws DerSyntaxError */
export function objectIdentifier(element: DerElement | undefined, name: string, parent?: DerElement): string {
  const found = expectUniversal(element, TAG.oid, name, parent);
  const bytes = contents(found);
  checkNumber(found, name);
  if (bytes.length === 0 || (bytes.at(-1) ?? 0x80) >= 0x80) {
    throw new DerSyntaxError(found.end, `expected ${name} to end in a whole number`);
  }
  const numbers: bigint[] = [];
  let value = 0n;
  for (const byte of bytes) {
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0n;
    }
  }
  const [first = 0n, ...rest] = numbers;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...rest].join('.');
}

/**
 * Reads the bytes of a BIT STRING. Includes bits announced as unused, because some old security keys announce one unused bit but use all.
 *
 * @throws DerSyntaxError if the element is not a BIT STRING.
 */
export function bitString(element: DerElement | undefined, name: string, parent?: DerElement): Uint8Array {
  const found = expectUniversal(element, TAG.bitString, name, parent);
  if (found.end === found.contentStart) {
    throw new DerSyntaxError(found.contentStart, `expected the number of unused bits of ${name}`);
  }
  return contents(found).subarray(1);
}

const ENCODINGS: ReadonlyMap<number, string> = new Map([
  [TAG.utf8String, 'utf-8'],
  [TAG.printableString, 'latin1'],
  [TAG.t61String, 'latin1'],
  [TAG.ia5String, 'latin1'],
  [TAG.bmpString, 'utf-16be'],
]);
const STRING_NAMES: ReadonlyMap<number, string> = new Map([
  [TAG.utf8String, 'UTF8String'],
  [TAG.printableString, 'PrintableString'],
  [TAG.t61String, 'TeletexString'],
  [TAG.ia5String, 'IA5String'],
  [TAG.bmpString, 'BMPString'],
  [TAG.universalString, 'UniversalString'],
]);

/**
 * Reads a character string of any ASN.1 string type; `type` is the name of that type. Invalid bytes become U+FFFD.
 *
 * @throws DerSyntaxError if the element is not a character string.
 */
export function characterString(element: DerElement): { readonly text: string; readonly type: string } {
  const type = element.class === 'universal' ? STRING_NAMES.get(element.tag) : undefined;
  if (type === undefined) {
    throw new DerSyntaxError(element.start, 'expected a character string');
  }
  const bytes = contents(element);
  const encoding = ENCODINGS.get(element.tag);
  return { text: encoding === undefined ? utf32(bytes) : decode(bytes, encoding), type };
}

function decode(bytes: Uint8Array, encoding: string): string {
  // Not every build of Node has a decoder for UTF-16BE.
  if (encoding === 'utf-16be') {
    return Array.from({ length: bytes.length >> 1 }, (_, index) =>
      String.fromCharCode(((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)),
    ).join('');
  }
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}

function utf32(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length >> 2 }, (_, index) => {
    const code = view.getUint32(4 * index);
    return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  }).join('');
}

/** Reads a UTCTime or GeneralizedTime in UTC, as milliseconds since the epoch. @throws DerSyntaxError */
export function time(element: DerElement | undefined, name: string, parent?: DerElement): number {
  const short = isUniversal(element, TAG.utcTime);
  const found = short ? element : expectUniversal(element, TAG.generalizedTime, name, parent);
  const text = decode(contents(found), 'latin1');
  const match = (short ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?Z$/ : /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:\.\d+)?Z$/).exec(text);
  const [written = Number.NaN, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (match ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  // RFC 5280 §4.1.2.5.1: two digits of a year mean 1950 to 2049.
  const year = short ? written + (written < 50 ? 2000 : 1900) : written;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  if (Number.isNaN(date.getTime()) || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59) {
    throw new DerSyntaxError(found.contentStart, `expected ${name} as a date in UTC, got ${JSON.stringify(text.slice(0, 30))}`);
  }
  return date.getTime();
}

/** Reads the INTEGERs r and s of an ECDSA signature in DER (WebAuthn L3 §6.5.5); undefined for any other bytes. */
export function ecdsaSignatureParts(bytes: Uint8Array): { readonly r: DerElement; readonly s: DerElement } | undefined {
  try {
    const [r, s, ...rest] = sequence(decodeDer(bytes), 'a signature');
    return isUniversal(r, TAG.integer) && isUniversal(s, TAG.integer) && rest.length === 0 ? { r, s } : undefined;
  } catch (error) {
    if (error instanceof DerSyntaxError) {
      return undefined;
    }
    throw error;
  }
}
