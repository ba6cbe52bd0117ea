import { decodeBase64url, encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { objectOf } from '../scenario.js';
import { type ByteEdit, flipBit } from './byte-edits.js';
import type { JsonObject } from './tamper.js';

type ResponseEdit = (response: JsonObject) => JsonObject;

/** Sets members of the dictionary; `undefined` takes one away. */
export function setMembers(members: JsonObject): ResponseEdit {
  return (response) => ({ ...response, ...members });
}

/** The same for `response.response`. */
export function setInner(members: JsonObject): ResponseEdit {
  return (response) => ({ ...response, response: { ...objectOf(response.response), ...members } });
}

export function editInner(member: string, edit: ByteEdit): ResponseEdit {
  return (response) => {
    const bytes = decodeBase64url(String(objectOf(response.response)[member]));
    return setInner({ [member]: encodeBase64url(edit(bytes)) })(response);
  };
}

/** `id` and `rawId` with one bit turned: well-formed, and nobody's. */
export function otherId({ id, ...response }: JsonObject): JsonObject {
  const other = encodeBase64url(flipBit(-1)(decodeBase64url(String(id))));
  return { ...response, id: other, rawId: other };
}

export function otherRawId(response: JsonObject): JsonObject {
  return { ...response, rawId: otherId(response).rawId };
}

/** Every binary member in the standard alphabet with padding, which the API takes too. */
export function inStandardBase64(response: JsonObject): JsonObject {
  const convert = (value: unknown) => (typeof value === 'string' ? encodeBase64(decodeBase64url(value)) : value);
  const inner = objectOf(response.response);
  const binary = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'].filter(
    (member) => member in inner,
  );
  const converted = Object.fromEntries(binary.map((member) => [member, convert(inner[member])]));
  return { ...response, id: convert(response.id), rawId: convert(response.rawId), response: { ...inner, ...converted } };
}
