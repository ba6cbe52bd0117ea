import { toHex } from './bytes.js';

/** Functions that keep values that take long to make and never change. */

/** Makes the value on the first call, and returns the same value on later calls. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Makes the value of a key on the first call with this key, and returns the same value on later calls. */
export function remember<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/**
 * Keeps the result of the last call, and returns it again if the next call has the same bytes. This avoids signing a certificate again,
 * which is slow.
 */
export function rememberBatch<A extends readonly (Uint8Array | undefined)[], V>(make: (...of: A) => V): (...of: A) => V {
  let last: { readonly of: string; readonly value: V } | undefined;
  return (...of) => {
    const id = of.map((bytes) => toHex(bytes ?? new Uint8Array())).join('/');
    if (last?.of !== id) last = { of: id, value: make(...of) };
    return last.value;
  };
}
