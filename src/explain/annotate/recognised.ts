import type { JsonObject } from '../../webauthn/json-value.js';

export const JSON_KINDS = ['registration', 'authentication', 'creation-options', 'request-options', 'fixture', 'har'] as const;
export type JsonKind = (typeof JSON_KINDS)[number];

export const BINARY_KINDS = ['attestation-object', 'authenticator-data', 'client-data', 'cose-key', 'certificate'] as const;
export type BinaryKind = (typeof BINARY_KINDS)[number];

/** What an input turned out to be. */
export type Recognised = {
  /** From the outside in, e.g. `['base64url']`; empty for bare bytes. */
  readonly encodings: readonly string[];
} & (
  | { readonly kind: JsonKind; readonly json: JsonObject /** JSON Pointer of it in the document. */; readonly pointer: string }
  /** Several only for certificates of one PEM text. */
  | { readonly kind: BinaryKind; readonly items: readonly Uint8Array[] }
);

export const KIND_NAMES: Readonly<Record<JsonKind | BinaryKind, string>> = {
  registration: 'registration response',
  authentication: 'authentication response',
  'creation-options': 'creation options',
  'request-options': 'request options',
  fixture: 'passkey fixture',
  har: 'HAR (HTTP archive)',
  'attestation-object': 'attestation object',
  'authenticator-data': 'authenticator data',
  'client-data': 'client data',
  'cose-key': 'COSE key',
  certificate: 'X.509 certificate',
};
