import { count } from '../../kernel/wording.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { type AnnotatedNode, jsonNode } from './node.js';

type Note = (value: unknown) => string | undefined;

const told =
  (yes: string, no: string): Note =>
  (value) =>
    value === true ? yes : no;
const secret: Note = (value) => {
  const size = describeSize(value);
  return size === undefined ? undefined : `${size}: a secret of this passkey and this input`;
};

/** Meaning of client extension outputs (WebAuthn L3 §10.1), by `parent.member`. */
const NOTES: Readonly<Record<string, Note>> = {
  'credProps.rk': told('discoverable', 'not discoverable'),
  'prf.enabled': told('the passkey has a pseudo-random function', 'the passkey has no pseudo-random function'),
  'results.first': secret,
  'results.second': secret,
  'largeBlob.supported': told('the passkey can keep a blob', 'the passkey cannot keep a blob'),
  'largeBlob.written': told('the blob was stored', 'the blob was not stored'),
  'largeBlob.blob': (value) => describeSize(value, true),
};

/** `clientExtensionResults` as JSON, with what the outputs of known extensions mean. */
export function annotateExtensionOutputs(label: string, value: unknown): AnnotatedNode {
  return withNotes(jsonNode(label, value), value);
}

function withNotes(node: AnnotatedNode, value: unknown): AnnotatedNode {
  const { label: parent, children } = node;
  if (children === undefined) return node;
  const members = new Map(Object.entries(value ?? {}));
  return {
    ...node,
    children: children.map((child) => {
      const member: unknown = members.get(child.label);
      const key = `${parent}.${child.label}`;
      const note = Object.hasOwn(NOTES, key) ? NOTES[key]?.(member) : undefined;
      return { ...withNotes(child, member), ...(note !== undefined && { note }) };
    }),
  };
}

/** The number of bytes in base64url and, with `text`, the bytes as text if they are. */
function describeSize(value: unknown, text = false): string | undefined {
  const bytes = typeof value === 'string' ? decodeBase64(value)?.bytes : undefined;
  if (bytes === undefined) return undefined;
  const size = count(bytes.length, 'byte');
  const said = new TextDecoder().decode(bytes);
  return text && /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(said) && !said.includes('\uFFFD') ? `${size}: ${JSON.stringify(said)}` : size;
}
