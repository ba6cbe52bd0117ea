import { Cursor } from './bytes.js';
import type { Faults } from './faults.js';
import { Crash } from './party.js';

export type CborMap = ReadonlyMap<CborValue, CborValue>;
export type CborValue = number | bigint | string | Uint8Array | boolean | null | undefined | readonly CborValue[] | CborMap;

const DEEPEST = 16;

interface Leniency {
  /** Of two equal keys the last counts. */
  readonly duplicateKeys: boolean;
  /** A byte string may end before its length is reached. */
  readonly cut: boolean;
  /** A label of another type than those that keys have is an error that nothing catches. */
  readonly crashes: boolean;
}

export const leniencyOf = (faults: Faults): Leniency => ({
  duplicateKeys: faults.has('cbor-duplicate-keys'),
  cut: faults.has('cbor-may-be-cut'),
  crashes: faults.has('key-label-crashes'),
});

/** RFC 8949, as far as WebAuthn needs it: no indefinite lengths, no tags. */
export function decodeCbor(bytes: Uint8Array, leniency: Leniency): { readonly value: CborValue; readonly end: number } {
  const cursor = new Cursor(bytes);
  return { value: item(cursor, leniency, 0), end: cursor.at };
}

function item(cursor: Cursor, leniency: Leniency, depth: number): CborValue {
  if (depth > DEEPEST) throw new Error(`CBOR nests deeper than ${DEEPEST}`);
  const head = cursor.number(1);
  const info = head & 0x1f;
  if (head >> 5 === 7) return simple(info, cursor);
  const size = argument(info, cursor);
  switch (head >> 5) {
    case 0:
      return size;
    case 1:
      return typeof size === 'bigint' ? -1n - size : -1 - size;
    case 2:
      return cursor.take(leniency.cut ? Math.min(Number(size), cursor.left) : Number(size));
    case 3:
      return new TextDecoder('utf-8', { fatal: true }).decode(cursor.take(Number(size)));
    case 4:
      return list(Number(size), cursor, leniency, depth);
    case 5:
      return map(Number(size), cursor, leniency, depth);
    default:
      throw new Error('CBOR tags have no place in WebAuthn');
  }
}

function argument(info: number, cursor: Cursor): number | bigint {
  if (info < 24) return info;
  if (info > 27) throw new Error(`CBOR with additional information ${info}`);
  if (info < 27) return cursor.number(1 << (info - 24));
  const large = cursor.take(8).readBigUInt64BE();
  return large <= Number.MAX_SAFE_INTEGER ? Number(large) : large;
}

function simple(info: number, cursor: Cursor): CborValue {
  if (info === 20 || info === 21) return info === 21;
  if (info === 22) return null;
  if (info === 23) return undefined;
  if (info === 26) return cursor.take(4).readFloatBE();
  if (info === 27) return cursor.take(8).readDoubleBE();
  throw new Error(`CBOR with simple value ${info}`);
}

function list(size: number, cursor: Cursor, leniency: Leniency, depth: number): CborValue[] {
  if (size > cursor.left) throw new Error('a CBOR array longer than its bytes');
  const values: CborValue[] = [];
  while (values.length < size) values.push(item(cursor, leniency, depth + 1));
  return values;
}

function map(size: number, cursor: Cursor, leniency: Leniency, depth: number): CborMap {
  if (size > cursor.left) throw new Error('a CBOR map longer than its bytes');
  const values = new Map<CborValue, CborValue>();
  for (let n = 0; n < size; n++) {
    const key = item(cursor, leniency, depth + 1);
    const isLabel = typeof key === 'string' || typeof key === 'number';
    if (!isLabel && leniency.crashes) throw new Crash(`a label of type ${typeof key}`);
    if (!isLabel) throw new Error('a CBOR map whose keys are neither text nor numbers');
    if (values.has(key) && !leniency.duplicateKeys) throw new Error(`two CBOR keys ${key}`);
    values.set(key, item(cursor, leniency, depth + 1));
  }
  return values;
}

export const isMap = (value: CborValue): value is CborMap => value instanceof Map;
export const isBytes = (value: CborValue): value is Uint8Array => value instanceof Uint8Array;
