import { createHash } from 'node:crypto';
import { signingAlgorithm } from '../../authenticator/algorithms.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { readPrivateKey, signWith } from '../../authenticator/key-pair.js';
import { type AttestationObject, decodeAttestationObject, encodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../webauthn/bytes.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../webauthn/json.js';
import { objectOf } from '../scenario.js';
import type { ByteEdit } from './byte-edits.js';

type TextEdit = (text: string) => string;
export type JsonObject = Readonly<Record<string, unknown>>;

/** What is changed of an honest response. Whatever is signed is signed after its change, so that only the change is wrong. */
export interface CommonEdits {
  readonly clientData?: TextEdit;
  readonly authenticatorData?: ByteEdit;
  /** Last of all, on the dictionary as it is sent. */
  readonly response?: (response: JsonObject) => JsonObject;
}

export interface RegistrationEdits extends CommonEdits {
  readonly attestation?: (object: AttestationObject) => AttestationObject;
  readonly attestationObject?: ByteEdit;
}

export interface AuthenticationEdits extends CommonEdits {
  readonly signature?: ByteEdit;
}

const same = <T>(value: T): T => value;
const editBytes = (text: string, edit: ByteEdit) => encodeBase64url(edit(decodeBase64url(text)));
const editText = (text: string, edit: TextEdit) => editBytes(text, (bytes) => encodeUtf8(edit(decodeUtf8(bytes))));

/** The attestation statement is left as it is: with format `none` it signs nothing. */
export function tamperRegistration(honest: RegistrationResponseJSON, edits: RegistrationEdits): JsonObject {
  const { clientData = same, authenticatorData = same, attestation = same, attestationObject = same, response = same } = edits;
  const editObject: ByteEdit = (bytes) => {
    const object = decodeAttestationObject(bytes);
    return attestationObject(encodeAttestationObject(attestation({ ...object, authData: authenticatorData(object.authData) })));
  };
  return response({
    ...honest,
    response: {
      ...honest.response,
      clientDataJSON: editText(honest.response.clientDataJSON, clientData),
      attestationObject: editBytes(honest.response.attestationObject, editObject),
    },
  });
}

/** Signs again with the private key of `source`, as an authenticator would that does such a thing. */
export function tamperAuthentication(honest: AuthenticationResponseJSON, source: CredentialSource, edits: AuthenticationEdits): JsonObject {
  const { clientData = same, authenticatorData = same, signature = same, response = same } = edits;
  const clientDataJSON = editText(honest.response.clientDataJSON, clientData);
  const data = editBytes(honest.response.authenticatorData, authenticatorData);
  const algorithm = signingAlgorithm(source.algorithm);
  const hash = createHash('sha256').update(decodeBase64url(clientDataJSON)).digest();
  const signed = signWith(algorithm, readPrivateKey(algorithm, source.privateKey), concatBytes(decodeBase64url(data), hash));
  return response({
    ...honest,
    response: { ...honest.response, clientDataJSON, authenticatorData: data, signature: encodeBase64url(signature(signed)) },
  });
}

/** Changes the client data of a body that signs none: of a registration with attestation `none`. */
export function withClientData(body: JsonObject, edit: TextEdit): JsonObject {
  const inner = objectOf(body.response);
  return { ...body, response: { ...inner, clientDataJSON: editText(String(inner.clientDataJSON), edit) } };
}
