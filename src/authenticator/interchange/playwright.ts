import { createPublicKey } from 'node:crypto';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { signingAlgorithm } from '../algorithms.js';
import type { CredentialSource } from '../credential-source.js';
import { keyObjectOf, readPrivateKey } from '../private-key.js';
import { bytes, name, objectsAt, parseJson, present, signCountOrNone } from './reading.js';
import type { Shape } from './shape.js';

const TITLE = 'credentials of Playwright (context.credentials)';

/**
 * What `context.credentials.get()` of Playwright answers and `create(rpId, …)` takes, as a list: base64url, the private key as PKCS#8, the
 * public one as SubjectPublicKeyInfo (https://playwright.dev/docs/api/class-credentials). They are discoverable and on P-256.
 */
export const playwright: Shape = {
  title: TITLE,
  carries: ['id', 'rpId', 'userHandle', 'signCount'],
  kinds: ['P-256'],
  read: (text) =>
    objectsAt(parseJson(text, TITLE), 'credential').map((each) => ({
      at: each.at,
      id: bytes(each, 'id'),
      rpId: name(each, 'rpId'),
      userHandle: bytes(each, 'userHandle'),
      privateKey: bytes(each, 'privateKey'),
      ...present({ signCount: signCountOrNone(each, 'signCount') }),
    })),
  write: (sources) => JSON.stringify(sources.map(writeSource), null, 2),
};

function writeSource({ id, rpId, user, algorithm, privateKey, signCount }: CredentialSource) {
  const key = keyObjectOf(readPrivateKey(signingAlgorithm(algorithm), privateKey));
  const publicKey = new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }));
  return {
    id: encodeBase64url(id),
    rpId,
    userHandle: encodeBase64url(user.id),
    privateKey: encodeBase64url(privateKey),
    publicKey: encodeBase64url(publicKey),
    signCount,
  };
}
