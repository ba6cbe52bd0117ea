import { concatBytes } from '../../src/kernel/bytes.js';

const MOST_TRIES = 2_000;

/** A smaller input that still fails: parts are left out, halves first, then single bytes; then bytes become zero. */
export async function shrink(input: Uint8Array, fails: (candidate: Uint8Array) => Promise<boolean>): Promise<Uint8Array> {
  let smallest = input;
  let tries = 0;
  const attempt = async (candidate: Uint8Array): Promise<boolean> => {
    tries += 1;
    if (tries > MOST_TRIES || !(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length && tries < MOST_TRIES; ) {
      const without = concatBytes(smallest.subarray(0, at), smallest.subarray(at + size));
      if (!(await attempt(without))) at += size;
    }
  }
  for (let at = 0; at < smallest.length && tries < MOST_TRIES; at += 1) {
    if (smallest[at] !== 0) await attempt(smallest.with(at, 0));
  }
  return smallest;
}
