import { isObject } from '../../kernel/json-value.js';
import { MISREADINGS } from '../../webauthn/text-encoding.js';
import { annotateAttestationObject } from './attestation-object.js';
import { annotateAuthenticatorData } from './authenticator-data.js';
import { annotateClientData } from './client-data.js';
import { annotateSignature, encodedField, textField } from './encoded-field.js';
import { annotateExtensionOutputs } from './extension-outputs.js';
import { type AnnotatedNode, type AnnotateOptions, jsonNode } from './node.js';
import { type DecodedMember, type ReadCredential, readDecoded, readMember } from './read-credential.js';

/** Members of `response` without which nothing can be verified. */
const REQUIRED = {
  registration: ['clientDataJSON', 'attestationObject'],
  authentication: ['clientDataJSON', 'authenticatorData', 'signature'],
} as const;

/** A RegistrationResponseJSON or AuthenticationResponseJSON (WebAuthn L3 §5.1.8), every field decoded. Never throws: what cannot be read says why. */
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
        error: 'Missing; bring the whole credential, as credential.toJSON() gives it.',
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
      return annotateExtensionOutputs(name, value);
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
        ? { label: name, value: 'none', note: 'legal where allowCredentials named the credential' }
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
