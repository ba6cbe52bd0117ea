/** Pairs in the order in which they are written, equal keys included. */
export interface Pairs {
  readonly pairs: readonly (readonly [Value, Value])[];
}

export type Value = number | string | boolean | Uint8Array | readonly Value[] | ReadonlyMap<Value, Value> | Pairs;

/** RFC 8949, in the order of the input, so that what is not canonical can be written too. */
export function cbor(value: Value): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4]);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (isList(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const pairs = 'pairs' in value ? value.pairs : [...value];
  return Buffer.concat([head(5, pairs.length), ...pairs.flatMap((pair) => pair.map(cbor))]);
}

function isList(value: readonly Value[] | ReadonlyMap<Value, Value> | Pairs): value is readonly Value[] {
  return Array.isArray(value);
}

function head(type: number, size: number): Buffer {
  const first = type << 5;
  if (size < 24) return Buffer.from([first | size]);
  if (size < 0x100) return Buffer.from([first | 24, size]);
  const bytes = Buffer.alloc(size < 0x10000 ? 3 : 5);
  bytes[0] = first | (size < 0x10000 ? 25 : 26);
  bytes.writeUIntBE(size, 1, bytes.length - 1);
  return bytes;
}

export const map = (...pairs: readonly (readonly [Value, Value])[]): ReadonlyMap<Value, Value> => new Map(pairs);

/** The map with some members changed; `undefined` takes one away. */
export function changed(
  base: ReadonlyMap<Value, Value>,
  change: readonly (readonly [Value, Value | undefined])[],
): ReadonlyMap<Value, Value> {
  const copy = new Map(base);
  for (const [key, value] of change) {
    if (value === undefined) copy.delete(key);
    else copy.set(key, value);
  }
  return copy;
}
