import { toHex } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { algorithmName, findCurve, keyTypeName } from '../../webauthn/algorithms.js';
import { decodeCbor } from '../../webauthn/cbor.js';
import { decodeCoseKey } from '../../webauthn/cose-key.js';
import { type CborItem, cborNode, findMember, keyLabel, locateCbor } from './cbor.js';
import { type AnnotatedNode } from './node.js';

type Names = ReadonlyMap<string, string>;

const COMMON: Names = new Map([
  ['1', 'kty'],
  ['2', 'kid'],
  ['3', 'alg'],
  ['4', 'key_ops'],
  ['5', 'Base IV'],
]);
const PRIVATE = '(private!)';
const RSA_PRIVATE: readonly string[] = ['d', 'p', 'q', 'dP', 'dQ', 'qInv'];
/**
 * Names of the negative COSE_Key labels, by key type. The same negative label means something else for each key type (RFC 9053 §7, RFC 8230
 * §4).
 */
const OF_TYPE: ReadonlyMap<string, Names> = new Map([
  [
    '1',
    new Map([
      ['-1', 'crv'],
      ['-2', 'x'],
      ['-4', `d ${PRIVATE}`],
    ]),
  ],
  [
    '2',
    new Map([
      ['-1', 'crv'],
      ['-2', 'x'],
      ['-3', 'y'],
      ['-4', `d ${PRIVATE}`],
    ]),
  ],
  [
    '3',
    new Map([['-1', 'n'], ['-2', 'e'], ...RSA_PRIVATE.map((name, index): [string, string] => [String(-3 - index), `${name} ${PRIVATE}`])]),
  ],
  ['4', new Map([['-1', `k ${PRIVATE}`]])],
  [
    '7',
    new Map([
      ['-1', 'pub'],
      ['-2', `priv ${PRIVATE}`],
    ]),
  ],
]);

/** Annotates a COSE_Key from `start` to `end` of `bytes`, label by label. Malformed keys can be annotated too. */
export function annotateCoseKey(bytes: Uint8Array, { label = 'COSE key', start = 0, end = bytes.length } = {}): AnnotatedNode {
  decodeCbor(bytes, start);
  const item = locateCbor(bytes, start);
  const type = String(findMember(item, 1)?.value);
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

function describeKey(type: string, item: CborItem): string {
  const first = findMember(item, -1)?.value;
  const detail =
    type === '3' && first instanceof Uint8Array
      ? count(first.length * 8, 'bit')
      : type === '1' || type === '2'
        ? findCurve(first)?.name
        : undefined;
  return [keyTypeName(Number(type)) ?? `unknown key type ${type}`, detail].filter(Boolean).join(', ');
}

function memberNode(type: string, key: CborItem, value: CborItem): AnnotatedNode {
  const label = keyLabel(key);
  const name = COMMON.get(label) ?? OF_TYPE.get(type)?.get(label) ?? 'unknown label';
  const node = cborNode(`${name} (${label})`, value, 0);
  if (name.endsWith(PRIVATE)) {
    const { label: shown, offset = 0, length = 0 } = node;
    return { label: shown, offset, length, value: 'not shown', note: 'a private key; keep it to yourself' };
  }
  switch (name) {
    case 'kty':
      return { ...node, note: keyTypeName(Number(type)) ?? 'unknown key type' };
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
