import { MAX_CBOR_ITEMS } from '../kernel/limits.js';
import { count } from '../kernel/wording.js';

/** The lowest layer of CBOR (RFC 8949 §3): initial bytes, their arguments, and a cursor that never reads beyond the array. */

/** Syntax error in CBOR. `offset` is the position of the first wrong byte in the given array. */
export class CborSyntaxError extends Error {
  override readonly name = 'CborSyntaxError';
  readonly offset: number;
  readonly detail: string;

  constructor(offset: number, detail: string) {
    super(`CBOR, byte ${offset}: ${detail}.`);
    this.offset = offset;
    this.detail = detail;
  }
}

export const INDEFINITE = 31;
export const BREAK = 0xff;
const TAG = 6;
const SIMPLE = 7;
export const MAJOR_NAMES = [
  'an unsigned integer',
  'a negative integer',
  'a byte string',
  'a text string',
  'an array',
  'a map',
  'a tag',
  'a simple value',
] as const;

export interface Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  offset: number;
  /** Number of CBOR heads read so far. */
  items: number;
  /** If true, tags, indefinite lengths and heads longer than needed are rejected (CTAP 2.3 §8). */
  readonly canonical: boolean;
}

export interface Head {
  readonly at: number;
  readonly major: number;
  readonly info: number;
  /** Argument of the CBOR head: 0 for an indefinite length, a `bigint` if it is not a safe integer. */
  readonly argument: number | bigint;
}

/** Opens a cursor for reading CBOR from `offset` on. */
export function openCursor(bytes: Uint8Array, offset: number, { canonical = false } = {}): Cursor {
  // A plain view: `slice` of a Buffer would share memory instead of copying.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes: plain, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset, items: 0, canonical };
}

/** Skips `length` bytes and returns the offset at which they start. */
export function take(cursor: Cursor, length: number, what: string): number {
  const start = cursor.offset;
  if (length > cursor.bytes.length - start) {
    throw new CborSyntaxError(
      cursor.bytes.length,
      start === cursor.bytes.length
        ? `expected ${what}, got the end`
        : `expected ${count(length, 'byte')} of ${what} from byte ${start} on, got ${cursor.bytes.length - start}`,
    );
  }
  cursor.offset += length;
  return start;
}

/** Converts a `bigint` to a number if it is a safe integer; returns any other value unchanged. */
export function exact(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/**
 * Reads the next CBOR head.
 *
 * @throws CborSyntaxError if the head is wrong, or if the cursor has already read 65,536 heads.
 */
export function readHead(cursor: Cursor): Head {
  const at = take(cursor, 1, 'an item');
  cursor.items += 1;
  if (cursor.items > MAX_CBOR_ITEMS) {
    throw new CborSyntaxError(at, `expected at most ${MAX_CBOR_ITEMS} items`);
  }
  const initial = cursor.view.getUint8(at);
  const head = readArgument(cursor, at, initial >> 5, initial & 31);
  if (cursor.canonical) {
    checkCanonical(head);
  }
  return head;
}

function readArgument(cursor: Cursor, at: number, major: number, info: number): Head {
  if (info < 24) {
    return { at, major, info, argument: info };
  }
  const what = `the length or value of ${MAJOR_NAMES[major]}`;
  switch (info) {
    case 24:
      return { at, major, info, argument: cursor.view.getUint8(take(cursor, 1, what)) };
    case 25:
      return { at, major, info, argument: cursor.view.getUint16(take(cursor, 2, what)) };
    case 26:
      return { at, major, info, argument: cursor.view.getUint32(take(cursor, 4, what)) };
    case 27:
      return { at, major, info, argument: exact(cursor.view.getBigUint64(take(cursor, 8, what))) };
    case INDEFINITE:
      if (major >= 2 && major !== 6) {
        return { at, major, info, argument: 0 };
      }
      throw new CborSyntaxError(at, `${MAJOR_NAMES[major]} cannot have an indefinite length`);
    default:
      throw new CborSyntaxError(at, `additional information ${info} is reserved`);
  }
}

/** Smallest argument that needs a CBOR head of each length. */
const LEAST_ARGUMENTS: ReadonlyMap<number, number> = new Map([
  [24, 24],
  [25, 0x100],
  [26, 0x10000],
  [27, 0x100000000],
]);

function checkCanonical({ at, major, info, argument }: Head): void {
  if (major === TAG) {
    throw new CborSyntaxError(at, 'expected canonical CBOR, which has no tags');
  }
  if (info === INDEFINITE && major !== SIMPLE) {
    throw new CborSyntaxError(at, `expected canonical CBOR, in which the length of ${MAJOR_NAMES[major]} is definite`);
  }
  // Floats keep their width.
  if (major !== SIMPLE && argument < (LEAST_ARGUMENTS.get(info) ?? 0)) {
    throw new CborSyntaxError(at, `expected canonical CBOR, which writes ${argument} in the fewest bytes`);
  }
}

/**
 * Encodes a CBOR head.
 *
 * @param argument a length, or an integer below 2^64.
 */
export function encodeHead(major: number, argument: number | bigint): Uint8Array {
  const type = major << 5;
  if (argument < 24) {
    return Uint8Array.of(type | Number(argument));
  }
  if (argument < 0x100) {
    return Uint8Array.of(type | 24, Number(argument));
  }
  const [info, length] = argument < 0x10000 ? [25, 2] : argument < 0x100000000 ? [26, 4] : [27, 8];
  const head = new Uint8Array(1 + length);
  head[0] = type | info;
  for (let index = length, rest = BigInt(argument); index > 0; index--, rest >>= 8n) {
    head[index] = Number(rest & 0xffn);
  }
  return head;
}

/** Converts an IEEE 754 binary16 value, given as its 16 bits, to a number. */
export function halfToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) {
    return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  }
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
