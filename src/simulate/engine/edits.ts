import { createHash } from 'node:crypto';
import { signingAlgorithm } from '../../authenticator/algorithms.js';
import { attestAgain } from '../../authenticator/attestation/attest-again.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { type KeyOpener, openSigningKey, type SigningKey } from '../../authenticator/signing-key.js';
import { readCreatedCredential } from '../../client/created-credential.js';
import { concatBytes, decodeUtf8, encodeUtf8, equalBytes } from '../../kernel/bytes.js';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { type AttestationObject, decodeAttestationObject, encodeAttestationObject } from '../../webauthn/attestation-object.js';
import { OFFSETS } from '../../webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../webauthn/json.js';

/** Returns changed bytes; the argument stays unchanged. */
export type ByteEdit = (bytes: Uint8Array) => Uint8Array;
export type TextEdit = (text: string) => string;
type ResponseEdit = (response: JsonObject) => JsonObject;

/** Changes of an honest response. Signatures are made after the changes, so that nothing else is wrong. */
export interface CommonEdits {
  readonly clientData?: TextEdit;
  /** After `clientData`, for what no text can be. */
  readonly clientDataBytes?: ByteEdit;
  readonly authenticatorData?: ByteEdit;
  /** Last of all, on the dictionary as it is sent. */
  readonly response?: ResponseEdit;
}

export interface RegistrationEdits extends CommonEdits {
  /** The private side of the public key that `authenticatorData` puts in, where there is one: self attestation is signed with it. */
  readonly key?: SigningKey;
  /** After the statement was made for the changes before. */
  readonly attestation?: (object: AttestationObject) => AttestationObject;
  readonly attestationObject?: ByteEdit;
}

/** The parts of an assertion signature. */
export interface AssertionParts {
  readonly authenticatorData: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly clientDataHash: Uint8Array;
  /** The credential private key, ready for use. */
  readonly key: SigningKey;
  readonly source: CredentialSource;
}

/** Makes the assertion signature, by default with the credential private key over authenticator data and client data hash. */
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
 * Makes the attestation statement anew for the changed data, with the private key of `source`. Without one, or where nothing that it covers was
 * changed, it stays as it is. The unsigned copies that browsers give beside the attestation object are those of the changed data.
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
      : await attestAgain(made, { authenticatorData, clientDataHash: sha256(decodeBase64url(clientDataJSON)), source, key });
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

/** As a browser would read them; undefined where there is nothing to be read. */
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
 * Signs the changed data with the private key of `source`. Without one, or where nothing that is signed was changed, the signature stays as it is.
 *
 * @param openKey makes signatures that repeat, where they must; default: as Node signs.
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

interface ToSign {
  /** Base64url. */
  readonly clientDataJSON: string;
  /** Authenticator data, base64url. */
  readonly data: string;
  readonly edits: AuthenticationEdits & { readonly openKey?: KeyOpener | undefined };
}

async function signedBy(source: CredentialSource, { clientDataJSON, data, edits }: ToSign): Promise<Uint8Array> {
  const { sign = signAssertion, openKey = openSigningKey } = edits;
  const bytes = decodeBase64url(clientDataJSON);
  const key = await openKey(signingAlgorithm(source.algorithm), source.privateKey);
  return sign({ authenticatorData: decodeBase64url(data), clientDataJSON: bytes, clientDataHash: sha256(bytes), key, source });
}

const signAssertion: Signer = ({ authenticatorData, clientDataHash, key }) => key.sign(concatBytes(authenticatorData, clientDataHash));

/** Changes the client data of a finished body, whose signature or attestation statement then no longer fits. */
export function withClientData(body: JsonObject, edit: TextEdit): JsonObject {
  const inner = asObject(body.response);
  return { ...body, response: { ...inner, clientDataJSON: editText(String(inner.clientDataJSON), edit) } };
}

// Bytes.

/** Turns the lowest bit of one byte; negative positions count from the end. */
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

// Client data.

/** Sets members of the client data; `undefined` removes one. */
export function setClientData(members: JsonObject): TextEdit {
  return (text) => JSON.stringify({ ...asObject(JSON.parse(text)), ...members });
}

/** The same host on another port. The port is part of the origin. */
export function otherPort(origin: string): string {
  const url = new URL(origin);
  url.port = url.port === '1' ? '2' : '1';
  return url.origin;
}

// The response as it is sent.

/** Sets members of the dictionary; `undefined` removes one. */
export function setMembers(members: JsonObject): ResponseEdit {
  return (response) => ({ ...response, ...members });
}

/** Sets members of `response.response`; `undefined` removes one. */
export function setInner(members: JsonObject): ResponseEdit {
  return (response) => ({ ...response, response: { ...asObject(response.response), ...members } });
}

export function editInner(member: string, edit: ByteEdit): ResponseEdit {
  return (response) => setInner({ [member]: editBytes(String(asObject(response.response)[member]), edit) })(response);
}

/** Edits `id`, and `rawId` with it. */
export function editId(edit: TextEdit): ResponseEdit {
  return (response) => {
    const id = edit(String(response.id));
    return { ...response, id, rawId: id };
  };
}

/** Flips a bit of `id` and `rawId`: a well-formed, unregistered credential ID. */
export const otherId: ResponseEdit = editId((id) => editBytes(id, flipBit(-1)));

export function otherRawId(response: JsonObject): JsonObject {
  return { ...response, rawId: otherId(response).rawId };
}

/** Every binary member in the standard alphabet with padding, which the API accepts too. */
export function inStandardBase64(response: JsonObject): JsonObject {
  return respelled(response, (text) => encodeBase64(decodeBase64url(text)));
}

/** Every binary member in base64url with padding, which the API accepts too. */
export function inPaddedBase64url(response: JsonObject): JsonObject {
  return respelled(response, padded);
}

/** Base64url with the padding that it does without. */
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

/** The members of client data in its text. */
export function readMembers(text: string): JsonObject {
  return asObject(JSON.parse(text));
}

/** Puts another value in place of a text in the client data. */
export function editMember(name: string, edit: (value: string) => unknown): TextEdit {
  return (text) => setClientData({ [name]: edit(String(readMembers(text)[name])) })(text);
}

/** Puts members before all others. */
export function putFirst(members: (client: JsonObject) => JsonObject): TextEdit {
  return (text) => {
    const client = readMembers(text);
    return JSON.stringify({ ...members(client), ...client });
  };
}

/** A wrong value where it counts; the right one in a member that means nothing, before it. */
export function moveAside(name: string, wrong: string): TextEdit {
  return (text) => {
    const { [name]: right } = readMembers(text);
    return putFirst(() => ({ extraData: { [name]: right } }))(setClientData({ [name]: wrong })(text));
  };
}

/** Writes a member twice, first of all and last of all. */
export function writeTwice(name: string, values: (right: unknown) => readonly [first: unknown, last: unknown]): TextEdit {
  return (text) => {
    const { [name]: right, ...others } = readMembers(text);
    const [first, last] = values(right);
    const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    return `{${member(first)},${JSON.stringify(others).slice(1, -1)},${member(last)}}`;
  };
}
