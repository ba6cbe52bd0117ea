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
  /** Output of the client extensions. The type is `object`, so that the interfaces of other libraries are assignable to it. */
  readonly clientExtensionResults?: object | null | undefined;
}

/** A `RegistrationResponseJSON` as clients may send it: bytes are in base64 or base64url, and optional members may be absent or null. */
export interface ReceivedRegistration extends ReceivedCredential {
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports?: readonly string[] | null | undefined;
  };
}

/** An `AuthenticationResponseJSON` as clients may send it: bytes are in base64 or base64url, and optional members may be absent or null. */
export interface ReceivedAuthentication extends ReceivedCredential {
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | null | undefined;
  };
}

/**
 * The decoded members of a response. `canonicalId` tells whether `id` was in canonical base64url. An id that was not must match no
 * credential.
 */
type Received<Bytes> = Bytes & { readonly canonicalId: boolean; readonly rawId: Uint8Array };

/**
 * Decodes a registration response.
 *
 * @throws PasskeyError `validation_failed` naming the field that is neither base64url nor base64, or that is nested too deeply.
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
 * @throws PasskeyError `validation_failed` naming the field that is neither base64url nor base64, or that is nested too deeply.
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
 * Checks that `id` and `rawId` of a response are equal.
 *
 * @throws PasskeyError `validation_failed` at `/rawId` if they differ.
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
 * Checks that the type of a credential is `public-key`.
 *
 * @throws PasskeyError `validation_failed` at `/type` if the type is another one.
 */
export function requireType(type: string): void {
  if (type !== 'public-key') throw invalid('/type', `Expected "public-key"; got ${JSON.stringify(type)}.`);
}

/**
 * Checks that a credential ID is not empty and is in canonical base64url.
 *
 * @throws PasskeyError `validation_failed` at `/id` if it is empty or not canonical.
 */
export function requireId({ id, canonicalId }: { readonly id: Uint8Array; readonly canonicalId: boolean }): void {
  if (id.length === 0 || !canonicalId) {
    throw invalid('/id', 'Expected a credential ID of one byte or more in canonical base64url; got text that is cut off or empty.');
  }
}

/** Checks that a call received a credential with the member `response`. Callers without TypeScript may forget either. */
function requireResponse(received: unknown, ceremony: CeremonyKind, call: string): void {
  const inner = isObject(received) ? received['response'] : undefined;
  if (isObject(inner)) return;
  const got = isObject(received) ? 'one without its member response' : received === undefined ? 'nothing' : 'something else';
  throw new PasskeyError(
    'validation_failed',
    `Expected the response of a ${ceremony} as JSON; got ${got}. Pass what toJSON() of the credential of navigator.credentials.${call} gives as \`response\`.`,
  );
}
