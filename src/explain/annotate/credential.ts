import { isObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { MISREADINGS } from '../../webauthn/text-encoding.js';
import { annotateAttestationObject } from './attestation-object.js';
import { annotateAuthenticatorData } from './authenticator-data.js';
import { annotateClientData } from './client-data.js';
import { annotateSignature, encodedField, textField } from './encoded-field.js';
import { type AnnotatedNode, type AnnotateOptions, jsonNode } from './node.js';
import { type DecodedMember, type ReadCredential, readDecoded, readMember } from './read-credential.js';

/** Members of a credential's `response` that the server needs to verify the credential, by kind of ceremony. */
const REQUIRED = {
  registration: ['clientDataJSON', 'attestationObject'],
  authentication: ['clientDataJSON', 'authenticatorData', 'signature'],
} as const;

/**
 * Annotates a RegistrationResponseJSON or AuthenticationResponseJSON (WebAuthn L3 §5.1.8) and decodes every field. Never throws: a field
 * that cannot be read has an `error`.
 */
export function annotateCredential(
  credential: ReadCredential,
  { label, kind, ...options }: AnnotateOptions & { readonly label: string; readonly kind?: keyof typeof REQUIRED },
): AnnotatedNode {
  const children = Object.entries(credential.json).map(([name, value]) => memberNode(name, value, credential, options));
  const missing = kind === undefined ? [] : REQUIRED[kind].filter((name) => !(name in credential.response));
  return {
    label,
    children: [
      ...children,
      ...missing.map((name) => ({
        label: `response.${name}`,
        error: 'Missing; give the whole credential, as credential.toJSON() returns it.',
      })),
    ],
  };
}

function memberNode(name: string, value: unknown, credential: ReadCredential, options: AnnotateOptions): AnnotatedNode {
  switch (name) {
    case 'id':
    case 'rawId':
      return encodedField(name, readMember(value));
    case 'response':
      return isObject(value)
        ? { label: name, children: Object.entries(value).map(([member, inner]) => responseNode(member, inner, credential, options)) }
        : { label: name, error: 'Expected an object.' };
    case 'clientExtensionResults':
      return withNotes(jsonNode(name, value), value);
    default:
      return jsonNode(name, value);
  }
}

function responseNode(name: string, value: unknown, credential: ReadCredential, options: AnnotateOptions): AnnotatedNode {
  switch (name) {
    case 'clientDataJSON':
      return decodedField(name, credential.clientDataJSON, annotateClientData);
    case 'attestationObject':
      return decodedField(name, credential.attestationObject, (bytes, decoded) =>
        annotateAttestationObject(bytes, { decoded, attestedData: credential.attestedData, ...options }),
      );
    case 'authenticatorData':
      return decodedField(name, credential.authenticatorData, (bytes, decoded) =>
        annotateAuthenticatorData(bytes, { decoded, ...options }),
      );
    case 'signature':
      return encodedField(name, readMember(value), (bytes) => annotateSignature(bytes));
    case 'userHandle':
      return value === null || value === undefined || value === ''
        ? { label: name, value: 'none', note: 'allowed if allowCredentials named the credential' }
        : textField(name, readMember(value));
    case 'publicKey':
      return { ...encodedField(name, readMember(value)), note: 'SubjectPublicKeyInfo in DER, a copy of the key in authData' };
    default:
      return jsonNode(name, value);
  }
}

function decodedField<T>(
  name: string,
  member: DecodedMember<T>,
  annotate: (bytes: Uint8Array, decoded: T) => AnnotatedNode,
): AnnotatedNode {
  const { decoded, misreading } = member;
  if (misreading !== undefined) return { ...encodedField(name, member), error: `It ${MISREADINGS[misreading]}` };
  return encodedField(name, member, decoded && ((bytes) => annotate(bytes, readDecoded(decoded))));
}

type Note = (value: unknown) => string | undefined;

const told =
  (yes: string, no: string): Note =>
  (value) =>
    value === true ? yes : no;
const secret: Note = (value) => {
  const size = describeSize(value);
  return size === undefined ? undefined : `${size}: a secret of this passkey and this input`;
};

/** Meanings of client extension outputs (WebAuthn L3 §10.1), by `parent.member`. */
const NOTES: Readonly<Record<string, Note>> = {
  'credProps.rk': told('discoverable', 'not discoverable'),
  'prf.enabled': told('the passkey has a pseudo-random function', 'the passkey has no pseudo-random function'),
  'results.first': secret,
  'results.second': secret,
  'largeBlob.supported': told('the passkey can keep a blob', 'the passkey cannot keep a blob'),
  'largeBlob.written': told('the blob was stored', 'the blob was not stored'),
  'largeBlob.blob': (value) => describeSize(value, true),
};

/** Adds an explanation to each output of a known extension. */
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

/** Describes a base64url value by its number of bytes. If `text` is true and the bytes are UTF-8, also shows them as text. */
function describeSize(value: unknown, text = false): string | undefined {
  const bytes = typeof value === 'string' ? decodeBase64(value)?.bytes : undefined;
  if (bytes === undefined) return undefined;
  const size = count(bytes.length, 'byte');
  const said = new TextDecoder().decode(bytes);
  return text && /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(said) && !said.includes('\uFFFD') ? `${size}: ${JSON.stringify(said)}` : size;
}
