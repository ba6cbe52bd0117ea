import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import { readBehaviour } from '../../src/simulate/engine/behaviour.js';
import { createCeremonies } from '../../src/testing/ceremonies.js';
import { describeException, readRealm } from '../../src/testing/credentials/realm.js';
import { knownCeremony, knownCredential, remember } from '../../src/testing/made-ceremonies.js';
import { matchers } from '../../src/testing/matchers.js';
import { tamper } from '../../src/testing/tamper.js';
import { decodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import { install } from './installed.js';
import { page } from './page.js';

const challenge = expect.stringMatching(/^[\w-]{43}$/);

test('the options that are made have all that the standard asks for, for a new user each time', async () => {
  const ceremonies = createCeremonies({
    origin: 'https://shop.example.org',
    rp: { id: 'example.org', name: 'Shop' },
    persona: 'yubikey-5',
  });
  const [first, second] = [await ceremonies.registration(), await ceremonies.registration()];
  const made = (number: number) => ({
    rp: { id: 'example.org', name: 'Shop' },
    user: { id: expect.stringMatching(/^[\w-]{22}$/), name: `user${number}@example.org`, displayName: `User ${number}` },
    challenge,
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  expect([first.options, second.options]).toEqual([made(1), made(2)]);
  expect(first.expected).toEqual({ challenge: first.options.challenge, origin: 'https://shop.example.org', rpId: 'example.org' });
  const login = await ceremonies.authentication();
  expect(login.options).toEqual({
    challenge,
    rpId: 'example.org',
    allowCredentials: [{ type: 'public-key', id: second.response.id, transports: ['nfc', 'usb'] }],
    userVerification: 'preferred',
  });
  expect(login.expected).toEqual({ challenge: login.options.challenge, origin: 'https://shop.example.org', rpId: 'example.org' });
  // A security key counts.
  const again = await ceremonies.authentication();
  const { publicKey } = login.stored;
  const { signCount: counter } = second.credential;
  expect(login.stored).toEqual({ id: second.response.id, publicKey, counter, transports: ['nfc', 'usb'] });
  expect(again.stored).toEqual({ ...login.stored, counter: login.credential.signCount });
  expect(again.stored.counter).toBeGreaterThan(counter);
  const { authenticatorData } = second.response.response;
  expect(Buffer.from(authenticatorData, 'base64url').includes(Buffer.from(publicKey))).toBe(true);
  expect(ceremonies.origin).toBe('https://shop.example.org');
});

test('without an RP, the host of the origin is one; a login of an RP ID without a registration registers first', async () => {
  const ceremonies = createCeremonies({ origin: 'https://shop.example.org' });
  const login = await ceremonies.authentication();
  expect([login.options.rpId, login.expected.rpId, login.stored.counter]).toEqual(['shop.example.org', 'shop.example.org', 0]);
  const parent = await ceremonies.authentication({ rpId: 'example.org' });
  expect([parent.options.rpId, parent.credential.rpId, parent.credential.rpName]).toEqual(['example.org', 'example.org', 'example.org']);
  // The newest registration is asked for.
  expect((await ceremonies.authentication()).options.rpId).toBe('example.org');
  await ceremonies.registration();
  expect((await ceremonies.authentication()).options.rpId).toBe('shop.example.org');
});

test('the options of a server that name no RP ID are those of the host', async () => {
  const ceremonies = createCeremonies({ origin: 'https://shop.example.org', rp: { id: 'example.org' } });
  const own = {
    rp: { name: 'Shop' },
    user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    authenticatorSelection: { residentKey: 'required' },
  };
  const made = await ceremonies.registration({ ...own, challenge: 'AQIDBAUGBwgJCgsMDQ4PEA' });
  expect([made.expected, made.credential.rpId]).toEqual([
    { challenge: 'AQIDBAUGBwgJCgsMDQ4PEA', origin: 'https://shop.example.org', rpId: 'shop.example.org' },
    'shop.example.org',
  ]);
  const login = await ceremonies.authentication({ challenge: 'AQIDBAUGBwgJCgsMDQ4PEQ' });
  expect([login.options, login.expected, login.stored.id]).toEqual([
    { challenge: 'AQIDBAUGBwgJCgsMDQ4PEQ' },
    { challenge: 'AQIDBAUGBwgJCgsMDQ4PEQ', origin: 'https://shop.example.org', rpId: 'shop.example.org' },
    made.response.id,
  ]);
  const named = await createCeremonies({ origin: 'https://shop.example.org', rp: { id: 'example.org' } }).registration();
  expect([named.options.rp, named.options.user.name]).toEqual([{ id: 'example.org', name: 'example.org' }, 'user1@example.org']);
});

test('with a seed, the clock of the authenticator stands still, unless another is given', async () => {
  const timeOf = async (traits: object = {}) => {
    const ceremonies = createCeremonies({ seed: 'time', traits: { attestation: 'android-safetynet', algorithms: [-7], ...traits } });
    const { response } = await ceremonies.registration({ attestation: 'direct' });
    const { attStmt } = decodeAttestationObject(decodeBase64url(response.response.attestationObject));
    const jws = new TextDecoder().decode(attStmt.get('response') as Uint8Array);
    return JSON.parse(new TextDecoder().decode(decodeBase64url(jws.split('.')[1] ?? ''))).timestampMs;
  };
  expect([await timeOf(), await timeOf({ now: () => 5_000 })]).toEqual([Date.UTC(2026, 0, 1), 5_000]);
});

test('an authenticator that does not keep what it has made is no authenticator', async () => {
  const authenticator = createAuthenticator();
  const forgetful = { ...authenticator, store: { ...authenticator.store, find: async () => undefined } };
  await expect(createCeremonies({ authenticator: forgetful }).registration()).rejects.toThrow(
    new TypeError('Expected the authenticator to hold the credential that has just answered; it does not.'),
  );
});

test('what was made in this process is remembered as it is now, or as it was', async () => {
  const { registration, authentication, authenticator } = createCeremonies({ persona: 'yubikey-5', topOrigin: 'https://top.example' });
  const made = await registration();
  const login = await authentication();
  expect(knownCeremony(made.response.id, made.options.challenge)).toEqual({ options: made.options, topOrigin: 'https://top.example' });
  expect(knownCeremony(made.response.id, login.options.challenge)).toEqual({ options: login.options, topOrigin: 'https://top.example' });
  expect(knownCeremony('AQ', login.options.challenge)).toBeUndefined();
  const { rpId, id } = made.credential;
  await authenticator.store.update(rpId, id, (source) => ({ ...source, signCount: 77 }));
  expect(await knownCredential(made.response.id)).toMatchObject({ signCount: 77 });
  await authenticator.store.remove(rpId, id);
  expect(await knownCredential(made.response.id)).toEqual(login.credential);
});

describe('the top-level origin of a response that is changed', () => {
  const topOriginOf = (response: { readonly response: { readonly clientDataJSON: string } }) =>
    JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()).topOrigin;

  test('is the one that is given, or that of the ceremony, or that of the response', async () => {
    const { response } = await createCeremonies({ topOrigin: 'https://top.example' }).authentication();
    expect(topOriginOf(await tamper(response, 'top-origin-other-port'))).toMatch(/^https:\/\/top\.example:\d+$/);
    const given = await tamper(response, 'top-origin-other-port', { topOrigin: 'https://given.example' });
    expect(topOriginOf(given)).toMatch(/^https:\/\/given\.example:\d+$/);
    const { login, credential } = await makeElsewhere('required', 'https://elsewhere.example');
    const changed = await tamper(login, 'top-origin-other-port', { credential });
    expect(topOriginOf(changed)).toMatch(/^https:\/\/elsewhere\.example:\d+$/);
  });

  test('is needed by a mutation that embeds the page', async () => {
    const { response } = await createCeremonies().authentication();
    await expect(tamper(response, 'top-origin-other-port')).rejects.toMatchObject({
      code: 'not_applicable',
      message: expect.stringContaining('it needs a top-level origin that the relying party accepts (topOrigin)'),
    });
  });
});

test.each(['yubikey-5', 'icloud-keychain', 'google-password-manager', 'windows-hello', 'security-key-u2f', 'titan'] as const)(
  'a registration of %s that must be made anew is like the honest one in all but its attestation',
  async (persona) => {
    const made = await createCeremonies({ persona, traits: { transports: ['nfc'] } }).registration({
      attestation: 'direct',
      authenticatorSelection: { userVerification: 'discouraged', residentKey: 'discouraged' },
    });
    const anew = await tamper(made.response, 'attested-tpm');
    const [honest, changed] = [made.response, anew].map((each) => readBehaviour({ ...each }));
    expect({ ...changed, attested: { ...changed?.attested, format: 'any', certified: true } }).toEqual({
      ...honest,
      attested: { ...honest?.attested, format: 'any', certified: true },
    });
    expect([anew.id, anew.authenticatorAttachment, anew.response.transports, anew.response.publicKey]).toEqual([
      made.response.id,
      made.response.authenticatorAttachment,
      made.response.response.transports,
      made.response.response.publicKey,
    ]);
  },
);

test.each([
  ['null', null],
  ['a text', 'x'],
])('%s is no options', async (_, options) => {
  const given: object = Object(JSON.parse(JSON.stringify({ options })));
  await expect(createCeremonies().registration(Reflect.get(given, 'options'))).rejects.toThrow(
    `Expected options as an object; got ${options === null ? 'null' : 'string'}.`,
  );
});

/** A login and a registration of another client, whose private key the test has. */
async function makeElsewhere(residentKey: 'required' | 'discouraged', topOrigin?: string) {
  const authenticator = createAuthenticator();
  const client = createClient({ authenticator, origin: 'https://example.com', ...(topOrigin !== undefined && { topOrigin }) });
  const response = await client.create({
    publicKey: {
      challenge: 'AQIDBAUGBwgJCgsMDQ4PEA',
      rp: { id: 'example.com', name: 'Example' },
      user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      authenticatorSelection: { residentKey },
    },
  });
  const [credential] = await authenticator.store.list();
  if (credential === undefined) throw new Error('Expected a credential.');
  const login = await client.get({
    publicKey: {
      challenge: 'AQIDBAUGBwgJCgsMDQ4PEQ',
      rpId: 'example.com',
      ...(residentKey === 'discouraged' && { allowCredentials: [{ type: 'public-key', id: response.id }] }),
    },
  });
  return { response, login, credential };
}

test.each(['required', 'discouraged'] as const)(
  'a response of another client is changed with its key alone, and nothing else of it (resident key %s)',
  async (residentKey) => {
    const { response, login, credential } = await makeElsewhere(residentKey);
    const broken = await tamper(response, 'origin-other-port', { credential });
    expect([broken.id, broken.rawId, broken.type]).toEqual([response.id, response.rawId, 'public-key']);
    expect(broken.response.clientDataJSON).not.toBe(response.response.clientDataJSON);
    const changed = await tamper(login, 'origin-other-port', { credential });
    expect([changed.id, changed.response.userHandle]).toEqual([login.id, login.response.userHandle]);
    expect(changed.response.clientDataJSON).not.toBe(login.response.clientDataJSON);
    expect(changed.response.signature).not.toBe(login.response.signature);
  },
);

test('a credential that was not made here is named by the beginning of its ID', async () => {
  const { response } = await makeElsewhere('required');
  const id = encodeBase64url(Uint8Array.from({ length: 16 }, (_, index) => index));
  await expect(tamper({ ...response, id, rawId: id }, 'origin-other-port')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(
      /^Expected a credential whose private key is known here, got "AAECAwQFBgcI"…, which was not made in this process\. /,
    ),
  });
});

test.each(['yubikey-5', 'icloud-keychain'] as const)(
  'a registration of %s that is made anew keeps its attestation, flags and IDs',
  async (persona) => {
    const { response, credential } = await createCeremonies({ persona }).registration({ attestation: 'direct' });
    const anew = await tamper(response, 'origin-other-port', { credential });
    const [honest, broken] = [response, anew].map((each) => readBehaviour({ ...each }));
    expect(broken).toEqual(honest);
    expect([anew.id, anew.authenticatorAttachment, anew.response.transports]).toEqual([
      response.id,
      response.authenticatorAttachment,
      response.response.transports,
    ]);
  },
);

test('of ten thousand ceremonies the oldest is forgotten for the next', async () => {
  const { response, credential } = await createCeremonies().registration();
  expect(await knownCredential(response.id)).toBeDefined();
  const options = { challenge: 'AQ', rpId: 'example.com' };
  const store = { ...createAuthenticator().store, find: async () => credential };
  const again = async (number: number) => {
    const id = encodeBase64url(new TextEncoder().encode(`credential ${number}`));
    await remember({ response: { ...response, id }, options, origin: 'https://example.com', topOrigin: undefined }, { store });
    return id;
  };
  const first = await again(1);
  for (let number = 2; number <= 10_000; number += 1) await again(number);
  expect([await knownCredential(response.id), (await knownCredential(first)) === credential]).toEqual([undefined, true]);
  await again(10_001);
  expect(await knownCredential(first)).toBeUndefined();
});

test('options of the other ceremony are refused', async () => {
  const { response, login, credential } = await makeElsewhere('required');
  const request = { challenge: 'AQIDBAUGBwgJCgsMDQ4PEQ', rpId: 'example.com' };
  const creation = { ...createOptions(), challenge: request.challenge };
  await expect(tamper(response, 'origin-other-port', { credential, options: request })).rejects.toMatchObject({
    code: 'usage',
    message:
      'Expected creation options, which a registration answers; got request options. Pass the options that the response answers, or leave them out.',
  });
  await expect(tamper(login, 'origin-other-port', { credential, options: creation })).rejects.toMatchObject({
    code: 'usage',
    message:
      'Expected request options, which a login answers; got creation options. Pass the options that the response answers, or leave them out.',
  });
});

const createOptions = () => ({
  rp: { id: 'example.com', name: 'Example' },
  user: { id: encodeBase64url(Uint8Array.of(1)), name: 'ada', displayName: 'Ada' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
});

test.each<[unknown, object]>([
  [new TypeError('No.'), { kind: 'TypeError', name: 'TypeError', message: 'No.' }],
  [new RangeError('Far.'), { kind: 'RangeError', name: 'RangeError', message: 'Far.' }],
  [new DOMException('No.', 'AbortError'), { kind: 'DOMException', name: 'AbortError', message: 'No.' }],
  [new Error('Full.'), { kind: 'DOMException', name: 'UnknownError', message: 'Full.' }],
  [Object.assign(new Error('Coded.'), { code: 'ENOSPC' }), { kind: 'DOMException', name: 'UnknownError', message: 'Coded.' }],
  ['a text', { kind: 'DOMException', name: 'UnknownError', message: 'a text' }],
  [null, { kind: 'DOMException', name: 'UnknownError', message: 'null' }],
  [
    { code: 20, name: 'AbortError' },
    { kind: 'DOMException', name: 'AbortError', message: '[object Object]' },
  ],
  [{ code: 20 }, { kind: 'DOMException', name: 'UnknownError', message: '[object Object]' }],
])('%s is described for the page', (error, described) => {
  expect(describeException(error)).toEqual(described);
});

test('a realm makes what its own constructors make, and takes the rest from here', async () => {
  class Buffer extends ArrayBuffer {}
  class Failure extends Error {
    readonly given: readonly unknown[];
    constructor(...given: readonly unknown[]) {
      super(String(given[0]));
      this.given = given;
    }
  }
  const realm = readRealm({ ArrayBuffer: Buffer, DOMException: Failure, TypeError: Failure });
  const buffer = realm.toBuffer(Uint8Array.of(1, 2));
  expect([buffer instanceof Buffer, [...new Uint8Array(buffer)]]).toEqual([true, [1, 2]]);
  const value = { list: [1, { a: null }] };
  expect(realm.copy(value)).toEqual(value);
  expect(realm.copy(value)).not.toBe(value);
  expect(await realm.promise(async () => 7)).toBe(7);
  await expect(realm.promise(async () => await Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(realm.exception({ kind: 'DOMException', name: 'AbortError', message: 'm' })).toMatchObject({ given: ['m', 'AbortError'] });
  expect(realm.exception({ kind: 'TypeError', name: 'TypeError', message: 'm' })).toMatchObject({ given: ['m'] });
  expect(realm.exception({ kind: 'RangeError', name: 'RangeError', message: 'm' })).toBeInstanceOf(RangeError);
});

test('the interfaces are properties as in browsers: they can be replaced, and only the methods are listed', () => {
  install();
  const describe = (object: object, name: string) => {
    const { enumerable, writable, configurable } = Object.getOwnPropertyDescriptor(object, name) ?? {};
    return [name, enumerable, writable, configurable];
  };
  const classes = [
    'PublicKeyCredential',
    'AuthenticatorResponse',
    'AuthenticatorAttestationResponse',
    'AuthenticatorAssertionResponse',
    'Credential',
  ];
  expect(classes.map((name) => describe(globalThis, name))).toEqual(classes.map((name) => [name, false, true, true]));
  expect(describe(globalThis, 'CredentialsContainer')).toEqual(['CredentialsContainer', false, true, true]);
  const prototype: object = Object.getPrototypeOf(page.navigator.credentials);
  for (const name of ['create', 'get']) {
    expect(describe(prototype, name)).toEqual([name, true, true, true]);
    expect(Reflect.get(Reflect.get(prototype, name), 'name')).toBe(name);
  }
  expect(Object.prototype.toString.call(page.navigator.credentials)).toBe('[object CredentialsContainer]');
  const signals = ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails'];
  expect(signals.map((name) => describe(page.PublicKeyCredential, name))).toEqual(signals.map((name) => [name, true, true, true]));
  expect(Object.keys(page.PublicKeyCredential.prototype)).toEqual([
    'id',
    'type',
    'rawId',
    'response',
    'authenticatorAttachment',
    'getClientExtensionResults',
    'toJSON',
  ]);
});

test('a signal is an AbortSignal', async () => {
  install();
  for (const signal of [null, { aborted: false }, { addEventListener: 1 }]) {
    const get = page.navigator.credentials.get(Object({ publicKey: { challenge: new Uint8Array(16) }, signal }));
    await expect(get).rejects.toThrow(new TypeError('Expected signal to be an AbortSignal; got object.'));
  }
});

test('what is no credential with a key is left to what was there before', async () => {
  const asked: unknown[] = [];
  const native = { create: async (options: unknown) => void asked.push(options), get: async () => 'a password' };
  const target = { navigator: { credentials: Object.create(native) } };
  const kit = install({ target });
  const { credentials } = target.navigator;
  await credentials.create({ password: 1 });
  expect([await credentials.get({ password: true }), asked]).toEqual(['a password', [{ password: 1 }]]);
  await expect(credentials.create({ publicKey: 1 })).rejects.toThrow('Expected publicKey to be an object; got number.');
  kit.uninstall();
  expect(await credentials.get({ publicKey: {} })).toBe('a password');
  expect(Object.keys(native)).toEqual(['create', 'get']);
});

test.each<[unknown, string]>([
  [{ step: { slug: 'origin', expected: 'a', received: 'b' } }, 'got "origin": expected a, received b.'],
  [
    {
      steps: [
        { slug: 'type', status: 'pass' },
        { slug: 'origin', status: 'fail', expected: 'c', received: 'd' },
      ],
    },
    'got "origin": expected c, received d.',
  ],
  [{ code: 'usage', verdict: 'x' }, 'got a refusal with the code usage, which is not a step of the procedure.'],
  [{ verdict: 'accepted', steps: [{ slug: 'type', status: 'pass' }] }, 'got the verdict "accepted" without a failed step.'],
  [7, 'got neither a PasskeyError, nor a problem document, nor a result of explain().'],
])('of %j the matcher says what came', (received, said) => {
  const { pass, message } = matchers.toFailAtStep(received, 'challenge');
  expect([pass, message()]).toEqual([false, `Expected the failed step "challenge", ${said}`]);
  if (said.includes('origin')) {
    expect(matchers.toFailAtStep(received, 'origin').message()).toMatch(/^Expected another failed step than "origin", /);
  }
  expect(matchers.toFailAtStep(received, 'chalenge').message()).toContain('challenge');
});
