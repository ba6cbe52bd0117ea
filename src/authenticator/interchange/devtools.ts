import * as Type from 'typebox';
import { isObject } from '../../kernel/json-value.js';
import { encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import type { CredentialSource } from '../credential-source.js';
import {
  base64,
  decode,
  flag,
  type Located,
  listAt,
  makeReader,
  name,
  objectAt,
  objectsAt,
  orNone,
  parseJson,
  present,
  signCount,
  text,
} from './reading.js';
import { naming, type ReadCredential, type Shape } from './shape.js';

const TITLE = 'credentials of the Chrome DevTools protocol (WebAuthn.Credential)';

/**
 * The response of `WebAuthn.getCredentials` in the Chrome DevTools Protocol. Each of its credentials can be passed to
 * `WebAuthn.addCredential`. Bytes are base64 with padding, the private key is PKCS#8
 * (https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/). Chromium accepts only P-256 keys. Also reads the response of
 * WebDriver's Get Credentials (WebAuthn L3 §11.5).
 */
export const devtools: Shape = {
  title: TITLE,
  carries: [
    'id',
    'rpId',
    'userHandle',
    'userName',
    'userDisplayName',
    'discoverable',
    'signCount',
    'backupEligible',
    'backupState',
    'largeBlob',
  ],
  kinds: ['P-256'],
  read(text) {
    const value = parseJson(text, TITLE);
    if (isObject(value) && 'credentials' in value) return listAt({ object: value, at: 'document' }, 'credentials').map(readCredential);
    // WebDriver answers with them in base64url; an answer of the protocol has them in its result.
    if (isObject(value) && Array.isArray(value['value'])) return listAt({ object: value, at: 'document' }, 'value').map(readCredential);
    if (isObject(value) && isObject(value['result'])) return listAt(objectAt(value['result'], 'result'), 'credentials').map(readCredential);
    // The parameters of addCredential, and its event credentialAdded.
    if (isObject(value) && 'credential' in value) return objectsAt(value.credential, 'credential').map(readCredential);
    return objectsAt(value, 'credential').map(readCredential);
  },
  write(sources, { remark }) {
    for (const { id, rpId, user, discoverable, largeBlob } of sources) {
      const lose = (member: string, why: string) =>
        remark({ credentialId: encodeBase64url(id), member, message: `${member} of ${naming({ id, rpId })} is lost: ${why}.` });
      if (!discoverable && user.id.length > 0) lose('userHandle', 'Chromium accepts it only for resident credentials');
      if (largeBlob?.length === 0) lose('largeBlob', 'the protocol cannot distinguish an empty value from none');
    }
    return JSON.stringify({ credentials: sources.map(writeCredential) }, null, 2);
  },
};

/** Sign count that marks a credential without a counter. The assertions of such credentials always contain 0. */
const UNCOUNTED = -1;

const readMembers = makeReader(
  Type.Object({
    credentialId: base64,
    rpId: name,
    privateKey: base64,
    isResidentCredential: flag,
    signCount: Type.Integer({ ...signCount, minimum: UNCOUNTED }),
    userHandle: orNone(base64),
    userName: orNone(text),
    userDisplayName: orNone(text),
    backupEligibility: orNone(flag),
    backupState: orNone(flag),
    largeBlob: orNone(base64),
  }),
);

function readCredential({ object, at }: Located): ReadCredential {
  const read = readMembers(object, at);
  const { userName, userDisplayName, backupEligibility: backupEligible, backupState, largeBlob } = read;
  return {
    at,
    id: decode(read.credentialId),
    rpId: read.rpId,
    privateKey: decode(read.privateKey),
    discoverable: read.isResidentCredential,
    signCount: read.signCount === UNCOUNTED ? 0 : read.signCount,
    userHandle: decode(read.userHandle ?? ''),
    ...present({ userName, userDisplayName, backupEligible, backupState, largeBlob: largeBlob ? decode(largeBlob) : undefined }),
  };
}

function writeCredential(source: CredentialSource) {
  const { id, rpId, user, privateKey, discoverable, signCount: signs, backupEligible, backupState, largeBlob } = source;
  return {
    credentialId: encodeBase64(id),
    isResidentCredential: discoverable,
    rpId,
    privateKey: encodeBase64(privateKey),
    // Chromium refuses a user handle of a credential that is not resident.
    ...(discoverable && { userHandle: encodeBase64(user.id) }),
    signCount: signs,
    ...(largeBlob?.length && { largeBlob: encodeBase64(largeBlob) }),
    backupEligibility: backupEligible,
    backupState,
    ...(user.name !== '' && { userName: user.name }),
    ...(user.displayName !== '' && { userDisplayName: user.displayName }),
  };
}
