import * as Type from 'typebox';
import { isObject } from '../../kernel/json-value.js';
import { formatAaguid, parseAaguid } from '../../webauthn/aaguid.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { AAGUID_BYTES } from '../../webauthn/limits.js';
import type { CredentialSource } from '../credential-source.js';
import {
  base64,
  decode,
  type Located,
  listAt,
  makeReader,
  name,
  objectAt,
  objectsAt,
  orNone,
  parseJson,
  present,
  text,
} from './reading.js';
import { invalid, type ReadCredential, type Shape } from './shape.js';

const TITLE = 'the export of Bitwarden (JSON)';
/** Prefix that Bitwarden puts before credential IDs that are not UUIDs. */
const BASE64_MARK = 'b64.';

/**
 * The unencrypted JSON that Bitwarden and Vaultwarden export and import. Passkeys are in the items' `login.fido2Credentials`, with numbers
 * and booleans as strings (https://github.com/bitwarden/clients, libs/common/src/models/export/fido2-credential.export.ts).
 */
export const bitwarden: Shape = {
  title: TITLE,
  carries: ['id', 'rpId', 'rpName', 'userHandle', 'userName', 'userDisplayName', 'discoverable', 'signCount'],
  assumes: { backupEligible: true, backupState: true },
  kinds: ['P-256'],
  read(json) {
    const document = objectAt(parseJson(json, TITLE), 'the export');
    const isEncrypted = document.object['encrypted'] === true;
    if (isEncrypted) throw invalid(`Expected ${TITLE} without encryption; got an encrypted one. Export it as .json.`);
    return listAt(document, 'items').flatMap(({ object, at }) => {
      const { login } = object;
      const credentials = isObject(login) ? (login['fido2Credentials'] ?? []) : [];
      return objectsAt(credentials, `${at}.login.fido2Credentials`).map(readCredential);
    });
  },
  write: (sources, { now }) =>
    JSON.stringify({ encrypted: false, folders: [], items: sources.map((source) => writeItem(source, now)) }, null, 2),
};

const readMembers = makeReader(
  Type.Object({
    credentialId: name,
    rpId: name,
    keyValue: base64,
    userHandle: base64,
    counter: orNone(text),
    rpName: orNone(text),
    userName: orNone(text),
    userDisplayName: orNone(text),
    discoverable: orNone(text),
  }),
);

function readCredential({ object, at }: Located): ReadCredential {
  const { credentialId, rpId, keyValue, userHandle, counter, discoverable, ...names } = readMembers(object, at);
  const { rpName, userName, userDisplayName } = names;
  return {
    at,
    id: readId(credentialId, at),
    rpId,
    privateKey: decode(keyValue),
    userHandle: decode(userHandle),
    signCount: Number(counter ?? 0),
    ...present({ rpName, userName, userDisplayName, discoverable: { true: true, false: false }[discoverable ?? ''] }),
  };
}

function readId(credentialId: string, at: string): Uint8Array {
  const encoded = credentialId.startsWith(BASE64_MARK) ? decodeBase64(credentialId.slice(BASE64_MARK.length))?.bytes : undefined;
  if (encoded !== undefined) return encoded;
  try {
    return parseAaguid(credentialId);
  } catch (cause) {
    throw invalid(`Expected ${at}.credentialId to be a UUID, or base64url after "${BASE64_MARK}"; got something else.`, cause);
  }
}

function writeItem({ id, rpId, rpName, user, privateKey, discoverable, signCount }: CredentialSource, now: number) {
  const credential = {
    credentialId: id.length === AAGUID_BYTES ? formatAaguid(id) : `${BASE64_MARK}${encodeBase64url(id)}`,
    keyType: 'public-key',
    keyAlgorithm: 'ECDSA',
    keyCurve: 'P-256',
    keyValue: encodeBase64url(privateKey),
    rpId,
    userHandle: encodeBase64url(user.id),
    userName: user.name,
    counter: String(signCount),
    rpName,
    userDisplayName: user.displayName,
    discoverable: String(discoverable),
    creationDate: new Date(now).toISOString(),
  };
  const login = { uris: [{ match: null, uri: `https://${rpId}` }], username: user.name, fido2Credentials: [credential] };
  return { type: 1, name: rpName, login };
}
