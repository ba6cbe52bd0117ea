import { createPublicKey } from 'node:crypto';
import * as Type from 'typebox';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { signingAlgorithm } from '../algorithms.js';
import type { CredentialSource } from '../credential-source.js';
import { makeKeyObject, readPrivateKey } from '../private-key.js';
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
  signCount,
} from './reading.js';
import type { ReadCredential, Shape } from './shape.js';

const TITLE = 'credentials of Playwright (context.credentials)';
const STATE_TITLE = 'a storage state of Playwright with credentials';

/**
 * A list of credentials as Playwright's `context.credentials.get()` returns and `create(rpId, …)` accepts them. Bytes are base64url, the
 * private key is PKCS#8, and the public key is SubjectPublicKeyInfo (https://playwright.dev/docs/api/class-credentials). All credentials
 * are discoverable and on P-256.
 */
export const playwright: Shape = {
  title: TITLE,
  carries: ['id', 'rpId', 'userHandle', 'signCount'],
  kinds: ['P-256'],
  read: (text) => objectsAt(parseJson(text, TITLE), 'credential').map(readCredential),
  write: (sources) => JSON.stringify(sources.map(writeSource), null, 2),
};

/**
 * The result of Playwright 1.65's `storageState({ credentials: true })`, which `newContext({ storageState })` restores. Reads only the
 * credentials and ignores the file's cookies and storage.
 */
export const playwrightState: Shape = {
  ...playwright,
  title: STATE_TITLE,
  read: (text) => listAt(objectAt(parseJson(text, STATE_TITLE), 'the state'), 'credentials').map(readCredential),
  write: (sources) => JSON.stringify({ cookies: [], origins: [], credentials: sources.map(writeSource) }, null, 2),
};

const readMembers = makeReader(
  Type.Object({ id: base64, rpId: name, userHandle: base64, privateKey: base64, signCount: orNone(signCount) }),
);

function readCredential({ object, at }: Located): ReadCredential {
  const { id, rpId, userHandle, privateKey, signCount: signs } = readMembers(object, at);
  return {
    at,
    id: decode(id),
    rpId,
    userHandle: decode(userHandle),
    privateKey: decode(privateKey),
    ...present({ signCount: signs }),
  };
}

function writeSource({ id, rpId, user, algorithm, privateKey, signCount: signs }: CredentialSource) {
  const key = makeKeyObject(readPrivateKey(signingAlgorithm(algorithm), privateKey));
  const publicKey = new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }));
  return {
    id: encodeBase64url(id),
    rpId,
    userHandle: encodeBase64url(user.id),
    privateKey: encodeBase64url(privateKey),
    publicKey: encodeBase64url(publicKey),
    signCount: signs,
  };
}
