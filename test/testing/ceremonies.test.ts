import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { describe, expect, test } from 'vitest';
import { readBehaviour } from '../../src/simulate/engine/behaviour.js';
import { createCeremonies, type Expected } from '../../src/testing/ceremonies.js';
import { tamper } from '../../src/testing/tamper.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../src/webauthn/json.js';

const inTheirWords = ({ challenge, origin, rpId }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpId,
});

describe('createCeremonies', () => {
  test('gives a registration and a login that another library accepts', async () => {
    const ceremonies = createCeremonies();
    const { response, expected } = await ceremonies.registration();
    expect(expected).toMatchObject({ origin: 'https://example.com', rpId: 'example.com' });
    const registered = await verifyRegistrationResponse({ response, ...inTheirWords(expected) });
    expect(registered.verified).toBe(true);
    const login = await ceremonies.authentication();
    expect(login.response.id).toBe(response.id);
    const verified = await verifyAuthenticationResponse({
      response: login.response,
      credential: login.stored,
      ...inTheirWords(login.expected),
    });
    expect(verified).toMatchObject({ verified: true, authenticationInfo: { credentialID: response.id } });
  });

  const ADVICE = 'Pass the options that your server sends to the browser, or members for options that are made here.';
  const CREATION = CREATION_MEMBERS.join(', ');
  const REQUEST = REQUEST_MEMBERS.join(', ');
  test.each([
    [
      'an error in place of options',
      '{ "error": "Sign in first." }',
      (members: string) => `with a challenge, or only ${members}; got "error". ${ADVICE}`,
    ],
    [
      'options inside publicKey',
      '{ "publicKey": { "challenge": "AAAA" } }',
      (members: string) => `with a challenge, or only ${members}; got "publicKey". Pass the value of publicKey.`,
    ],
    ['a text', '"<!doctype html>"', () => `as an object; got string. ${ADVICE}`],
    ['null', 'null', () => `as an object; got null. ${ADVICE}`],
  ])('refuses %s, and makes no options of its own instead', async (_, given, says) => {
    const ceremonies = createCeremonies();
    await expect(ceremonies.registration(JSON.parse(given))).rejects.toThrow(new TypeError(`Expected options ${says(CREATION)}`));
    await expect(ceremonies.authentication(JSON.parse(given))).rejects.toThrow(new TypeError(`Expected options ${says(REQUEST)}`));
    expect(await ceremonies.authenticator.store.list()).toEqual([]);
  });

  test('answers the options of one’s own server, adding nothing', async () => {
    const ceremonies = createCeremonies({ origin: 'http://localhost:3000', persona: 'yubikey-5' });
    const creation = await generateRegistrationOptions({ rpName: 'App', rpID: 'localhost', userName: 'ada', attestationType: 'direct' });
    const { response, options } = await ceremonies.registration(creation);
    expect(options).toBe(creation);
    const made = await verifyRegistrationResponse({
      response,
      expectedChallenge: creation.challenge,
      expectedOrigin: 'http://localhost:3000',
    });
    expect(made).toMatchObject({ verified: true, registrationInfo: { fmt: 'packed', aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a' } });
    const request = await generateAuthenticationOptions({ rpID: 'localhost', allowCredentials: [{ id: response.id }] });
    const login = await ceremonies.authentication(request);
    expect(login.options).toEqual(request);
    const { newCounter } = (
      await verifyAuthenticationResponse({ response: login.response, credential: login.stored, ...inTheirWords(login.expected) })
    ).authenticationInfo;
    expect(newCounter).toBeGreaterThan(login.stored.counter);
  });

  test.each([-47, -48])('answers with keys that browsers do not export, such as of algorithm %i', async (alg) => {
    const ceremonies = createCeremonies({ traits: { algorithms: [alg] } });
    const { response, credential } = await ceremonies.registration({ pubKeyCredParams: [{ type: 'public-key', alg }] });
    expect([response.response.publicKeyAlgorithm, response.response.publicKey, credential.algorithm]).toEqual([alg, undefined, alg]);
    const login = await ceremonies.authentication();
    expect(login.response.id).toBe(response.id);
    expect(await tamper(login.response, 'signature-bit')).toMatchObject({ id: response.id });
    expect(await tamper(response, 'origin-other-site')).toMatchObject({ id: response.id });
  });

  test('names the registration for a login, or leaves it to a discoverable one', async () => {
    const ceremonies = createCeremonies();
    const named = await ceremonies.authentication();
    expect(named.options.allowCredentials).toMatchObject([{ id: named.response.id }]);
    const { response } = await ceremonies.authentication({ allowCredentials: [] });
    expect(response.response.userHandle).toEqual(expect.any(String));
  });

  test('makes options with what is asked for', async () => {
    const { options, response } = await createCeremonies({ traits: { attestation: 'packed' } }).registration({
      attestation: 'direct',
      user: { id: 'AQID', name: 'ada', displayName: 'Ada' },
    });
    expect(options).toMatchObject({ attestation: 'direct', user: { name: 'ada' }, rp: { id: 'example.com' } });
    expect(readBehaviour({ ...response }).attested?.format).toBe('packed');
  });

  test('keeps a passkey for each user', async () => {
    const ceremonies = createCeremonies({ rp: { id: 'example.com', name: 'Example' } });
    await ceremonies.registration();
    await ceremonies.registration();
    const held = await ceremonies.authenticator.store.list('example.com');
    expect(held.map(({ user, rpName }) => [user.name, rpName])).toEqual([
      ['user1@example.com', 'Example'],
      ['user2@example.com', 'Example'],
    ]);
  });

  test('repeats every byte with a seed, and none without', async () => {
    const run = async (seed?: string) => {
      const ceremonies = createCeremonies({ ...(seed !== undefined && { seed }), persona: 'windows-hello' });
      const { options, response } = await ceremonies.registration({ attestation: 'direct' });
      return JSON.stringify([options, response, (await ceremonies.authentication()).response]);
    };
    expect(await run('a seed')).toBe(await run('a seed'));
    expect(await run('a seed')).not.toBe(await run('another'));
    expect(await run()).not.toBe(await run());
  });

  test('uses a parent RP ID wherever the standard allows it', async () => {
    const ceremonies = createCeremonies({ origin: 'https://login.example.com' });
    const login = await ceremonies.authentication({ rpId: 'example.com' });
    expect(login).toMatchObject({
      options: { rpId: 'example.com' },
      expected: { rpId: 'example.com' },
      credential: { rpId: 'example.com' },
    });
    const { response } = await ceremonies.registration({ rp: { id: 'example.com', name: 'Example' } });
    const next = await ceremonies.authentication();
    expect(next).toMatchObject({ expected: { rpId: 'example.com' }, response: { id: response.id } });
    await expect(tamper(next.response, 'signature-bit')).resolves.toMatchObject({ id: response.id });
    const own = await ceremonies.authentication({ rpId: 'login.example.com' });
    expect(own.credential.rpId).toBe('login.example.com');
    await expect(ceremonies.authentication({ rpId: 'com' })).rejects.toMatchObject({ name: 'SecurityError' });
  });

  test('takes part in a frame', async () => {
    const { response } = await createCeremonies({ topOrigin: 'https://top.example' }).registration();
    expect(readBehaviour({ ...response })).toMatchObject({ crossOrigin: true, topOrigin: 'https://top.example' });
  });

  test('names the personas where one is unknown', () => {
    // @ts-expect-error: a name that a caller without types may give
    expect(() => createCeremonies({ persona: 'yubikey' })).toThrow(/^Expected persona to be one of icloud-keychain, .+; got "yubikey"\.$/);
  });

  test('fails as a browser does', async () => {
    const creation = await generateRegistrationOptions({ rpName: 'App', rpID: 'elsewhere.example', userName: 'ada' });
    await expect(createCeremonies().registration(creation)).rejects.toMatchObject({ name: 'SecurityError' });
    await expect(createCeremonies().authentication({ challenge: creation.challenge })).rejects.toMatchObject({ name: 'NotAllowedError' });
  });
});
