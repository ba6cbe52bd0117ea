import { isObject } from '../../kernel/json-value.js';
import { formatAaguid, parseAaguid } from '../../webauthn/aaguid.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { AAGUID_BYTES } from '../../webauthn/limits.js';
import type { CredentialSource } from '../credential-source.js';
import { bytes, type Located, listAt, name, objectAt, objectsAt, parseJson, present, textOrNone } from './reading.js';
import { invalid, type ReadCredential, type Shape } from './shape.js';

const TITLE = 'the export of Bitwarden (JSON)';
/** Before IDs that are no UUID. */
const BASE64_MARK = 'b64.';

/**
 * The unencrypted JSON that Bitwarden and Vaultwarden export and import: the passkeys are in `login.fido2Credentials` of the items, numbers and
 * booleans as text (https://github.com/bitwarden/clients, libs/common/src/models/export/fido2-credential.export.ts).
 */
export const bitwarden: Shape = {
  title: TITLE,
  carries: ['id', 'rpId', 'rpName', 'userHandle', 'userName', 'userDisplayName', 'discoverable', 'signCount'],
  assumes: { backupEligible: true, backupState: true },
  kinds: ['P-256'],
  read(text) {
    const document = objectAt(parseJson(text, TITLE), 'the export');
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

function readCredential(each: Located): ReadCredential {
  return {
    at: each.at,
    id: readId(each),
    rpId: name(each, 'rpId'),
    privateKey: bytes(each, 'keyValue'),
    userHandle: bytes(each, 'userHandle'),
    signCount: Number(textOrNone(each, 'counter') ?? 0),
    ...present({
      rpName: textOrNone(each, 'rpName'),
      userName: textOrNone(each, 'userName'),
      userDisplayName: textOrNone(each, 'userDisplayName'),
      discoverable: { true: true, false: false }[textOrNone(each, 'discoverable') ?? ''],
    }),
  };
}

function readId(each: Located): Uint8Array {
  const text = name(each, 'credentialId');
  const encoded = text.startsWith(BASE64_MARK) ? decodeBase64(text.slice(BASE64_MARK.length))?.bytes : undefined;
  if (encoded !== undefined) return encoded;
  try {
    return parseAaguid(text);
  } catch (cause) {
    throw invalid(`Expected ${each.at}.credentialId to be a UUID, or base64url behind "${BASE64_MARK}"; got another text.`, cause);
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
