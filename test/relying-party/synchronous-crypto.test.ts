import { createHook } from 'node:async_hooks';
import { webcrypto } from 'node:crypto';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import { expect, test } from 'vitest';
import { synchronousCrypto } from '../../src/relying-party/synchronous-crypto.js';
import { createWorld, OWNER } from './world.js';

const { subtle } = webcrypto;
const DATA = Uint8Array.of(1, 2, 3);

test('the library verifies a registration and a login without a job for a hash where it was called before', async () => {
  await generateAuthenticationOptions({ rpID: 'localhost' });
  const world = createWorld();
  await world.register();
  const registration = await world.registration({ credentialId: Uint8Array.of(1) });
  const jobs: string[] = [];
  const hook = createHook({ init: (_id, type) => type === 'HASHREQUEST' && jobs.push(type) }).enable();
  await world.relyingParty.register({ owner: OWNER, response: registration });
  await world.relyingParty.authenticate({ response: await world.authentication() });
  hook.disable();
  expect(jobs).toEqual([]);
});

const RSA = { modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) };
const ALGORITHMS: Record<string, (webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams) & { saltLength?: number; hash: string }> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  RS1: { ...RSA, name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1' },
  RS256: { ...RSA, name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS512: { ...RSA, name: 'RSA-PSS', hash: 'SHA-512', saltLength: 64 },
  EdDSA: { name: 'Ed25519', namedCurve: 'Ed25519', hash: '' },
};

test.each(Object.entries(ALGORITHMS))('%s is verified as by Web Crypto', async (_, { hash, ...algorithm }) => {
  const named = hash === '' ? algorithm : { ...algorithm, hash: { name: hash } };
  const pair = await subtle.generateKey(named, true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError('Expected a pair of keys.');
  const { publicKey, privateKey } = pair;
  const jwk = await subtle.exportKey('jwk', publicKey);
  const signature = new Uint8Array(await subtle.sign(named, privateKey, DATA));
  const wrong = signature.map((byte, index) => (index === 40 ? byte ^ 1 : byte));
  const verifyBy = async ({ subtle: tested }: webcrypto.Crypto) => {
    const key = await tested.importKey('jwk', { ...jwk, key_ops: ['verify'] }, named, false, ['verify']);
    return Promise.all([
      tested.verify(named, key, signature, DATA),
      tested.verify(named, key, wrong, DATA),
      tested.verify(named, key, signature, Uint8Array.of(1, 2)),
    ]);
  };
  await expect(verifyBy(synchronousCrypto)).resolves.toEqual([true, false, false]);
  await expect(verifyBy(webcrypto)).resolves.toEqual([true, false, false]);
});

test('a hash is that of Web Crypto', async () => {
  expect(new Uint8Array(await synchronousCrypto.subtle.digest('SHA-256', DATA))).toEqual(
    new Uint8Array(await subtle.digest('SHA-256', DATA)),
  );
});

test('random bytes come from Web Crypto', () => {
  expect(synchronousCrypto.getRandomValues(new Uint8Array(32))).not.toEqual(new Uint8Array(32));
});
