import { annotateCredential } from '../explain/annotate/credential.js';
import type { AnnotatedNode } from '../explain/annotate/node.js';
import { readCredential } from '../explain/annotate/read-credential.js';
import type { TreeDocument } from '../explain/document-schema.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { encodeUtf8, toHex } from '../webauthn/bytes.js';
import type { JsonObject } from '../webauthn/json-value.js';
import { count } from '../webauthn/wording.js';

/** One line of a decoded structure. */
export interface Field {
  readonly name: string;
  readonly value?: string | undefined;
  /** What the value means. */
  readonly note?: string | undefined;
  /** First byte and length within the structure shown. */
  readonly at?: { readonly offset: number; readonly length: number } | undefined;
  readonly verdict?: 'good' | 'bad' | 'neutral' | undefined;
  /** Collapsed at first. */
  readonly collapsed?: boolean;
  readonly children?: readonly Field[] | undefined;
}

/** What the options asked for; the response is compared with it, as far as it is known. */
export interface Asked {
  readonly challenge: string | undefined;
  readonly origin: string | undefined;
  readonly rpId: string | undefined;
  /** Slugs of the steps that passed: what they looked at is not marked as wrong. */
  readonly passed?: ReadonlySet<string>;
}

interface Expected extends Asked {
  /** SHA-256 of the RP ID in hexadecimal; undefined where the browser cannot compute it. */
  readonly rpIdHash: string | undefined;
}

/** What extension outputs mean (WebAuthn L3 §10.1), by `parent.member`. */
const EXTENSION_NOTES: Readonly<Record<string, (value: string | undefined) => string | undefined>> = {
  'credProps.rk': (value) => (value === 'true' ? 'discoverable' : 'not discoverable'),
  'prf.enabled': (value) => (value === 'true' ? 'the passkey has a pseudo-random function' : 'the passkey has no pseudo-random function'),
  'results.first': (value) => `${bytesNote(value)}: a secret of this passkey and this input`,
  'results.second': (value) => `${bytesNote(value)}: a secret of this passkey and this input`,
  'largeBlob.supported': (value) => (value === 'true' ? 'the passkey can keep a blob' : 'the passkey cannot keep a blob'),
  'largeBlob.written': (value) => (value === 'true' ? 'the blob was stored' : 'the blob was not stored'),
  'largeBlob.blob': (value) => bytesNote(value, true),
};

type Marks = Pick<Field, 'verdict' | 'note'>;

/** RegistrationResponseJSON or AuthenticationResponseJSON, decoded completely. Never throws: a field that cannot be read says why. */
export async function decodeResponse(response: JsonObject, asked: Asked): Promise<Field[]> {
  const rpIdHash = asked.rpId === undefined ? undefined : await sha256(asked.rpId);
  const rpIds = new Map(asked.rpId === undefined || rpIdHash === undefined ? [] : [[rpIdHash, asked.rpId]]);
  const { children = [] } = annotateCredential(readCredential(response), { label: 'response', rpIds });
  return children.map((node) => fieldOf(node, '', { ...asked, rpIdHash }));
}

const NOTHING_ASKED: Expected = { challenge: undefined, origin: undefined, rpId: undefined, rpIdHash: undefined };

/** A line of an annotated structure that no options are known for. */
export function fieldOfNode(node: AnnotatedNode): Field {
  return fieldOf(node, '', NOTHING_ASKED);
}

/** A line of a tree that the server made. */
export function fieldOfTree({ label, value, note, error, children }: TreeDocument): Field {
  return {
    name: label,
    value: value ?? undefined,
    note: error ?? note ?? undefined,
    verdict: error === null ? undefined : 'bad',
    children: children.map(fieldOfTree),
  };
}

function fieldOf(node: AnnotatedNode, parent: string, expected: Expected): Field {
  const { label, offset, length, value, note, error, children } = node;
  return {
    name: label,
    value,
    note: note ?? EXTENSION_NOTES[`${parent}.${label}`]?.(value),
    ...(offset !== undefined && length !== undefined && { at: { offset, length } }),
    ...marksOf(node, parent, expected),
    ...(error !== undefined && { note: error, verdict: 'bad' as const }),
    ...(children !== undefined && { children: children.map((child) => fieldOf(child, label, expected)) }),
  };
}

/** Good or bad, where the expected value is known. */
function marksOf(node: AnnotatedNode, parent: string, { challenge, origin, rpId, rpIdHash, passed }: Expected): Marks {
  const { label, value, note } = node;
  if (parent === 'flags') {
    return { verdict: value === '1' ? 'good' : 'neutral' };
  }
  if (parent === 'clientDataJSON' && label === 'challenge') {
    return against(value, challenge, passed?.has('challenge'));
  }
  if (parent === 'clientDataJSON' && label === 'origin') {
    return against(value, origin, passed?.has('origin'));
  }
  if (label !== 'rpIdHash' || rpIdHash === undefined) return {};
  if (value === rpIdHash) return { verdict: 'good', note };
  return passed?.has('rp-id-hash') === true ? {} : { verdict: 'bad', note: `not the SHA-256 of "${rpId}"` };
}

function against(value: string | undefined, expected: string | undefined, passed = false): Marks {
  if (passed || (expected !== undefined && value === JSON.stringify(expected))) return { verdict: 'good', note: 'as expected' };
  return expected === undefined ? {} : { verdict: 'bad', note: `expected ${JSON.stringify(expected)}` };
}

/** The number of bytes in a quoted base64url string and, with `text`, the bytes as text if they are. */
function bytesNote(value: string | undefined, text = false): string | undefined {
  const bytes = decodeBase64(value?.replace(/^"|"$/g, '') ?? '')?.bytes;
  if (bytes === undefined) {
    return undefined;
  }
  const size = count(bytes.length, 'byte');
  const said = new TextDecoder().decode(bytes);
  return text && /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(said) && !said.includes('\uFFFD') ? `${size}: ${JSON.stringify(said)}` : size;
}

/** Undefined outside secure contexts, where there is no `crypto.subtle`. */
async function sha256(text: string): Promise<string | undefined> {
  return 'subtle' in crypto ? toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(encodeUtf8(text))))) : undefined;
}

/** The fields shown first. All others come between these and LAST. */
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
/** Copies of what the attestation object contains; servers do not need them (WebAuthn L3 §5.2.1). */
const COPIES = ['authenticatorData', 'publicKey', 'publicKeyAlgorithm'];

/** The fields of a response in reading order, with its inner dictionary flattened and copies collapsed. */
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
