import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { createBrowserCalls, permitted, readCapabilities } from '../../src/page/flow/browser-calls.js';
import { until } from '../until.js';

const EXPLANATION = { title: 'Explained', causes: ['A cause.'], next: 'Go on.' };
const ALLOWED = [
  { type: 'public-key', id: 'AQ' },
  { type: 'public-key', id: 'Ag' },
];
const OPTIONS = { challenge: 'AQID', rpId: 'localhost', allowCredentials: ALLOWED };

type Call = (options: { readonly publicKey: JsonObject; readonly signal: AbortSignal; readonly mediation?: string }) => unknown;

/** The globals of a browser whose authenticators answer like this. */
function useBrowser({ create = () => null, get = () => null, more = {} }: { create?: Call; get?: Call; more?: object } = {}) {
  const window: object = { top: {} };
  for (const [name, value] of Object.entries({
    navigator: {
      credentials: {
        create: async (options: Parameters<Call>[0]) => create(options),
        get: async (options: Parameters<Call>[0]) => get(options),
      },
    },
    PublicKeyCredential: {},
    location: { origin: 'http://localhost:7277' },
    isSecureContext: false,
    document: { hasFocus: () => false, featurePolicy: { allowsFeature: (feature: string) => feature === 'publickey-credentials-get' } },
    window,
    ...more,
  })) {
    vi.stubGlobal(name, value);
  }
}

/** The calls of a page, what it asked the server to explain, and a clock that goes on by 40 each time it is read. */
function startCalls(signalled: readonly string[] = []) {
  const explained: JsonObject[] = [];
  let now = 0;
  const calls = createBrowserCalls({
    clock: () => (now += 40),
    signalled: () => signalled,
    explain: async (thrown) => {
      explained.push(thrown);
      return EXPLANATION;
    },
  });
  return { ...calls, explained };
}

beforeEach(() => useBrowser());
afterEach(() => void vi.unstubAllGlobals());

const RESPONSE = { id: 'AQ', rawId: 'AQ', type: 'public-key', response: { signature: 'Ag' } };
const credential = (toJSON?: () => unknown) => ({
  id: 'AQ',
  type: 'public-key',
  rawId: Uint8Array.of(1).buffer,
  response: {
    clientDataJSON: Uint8Array.of(2).buffer,
    authenticatorData: Uint8Array.of(3).buffer,
    signature: Uint8Array.of(4).buffer,
    userHandle: null,
  },
  authenticatorAttachment: null,
  getClientExtensionResults: () => ({}),
  ...(toJSON !== undefined && { toJSON }),
});

test('an answer becomes a leg, with the call as it was made', async () => {
  const asked: Parameters<Call>[0][] = [];
  useBrowser({
    get(options) {
      asked.push(options);
      return credential(() => RESPONSE);
    },
  });
  const { run, explained } = startCalls();
  expect(await run({ call: 'get', options: OPTIONS, mediation: 'conditional' })).toStrictEqual({
    leg: {
      kind: 'browser',
      call: 'get',
      mediation: 'conditional',
      options: OPTIONS,
      response: RESPONSE,
      error: undefined,
      milliseconds: 40,
      software: undefined,
    },
    aborted: false,
  });
  expect(asked).toMatchObject([{ mediation: 'conditional', publicKey: { rpId: 'localhost' } }]);
  expect(new Uint8Array(Object(asked[0]?.publicKey['challenge']))).toEqual(Uint8Array.of(1, 2, 3));
  expect(explained).toEqual([]);
});

test.each([
  ['has no toJSON()', undefined],
  [
    'has one that throws',
    () => {
      throw new TypeError('Illegal invocation');
    },
  ],
])('a credential that %s is read member by member', async (_, toJSON) => {
  useBrowser({ get: () => credential(toJSON) });
  const { leg } = await startCalls().run({ call: 'get', options: OPTIONS });
  expect(leg.response).toMatchObject({
    id: 'AQ',
    rawId: 'AQ',
    type: 'public-key',
    response: { clientDataJSON: 'Ag', authenticatorData: 'Aw', signature: 'BA' },
  });
});

test('options are parsed by the browser where it can', async () => {
  const parsed: unknown[] = [];
  const parse = (kind: string) => (json: object) => {
    parsed.push([kind, json]);
    return { kind };
  };
  const asked: unknown[] = [];
  const call: Call = ({ publicKey, ...rest }) => {
    asked.push([publicKey, Object.keys(rest)]);
    return null;
  };
  const more = { PublicKeyCredential: { parseCreationOptionsFromJSON: parse('creation'), parseRequestOptionsFromJSON: parse('request') } };
  useBrowser({ create: call, get: call, more });
  const { run } = startCalls();
  await run({ call: 'create', options: { challenge: 'AQ' } });
  await run({ call: 'get', options: { challenge: 'Ag' } });
  expect(parsed).toEqual([
    ['creation', { challenge: 'AQ' }],
    ['request', { challenge: 'Ag' }],
  ]);
  expect(asked).toEqual([
    [{ kind: 'creation' }, ['signal']],
    [{ kind: 'request' }, ['signal']],
  ]);
});

test.each<[string, unknown, { readonly name: string; readonly message: string }]>([
  ['an exception', new DOMException('Timed out.', 'NotAllowedError'), { name: 'NotAllowedError', message: 'Timed out.' }],
  ['an error', new TypeError('Not a challenge.'), { name: 'TypeError', message: 'Not a challenge.' }],
  ['something else', 'no', { name: 'Error', message: 'no' }],
])('%s of the browser is explained by the server, with the circumstances', async (_, thrown, error) => {
  useBrowser({
    get() {
      throw thrown;
    },
  });
  const { run, explained } = startCalls(['Ag']);
  const { leg, aborted } = await run({ call: 'get', options: OPTIONS });
  expect([leg.response, leg.error, aborted]).toEqual([undefined, { ...error, explanation: EXPLANATION }, false]);
  expect(explained).toEqual([
    {
      ...error,
      call: 'get',
      options: OPTIONS,
      milliseconds: 40,
      origin: 'http://localhost:7277',
      signalled: true,
      secure_context: false,
      permitted: true,
      framed: true,
      focused: false,
    },
  ]);
});

test.each<[readonly string[], JsonObject, boolean]>([
  [['Aw'], OPTIONS, false],
  [['AQ'], OPTIONS, true],
  [['Aw'], { challenge: 'AQ' }, true],
  [[], { challenge: 'AQ' }, false],
])('passkeys %j that the browser was asked to hide, at %j: %s', async (signalled, options, expected) => {
  const { run, explained } = startCalls(signalled);
  await run({ call: 'get', options });
  expect(explained).toMatchObject([{ signalled: expected }]);
});

test.each([
  [null, 'The browser answered null.'],
  [{ type: 'password' }, 'The browser answered password.'],
  [{ type: 'public-key' }, 'The browser answered public-key.'],
])('%j is no passkey', async (answer, message) => {
  useBrowser({ create: () => answer, more: { document: { hasFocus: () => true, permissionsPolicy: { allowsFeature: () => false } } } });
  const { run, explained } = startCalls();
  const { leg } = await run({ call: 'create', options: { challenge: 'AQ' } });
  expect(leg.error).toMatchObject({ name: 'NoCredential', message });
  expect(explained).toMatchObject([{ call: 'create', permitted: false, focused: true }]);
});

test('a call ends the one before it, and waits for its end; one that the page ended needs no explanation', async () => {
  const order: string[] = [];
  let count = 0;
  useBrowser({
    get({ signal }) {
      count += 1;
      const number = count;
      order.push(`begins ${number}`);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          order.push(`ends ${number}`);
          reject(new DOMException('Aborted.', 'AbortError'));
        });
      });
    },
  });
  const { run, abort, explained } = startCalls();
  const first = run({ call: 'get', options: OPTIONS });
  await until(() => order.includes('begins 1'));
  const cancel = new AbortController();
  const second = run({ call: 'get', options: OPTIONS }, cancel.signal);
  const causes = ['You cancelled it, or another request of the page began: browsers run one at a time.'];
  const error = { name: 'AbortError', message: 'Aborted.', explanation: { title: 'Aborted by the page', causes, next: 'Nothing to do.' } };
  expect(await first).toMatchObject({ aborted: true, leg: { response: undefined, error } });
  await until(() => order.includes('begins 2'));
  cancel.abort();
  expect(await second).toMatchObject({ aborted: true, leg: { error } });
  const third = run({ call: 'get', options: OPTIONS });
  await until(() => order.includes('begins 3'));
  await abort();
  expect(await third).toMatchObject({ aborted: true });
  expect(order).toEqual(['begins 1', 'ends 1', 'begins 2', 'ends 2', 'begins 3', 'ends 3']);
  expect(explained).toEqual([]);
  await abort();
});

test('a call that has ended is not ended again by the next one, nor forgets it', async () => {
  const ended: number[] = [];
  let count = 0;
  useBrowser({
    get({ signal }) {
      count += 1;
      const number = count;
      signal.addEventListener('abort', () => ended.push(number));
      return number === 2 ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) : null;
    },
  });
  const { run, abort } = startCalls();
  await run({ call: 'get', options: OPTIONS });
  const second = run({ call: 'get', options: OPTIONS });
  await until(() => count === 2);
  expect(ended).toEqual([]);
  await abort();
  expect(await second).toMatchObject({ aborted: true });
  expect(ended).toEqual([2]);
  await run({ call: 'get', options: OPTIONS });
  expect(ended).toEqual([2]);
});

test('a browser without policies, at the top of its window, says so', async () => {
  const window = {};
  useBrowser({ more: { document: { hasFocus: () => true }, window: Object.assign(window, { top: window }), isSecureContext: true } });
  const { run, explained } = startCalls();
  await run({ call: 'create', options: { challenge: 'AQ' } });
  expect(explained).toMatchObject([{ permitted: null, framed: false, secure_context: true }]);
});

test('a permissions policy is asked under either of its names', () => {
  const document = {
    permissionsPolicy: { allowsFeature: (feature: string) => feature === 'a' },
    featurePolicy: { allowsFeature: () => false },
  };
  vi.stubGlobal('document', document);
  expect([permitted('a'), permitted('b')]).toEqual([true, false]);
  vi.stubGlobal('document', {});
  expect(permitted('a')).toBeUndefined();
});

test.each<[string, object, object]>([
  ['a browser without WebAuthn', {}, {}],
  ['one that tells its capabilities', { getClientCapabilities: async () => ({ hybridTransport: true }) }, { hybridTransport: true }],
  ['an older one', { isUserVerifyingPlatformAuthenticatorAvailable: async () => true }, { userVerifyingPlatformAuthenticator: true }],
  [
    'one that tells none',
    { getClientCapabilities: async () => ({}), isUserVerifyingPlatformAuthenticatorAvailable: async () => false },
    { userVerifyingPlatformAuthenticator: false },
  ],
])('the capabilities of %s', async (name, PublicKeyCredential, expected) => {
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential);
  vi.stubGlobal('window', name.endsWith('WebAuthn') ? {} : { PublicKeyCredential });
  expect(await readCapabilities()).toEqual(expected);
});
