import { PasskeyError } from '../errors.js';
import { equalBytes } from '../kernel/bytes.js';
import { asObject, isObject } from '../kernel/json-value.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { decodeClientData } from '../webauthn/client-data.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { requireShallow } from './operation.js';
import { type AuthenticationBytes, decoded, type RegistrationBytes } from './steps/context.js';

interface ReceivedCredential {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly authenticatorAttachment?: string | null | undefined;
  /** Typed as `object`, so that the interfaces of other libraries fit. */
  readonly clientExtensionResults?: object | null | undefined;
}

/** A `RegistrationResponseJSON` as clients may send it: base64 or base64url, optional members absent or null. */
export interface ReceivedRegistration extends ReceivedCredential {
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports?: readonly string[] | null | undefined;
  };
}

/** An `AuthenticationResponseJSON` as clients may send it: base64 or base64url, optional members absent or null. */
export interface ReceivedAuthentication extends ReceivedCredential {
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | null | undefined;
  };
}

/** Decoded members, and whether `id` was in canonical encoding. An id that was not matches no credential. */
type Received<Bytes> = Bytes & { readonly canonicalId: boolean; readonly rawId: Uint8Array };

/**
 * Decodes a registration response.
 *
 * @throws PasskeyError `validation_failed` naming the field that is not base64url or base64, or is nested too deeply.
 */
export function readRegistration(received: ReceivedRegistration): Received<RegistrationBytes> {
  requireResponse(received, 'registration', 'create()');
  const { id, rawId, type, response, clientExtensionResults } = received;
  const registration = {
    ...readIds({ id, rawId, type }),
    ...readClientData(response.clientDataJSON),
    attestationObject: decodeMember('/response/attestationObject', response.attestationObject).bytes,
    clientExtensionResults: readExtensions(clientExtensionResults),
  };
  requireId(registration);
  requireSameIds(registration);
  return registration;
}

/**
 * Decodes an authentication response.
 *
 * @throws PasskeyError `validation_failed` naming the field that is not base64url or base64, or is nested too deeply.
 */
export function readAuthentication(received: ReceivedAuthentication): Received<AuthenticationBytes> {
  requireResponse(received, 'authentication', 'get()');
  const { id, rawId, type, response, clientExtensionResults } = received;
  return {
    ...readIds({ id, rawId, type }),
    ...readClientData(response.clientDataJSON),
    authenticatorData: decodeMember('/response/authenticatorData', response.authenticatorData).bytes,
    signature: decodeMember('/response/signature', response.signature).bytes,
    // Clients that cannot send null for "none" send an empty string; a user handle has at least one byte (§4).
    userHandle: response.userHandle ? decodeMember('/response/userHandle', response.userHandle).bytes : undefined,
    clientExtensionResults: readExtensions(clientExtensionResults),
  };
}

/**
 * Refuses a response whose `id` and `rawId` differ.
 *
 * @throws PasskeyError `validation_failed` at `/rawId`.
 */
export function requireSameIds({ id, rawId }: { readonly id: Uint8Array; readonly rawId: Uint8Array }): void {
  if (!equalBytes(id, rawId)) {
    throw invalid('/rawId', 'Expected the same bytes as in id; got others. Send id and rawId as the browser gave them.');
  }
}

function readClientData(text: string) {
  const { bytes } = decodeMember('/response/clientDataJSON', text);
  return { clientDataJSON: bytes, clientData: decoded(() => decodeClientData(bytes)) };
}

function readIds({ id, rawId, type }: { readonly id: string; readonly rawId: string; readonly type: string }) {
  const decodedId = decodeMember('/id', id);
  const decodedRawId = decodeMember('/rawId', rawId);
  requireType(type);
  return { id: decodedId.bytes, canonicalId: decodedId.canonical, rawId: decodedRawId.bytes };
}

function decodeMember(pointer: string, text: string): { readonly bytes: Uint8Array; readonly canonical: boolean } {
  const read = typeof text === 'string' ? decodeBase64(text) : undefined;
  if (read === undefined) {
    throw invalid(pointer, 'Expected base64url (or base64) text; got something else. Encode the bytes that the browser gave.');
  }
  return read;
}

function readExtensions(results: ReceivedCredential['clientExtensionResults']): Readonly<Record<string, unknown>> {
  requireShallow('/clientExtensionResults', results);
  return asObject(results);
}

function invalid(pointer: string, detail: string): PasskeyError {
  return new PasskeyError('validation_failed', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}

/**
 * Refuses a credential of another type than `public-key`.
 *
 * @throws PasskeyError `validation_failed` at `/type`.
 */
export function requireType(type: string): void {
  if (type !== 'public-key') throw invalid('/type', `Expected "public-key"; got ${JSON.stringify(type)}.`);
}

/**
 * Refuses a credential ID that could not be registered.
 *
 * @throws PasskeyError `validation_failed` at `/id` when there is no credential ID in it that could be registered.
 */
export function requireId({ id, canonicalId }: { readonly id: Uint8Array; readonly canonicalId: boolean }): void {
  if (id.length === 0 || !canonicalId) {
    throw invalid('/id', 'Expected a credential ID of one byte or more in canonical base64url; got text that is cut off or empty.');
  }
}

/** Refuses a call without a credential or its member `response`, which callers without types may leave out. */
function requireResponse(received: unknown, ceremony: CeremonyKind, call: string): void {
  const inner = isObject(received) ? received['response'] : undefined;
  if (isObject(inner)) return;
  const got = isObject(received) ? 'one without its member response' : received === undefined ? 'nothing' : 'something else';
  throw new PasskeyError(
    'validation_failed',
    `Expected the response of a ${ceremony} as JSON; got ${got}. Pass what toJSON() of the credential of navigator.credentials.${call} gives as \`response\`.`,
  );
}
