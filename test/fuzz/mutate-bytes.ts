import { concatBytes } from '../../src/kernel/bytes.js';
import type { Random } from './random.js';

/** Bytes at which formats change their minds: ends of ranges, breaks, indefinite lengths, quotes, white space. */
const TELLING = [
  0x00, 0x01, 0x7f, 0x80, 0xff, 0x1f, 0x5f, 0x7b, 0x9f, 0xbf, 0x30, 0x82, 0x84, 0x22, 0x5c, 0x0a, 0x20, 0x3d, 0xc3, 0xed,
] as const;
const WIDTHS = [1, 2, 4, 8] as const;

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

/** `bytes` without `removed` of them from `at` on, and with `middle` there instead. */
function replaced(bytes: Uint8Array, at: number, removed: number, middle: Uint8Array): Uint8Array {
  return concatBytes(bytes.subarray(0, at), middle, bytes.subarray(at + removed));
}

const MUTATIONS: readonly Mutation[] = [
  // One bit.
  (bytes, random) => {
    const at = random.below(bytes.length);
    return bytes.length === 0 ? bytes : bytes.with(at, (bytes[at] ?? 0) ^ (1 << random.below(8)));
  },
  // One byte.
  (bytes, random) => (bytes.length === 0 ? bytes : bytes.with(random.below(bytes.length), random.pick(TELLING))),
  (bytes, random) => (bytes.length === 0 ? bytes : bytes.with(random.below(bytes.length), random.below(256))),
  (bytes, random) => replaced(bytes, random.below(bytes.length + 1), 0, Uint8Array.of(random.pick(TELLING))),
  // Cut off, in the middle or at either end.
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => replaced(bytes, random.below(bytes.length + 1), 1 + random.small(32), new Uint8Array()),
  // More, behind or within.
  (bytes, random) => replaced(bytes, random.oneIn(2) ? bytes.length : random.below(bytes.length + 1), 0, random.bytes(random.small(64))),
  // A part of it again.
  (bytes, random) => {
    const from = random.below(bytes.length + 1);
    return replaced(bytes, from, 0, bytes.slice(from, from + 1 + random.small(64)));
  },
  // A length that lies: a number in big endian, of any width, near what is there or far from it.
  (bytes, random) => {
    const width = random.pick(WIDTHS);
    const number = new Uint8Array(8);
    const value = random.oneIn(2) ? random.below(bytes.length + 4) : random.pick([0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff]);
    new DataView(number.buffer).setBigUint64(0, random.oneIn(8) ? 0xffffffffffffffffn : BigInt(value));
    return replaced(bytes, random.below(bytes.length + 1), width, number.slice(8 - width));
  },
  // The beginning of one and the end of another.
  (bytes, random, other) => concatBytes(bytes.subarray(0, random.below(bytes.length + 1)), other.subarray(random.below(other.length + 1))),
  // A run of one byte.
  (bytes, random) => replaced(bytes, random.below(bytes.length + 1), 0, new Uint8Array(random.small(300)).fill(random.pick(TELLING))),
];

/** One to four blind changes; `other` is a second input of the same kind, for splices. */
export function mutateBytes(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  let result = bytes;
  for (let left = 1 + random.small(4); left > 0; left -= 1) result = random.pick(MUTATIONS)(result, random, other);
  return result;
}
