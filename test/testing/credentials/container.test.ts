import { describe, expect, test } from 'vitest';
import { hideContainer, installContainer } from '../../../src/testing/credentials/container.js';
import type { PageMessage, Reply } from '../../../src/testing/credentials/messages.js';

const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const REGISTRATION = {
  id: 'AQID',
  rawId: 'AQID',
  type: 'public-key',
  authenticatorAttachment: 'platform',
  clientExtensionResults: { credProps: { rk: true }, prf: { results: { first: 'CQ' } } },
  response: {
    clientDataJSON: 'BA',
    attestationObject: 'BQ',
    authenticatorData: 'Bg',
    publicKey: 'Bw',
    publicKeyAlgorithm: -7,
    transports: ['usb', 'nfc'],
  },
};
const LOGIN = {
  id: 'AQID',
  rawId: 'AQID',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'BA', authenticatorData: 'Bg', signature: 'CA', userHandle: 'CQ' },
};

/** The container of a window, whose messages a test answers. */
function installIn(global: object, answer: (message: PageMessage) => unknown = () => REGISTRATION) {
  const asked: PageMessage[] = [];
  const undo = installContainer(global, async (message): Promise<Reply> => {
    asked.push(message);
    try {
      return { ok: true, value: await answer(message) };
    } catch (error) {
      return { ok: false, error: { kind: 'DOMException', name: 'NotAllowedError', message: String(error) } };
    }
  });
  const credentials = (): Record<string, (options?: object) => Promise<unknown>> =>
    Reflect.get(Reflect.get(global, 'navigator'), 'credentials');
  const Interface = (): Record<string, (given?: unknown) => Promise<unknown>> => Reflect.get(global, 'PublicKeyCredential');
  return { asked, undo, credentials, Interface };
}

const publicKey = { challenge: bytes(1, 2) };
const base = { publicKey: { challenge: 'AQI' } };
const pendingForever = async (): Promise<never> => await new Promise(() => undefined);
const tick = async () => await new Promise((resolve) => setImmediate(resolve));
const read = (buffer: unknown) => (buffer instanceof ArrayBuffer ? [...new Uint8Array(buffer)] : buffer);

describe('the messages of a page', () => {
  test('are numbered calls, with the options as JSON', async () => {
    const { credentials, asked } = installIn({});
    await credentials()['create']?.({ publicKey, mediation: 'conditional', uiMode: 'immediate', password: true });
    await credentials()['get']?.({ publicKey: { ...publicKey, timeout: 5 } });
    expect(asked).toEqual([
      { operation: 'create', ceremony: 1, options: { ...base, mediation: 'conditional', uiMode: 'immediate' }, isSecond: false },
      { operation: 'get', ceremony: 2, options: { publicKey: { challenge: 'AQI', timeout: 5 } }, isSecond: false },
    ]);
  });

  test('say which call comes while another is pending, until that is aborted', async () => {
    const { credentials, Interface, asked } = installIn({}, pendingForever);
    const controller = new AbortController();
    const first = credentials()['get']?.({ publicKey, signal: controller.signal });
    void credentials()['create']?.({ publicKey });
    void Interface()['signalUnknownCredential']?.({ rpId: 'x' });
    await tick();
    controller.abort('enough');
    await expect(first).rejects.toBe('enough');
    expect(asked).toEqual([
      { operation: 'get', ceremony: 1, options: base, isSecond: false },
      { operation: 'create', ceremony: 2, options: base, isSecond: true },
      { operation: 'signalUnknownCredential', options: { rpId: 'x' }, isSecond: true },
      { operation: 'abort', ceremony: 1 },
    ]);
  });

  test('say that no other call is pending once one has ended, or failed, or was aborted', async () => {
    let isRefused = false;
    let isPending = false;
    const { credentials, asked } = installIn({}, async () => {
      if (isRefused) throw new Error('no');
      return isPending ? await pendingForever() : LOGIN;
    });
    const get = credentials()['get'];
    await get?.({ publicKey });
    isRefused = true;
    await expect(get?.({ publicKey })).rejects.toMatchObject({ name: 'NotAllowedError', message: 'Error: no' });
    isRefused = false;
    isPending = true;
    const controller = new AbortController();
    const aborted = get?.({ publicKey, signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toBe(controller.signal.reason);
    isPending = false;
    await get?.({ publicKey });
    expect(asked.map((message) => ('isSecond' in message ? message.isSecond : message.operation))).toEqual([
      false,
      false,
      false,
      'abort',
      false,
    ]);
  });

  test('are none of a call that is aborted before it begins, and none of an abort after its end', async () => {
    const { credentials, asked } = installIn({}, () => LOGIN);
    await expect(credentials()['get']?.({ publicKey, signal: AbortSignal.abort('before') })).rejects.toBe('before');
    expect(asked).toEqual([]);
    const controller = new AbortController();
    await credentials()['get']?.({ publicKey, signal: controller.signal });
    controller.abort();
    await tick();
    expect(asked.map(({ operation }) => operation)).toEqual(['get']);
  });

  test('carry signals as plain data, and capabilities back', async () => {
    const { Interface, asked } = installIn({}, ({ operation }) => (operation === 'capabilities' ? { conditionalGet: true } : 'ignored'));
    expect(await Interface()['signalAllAcceptedCredentials']?.({ a: undefined, b: [1], c: () => 1 })).toBeUndefined();
    expect(await Interface()['signalCurrentUserDetails']?.()).toBeUndefined();
    expect(await Interface()['getClientCapabilities']?.()).toEqual({ conditionalGet: true });
    expect(await Interface()['isConditionalMediationAvailable']?.()).toBe(true);
    expect(await Interface()['isUserVerifyingPlatformAuthenticatorAvailable']?.()).toBe(false);
    expect(asked).toEqual([
      { operation: 'signalAllAcceptedCredentials', options: { b: [1] }, isSecond: false },
      { operation: 'signalCurrentUserDetails', options: undefined, isSecond: false },
      { operation: 'capabilities' },
      { operation: 'capabilities' },
      { operation: 'capabilities' },
    ]);
  });

  test('that the client cannot answer are unavailable capabilities', async () => {
    const { Interface } = installIn({}, () => 'nothing');
    expect(await Interface()['isConditionalMediationAvailable']?.()).toBe(false);
    expect(await Interface()['getClientCapabilities']?.()).toEqual({});
  });
});

const LACKING = { ...REGISTRATION, authenticatorAttachment: undefined, response: { clientDataJSON: 'BA', attestationObject: 'BQ' } };

test.each<[string, object, unknown[]]>([
  ['with every member', REGISTRATION, ['platform', ['usb', 'nfc'], [6], [7], -7]],
  ['with the members that old browsers have', LACKING, [null, [], [], null, undefined]],
])('a registration %s', async (_, json, [attachment, transports, authenticatorData, key, algorithm]) => {
  const { credentials } = installIn({}, () => json);
  const made = Object(await credentials()['create']?.({ publicKey }));
  const { response } = made;
  expect({
    id: made.id,
    type: made.type,
    rawId: read(made.rawId),
    attachment: made.authenticatorAttachment,
    clientData: read(response.clientDataJSON),
    attestation: read(response.attestationObject),
    transports: response.getTransports(),
    authenticatorData: read(response.getAuthenticatorData()),
    key: read(response.getPublicKey()),
    algorithm: response.getPublicKeyAlgorithm(),
    prf: read(made.getClientExtensionResults().prf.results.first),
    credProps: made.getClientExtensionResults().credProps,
    json: made.toJSON(),
  }).toEqual({
    id: 'AQID',
    type: 'public-key',
    rawId: [1, 2, 3],
    attachment,
    clientData: [4],
    attestation: [5],
    transports,
    authenticatorData,
    key,
    algorithm,
    prf: [9],
    credProps: { rk: true },
    json: JSON.parse(JSON.stringify(json)),
  });
});

test.each<[unknown, unknown]>([
  ['CQ', [9]],
  ['', []],
  [null, null],
  [undefined, null],
])('a login with the user handle %j', async (userHandle, expected) => {
  const { credentials } = installIn({}, () => ({ ...LOGIN, response: { ...LOGIN.response, userHandle } }));
  const { response } = Object(await credentials()['get']?.({ publicKey }));
  expect([response.clientDataJSON, response.authenticatorData, response.signature, response.userHandle].map(read)).toEqual([
    [4],
    [6],
    [8],
    expected,
  ]);
});

describe('without publicKey', () => {
  test('create() is not supported, and get() finds nothing', async () => {
    const { credentials, asked } = installIn({});
    const NOT = {
      name: 'NotSupportedError',
      message: 'Expected options with publicKey: other types of credentials are not supported here.',
    };
    await expect(credentials()['create']?.({})).rejects.toMatchObject(NOT);
    await expect(credentials()['create']?.()).rejects.toMatchObject(NOT);
    await expect(credentials()['store']?.({})).rejects.toMatchObject(NOT);
    expect([await credentials()['get']?.({ password: true }), await credentials()['preventSilentAccess']?.(), asked]).toEqual([
      null,
      undefined,
      [],
    ]);
  });

  test.each<[unknown, string]>([
    [null, 'Expected publicKey to be an object; got null.'],
    [7, 'Expected publicKey to be an object; got number.'],
    [[], 'Expected publicKey to be an object; got object.'],
    [{ challenge: 'x' }, 'Expected challenge to be an ArrayBuffer or a view of one; got string.'],
  ])('%j is none', async (given, message) => {
    const { credentials, asked } = installIn({});
    await expect(credentials()['get']?.({ publicKey: given })).rejects.toThrow(new TypeError(message));
    expect(asked).toEqual([]);
  });
});

const NAMES = [
  'PublicKeyCredential',
  'AuthenticatorResponse',
  'AuthenticatorAttestationResponse',
  'AuthenticatorAssertionResponse',
  'Credential',
  'CredentialsContainer',
  'navigator',
  'isSecureContext',
];

describe('a window', () => {
  const describeAll = (global: object) =>
    Object.fromEntries(Object.entries(Object.getOwnPropertyDescriptors(global)).map(([name, { enumerable }]) => [name, enumerable]));

  test('gets what it lacks, and loses it again', () => {
    const global = {};
    const { undo } = installIn(global);
    expect(describeAll(global)).toEqual(
      Object.fromEntries(NAMES.map((name) => [name, name === 'navigator' || name === 'isSecureContext'])),
    );
    expect(Object.keys(Reflect.get(global, 'navigator'))).toEqual(['credentials']);
    expect(Reflect.get(global, 'isSecureContext')).toBe(true);
    undo();
    expect(Reflect.ownKeys(global)).toEqual([]);
    undo();
  });

  test('keeps what it has', async () => {
    class Credential {}
    const natively: unknown[] = [];
    class Container {
      async create(this: object, options: unknown) {
        natively.push([this === container, options]);
        return await Promise.resolve('native');
      }
      async get() {
        return await Promise.resolve('native');
      }
    }
    const container = new Container();
    const navigator = { credentials: container };
    const global = { Credential, navigator, isSecureContext: false };
    const native = Object.getOwnPropertyDescriptors(Container.prototype);
    const { undo, credentials } = installIn(global);
    expect(describeAll(global)).toEqual({
      ...Object.fromEntries(NAMES.slice(0, 4).map((name) => [name, false])),
      Credential: true,
      navigator: true,
      isSecureContext: true,
    });
    expect([
      global.Credential === Credential,
      global.navigator === navigator,
      navigator.credentials === container,
      global.isSecureContext,
    ]).toEqual([true, true, true, false]);
    expect(await credentials()['create']?.({ publicKey })).toBeInstanceOf(Credential);
    expect(await credentials()['create']?.({ password: 1 })).toBe('native');
    expect(natively).toEqual([[true, { password: 1 }]]);
    undo();
    expect(Object.getOwnPropertyDescriptors(Container.prototype)).toEqual(native);
    expect(Reflect.ownKeys(global)).toEqual(['Credential', 'navigator', 'isSecureContext']);
  });

  test('may hide WebAuthn, also what it inherits, until it is put back', () => {
    const inherited = { credentials: 'native' };
    const navigator = Object.create(inherited);
    class AuthenticatorAssertionResponse {}
    const global: object = Object.create(
      { PublicKeyCredential: 'inherited' },
      {
        navigator: { value: navigator, configurable: true },
        AuthenticatorAssertionResponse: { value: AuthenticatorAssertionResponse, configurable: true, writable: true, enumerable: false },
      },
    );
    const before = Object.getOwnPropertyDescriptors(global);
    const undo = hideContainer(global);
    const found = ['PublicKeyCredential', 'AuthenticatorAttestationResponse', 'AuthenticatorAssertionResponse'].map((name) =>
      Reflect.get(global, name),
    );
    expect([found, 'AuthenticatorAssertionResponse' in global, navigator.credentials]).toEqual([
      [undefined, undefined, undefined],
      false,
      undefined,
    ]);
    expect(Object.getOwnPropertyDescriptor(navigator, 'credentials')).toEqual({
      value: undefined,
      writable: true,
      enumerable: false,
      configurable: true,
    });
    undo();
    expect([Object.getOwnPropertyDescriptors(global), Reflect.ownKeys(navigator), navigator.credentials]).toEqual([before, [], 'native']);
    expect(hideContainer({})).toBeInstanceOf(Function);
  });
});
