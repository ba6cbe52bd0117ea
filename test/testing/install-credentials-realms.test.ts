import { runInNewContext } from 'node:vm';
import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import { installCredentials } from '../../src/testing/credentials/install-credentials.js';
import { until } from '../until.js';
import { page, pageIn } from './page.js';

const ORIGIN = 'https://example.com';
const CREATION = {
  challenge: new Uint8Array(16),
  rp: { name: 'Example' },
  user: { id: new Uint8Array([7]), name: 'ada', displayName: 'Ada' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
};

interface Window {
  eval(script: string): Promise<unknown>;
}

test('in Node without any DOM, the interfaces are there until they are uninstalled', async () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  expect(() => installCredentials()).toThrow(
    new TypeError('Expected an origin, such as "https://example.com", because there is no location here to take it from.'),
  );
  const credentials = installCredentials({ origin: ORIGIN });
  onTestFinished(credentials.uninstall);
  const options = await generateRegistrationOptions({ rpName: 'Example', rpID: 'example.com', userName: 'ada' });
  const publicKey = page.PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await page.navigator.credentials.create({ publicKey });
  expect(credential).toBeInstanceOf(page.PublicKeyCredential);
  const verified = await verifyRegistrationResponse({
    response: credential.toJSON(),
    expectedChallenge: options.challenge,
    expectedOrigin: ORIGIN,
    expectedRPID: 'example.com',
  });
  expect(verified.verified).toBe(true);
  credentials[Symbol.dispose]();
  expect(Object.getOwnPropertyDescriptor(globalThis, 'navigator')).toEqual(before);
  expect([page.PublicKeyCredential, page.DOMException]).toEqual([undefined, DOMException]);
});

test('in a window of its own, all that a page gets belongs to that window', async () => {
  const window: Window = runInNewContext('Object.assign(globalThis, { navigator: {}, location })', { location: new URL('/login', ORIGIN) });
  const credentials = installCredentials({ target: window });
  onTestFinished(credentials.uninstall);
  const own = pageIn(window);
  expect(own.ArrayBuffer).not.toBe(ArrayBuffer);
  const facts = await window.eval(`(async () => {
    const call = navigator.credentials.create({ publicKey: {
      challenge: new Uint8Array(16), rp: { name: 'x' }, user: { id: new Uint8Array([7]).buffer, name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }] } });
    const credential = await call;
    const failed = await navigator.credentials.create({ publicKey: { challenge: 'x' } }).catch((error) => error);
    const refused = await navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16), rpId: 'example.org' } }).catch((error) => error);
    const parsed = PublicKeyCredential.parseRequestOptionsFromJSON({ challenge: 'AAAA' });
    return [call instanceof Promise, credential instanceof PublicKeyCredential, credential.rawId instanceof ArrayBuffer,
      credential.response.getTransports() instanceof Array, credential.toJSON() instanceof Object, parsed.challenge instanceof ArrayBuffer,
      failed instanceof TypeError, refused.name, isSecureContext];
  })()`);
  expect(facts).toEqual([true, true, true, true, true, true, true, 'SecurityError', true]);
  expect(credentials.calls.map(({ origin }) => origin)).toEqual([ORIGIN, ORIGIN]);
  expect('PublicKeyCredential' in globalThis).toBe(false);
});

test('a page in a frame is one where the test says so', async () => {
  const { calls, uninstall } = installCredentials({
    origin: ORIGIN,
    topOrigin: 'https://shop.example',
    permissionsPolicy: { 'publickey-credentials-create': false },
  });
  onTestFinished(uninstall);
  await expect(page.navigator.credentials.create({ publicKey: CREATION })).rejects.toMatchObject({ name: 'NotAllowedError' });
  expect(calls).toMatchObject([{ operation: 'create', error: 'NotAllowedError', options: { publicKey: { challenge: 'A'.repeat(22) } } }]);
});

test('an authenticator of one’s own serves, and its fault is an UnknownError', async () => {
  const store = createCredentialSourceStore();
  const authenticator = createAuthenticator({ store: { ...store, put: () => Promise.reject(new Error('The disk is full.')) } });
  expect(() => installCredentials({ origin: ORIGIN, authenticator, persona: 'titan' })).toThrow(
    new TypeError('Expected either an authenticator, or persona, traits and user to make one; got both.'),
  );
  const { uninstall } = installCredentials({ origin: ORIGIN, authenticator });
  onTestFinished(uninstall);
  await expect(page.navigator.credentials.create({ publicKey: CREATION })).rejects.toMatchObject({
    name: 'UnknownError',
    message: 'The disk is full.',
  });
});

test('what waits ends when it is uninstalled', async () => {
  const credentials = installCredentials({ origin: ORIGIN });
  const call = page.navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16) }, mediation: 'conditional' });
  await until(() => credentials.waiting === 1);
  credentials.uninstall();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  expect(credentials.waiting).toBe(0);
});
