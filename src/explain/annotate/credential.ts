import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { annotateAttestationObject } from './attestation-object.js';
import { annotateAuthenticatorData } from './authenticator-data.js';
import { annotateClientData } from './client-data.js';
import { encodedField, textField } from './encoded-field.js';
import { jsonNode } from './json-node.js';
import type { AnnotatedNode, AnnotateOptions } from './node.js';
import { annotateSignature } from './signature.js';

/** Members of `response` without which nothing can be verified. */
const REQUIRED = {
  registration: ['clientDataJSON', 'attestationObject'],
  authentication: ['clientDataJSON', 'authenticatorData', 'signature'],
} as const;

/** A RegistrationResponseJSON or AuthenticationResponseJSON (WebAuthn L3 §5.1.8), every field decoded. Never throws: what cannot be read says why. */
export function annotateCredential(
  json: JsonObject,
  { label, kind, ...options }: AnnotateOptions & { readonly label: string; readonly kind?: keyof typeof REQUIRED },
): AnnotatedNode {
  const children = Object.entries(json).map(([name, value]) => memberNode(name, value, options));
  const present = isObject(json['response']) ? json['response'] : {};
  const missing = kind === undefined ? [] : REQUIRED[kind].filter((name) => !(name in present));
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

function memberNode(name: string, value: unknown, options: AnnotateOptions): AnnotatedNode {
  switch (name) {
    case 'id':
    case 'rawId':
      return encodedField(name, value);
    case 'response':
      return isObject(value)
        ? { label: name, children: Object.entries(value).map(([member, inner]) => responseNode(member, inner, options)) }
        : { label: name, error: 'Expected an object.' };
    default:
      return jsonNode(name, value);
  }
}

function responseNode(name: string, value: unknown, options: AnnotateOptions): AnnotatedNode {
  switch (name) {
    case 'clientDataJSON':
      return encodedField(name, value, (bytes) => annotateClientData(bytes));
    case 'attestationObject':
      return encodedField(name, value, (bytes) => annotateAttestationObject(bytes, options));
    case 'authenticatorData':
      return encodedField(name, value, (bytes) => annotateAuthenticatorData(bytes, options));
    case 'signature':
      return encodedField(name, value, (bytes) => annotateSignature(bytes));
    case 'userHandle':
      return value === null || value === undefined || value === ''
        ? { label: name, value: 'none', note: 'legal where allowCredentials named the credential' }
        : textField(name, value);
    case 'publicKey':
      return { ...encodedField(name, value), note: 'SubjectPublicKeyInfo in DER, a copy of the key in authData' };
    default:
      return jsonNode(name, value);
  }
}
