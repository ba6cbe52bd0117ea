import { decodeCbor, encodeCbor } from '../../src/webauthn/cbor.js';
import { decodeDer } from '../../src/webauthn/der.js';
import { type CborTree, cborTree, mutateTree, NO_LIBERTIES, writeCbor } from './cbor-tree.js';
import { changedInside, corpus } from './corpus.js';
import { type DerTree, derTree, mutateDer, writeDer } from './der-tree.js';
import { mutateJson } from './json-tree.js';
import { mutateBytes } from './mutate-bytes.js';
import type { Random } from './random.js';

/** Inputs for parsers: a good one, changed where its format would notice, or blindly, or both; and now and then noise. */

const LIBERTIES = [
  NO_LIBERTIES,
  { overlong: 4, indefinite: 0, lies: 0 },
  { overlong: 0, indefinite: 3, lies: 0 },
  { overlong: 6, indefinite: 6, lies: 8 },
] as const;

/** Up to three changes to the tree, then to the bytes in a quarter of the cases. */
function changed<Tree>(random: Random, tree: Tree, mutate: (tree: Tree) => Tree, write: (tree: Tree) => Uint8Array): Uint8Array {
  let result = tree;
  for (let left = random.below(4); left > 0; left -= 1) result = mutate(result);
  const bytes = write(result);
  return random.oneIn(4) ? mutateBytes(bytes, random, write(tree)) : bytes;
}

/** Each sample is decoded once. */
function remembered<Tree>(decode: (bytes: Uint8Array) => Tree): (bytes: Uint8Array) => Tree {
  const known = new WeakMap<Uint8Array, { readonly tree: Tree }>();
  return (bytes) => {
    const { tree } = known.get(bytes) ?? { tree: decode(bytes) };
    known.set(bytes, { tree });
    return tree;
  };
}

const cborTreeOf = remembered<CborTree>((bytes) => cborTree(decodeCbor(bytes).value, encodeCbor));
const derTreeOf = remembered<DerTree>((bytes) => derTree(decodeDer(bytes)));

export function makeCbor(random: Random, samples: readonly Uint8Array[]): Uint8Array {
  if (random.oneIn(40)) return random.bytes(random.small(200));
  const other = cborTreeOf(random.pick(samples));
  const liberties = random.pick(LIBERTIES);
  return changed(
    random,
    cborTreeOf(random.pick(samples)),
    (tree) => mutateTree(tree, random, other),
    (tree) => writeCbor(tree, random, liberties),
  );
}

export function makeDer(random: Random, samples: readonly Uint8Array[]): Uint8Array {
  if (random.oneIn(40)) return random.bytes(random.small(200));
  const other = derTreeOf(random.pick(samples));
  const lies = random.oneIn(4) ? 12 : 0;
  return changed(
    random,
    derTreeOf(random.pick(samples)),
    (tree) => mutateDer(tree, random, other),
    (tree) => writeDer(tree, random, lies),
  );
}

export function makeBytes(random: Random, samples: readonly Uint8Array[]): Uint8Array {
  const bytes = random.pick(samples);
  return random.oneIn(8) ? bytes : mutateBytes(bytes, random, random.pick(samples));
}

/** Authenticator data: fixed fields, then CBOR, whose change need not show in the flags. */
export function makeAuthenticatorData(random: Random): Uint8Array {
  const { authenticatorData, coseKeys } = corpus();
  const bytes = random.pick(authenticatorData);
  if (random.oneIn(3)) return makeBytes(random, authenticatorData);
  const head = Uint8Array.from(bytes.subarray(0, random.pick([37, 55, Math.min(bytes.length, 87)])));
  const key = makeCbor(random, coseKeys);
  const result = Uint8Array.from([...head, ...(random.oneIn(3) ? [] : key), ...(random.oneIn(3) ? makeCbor(random, coseKeys) : [])]);
  if (result.length > 32) result[32] = random.below(256);
  // Mostly a credential ID that fits.
  if (result.length > 55 && !random.oneIn(8)) new DataView(result.buffer).setUint16(53, head.length - 55);
  return result;
}

export function makeAttestationObject(random: Random): Uint8Array {
  const { attestationObjects, certificates } = corpus();
  if (random.oneIn(2)) return makeCbor(random, attestationObjects);
  const { value } = decodeCbor(random.pick(attestationObjects));
  if (!(value instanceof Map)) return makeCbor(random, attestationObjects);
  if (random.oneIn(2)) return encodeCbor(new Map(value).set('authData', makeAuthenticatorData(random)));
  const statement = value.get('attStmt');
  if (!(statement instanceof Map)) return encodeCbor(value);
  return encodeCbor(new Map(value).set('attStmt', new Map(statement).set('x5c', [makeDer(random, certificates)])));
}

/** JSON text, from values and, more rarely, from texts that are none. */
export function makeJson(random: Random, samples: readonly unknown[], least = 0): Uint8Array {
  let value = random.pick(samples);
  const inside = (text: string) => changedInside(text, (bytes) => mutateBytes(bytes, random, bytes));
  for (let left = least + random.below(4); left > 0; left -= 1) value = mutateJson(value, random, inside);
  const text = JSON.stringify(value ?? null, null, random.pick([0, 2, '\t']));
  const bytes = new Uint8Array(Buffer.from(random.oneIn(20) ? `\ufeff${text}` : text));
  return random.oneIn(5) ? mutateBytes(bytes, random, bytes) : bytes;
}
