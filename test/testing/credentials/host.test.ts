import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import type { PersonaName } from '../../../src/authenticator/personas/personas.js';
import type { FetchPort } from '../../../src/client/well-known.js';
import { readBehaviour } from '../../../src/simulate/engine/behaviour.js';
import type { CallingPage } from '../../../src/testing/credentials/connection.js';
import { type BrowserOptions, createHost } from '../../../src/testing/credentials/host.js';
import type { PageMessage } from '../../../src/testing/credentials/messages.js';
import { CHALLENGE, creation, ORIGIN, RP_ID, request } from '../../client/ceremony.js';

const PAGE: CallingPage = { origin: ORIGIN };

/** A page of a browser with these options, which sends messages. */
function openPage(options: BrowserOptions = {}, page: CallingPage = PAGE) {
  const host = createHost(options);
  const connection = host.connect({});
  let ceremonies = 0;
  const answer = async (message: PageMessage) => await connection.answer(message, () => page);
  const call = async (operation: 'create' | 'get', publicKey: object, more: object = {}) => {
    ceremonies += 1;
    return await answer({ operation, ceremony: ceremonies, options: { publicKey: { ...publicKey }, ...more }, isSecond: false });
  };
  return { ...host, answer, call };
}

const PERSONAS: readonly (PersonaName | undefined)[] = [
  undefined,
  'icloud-keychain',
  'google-password-manager',
  'windows-hello',
  'chrome-virtual',
  'yubikey-5',
  'security-key-u2f',
];

test('the capabilities of a browser are those of its authenticator', async () => {
  const rows = PERSONAS.map(async (persona) => {
    const { answer } = openPage(persona === undefined ? {} : { persona });
    return `${persona ?? 'no persona'} ${JSON.stringify(await answer({ operation: 'capabilities' }))}\n`;
  });
  await expect((await Promise.all(rows)).join('')).toMatchFileSnapshot('capabilities.txt');
});

test.each<[BrowserOptions, object]>([
  [{ fetch: async () => await Promise.reject(new Error('none')) }, { relatedOrigins: true }],
  [{ traits: { transports: ['internal'] } }, { hybridTransport: false, passkeyPlatformAuthenticator: true }],
  [{ traits: { transports: ['hybrid'], attachment: 'cross-platform' } }, { hybridTransport: true, passkeyPlatformAuthenticator: true }],
  [{ traits: { attachment: 'cross-platform', transports: ['usb'] } }, { passkeyPlatformAuthenticator: false }],
  [
    { traits: { extensions: ['hmac-secret'] } },
    { 'extension:hmacCreateSecret': true, 'extension:prf': true, 'extension:largeBlob': false, 'extension:appid': true },
  ],
])('%j', async (options, expected) => {
  expect(await openPage(options).answer({ operation: 'capabilities' })).toMatchObject({ ok: true, value: expected });
});

describe('the calls of a page', () => {
  test('are kept as they ended, with what the page gave', async () => {
    const { controls, call } = openPage({ persona: 'yubikey-5' });
    const made = await call('create', creation(), { mediation: 'required' });
    controls.next('denied');
    const denied = await call('get', request());
    expect(denied).toEqual({ ok: false, error: { kind: 'DOMException', name: 'NotAllowedError', message: expect.any(String) } });
    expect(controls.calls).toEqual([
      {
        operation: 'create',
        origin: ORIGIN,
        options: { publicKey: creation(), mediation: 'required' },
        response: Reflect.get(made, 'value'),
      },
      { operation: 'get', origin: ORIGIN, options: { publicKey: request() }, error: 'NotAllowedError' },
    ]);
  });

  test('are made by the page that calls', async () => {
    const inFrame: CallingPage = {
      origin: ORIGIN,
      crossOrigin: true,
      topOrigin: 'https://top.example',
      permissionsPolicy: { 'publickey-credentials-get': false },
    };
    const { call } = openPage({}, inFrame);
    const made = await call('create', creation());
    expect(readBehaviour(Object(Reflect.get(made, 'value')))).toMatchObject({ crossOrigin: true, topOrigin: 'https://top.example' });
    expect(await call('get', request())).toMatchObject({ ok: false, error: { name: 'NotAllowedError' } });
  });
});

describe('the options of a browser', () => {
  const wrong = creation({ timeout: JSON.parse('"60000"') });

  test('mode and onRemark: types that are wrong', async () => {
    const remarks: unknown[] = [];
    const onRemark = (remark: object) => void remarks.push(remark);
    expect(await openPage({ onRemark }).call('create', wrong)).toMatchObject({ ok: true });
    expect(remarks).toMatchObject([{ member: 'publicKey.timeout' }]);
    expect(await openPage({ mode: 'strict' }).call('create', wrong)).toMatchObject({ ok: false, error: { kind: 'TypeError' } });
    expect(await openPage({ mode: 'browser' }).call('create', wrong)).toMatchObject({ ok: true });
  });

  test('fetch: an RP ID of another site', async () => {
    const asked: string[] = [];
    const fetch: FetchPort = async (url) => {
      asked.push(url);
      return await Promise.resolve({
        status: 200,
        url,
        headers: { get: () => 'application/json' },
        text: async () => JSON.stringify({ origins: [ORIGIN] }),
      });
    };
    const elsewhere = creation({ rp: { id: 'other.example', name: 'Other' } });
    expect(await openPage({ fetch }).call('create', elsewhere)).toMatchObject({ ok: true });
    expect(asked).toEqual(['https://other.example/.well-known/webauthn']);
    expect(await openPage().call('create', elsewhere)).toMatchObject({ ok: false, error: { name: 'SecurityError' } });
  });

  test('enterpriseRpIds: an attestation for an enterprise', async () => {
    const asked: unknown[] = [];
    const authenticator = createAuthenticator({ attestation: 'packed' });
    const own = {
      ...authenticator,
      makeCredential: async (given: Parameters<typeof authenticator.makeCredential>[0]) => {
        asked.push(given.enterpriseAttestationPossible);
        return await authenticator.makeCredential(given);
      },
    };
    for (const enterpriseRpIds of [[RP_ID], []]) {
      await openPage({ authenticator: own, enterpriseRpIds }).call('create', creation({ attestation: 'enterprise' }));
    }
    expect(asked).toEqual([true, false]);
  });

  test('conditional: a call waits for the user, or is answered', async () => {
    const waits = openPage();
    await waits.call('create', creation());
    const waiting = waits.call('get', request(), { mediation: 'conditional' });
    await waits.controls.autofill();
    expect(await waiting).toMatchObject({ ok: true });
    const answers = openPage({ conditional: 'answer' });
    await answers.call('create', creation());
    expect(await answers.call('get', request(), { mediation: 'conditional' })).toMatchObject({ ok: true });
    expect(() => createHost(Object({ conditional: 'never' }))).toThrow('Expected conditional to be one of wait, answer; got "never".');
  });
});

test('a signal reaches the authenticator, as the client reads it', async () => {
  const { answer, call, controls } = openPage({ traits: { signalled: 'remove' }, mode: 'strict' });
  const made = await call('create', creation());
  const credentialId: unknown = Reflect.get(Object(Reflect.get(made, 'value')), 'id');
  const signal = async (options: object) => await answer({ operation: 'signalUnknownCredential', options, isSecond: false });
  expect(await signal({ rpId: 'other.example', credentialId })).toMatchObject({ ok: false, error: { name: 'SecurityError' } });
  expect(await controls.credentials.list()).toHaveLength(1);
  expect(await signal({ rpId: RP_ID, credentialId })).toEqual({ ok: true, value: undefined });
  expect(await controls.credentials.list()).toEqual([]);
});

describe('the credentials of an authenticator', () => {
  test('are listed, added, removed, exported and imported', async () => {
    const { call, controls } = openPage();
    await call('create', creation());
    await call('create', creation({ user: { id: 'Mg', name: 'bob', displayName: 'Bob' }, rp: { id: ORIGIN.slice(8), name: 'Login' } }));
    const { credentials, authenticator } = controls;
    const [first, second] = await credentials.list();
    expect([first?.rpId, second?.rpId, await credentials.list(RP_ID)]).toEqual([RP_ID, ORIGIN.slice(8), [first]]);
    const [source] = await authenticator.store.list();
    const text = await credentials.export();
    expect(JSON.parse(text)).toBeDefined();
    const id = first?.id ?? '';
    expect([await credentials.remove(id), await credentials.remove(id), await credentials.remove('AAAA')]).toEqual([true, false, false]);
    expect(await credentials.list()).toEqual([second]);
    if (source) await credentials.add(source);
    expect(await credentials.list(RP_ID)).toEqual([first]);
    await credentials.remove(id);
    if (first) await credentials.add(first);
    expect(await credentials.list(RP_ID)).toEqual([first]);
    const other = openPage().controls.credentials;
    await other.import(text);
    expect(await other.list()).toEqual([first, second]);
  });
});

test.each<[BrowserOptions, string]>([
  [{ persona: 'yubikey' as 'yubikey-5' }, 'got "yubikey".'],
  [{ authenticator: createAuthenticator(), persona: 'yubikey-5' }, 'got both.'],
  [{ authenticator: createAuthenticator(), traits: {} }, 'got both.'],
  [{ authenticator: createAuthenticator(), user: { canVerify: false, verify: () => 'present' } }, 'got both.'],
])('an authenticator is made of one kind of options', (options, end) => {
  expect(() => createHost(options)).toThrow(expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(end) }));
});

test('traits replace those of the persona, and the user is the one that is given', async () => {
  const { controls } = openPage({ persona: 'yubikey-5', traits: { transports: ['ble'] } });
  expect(controls.authenticator.info).toMatchObject({ transports: ['ble'], attachment: 'cross-platform' });
  const verified: unknown[] = [];
  const user = {
    canVerify: true,
    verify: async (prompt: object) => {
      verified.push(prompt);
      return await Promise.resolve('denied' as const);
    },
  };
  const { call } = openPage({ persona: 'icloud-keychain', user });
  expect(await call('create', creation())).toMatchObject({ ok: false, error: { name: 'NotAllowedError' } });
  expect([verified.length, CHALLENGE.length > 0]).toEqual([1, true]);
});
