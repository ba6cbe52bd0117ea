import { encodeUtf8 } from '../../src/kernel/bytes.js';
import type { CborValue } from '../../src/webauthn/cbor.js';
import type { Random } from './random.js';

/**
 * CBOR as a tree that can be written wrong: unlike `encodeCbor`, this writer has every freedom of RFC 8949, and takes a few that it does
 * not give.
 */
export type CborTree =
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }
  | { readonly kind: 'string'; readonly major: 2 | 3; readonly bytes: Uint8Array }
  | { readonly kind: 'list'; readonly major: 4 | 5; readonly items: readonly CborTree[] }
  | { readonly kind: 'tag'; readonly number: number; readonly item: CborTree };

/** Numbers and simple values stay as their bytes, which `encode` makes. */
export function cborTree(value: CborValue, encode: (value: CborValue) => Uint8Array): CborTree {
  if (value instanceof Uint8Array) return { kind: 'string', major: 2, bytes: value };
  if (typeof value === 'string') return { kind: 'string', major: 3, bytes: encodeUtf8(value) };
  if (Array.isArray(value)) return { kind: 'list', major: 4, items: value.map((item) => cborTree(item, encode)) };
  if (value instanceof Map) {
    return { kind: 'list', major: 5, items: [...value].flat().map((item) => cborTree(item, encode)) };
  }
  return { kind: 'raw', bytes: encode(value) };
}

export function nodesOf(tree: CborTree): CborTree[] {
  const found: CborTree[] = [tree];
  for (const node of found) {
    if (node.kind === 'list') found.push(...node.items);
    if (node.kind === 'tag') found.push(node.item);
  }
  return found;
}

/** The tree with `change` made to one node, which is told by identity. */
export function withNode(tree: CborTree, target: CborTree, change: CborTree): CborTree {
  if (tree === target) return change;
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => withNode(item, target, change)) };
  return tree.kind === 'tag' ? { ...tree, item: withNode(tree.item, target, change) } : tree;
}

const SIMPLE = [0xf4, 0xf5, 0xf6, 0xf7, 0xe0, 0xff, 0xfc, 0x00, 0x20].map((byte) => Uint8Array.of(byte));
const NUMBERS = [
  '00',
  '17',
  '1818',
  '19ffff',
  '1affffffff',
  '1bffffffffffffffff',
  '3bffffffffffffffff',
  '26',
  '390100',
  'f97e00',
  'f98000',
];
const FLOATS = ['fb7ff8000000000000', 'fa7f800000', 'fb8000000000000000', 'f90001', 'fb4340000000000001'];
const RAW = [...SIMPLE, ...[...NUMBERS, ...FLOATS].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')))];

/** Changes one node: another value or kind, members more, fewer, twice or in another order, one level deeper. */
export function mutateTree(tree: CborTree, random: Random, other: CborTree): CborTree {
  const nodes = nodesOf(tree);
  const target = random.pick(nodes);
  return withNode(tree, target, mutateNode(target, random, random.pick(random.oneIn(2) ? nodes : nodesOf(other))));
}

function mutateNode(node: CborTree, random: Random, donor: CborTree): CborTree {
  if (random.oneIn(4)) return random.oneIn(3) ? { kind: 'raw', bytes: random.pick(RAW) } : donor;
  if (random.oneIn(10)) return { kind: 'tag', number: random.pick([2, 3, 24, 55799]), item: node };
  if (random.oneIn(16)) return nested(node, 1 + random.small(30));
  switch (node.kind) {
    case 'raw':
      return { kind: 'raw', bytes: random.pick(RAW) };
    case 'string':
      return random.oneIn(4) ? { ...node, major: node.major === 2 ? 3 : 2 } : { ...node, bytes: resized(node.bytes, random) };
    case 'list':
      return { ...node, items: mutateItems(node.items, random, donor) };
    case 'tag':
      return node.item;
  }
}

function nested(node: CborTree, levels: number): CborTree {
  return levels === 0 ? node : { kind: 'list', major: 4, items: [nested(node, levels - 1)] };
}

function resized(bytes: Uint8Array, random: Random): Uint8Array {
  const length = random.pick([0, 1, bytes.length - 1, bytes.length, bytes.length + 1, 31, 32, 33, 1023, 1024]);
  const result = new Uint8Array(Math.max(0, length));
  result.set(bytes.subarray(0, result.length));
  if (result.length > 0 && random.oneIn(2)) result[random.below(result.length)] = random.below(256);
  return result;
}

function mutateItems(items: readonly CborTree[], random: Random, donor: CborTree): readonly CborTree[] {
  const at = random.below(items.length + 1);
  switch (random.below(5)) {
    case 0:
      return items.toSpliced(at, 1);
    case 1:
      return items.toSpliced(at, 0, donor);
    case 2:
      return items.toSpliced(at, 0, ...items.slice(at, at + 2));
    case 3:
      return items.toReversed();
    default:
      return items.toSpliced(at, 2, { kind: 'raw', bytes: random.pick(RAW) }, donor);
  }
}

/** How the writer breaks the canonical form: each at one head out of so many; never at 0. */
export interface Liberties {
  /** Heads in more bytes than needed. */
  readonly overlong: number;
  /** Strings in chunks, lists up to a break. */
  readonly indefinite: number;
  /** Lengths that are not those of what follows. */
  readonly lies: number;
}

export const NO_LIBERTIES: Liberties = { overlong: 0, indefinite: 0, lies: 0 };

export function writeCbor(tree: CborTree, random: Random, liberties: Liberties = NO_LIBERTIES): Uint8Array {
  const takes = (times: number) => times > 0 && random.oneIn(times);
  const headOf = (major: number, length: number) => {
    const said = takes(liberties.lies) ? random.pick([0, length + 1, length - 1, length * 2, 0xffffffff]) : length;
    return head(major, Math.max(0, said), takes(liberties.overlong) ? random.pick([1, 2, 4, 8]) : 0);
  };
  const parts: Uint8Array[] = [];
  const write = (node: CborTree): void => {
    if (node.kind === 'raw') {
      parts.push(node.bytes);
    } else if (node.kind === 'tag') {
      parts.push(headOf(6, node.number));
      write(node.item);
    } else {
      const isIndefinite = takes(liberties.indefinite);
      const length = node.kind === 'string' ? node.bytes.length : node.items.length / (node.major === 5 ? 2 : 1);
      parts.push(isIndefinite ? Uint8Array.of((node.major << 5) | 31) : headOf(node.major, Math.floor(length)));
      if (node.kind === 'list') node.items.forEach(write);
      else if (isIndefinite) writeChunks(node.major, node.bytes);
      else parts.push(node.bytes);
      if (isIndefinite && !takes(liberties.lies)) parts.push(Uint8Array.of(0xff));
    }
  };
  const writeChunks = (major: number, bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; ) {
      const length = random.small(bytes.length - at + 1);
      parts.push(headOf(major, length), bytes.subarray(at, at + length));
      at += Math.max(1, length);
    }
  };
  write(tree);
  // Not spread: there may be more parts than a call takes arguments.
  return new Uint8Array(Buffer.concat(parts));
}

/** The initial byte and its argument, in `least` bytes or more. */
function head(major: number, argument: number, least: number): Uint8Array {
  const needed = argument < 24 ? 0 : argument < 0x100 ? 1 : argument < 0x10000 ? 2 : argument < 2 ** 32 ? 4 : 8;
  const width = Math.max(least, needed);
  if (width === 0) return Uint8Array.of((major << 5) | argument);
  const bytes = new Uint8Array(9);
  new DataView(bytes.buffer).setBigUint64(1, BigInt(argument));
  const result = bytes.slice(8 - width);
  result[0] = (major << 5) | (24 + Math.log2(width));
  return result;
}
