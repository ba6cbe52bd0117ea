import { isObject } from '../../kernel/json-value.js';
import { encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import type { CredentialSource } from '../credential-source.js';
import {
  bytes,
  bytesOrNone,
  flag,
  flagOrNone,
  type Located,
  listAt,
  name,
  objectAt,
  objectsAt,
  parseJson,
  present,
  signCount,
  textOrNone,
} from './reading.js';
import { naming, type ReadCredential, type Shape } from './shape.js';

const TITLE = 'credentials of the Chrome DevTools protocol (WebAuthn.Credential)';

/**
 * The answer of `WebAuthn.getCredentials`; each of its credentials is what `WebAuthn.addCredential` takes. base64 with padding, the private key
 * as PKCS#8 (https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/). Chromium takes P-256 only. The answer of Get Credentials of
 * WebDriver (WebAuthn L3 §11.5) is read too.
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
      if (!discoverable && user.id.length > 0) lose('userHandle', 'Chromium takes one of resident credentials only');
      if (largeBlob?.length === 0) lose('largeBlob', 'the protocol cannot tell an empty one from none');
    }
    return JSON.stringify({ credentials: sources.map(writeCredential) }, null, 2);
  },
};

function readCredential(each: Located): ReadCredential {
  // -1: the credential has no counter, and every assertion says 0.
  const uncounted = each.object.signCount === -1;
  const blob = bytesOrNone(each, 'largeBlob');
  return {
    at: each.at,
    id: bytes(each, 'credentialId'),
    rpId: name(each, 'rpId'),
    privateKey: bytes(each, 'privateKey'),
    discoverable: flag(each, 'isResidentCredential'),
    signCount: uncounted ? 0 : signCount(each, 'signCount'),
    userHandle: bytesOrNone(each, 'userHandle') ?? new Uint8Array(),
    ...present({
      userName: textOrNone(each, 'userName'),
      userDisplayName: textOrNone(each, 'userDisplayName'),
      backupEligible: flagOrNone(each, 'backupEligibility'),
      backupState: flagOrNone(each, 'backupState'),
      largeBlob: blob?.length ? blob : undefined,
    }),
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
