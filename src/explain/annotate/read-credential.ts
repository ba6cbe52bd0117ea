import { PasskeyError } from '../../errors.js';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { type AttestationObject, decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { type ClientData, decodeClientData } from '../../webauthn/client-data.js';
import {
  type EncodedText,
  findMisreading,
  isEncoded,
  type MISREADINGS,
  readBase64,
  type WrongCharacter,
} from '../../webauthn/text-encoding.js';

/** A decoded value, or the error that decoding threw. */
export type Decoding<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: PasskeyError };

/** A member that should contain bytes in base64url, and the encoding that it actually has. */
export interface EncodedMember {
  readonly value: unknown;
  /** The decoded value, or its first wrong character; undefined if the value is not a string. */
  readonly text: EncodedText | WrongCharacter | undefined;
}

/** A member whose bytes have a structure, such as client data. `decoded` is undefined if the bytes of the member could not be read. */
export interface DecodedMember<T> extends EncodedMember {
  readonly decoded: Decoding<T> | undefined;
  /** The encoding mistake that makes the bytes unreadable; undefined if there is none. */
  readonly misreading: keyof typeof MISREADINGS | undefined;
}

/** A JSON credential. It is decoded once, for the tree, the steps and the advice of `explain`. */
export interface ReadCredential {
  readonly json: JsonObject;
  /** The `response` member of the credential; empty if missing. */
  readonly response: JsonObject;
  readonly clientDataJSON: DecodedMember<ClientData>;
  readonly attestationObject: DecodedMember<AttestationObject>;
  /** `authData` of the attestation object; undefined without an attestation object. */
  readonly attestedData: Decoding<AuthenticatorData> | undefined;
  readonly authenticatorData: DecodedMember<AuthenticatorData>;
}

/** Decodes every member of a JSON credential. Never throws: a member that cannot be decoded keeps its error. */
export function readCredential(json: JsonObject): ReadCredential {
  const response = asObject(json['response']);
  const attestationObject = readStructure(response['attestationObject'], decodeAttestationObject);
  const { decoded } = attestationObject;
  return {
    json,
    response,
    clientDataJSON: readStructure(response['clientDataJSON'], decodeClientData),
    attestationObject,
    attestedData: decoded?.ok === true ? attempt(() => decodeAuthenticatorData(decoded.value.authData)) : undefined,
    authenticatorData: readStructure(response['authenticatorData'], decodeAuthenticatorData),
  };
}

export function readMember(value: unknown): EncodedMember {
  return { value, text: typeof value === 'string' ? readBase64(value) : undefined };
}

export function decodeText({ text }: EncodedMember): Uint8Array | undefined {
  return text !== undefined && isEncoded(text) ? text.bytes : undefined;
}

/**
 * Unwraps a decoded value.
 *
 * @throws PasskeyError the reason why the bytes could not be decoded.
 */
export function readDecoded<T>(decoding: Decoding<T>): T {
  if (!decoding.ok) throw decoding.error;
  return decoding.value;
}

function readStructure<T>(value: unknown, decode: (bytes: Uint8Array) => T): DecodedMember<T> {
  const member = readMember(value);
  const bytes = decodeText(member);
  const decoded = bytes && attempt(() => decode(bytes));
  return { ...member, decoded, misreading: decoded?.ok === false && bytes !== undefined ? findMisreading(bytes, decode) : undefined };
}

function attempt<T>(decode: () => T): Decoding<T> {
  try {
    return { ok: true, value: decode() };
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return { ok: false, error };
  }
}
