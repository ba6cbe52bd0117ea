import { concatBytes } from '../../src/kernel/bytes.js';
import { children, contents, type DerElement, DerSyntaxError, encoded } from '../../src/webauthn/der.js';
import { mutateBytes } from './mutate-bytes.js';
import type { Random } from './random.js';

/** DER as a tree that can be written wrong. Strings that hold DER themselves, such as extensions, are opened. */
export interface DerTree {
  /** The identifier octets. */
  readonly tag: Uint8Array;
  /** Before the children, such as the number of unused bits. */
  readonly prefix: Uint8Array;
  readonly children: readonly DerTree[] | undefined;
  /** Without children. */
  readonly value: Uint8Array;
}

export function derTree(element: DerElement): DerTree {
  const whole = encoded(element);
  const value = contents(element);
  const tagLength = tagLengthOf(whole);
  return { tag: whole.slice(0, tagLength), prefix: new Uint8Array(), children: childrenOf(element), value };
}

function tagLengthOf(bytes: Uint8Array): number {
  if (((bytes[0] ?? 0) & 0x1f) !== 0x1f) return 1;
  let at = 1;
  while ((bytes[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}

function childrenOf(element: DerElement): readonly DerTree[] | undefined {
  const isString = !element.constructed && element.class === 'universal' && element.tag === 4;
  if (!element.constructed && !isString) return undefined;
  try {
    const inner = children({ ...element, constructed: true });
    return inner.length === 0 ? undefined : inner.map(derTree);
  } catch (error) {
    if (error instanceof DerSyntaxError) return undefined;
    throw error;
  }
}

export function derNodes(tree: DerTree): DerTree[] {
  const found: DerTree[] = [tree];
  for (const node of found) found.push(...(node.children ?? []));
  return found;
}

/** Every length fits unless one is told to lie, once in so many times (never at 0). */
export function writeDer(tree: DerTree, random: Random, lies = 0): Uint8Array {
  const body =
    tree.children === undefined ? tree.value : Buffer.concat([tree.prefix, ...tree.children.map((child) => writeDer(child, random, lies))]);
  const isLie = lies > 0 && random.oneIn(lies);
  return concatBytes(tree.tag, isLie ? lyingLength(body.length, random) : lengthOctets(body.length), body);
}

function lengthOctets(length: number, least = 0): Uint8Array {
  if (length < 0x80 && least === 0) return Uint8Array.of(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0 || octets.length < Math.max(1, least); rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Uint8Array.of(0x80 | octets.length, ...octets);
}

function lyingLength(length: number, random: Random): Uint8Array {
  const said = random.pick([0, length + 1, Math.max(0, length - 1), length * 2, 0xffffffff]);
  return random.oneIn(4) ? Uint8Array.of(0x80) : lengthOctets(said, random.oneIn(3) ? 1 + random.below(5) : 0);
}

/** Changes one node: its tag, its contents, its children's number and order, or itself for another node. */
export function mutateDer(tree: DerTree, random: Random, other: DerTree): DerTree {
  const nodes = derNodes(tree);
  const target = random.pick(nodes);
  const donor = random.pick(random.oneIn(2) ? nodes : derNodes(other));
  return withDerNode(tree, target, mutateNode(target, random, donor));
}

export function withDerNode(tree: DerTree, target: DerTree, change: DerTree): DerTree {
  if (tree === target) return change;
  return tree.children === undefined ? tree : { ...tree, children: tree.children.map((child) => withDerNode(child, target, change)) };
}

const TAGS = [1, 2, 3, 4, 5, 6, 10, 12, 19, 20, 22, 23, 24, 28, 30, 0x30, 0x31, 0x80, 0xa0, 0xa1, 0xa3, 0xa4, 0x1f, 0xff];

function mutateNode(node: DerTree, random: Random, donor: DerTree): DerTree {
  if (random.oneIn(5)) return donor;
  if (random.oneIn(6)) return { ...node, tag: random.oneIn(8) ? longTag(random) : Uint8Array.of(random.pick(TAGS)) };
  if (random.oneIn(12)) return { tag: Uint8Array.of(0x30), prefix: new Uint8Array(), children: [node], value: new Uint8Array() };
  if (node.children === undefined) return { ...node, value: mutateBytes(node.value, random, donor.value) };
  const at = random.below(node.children.length + 1);
  const changes: readonly (() => readonly DerTree[])[] = [
    () => node.children?.toSpliced(at, 1) ?? [],
    () => node.children?.toSpliced(at, 0, donor) ?? [],
    () => node.children?.toSpliced(at, 0, ...(node.children.slice(at, at + 1) ?? [])) ?? [],
    () => node.children?.toReversed() ?? [],
  ];
  return { ...node, children: random.pick(changes)() };
}

/** A tag number in several octets, not always in its shortest form. */
function longTag(random: Random): Uint8Array {
  return Uint8Array.of(0xbf, ...Array.from({ length: random.below(5) }, () => 0x80 | random.below(128)), random.below(128));
}
