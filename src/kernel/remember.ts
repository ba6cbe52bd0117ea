import { toHex } from './bytes.js';

/** Values that take long to make, and are the same each time. */

/** Makes the value when it is first needed. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Makes the value of each key once. */
export function remember<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Remembers the results for the latest bytes: signing a certificate takes longer than anything else. */
export function rememberBatch<A extends readonly (Uint8Array | undefined)[], V>(make: (...of: A) => V): (...of: A) => V {
  let last: { readonly of: string; readonly value: V } | undefined;
  return (...of) => {
    const id = of.map((bytes) => toHex(bytes ?? new Uint8Array())).join('/');
    if (last?.of !== id) last = { of: id, value: make(...of) };
    return last.value;
  };
}
