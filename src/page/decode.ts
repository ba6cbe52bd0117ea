import type { Annotation, TreeDocument } from '../explain/document-schema.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';

/** One line of a decoded structure. */
export interface Field {
  readonly name: string;
  readonly value?: string | undefined;
  /** Explanation of the field's value. */
  readonly note?: string | undefined;
  /** Position of the field's bytes in the structure shown: offset of the first byte, and length. */
  readonly at?: { readonly offset: number; readonly length: number } | undefined;
  readonly verdict?: 'good' | 'bad' | 'neutral' | undefined;
  /** True if the field is collapsed at first. */
  readonly collapsed?: boolean;
  readonly children?: readonly Field[] | undefined;
}

/** Values from the ceremony's options. The response is compared with those that are known. */
export interface Asked {
  readonly challenge: string | undefined;
  readonly origin: string | undefined;
  readonly rpId: string | undefined;
  /** Slugs of the steps that passed. Values that those steps checked are never marked as wrong. */
  readonly passed?: ReadonlySet<string>;
}

interface Expected extends Asked {
  /** SHA-256 of the RP ID in hexadecimal. */
  readonly rpIdHash: string | null;
}

type Marks = Pick<Field, 'verdict' | 'note'>;

/** Builds the fields of a response that the server decoded, compared with the options. */
export function decodeResponse({ response, rp_id_hash: rpIdHash }: Annotation, asked: Asked): Field[] {
  return (response?.children ?? []).map((node) => toField(node, '', { ...asked, rpIdHash }));
}

/** Builds the fields of a response that the server could not decode. They show at least the bytes. */
export function undecoded(response: JsonObject): Field[] {
  return Object.keys(asObject(response['response'])).map((name) => ({ name }));
}

const NOTHING_ASKED: Expected = { challenge: undefined, origin: undefined, rpId: undefined, rpIdHash: null };

/** Converts a decoded structure to a field, without comparing it with any options. */
export function treeToField(tree: TreeDocument): Field {
  return toField(tree, '', NOTHING_ASKED);
}

function toField(node: TreeDocument, parent: string, expected: Expected): Field {
  const { label, offset, length, value, note, error, children } = node;
  return {
    name: label,
    value: value ?? undefined,
    note: note ?? undefined,
    ...(offset !== null && length !== null && { at: { offset, length } }),
    ...compareValue(node, parent, expected),
    ...(error !== null && { note: error, verdict: 'bad' as const }),
    children: children.map((child) => toField(child, label, expected)),
  };
}

/** Marks a value as good or bad if the expected value is known. */
function compareValue({ label, value }: TreeDocument, parent: string, { challenge, origin, rpId, rpIdHash, passed }: Expected): Marks {
  if (parent === 'flags') return { verdict: value === '1' ? 'good' : 'neutral' };
  if (parent === 'clientDataJSON' && label === 'challenge') {
    return against(value, challenge, passed?.has('challenge'));
  }
  if (parent === 'clientDataJSON' && label === 'origin') return against(value, origin, passed?.has('origin'));
  if (label !== 'rpIdHash' || rpIdHash === null) return {};
  if (value === rpIdHash) return { verdict: 'good' };
  return passed?.has('rp-id-hash') === true ? {} : { verdict: 'bad', note: `not the SHA-256 of "${rpId}"` };
}

function against(value: string | null, expected: string | undefined, passed = false): Marks {
  if (passed || (expected !== undefined && value === JSON.stringify(expected))) return { verdict: 'good', note: 'as expected' };
  return expected === undefined ? {} : { verdict: 'bad', note: `expected ${JSON.stringify(expected)}` };
}

/** Fields shown first. All fields outside FIRST and LAST come between them. */
const FIRST = [
  'id',
  'type',
  'authenticatorAttachment',
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
];
const LAST = ['transports', 'clientExtensionResults'];
/** Members that copy parts of the attestation object. Servers do not need them (WebAuthn L3 §5.2.1). */
const COPIES = ['authenticatorData', 'publicKey', 'publicKeyAlgorithm'];

/** Sorts the fields of a response into reading order. Flattens its inner dictionary and collapses copies. */
export function arrangeFields(fields: readonly Field[]): Field[] {
  const flat = fields.flatMap((field) => (field.name === 'response' ? (field.children ?? [field]) : [field]));
  const registration = flat.some(({ name }) => name === 'attestationObject');
  const isCopy = ({ name }: Field) => name === 'rawId' || (registration && COPIES.includes(name));
  const copies = flat.filter(isCopy);
  const rest = flat.filter((field) => !isCopy(field)).toSorted((a, b) => rank(a) - rank(b));
  return copies.length === 0
    ? rest
    : [...rest, { name: 'copies', note: copies.map(({ name }) => name).join(', '), children: copies, collapsed: true }];
}

function rank({ name }: Field): number {
  const first = FIRST.indexOf(name);
  return first === -1 ? FIRST.length + 1 + LAST.indexOf(name) : first;
}
