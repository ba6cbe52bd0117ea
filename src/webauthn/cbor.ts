import { concatBytes, encodeUtf8, equalBytes, findInvalidUtf8, fromHex, joinBytes, readUtf8, toHex } from '../kernel/bytes.js';
import { MAX_NUMBER_BYTES } from '../kernel/limits.js';
import { count } from '../kernel/wording.js';
import {
  BREAK,
  CborSyntaxError,
  type Cursor,
  encodeHead,
  exact,
  type Head,
  halfToNumber,
  INDEFINITE,
  MAJOR_NAMES,
  openCursor,
  readHead,
  take,
} from './cbor-head.js';

export { CborSyntaxError };

/**
 * A floating-point number in CBOR. It has its own type, because CBOR keeps it apart from an integer of the same value: the label 1.0 is not
 * the label 1, and the algorithm -7.0 is not ES256.
 */
export class CborFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toString(): string {
    return Number.isSafeInteger(this.value) ? `${this.value}.0` : `${this.value}`;
  }

  toJSON(): number {
    return this.value;
  }
}

/**
 * A CBOR data item (RFC 8949). Safe integers are `number`, larger ones `bigint`. Tags other than big numbers are dropped. A decoded
 * `number` is always an integer.
 */
export type CborValue = number | bigint | CborFloat | string | Uint8Array | boolean | null | undefined | CborValue[] | CborMap;
export type CborMap = Map<CborValue, CborValue>;

/** Deepest nesting accepted. CTAP2 messages nest four levels deep. Compound attestations and extensions also stay far below this limit. */
const MAX_DEPTH = 16;

/**
 * Reads one item from `offset` on. Does not check the bytes after the item, which start at `end`. Accepts some forms that CTAP2's canonical
 * form forbids: indefinite lengths, heads longer than needed, any key order, floats of every width, tags. Rejects duplicate keys, arrays
 * and maps as keys, more than 16 levels or 65,536 items, big numbers of more than 128 bytes, and strings that are not UTF-8.
 *
 * @throws CborSyntaxError with the offset of the first wrong byte (the length of `bytes` if the item is cut off).
 */
export function decodeCbor(bytes: Uint8Array, offset = 0): { value: CborValue; end: number } {
  const cursor = openCursor(bytes, offset);
  const value = readItem(cursor, 0);
  return { value, end: cursor.offset };
}

/**
 * Reads an item like `decodeCbor`, but requires a map. `offsets` gives the byte at which each member's value starts. With `canonical`,
 * rejects tags, indefinite lengths and heads longer than needed, which CTAP2's canonical form forbids (CTAP 2.3 §8). Never checks the order
 * of keys.
 *
 * @throws CborSyntaxError with the offset of the first wrong byte.
 */
export function decodeCborMap(
  bytes: Uint8Array,
  offset = 0,
  form: { readonly canonical?: boolean } = {},
): { value: CborMap; end: number; offsets: ReadonlyMap<CborValue, number> } {
  const cursor = openCursor(bytes, offset, form);
  const head = readHead(cursor);
  if (head.major !== 5) {
    throw new CborSyntaxError(head.at, `expected a map, got ${MAJOR_NAMES[head.major]}`);
  }
  const offsets = new Map<CborValue, number>();
  const value = readMap(cursor, head, 0, offsets);
  return { value, end: cursor.offset, offsets };
}

function readItem(cursor: Cursor, depth: number): CborValue {
  const head = readHead(cursor);
  switch (head.major) {
    case 0:
      return head.argument;
    case 1:
      return exact(-1n - BigInt(head.argument));
    case 2:
      return joinBytes(readChunks(cursor, head, ({ bytes }, start, end) => bytes.subarray(start, end)));
    case 3:
      return readChunks(cursor, head, readText).join('');
    case 4:
      return readArray(cursor, head, depth);
    case 5:
      return readMap(cursor, head, depth);
    case 6:
      return readTagged(cursor, head, depth);
    default:
      return readSimple(cursor, head);
  }
}

/**
 * Reads the length in a head and checks it against the number of bytes left, so that a forged length cannot cause a large allocation.
 * `each` is the minimum number of bytes per element.
 */
function readLength(cursor: Cursor, head: Head, each: number): number {
  const left = cursor.bytes.length - cursor.offset;
  if (Number(head.argument) * each > left) {
    throw new CborSyntaxError(
      head.at,
      `${MAJOR_NAMES[head.major]} of length ${head.argument} is announced, but only ${count(left, 'byte')} ${left === 1 ? 'is' : 'are'} left`,
    );
  }
  return Number(head.argument);
}

function atBreak(cursor: Cursor): boolean {
  if (cursor.bytes[cursor.offset] !== BREAK) {
    return false;
  }
  cursor.offset++;
  return true;
}

/** Applies `read` to each chunk of a CBOR string. A string of definite length is one chunk. */
function readChunks<T>(cursor: Cursor, head: Head, read: (cursor: Cursor, start: number, end: number) => T): T[] {
  if (head.info !== INDEFINITE) {
    const length = readLength(cursor, head, 1);
    const start = take(cursor, length, MAJOR_NAMES[head.major] ?? '');
    return [read(cursor, start, cursor.offset)];
  }
  const chunks: T[] = [];
  while (!atBreak(cursor)) {
    const chunk = readHead(cursor);
    if (chunk.major !== head.major || chunk.info === INDEFINITE) {
      throw new CborSyntaxError(chunk.at, `expected a definite chunk of ${MAJOR_NAMES[head.major]} or a break`);
    }
    chunks.push(...readChunks(cursor, chunk, read));
  }
  return chunks;
}

function readText({ bytes }: Cursor, start: number, end: number): string {
  const chunk = bytes.subarray(start, end);
  const text = readUtf8(chunk);
  if (text !== undefined) return text;
  throw new CborSyntaxError(start + (findInvalidUtf8(chunk) ?? 0), 'expected UTF-8 in a text string');
}

function deeper(head: Head, depth: number): number {
  if (depth >= MAX_DEPTH) {
    throw new CborSyntaxError(head.at, `items are nested more than ${MAX_DEPTH} levels deep`);
  }
  return depth + 1;
}

function readArray(cursor: Cursor, head: Head, depth: number): CborValue[] {
  const inside = deeper(head, depth);
  const items: CborValue[] = [];
  const length = head.info === INDEFINITE ? Number.POSITIVE_INFINITY : readLength(cursor, head, 1);
  while (items.length < length && !(length === Number.POSITIVE_INFINITY && atBreak(cursor))) {
    items.push(readItem(cursor, inside));
  }
  return items;
}

function readMap(cursor: Cursor, head: Head, depth: number, offsets?: Map<CborValue, number>): CborMap {
  const inside = deeper(head, depth);
  const map: CborMap = new Map();
  const contents = new Set<string>();
  const length = head.info === INDEFINITE ? Number.POSITIVE_INFINITY : readLength(cursor, head, 2);
  while (map.size < length && !(length === Number.POSITIVE_INFINITY && atBreak(cursor))) {
    const at = cursor.offset;
    const key = readItem(cursor, inside);
    if (Array.isArray(key) || key instanceof Map) {
      throw new CborSyntaxError(at, 'expected a key that is neither array nor map');
    }
    // A Map compares byte strings and floating-point numbers by identity, so their contents are compared separately.
    const content = key instanceof Uint8Array ? toHex(key) : key instanceof CborFloat ? `float ${key}` : undefined;
    if (map.has(key) || (content !== undefined && contents.has(content))) {
      throw new CborSyntaxError(at, 'the map already has this key');
    }
    if (content !== undefined) {
      contents.add(content);
    }
    offsets?.set(key, cursor.offset);
    map.set(key, readItem(cursor, inside));
  }
  return map;
}

function readTagged(cursor: Cursor, head: Head, depth: number): CborValue {
  const content = readItem(cursor, deeper(head, depth));
  if (head.argument !== 2 && head.argument !== 3) {
    return content;
  }
  if (!(content instanceof Uint8Array)) {
    throw new CborSyntaxError(head.at, 'expected a byte string inside the tag of a big number');
  }
  if (content.length > MAX_NUMBER_BYTES) {
    throw new CborSyntaxError(head.at, `expected a big number of at most ${MAX_NUMBER_BYTES} bytes, got ${content.length}`);
  }
  const magnitude = content.length === 0 ? 0n : BigInt(`0x${toHex(content)}`);
  return exact(head.argument === 2 ? magnitude : -1n - magnitude);
}

function readSimple(cursor: Cursor, head: Head): CborValue {
  switch (head.info) {
    case 20:
      return false;
    case 21:
      return true;
    case 22:
      return null;
    case 23:
      return undefined;
    case 25:
      return new CborFloat(halfToNumber(Number(head.argument)));
    case 26:
      return new CborFloat(cursor.view.getFloat32(head.at + 1));
    case 27:
      return new CborFloat(cursor.view.getFloat64(head.at + 1));
    case INDEFINITE:
      throw new CborSyntaxError(head.at, 'a break is outside an item of indefinite length');
    default:
      throw new CborSyntaxError(head.at, `simple value ${head.argument} has no meaning in WebAuthn`);
  }
}

/**
 * Encodes a value in CTAP2's canonical CBOR: shortest heads, definite lengths, keys sorted by major type, then length, then bytes. Writes
 * numbers that are not safe integers (and -0) as 64-bit floats, like every CborFloat, and integers beyond 64 bits as tagged big numbers.
 *
 * @throws TypeError when two keys of a map encode to the same bytes (`1` and `1n`).
 */
export function encodeCbor(value: CborValue): Uint8Array {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0)
      ? encodeHead(value < 0 ? 1 : 0, value < 0 ? -1 - value : value)
      : encodeFloat(value);
  }
  if (value instanceof CborFloat) {
    return encodeFloat(value.value);
  }
  if (typeof value === 'bigint') {
    return encodeInteger(value);
  }
  if (typeof value === 'string') {
    const text = encodeUtf8(value);
    return concatBytes(encodeHead(3, text.length), text);
  }
  if (value instanceof Uint8Array) {
    return concatBytes(encodeHead(2, value.length), value);
  }
  if (Array.isArray(value)) {
    return joinBytes([encodeHead(4, value.length), ...value.map(encodeCbor)]);
  }
  if (value instanceof Map) {
    return encodeMap(value);
  }
  const simple = { false: 0xf4, true: 0xf5, null: 0xf6, undefined: 0xf7 };
  return Uint8Array.of(simple[`${value}`]);
}

function encodeInteger(value: bigint): Uint8Array {
  const [major, argument] = value >= 0n ? [0, value] : [1, -1n - value];
  if (argument < 1n << 64n) {
    return encodeHead(major, argument);
  }
  const digits = argument.toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  return concatBytes(encodeHead(6, 2 + major), encodeCbor(fromHex(hex)));
}

function encodeFloat(value: number): Uint8Array {
  const bytes = new Uint8Array(9);
  bytes[0] = 0xfb;
  new DataView(bytes.buffer).setFloat64(1, value);
  return bytes;
}

function encodeMap(map: CborMap): Uint8Array {
  const entries: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
  for (const [key, value] of map) entries.push({ key: encodeCbor(key), value: encodeCbor(value) });
  entries.sort((a, b) => compareKeys(a.key, b.key));
  const parts = [encodeHead(5, map.size)];
  let last: Uint8Array | undefined;
  for (const { key, value } of entries) {
    if (last !== undefined && equalBytes(last, key)) {
      throw new TypeError('Two keys of the map are the same in CBOR.');
    }
    last = key;
    parts.push(key, value);
  }
  return joinBytes(parts);
}

function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const byMajor = ((a[0] ?? 0) >> 5) - ((b[0] ?? 0) >> 5);
  if (byMajor !== 0 || a.length !== b.length) {
    return byMajor || a.length - b.length;
  }
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return (a[index] ?? 0) - (b[index] ?? 0);
}
