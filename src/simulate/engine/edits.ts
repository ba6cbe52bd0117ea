import { createHash } from 'node:crypto';
import { signingAlgorithm } from '../../authenticator/algorithms.js';
import { attestAgain } from '../../authenticator/attestation/attest-again.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import type { KeyOpener, SigningKey } from '../../authenticator/signing-key.js';
import { readCreatedCredential } from '../../client/created-credential.js';
import { concatBytes, decodeUtf8, encodeUtf8, equalBytes } from '../../kernel/bytes.js';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { type AttestationObject, decodeAttestationObject, encodeAttestationObject } from '../../webauthn/attestation-object.js';
import { OFFSETS } from '../../webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../webauthn/json.js';
import { openUsualKey } from './usual-values.js';

/** A function that returns changed bytes without modifying its argument. */
export type ByteEdit = (bytes: Uint8Array) => Uint8Array;
export type TextEdit = (text: string) => string;
export type ResponseEdit = (response: JsonObject) => JsonObject;

/** Changes to an honest response. The response is signed after the changes, so that it has no other fault. */
export interface CommonEdits {
  readonly clientData?: TextEdit;
  /** Edits the client data as bytes, for changes that a string cannot express. Applied after the edit `clientData`. */
  readonly clientDataBytes?: ByteEdit;
  readonly authenticatorData?: ByteEdit;
  /** Edits the finished response dictionary, after all other edits. */
  readonly response?: ResponseEdit | undefined;
}

export interface RegistrationEdits extends CommonEdits {
  /**
   * Private key that belongs to the public key inserted by the edit `authenticatorData`, if it inserts one. Self attestation is signed with
   * this key.
   */
  readonly key?: SigningKey;
  /** Edits the attestation object. Applied after the attestation statement has been made for the earlier edits. */
  readonly attestation?: (object: AttestationObject) => AttestationObject;
  readonly attestationObject?: ByteEdit;
}

/** Inputs of an assertion signature. */
export interface AssertionParts {
  readonly authenticatorData: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly clientDataHash: Uint8Array;
  /** Private key of the credential, ready for signing. */
  readonly key: SigningKey;
  readonly source: CredentialSource;
}

/** Makes the assertion signature. The default signer signs authenticator data and client data hash with the credential private key. */
export type Signer = (parts: AssertionParts) => Uint8Array | Promise<Uint8Array>;

export interface AuthenticationEdits extends CommonEdits {
  readonly sign?: Signer;
  readonly signature?: ByteEdit;
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const same = <T>(value: T): T => value;
const editBytes = (text: string, edit: ByteEdit) => encodeBase64url(edit(decodeBase64url(text)));
const editText = (text: string, edit: TextEdit) => editBytes(text, (bytes) => encodeUtf8(edit(decodeUtf8(bytes))));
const editClientData = (text: string, { clientData = same, clientDataBytes = same }: CommonEdits) =>
  editBytes(editText(text, clientData), clientDataBytes);

/**
 * Applies edits to a registration and makes a new attestation statement with the private key of `source`. Keeps the old statement if there
 * is no such key, or if nothing that the statement covers has changed. Also updates the unsigned copies of the data that browsers add to a
 * response.
 */
export async function editRegistration(
  honest: RegistrationResponseJSON,
  source: CredentialSource | undefined,
  edits: RegistrationEdits,
): Promise<JsonObject> {
  const { authenticatorData: editData = same, attestation = same, attestationObject = same, response = same, key } = edits;
  const clientDataJSON = editClientData(honest.response.clientDataJSON, edits);
  const made = decodeAttestationObject(decodeBase64url(honest.response.attestationObject));
  const authenticatorData = editData(made.authData);
  const isSame = clientDataJSON === honest.response.clientDataJSON && equalBytes(authenticatorData, made.authData);
  const attested =
    source === undefined || isSame
      ? { ...made, authData: authenticatorData }
      : await attestAgain(made, {
          authenticatorData,
          clientDataHash: sha256(decodeBase64url(clientDataJSON)),
          source,
          key,
          openKey: openUsualKey,
        });
  const bytes = attestationObject(encodeAttestationObject(attestation(attested)));
  return response({
    ...honest,
    response: {
      ...honest.response,
      ...(editData !== same && readCopies(bytes)),
      clientDataJSON,
      attestationObject: encodeBase64url(bytes),
    },
  });
}

/**
 * Makes the unsigned copies of the data that a browser would add to a registration response. They are undefined if the data is unreadable.
 */
function readCopies(attestationObject: Uint8Array): JsonObject {
  try {
    const { authenticatorData, publicKey, publicKeyAlgorithm } = readCreatedCredential({ attestationObject }, 'direct').response;
    return { authenticatorData, publicKeyAlgorithm, publicKey };
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return { authenticatorData: undefined, publicKeyAlgorithm: undefined, publicKey: undefined };
  }
}

/**
 * Applies edits to a login and signs the changed data with the private key of `source`. Keeps the old signature if there is no such key, or
 * if no signed data has changed.
 *
 * @param openKey opens the private key, e.g. so that its signatures are repeatable; default: Node's own signatures.
 */
export async function editAuthentication(
  honest: AuthenticationResponseJSON,
  source: CredentialSource | undefined,
  edits: AuthenticationEdits & { readonly openKey?: KeyOpener | undefined },
): Promise<JsonObject> {
  const { authenticatorData = same, signature = same, response = same } = edits;
  const clientDataJSON = editClientData(honest.response.clientDataJSON, edits);
  const data = editBytes(honest.response.authenticatorData, authenticatorData);
  const isSame = clientDataJSON === honest.response.clientDataJSON && data === honest.response.authenticatorData;
  const signed =
    source === undefined || (isSame && edits.sign === undefined && edits.openKey === undefined)
      ? decodeBase64url(honest.response.signature)
      : await signedBy(source, { clientDataJSON, data, edits });
  return response({
    ...honest,
    response: { ...honest.response, clientDataJSON, authenticatorData: data, signature: encodeBase64url(signature(signed)) },
  });
}

/** Reason in the report why a case did not run, if its edits change nothing. */
export const UNCHANGED = 'it would not change the response';

interface Edited {
  readonly honest: object;
  /** The response after all edits except the one called `response`, which comes last. */
  readonly edited: JsonObject;
  readonly edits: RegistrationEdits & AuthenticationEdits;
}

/**
 * Applies the edit called `response`, which comes last.
 *
 * @returns the response, and whether the edits left it unchanged. A new signature with the right key does not count as a change.
 */
export function finishEdits({ honest, edited, edits }: Edited): { readonly body: JsonObject; readonly unchanged: boolean } {
  const { sign, signature, response = same } = edits;
  const body = response(edited);
  const isSigned = sign !== undefined || signature !== undefined;
  const isSame = writeUnsigned({ ...honest }) === writeUnsigned(edited) && JSON.stringify(body) === JSON.stringify(edited);
  return { body, unchanged: isSame && !isSigned };
}

/** Writes a response as JSON without its signature, for comparison. */
function writeUnsigned({ response, ...members }: JsonObject): string {
  return JSON.stringify({ ...members, response: { ...asObject(response), signature: undefined } });
}

interface ToSign {
  /** Client data JSON in base64url. */
  readonly clientDataJSON: string;
  /** Authenticator data in base64url. */
  readonly data: string;
  readonly edits: AuthenticationEdits & { readonly openKey?: KeyOpener | undefined };
}

async function signedBy(source: CredentialSource, { clientDataJSON, data, edits }: ToSign): Promise<Uint8Array> {
  const { sign = signAssertion, openKey = openUsualKey } = edits;
  const bytes = decodeBase64url(clientDataJSON);
  const key = await openKey(signingAlgorithm(source.algorithm), source.privateKey);
  return sign({ authenticatorData: decodeBase64url(data), clientDataJSON: bytes, clientDataHash: sha256(bytes), key, source });
}

const signAssertion: Signer = ({ authenticatorData, clientDataHash, key }) => key.sign(concatBytes(authenticatorData, clientDataHash));

/**
 * Changes the client data of a response that is already signed. The signature or attestation statement then no longer matches the client
 * data.
 */
export function withClientData(body: JsonObject, edit: TextEdit): JsonObject {
  const inner = asObject(body.response);
  return { ...body, response: { ...inner, clientDataJSON: editText(String(inner.clientDataJSON), edit) } };
}

// Bytes.

/** Flips the lowest bit of one byte. A negative position counts from the end. */
export function flipBit(at: number): ByteEdit {
  return (bytes) => bytes.map((byte, index) => (index === (at + bytes.length) % bytes.length ? byte ^ 1 : byte));
}

export function appendByte(byte: number): ByteEdit {
  return (bytes) => Uint8Array.of(...bytes, byte);
}

export function cutTo(length: number): ByteEdit {
  return (bytes) => bytes.slice(0, length);
}

// Authenticator data (WebAuthn L3 §6.1).

export function setFlags(mask: number): ByteEdit {
  return (bytes) => bytes.map((byte, at) => (at === OFFSETS.flags ? byte | mask : byte));
}

export function clearFlags(mask: number): ByteEdit {
  return (bytes) => bytes.map((byte, at) => (at === OFFSETS.flags ? byte & ~mask : byte));
}

export function toggleFlags(mask: number): ByteEdit {
  return (bytes) => bytes.map((byte, at) => (at === OFFSETS.flags ? byte ^ mask : byte));
}

export function setSignCount(count: number): ByteEdit {
  return (bytes) => {
    const edited = bytes.slice();
    new DataView(edited.buffer).setUint32(OFFSETS.signCount, count);
    return edited;
  };
}

// The response as it is sent.

/** Sets members of the response dictionary; `undefined` removes a member. */
export function setMembers(members: JsonObject): ResponseEdit {
  return (response) => ({ ...response, ...members });
}

/** Sets members of `response.response`; `undefined` removes a member. */
export function setInner(members: JsonObject): ResponseEdit {
  return (response) => ({ ...response, response: { ...asObject(response.response), ...members } });
}

export function editInner(member: string, edit: ByteEdit): ResponseEdit {
  return (response) => setInner({ [member]: editBytes(String(asObject(response.response)[member]), edit) })(response);
}

/** Edits `id` and `rawId` in the same way. */
export function editId(edit: TextEdit): ResponseEdit {
  return (response) => {
    const id = edit(String(response.id));
    return { ...response, id, rawId: id };
  };
}

/** Flips a bit in `id` and `rawId`. The result is a well-formed credential ID that is not registered. */
export const otherId: ResponseEdit = editId((id) => editBytes(id, flipBit(-1)));

export function otherRawId(response: JsonObject): JsonObject {
  return { ...response, rawId: otherId(response).rawId };
}

/** Writes every binary member in the standard base64 alphabet with padding, which our own API accepts as well as base64url. */
export function inStandardBase64(response: JsonObject): JsonObject {
  return respelled(response, (text) => encodeBase64(decodeBase64url(text)));
}

/** Writes every binary member in base64url with padding, which our own API accepts as well as base64url without padding. */
export function inPaddedBase64url(response: JsonObject): JsonObject {
  return respelled(response, padded);
}

/** Adds padding to a base64url string. */
export const padded: TextEdit = (text) => text.padEnd(Math.ceil(text.length / 4) * 4, '=');

function respelled(response: JsonObject, respell: TextEdit): JsonObject {
  const convert = (value: unknown) => (typeof value === 'string' ? respell(value) : value);
  const inner = asObject(response.response);
  const binary = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'].filter(
    (member) => member in inner,
  );
  const converted = Object.fromEntries(binary.map((member) => [member, convert(inner[member])]));
  return { ...response, id: convert(response.id), rawId: convert(response.rawId), response: { ...inner, ...converted } };
}
