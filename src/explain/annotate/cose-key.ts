import { toHex } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { algorithmName, findCurve, KEY_TYPES, keyTypeName } from '../../webauthn/algorithms.js';
import { type CborValue, decodeCbor } from '../../webauthn/cbor.js';
import { decodeCoseKey } from '../../webauthn/cose-key.js';
import { type CborItem, cborNode, findMember, keyLabel, locateCbor } from './cbor.js';
import { type AnnotatedNode } from './node.js';

/** Names of labels. A key is a label as CBOR has it: neither the text "1" nor the number 1.0 is the label 1. */
type Names = ReadonlyMap<CborValue, string>;

const COMMON: Names = new Map([
  [1, 'kty'],
  [2, 'kid'],
  [3, 'alg'],
  [4, 'key_ops'],
  [5, 'Base IV'],
]);
const PRIVATE = '(private!)';
const RSA_PRIVATE: readonly string[] = ['d', 'p', 'q', 'dP', 'dQ', 'qInv'];
/**
 * Names of the negative COSE_Key labels, by key type. The same negative label means something else for each key type (RFC 9053 §7, RFC 8230
 * §4).
 */
const OF_TYPE: ReadonlyMap<CborValue, Names> = new Map([
  [
    KEY_TYPES.OKP,
    new Map([
      [-1, 'crv'],
      [-2, 'x'],
      [-4, `d ${PRIVATE}`],
    ]),
  ],
  [
    KEY_TYPES.EC2,
    new Map([
      [-1, 'crv'],
      [-2, 'x'],
      [-3, 'y'],
      [-4, `d ${PRIVATE}`],
    ]),
  ],
  [
    KEY_TYPES.RSA,
    new Map([[-1, 'n'], [-2, 'e'], ...RSA_PRIVATE.map((name, index): [number, string] => [-3 - index, `${name} ${PRIVATE}`])]),
  ],
  [KEY_TYPES.Symmetric, new Map([[-1, `k ${PRIVATE}`]])],
  [
    KEY_TYPES.AKP,
    new Map([
      [-1, 'pub'],
      [-2, `priv ${PRIVATE}`],
    ]),
  ],
]);

/** Annotates a COSE_Key from `start` to `end` of `bytes`, label by label. Malformed keys can be annotated too. */
export function annotateCoseKey(bytes: Uint8Array, { label = 'COSE key', start = 0, end = bytes.length } = {}): AnnotatedNode {
  decodeCbor(bytes, start);
  const item = locateCbor(bytes, start);
  const type = findMember(item, 1)?.value;
  const algorithm = findMember(item, 3)?.value;
  const error = whyWrong(bytes.subarray(start, end));
  return {
    label,
    offset: start,
    length: end - start,
    ...(typeof algorithm === 'number' && { value: algorithmName(algorithm) }),
    note: describeKey(type, item),
    ...(error !== undefined && { error }),
    children: (item.entries ?? []).map(({ key, value }) => memberNode(type, key, value)),
  };
}

function describeKey(type: CborValue, item: CborItem): string {
  const first = findMember(item, -1)?.value;
  const detail =
    type === KEY_TYPES.RSA && first instanceof Uint8Array
      ? count(first.length * 8, 'bit')
      : type === KEY_TYPES.OKP || type === KEY_TYPES.EC2
        ? findCurve(first)?.name
        : undefined;
  return [keyTypeName(type) ?? `unknown key type ${String(type)}`, detail].filter(Boolean).join(', ');
}

function memberNode(type: CborValue, key: CborItem, value: CborItem): AnnotatedNode {
  // By the number in a "kty" of the wrong type too, so that a private member stays hidden.
  const names = OF_TYPE.get(Number(String(type)));
  const name = COMMON.get(key.value) ?? names?.get(key.value) ?? 'unknown label';
  const node = cborNode(`${name} (${keyLabel(key)})`, value, 0);
  if (name.endsWith(PRIVATE)) {
    const { label: shown, offset = 0, length = 0 } = node;
    return { label: shown, offset, length, value: 'not shown', note: 'a private key; keep it to yourself' };
  }
  switch (name) {
    case 'kty':
      return { ...node, note: keyTypeName(type) ?? 'unknown key type' };
    case 'alg':
      return typeof value.value === 'number' ? { ...node, note: algorithmName(value.value) } : node;
    case 'crv':
      return { ...node, note: findCurve(value.value)?.name ?? 'unknown curve' };
    case 'e':
      return value.value instanceof Uint8Array ? { ...node, note: `${Number.parseInt(toHex(value.value), 16)}` } : node;
    default:
      return node;
  }
}

function whyWrong(bytes: Uint8Array): string | undefined {
  try {
    decodeCoseKey(bytes);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
