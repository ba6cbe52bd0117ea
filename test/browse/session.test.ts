import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { Call, EndedCeremony } from '../../src/browse/ceremony.js';
import type { Exchange } from '../../src/browse/network.js';
import { Session, type SessionOptions } from '../../src/browse/session.js';
import { createClient } from '../../src/client/client.js';
import { PasskeyError } from '../../src/errors.js';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { asObject, type JsonObject } from '../../src/kernel/json-value.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { until } from '../until.js';

const ORIGIN = 'https://shop.example.org';
const CREATION = {
  challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
  rp: { id: 'example.org', name: 'Shop' },
  user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
  authenticatorSelection: { residentKey: 'required' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  extensions: { remoteDesktopClientOverride: { origin: ORIGIN, sameOriginWithAncestors: true } },
};

const NOW = Date.UTC(2026, 0, 15);

function openSession(changes: Partial<SessionOptions> = {}) {
  const ended: EndedCeremony[] = [];
  const calls: Call[] = [];
  const authenticator = createAuthenticator();
  const session = new Session({
    now: () => NOW,
    onEnded: (ceremony) => void ended.push(ceremony),
    onUnjudged(_ceremony, cause) {
      throw cause;
    },
    async answer(call) {
      calls.push(call);
      const { options, origin, crossOrigin } = call;
      const client = createClient({ authenticator, origin, crossOrigin });
      const publicKey = JSON.parse(JSON.stringify(options));
      const response = call.kind === 'registration' ? await client.create({ publicKey }) : await client.get({ publicKey });
      return { persona: 'plain', tamper: null, response: { ...response } };
    },
    ...changes,
  });
  onTestFinished(() => session.close());
  const call = async (
    name: 'create' | 'get',
    options: JsonObject,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<JsonObject> => {
    const answer = await session.called({ call: name, id: 1, options }, signal);
    return 'response' in answer ? answer.response : { ...answer.error };
  };
  return { session, ended, calls, call };
}

/** What was seen of a ceremony, without what was found out about it. */
function seen(ended: EndedCeremony) {
  const { explanation: _, archive: _archive, ...ceremony } = ended;
  return ceremony;
}

/** A ceremony of which only the call has been seen. */
const CALLED = {
  number: 1,
  at: NOW,
  kind: 'authentication',
  options: {},
  origin: ORIGIN,
  crossOrigin: false,
  topOrigin: undefined,
  isConditional: false,
  offered: undefined,
  asked: undefined,
  persona: null,
  tamper: null,
  response: undefined,
  error: undefined,
  exchange: undefined,
};

const sent = (body: string): Exchange => ({
  at: 0,
  method: 'POST',
  url: `${ORIGIN}/finish`,
  origin: ORIGIN,
  sent: body,
  status: 200,
  received: '{}',
});

/** The way of forms: every member is a field, in base64 instead of base64url. */
function asForm(response: JsonObject): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(asObject(response['response']))) {
    fields.set(name, String(value).replaceAll('-', '+').replaceAll('_', '/'));
  }
  return fields.toString();
}

test('takes what Chromium adds for the proxy out of the options', async () => {
  const { calls, call } = openSession();
  await call('create', CREATION);
  await call('create', { ...CREATION, extensions: { credProps: true, ...CREATION.extensions } });
  expect(calls).toMatchObject([{ origin: ORIGIN, crossOrigin: false }, { options: { extensions: { credProps: true } } }]);
  expect(calls[0]?.options).not.toHaveProperty('extensions');
  expect(Object.keys(asObject(calls[1]?.options['extensions']))).toEqual(['credProps']);
});

test('two tabs with the same options: each request ends the ceremony whose response it carries', async () => {
  const { session, ended, call } = openSession();
  await call('create', CREATION);
  const request = { challenge: CREATION.challenge, rpId: 'example.org', extensions: CREATION.extensions };
  const [first, second] = [await call('get', request), await call('get', request)];
  session.exchanged({ ...sent(JSON.stringify({ data: JSON.stringify(second) })), status: 400 });
  session.exchanged(sent(asForm(first)));
  session.exchanged(sent(asForm(first)));
  await session.close();
  const statuses = ended.map(({ number, exchange }) => [number, exchange?.status]);
  expect(statuses).toEqual([
    [3, 400],
    [2, 200],
    [1, undefined],
  ]);
});

test('the page gets the exception of the client, and the ceremony ends with it', async () => {
  const { session, ended, call } = openSession();
  const error = { name: 'NotAllowedError', message: expect.any(String) };
  const options = { challenge: CREATION.challenge, rpId: 'example.org' };
  expect(await call('get', { ...options, extensions: CREATION.extensions })).toEqual(error);
  await session.close();
  expect(ended.map(seen)).toStrictEqual([{ ...CALLED, options, error }]);
  expect(ended).toMatchObject([{ explanation: { verdict: null, advice: expect.any(Array) } }]);
});

test.each([
  [true, false],
  [false, true],
  [undefined, false],
])('sameOriginWithAncestors %s: the call is of a cross-origin frame: %s', async (sameOriginWithAncestors, crossOrigin) => {
  const { calls, call } = openSession();
  await call('create', { ...CREATION, extensions: { remoteDesktopClientOverride: { origin: ORIGIN, sameOriginWithAncestors } } });
  expect(calls).toMatchObject([{ kind: 'registration', origin: ORIGIN, crossOrigin }]);
});

const REQUEST = { challenge: 'AQEBAQEBAQEBAQEBAQEBAQ', rpId: 'example.org', extensions: CREATION.extensions };

/** What a page is sent for its call: the options, before the browser adds its defaults. */
const offer = (options: JsonObject, at: number, change: Partial<Exchange> = {}): Exchange => ({
  ...sent(''),
  at,
  url: `${ORIGIN}/begin`,
  sent: undefined,
  received: JSON.stringify(options),
  ...change,
});

test('a ceremony has the call, the options as the site sent them, and the answer', async () => {
  const { session, ended, call } = openSession();
  const { extensions: _, ...creation } = CREATION;
  session.exchanged(offer({ ...creation, timeout: 60_000 }, 1_000, { url: `${ORIGIN}/old`, sendsCookie: true, setsCookie: true }));
  session.exchanged(offer({ ...creation, timeout: 70_000 }, 2_000, { sendsCookie: false, setsCookie: true }));
  session.exchanged(offer({ ...creation, challenge: 'AgICAgICAgICAgICAgICAg' }, 3_000));
  const response = await call('create', CREATION);
  const exchange = { ...sent(JSON.stringify(response)), at: 4_000, received: '{"verified":true}' };
  session.exchanged(exchange);
  await session.close();
  const asked = { url: `${ORIGIN}/begin`, at: 2_000, sendsCookie: false, setsCookie: true, origin: ORIGIN };
  expect(ended.map(seen)).toStrictEqual([
    {
      ...CALLED,
      kind: 'registration',
      options: creation,
      offered: { ...creation, timeout: 70_000 },
      asked: expect.objectContaining(asked),
      persona: 'plain',
      response,
      exchange,
    },
  ]);
});

test("options without a challenge are nobody's, and a response with the challenge is no options", async () => {
  const { session, ended, call } = openSession();
  const { challenge: _, ...rest } = CREATION;
  session.exchanged(offer(rest, 1_000));
  session.exchanged(offer({ ...rest, challenge: 'AgICAgICAgICAgICAgICAg' }, 1_000));
  const response = await call('create', { ...rest, challenge: 7 });
  expect(response).toMatchObject({ name: expect.any(String) });
  const answered = await call('create', CREATION);
  session.exchanged(sent(JSON.stringify(answered)));
  await call('create', CREATION);
  await session.close();
  expect(ended.map(({ offered, asked }) => [offered, asked])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test('the last two hundred options and responses are remembered', async () => {
  const { session, ended, call } = openSession();
  session.exchanged(offer(CREATION, 1_000));
  for (let other = 0; other < 199; other += 1) session.exchanged(offer({ ...CREATION, challenge: 'AgICAgICAgICAgICAgICAg' }, 2_000));
  await call('create', CREATION);
  session.exchanged(offer({ ...CREATION, challenge: 'AgICAgICAgICAgICAgICAg' }, 2_000));
  await call('create', CREATION);
  await session.close();
  expect(ended.map(({ asked }) => asked?.at)).toEqual([1_000, undefined]);
});

describe('a response reaches its server', () => {
  const slashes = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/');
  /** Its bytes have what only base64url has: `-` and `_`. */
  const answer = async ({ kind }: Call) => {
    const both = { clientDataJSON: 'eyJ-_w', id: 'AAAA' };
    const response = kind === 'registration' ? { ...both, attestationObject: 'o2-_Zg' } : { ...both, signature: 'MEU-_g' };
    return { persona: 'yubikey-5', tamper: 'login.signature-bit', response: { id: kind, response } };
  };

  test.each<[string, 'create' | 'get', string, boolean]>([
    ['as base64url', 'create', '{"c":"eyJ-_w","a":"o2-_Zg"}', true],
    ['as base64', 'create', `{"c":"${slashes('eyJ-_w')}==","a":"${slashes('o2-_Zg')}"}`, true],
    ['in JSON that escapes the slash', 'create', '{"c":"eyJ+\\/w","a":"o2+\\/Zg"}', true],
    ['in a form', 'get', 'c=eyJ%2B%2Fw&s=MEU%2B%2fg', true],
    ['in a form in lower case', 'get', 'c=eyJ%2b%2fw&s=MEU%2b%2fg', true],
    ['without its attestation object', 'create', '{"c":"eyJ-_w","a":"o2-_Zh"}', false],
    ['without its signature', 'get', '{"c":"eyJ-_w"}', false],
    ['with other client data', 'get', '{"c":"eyJ-_x","s":"MEU-_g"}', false],
  ])('%s (%s)', async (_, name, body, isFound) => {
    const { session, ended, call } = openSession({ answer });
    await call(name, name === 'create' ? CREATION : REQUEST);
    session.exchanged({ ...sent(body), sent: undefined });
    session.exchanged(sent(body));
    await session.close();
    expect(ended).toMatchObject([{ persona: 'yubikey-5', tamper: 'login.signature-bit', exchange: isFound ? { sent: body } : undefined }]);
  });

  test('a page has 15 seconds for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { session, ended, call } = openSession();
    const late = await call('create', CREATION);
    vi.advanceTimersByTime(14_999);
    const inTime = await call('create', { ...CREATION, challenge: REQUEST.challenge });
    vi.advanceTimersByTime(1);
    session.exchanged(sent(JSON.stringify(late)));
    session.exchanged(sent(JSON.stringify(inTime)));
    expect(vi.getTimerCount()).toBe(0);
    await session.close();
    expect(ended).toMatchObject([
      { number: 1, exchange: undefined },
      { number: 2, exchange: { url: `${ORIGIN}/finish` } },
    ]);
  });
});

describe('a response without its bytes ends the ceremony at once', () => {
  const emptied = { clientDataJSON: {}, attestationObject: {} };
  const refused = (body: unknown, status: number): Exchange => ({
    ...sent(JSON.stringify(body)),
    status,
    received: '{"error":"No response"}',
  });
  const readable = encodeBase64url(encodeUtf8(JSON.stringify({ type: 'webauthn.create', challenge: 'AgIC', origin: ORIGIN })));
  const credential = (clientDataJSON: unknown) => ({
    id: 'AA',
    rawId: 'AA',
    type: 'public-key',
    response: { clientDataJSON, attestationObject: 'AAAA' },
  });

  test.each<[string, unknown, boolean, RegExp]>([
    ['ArrayBuffers', { id: 'AA', rawId: {}, type: 'public-key', response: emptied }, true, /JSON cannot hold an ArrayBuffer/],
    ['ArrayBuffers in a member', { credential: { id: 'AA', rawId: {}, response: emptied } }, true, /JSON cannot hold an ArrayBuffer/],
    ['a credential that is an empty object', { name: 'Phone', credential: {} }, true, /No response/],
    ['client data that cannot be read', credential('AAAA'), true, /./],
    ['the credential of another ceremony', credential(readable), false, /No response of your server/],
    ['something else of the page', { event: 'click', props: {}, clientExtensionResults: {} }, false, /No response of your server/],
  ])('%s', async (_, body, isFound, headline) => {
    const { session, ended, call } = openSession();
    await call('create', CREATION);
    // The browser may have refused this one, so it has no response.
    session.exchanged({ ...sent('{}'), received: JSON.stringify({ ...CREATION, rp: { id: 'other.example', name: 'Other' } }) });
    session.exchanged({ ...refused(body, 401), origin: 'https://other.example' });
    session.exchanged(refused(body, 400));
    await session.close();
    expect(ended).toMatchObject([
      { number: 1, exchange: isFound ? { status: 400 } : undefined, explanation: { headline: expect.stringMatching(headline) } },
      { number: 2, exchange: undefined, error: { name: 'SecurityError' } },
    ]);
  });
});

describe('options with an RP ID that is not of the page', () => {
  const creation = { ...CREATION, rp: { id: 'other.example', name: 'Other' } };
  const offer = (options: object): Exchange => ({ ...sent('{}'), received: JSON.stringify(options) });

  test.each([
    ['are refused by the browser, which calls no authenticator', false],
    ['are answered where the page has a related origin', true],
  ])('%s', async (_, isCalled) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { session, ended, call } = openSession({
      answer: async () => ({ persona: 'plain', tamper: null, response: { response: { clientDataJSON: 'e30', attestationObject: 'oA' } } }),
    });
    session.exchanged(offer(creation));
    session.exchanged(offer(CREATION));
    if (isCalled) await call('create', creation);
    vi.advanceTimersByTime(1_999);
    expect([vi.getTimerCount(), ended]).toEqual([1, []]);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(isCalled ? 1 : 0);
    await session.close();
    const refused = {
      ...CALLED,
      kind: 'registration',
      options: creation,
      offered: creation,
      asked: expect.objectContaining({ url: `${ORIGIN}/finish`, at: 0, origin: ORIGIN }),
      error: { name: 'SecurityError', message: expect.any(String) },
    };
    if (isCalled) {
      expect(ended).toMatchObject([{ number: 2, error: undefined, response: { response: { attestationObject: 'oA' } } }]);
      return;
    }
    expect(ended.map(seen)).toStrictEqual([refused]);
    expect(ended[0]?.explanation.headline).toMatch(/^No answer from the browser: the RP ID other\.example is neither the host of the page/);
  });

  test('end by themselves, each but the one that is called', async () => {
    const { session, ended, call } = openSession();
    const request = { rpId: 'other.example', challenge: 'AwMDAwMDAwMDAwMDAwMDAw' };
    session.exchanged(offer({ ...creation, challenge: `${CREATION.challenge}==` }));
    session.exchanged(offer(request));
    const unnamed = { ...offer({ ...request, challenge: 'BAQEBAQEBAQEBAQEBAQEBA' }), origin: undefined };
    session.exchanged(unnamed);
    await call('create', creation);
    await session.close();
    const found = ended.map(({ number, kind, options, error }) => [number, kind, options['challenge'], error?.name]);
    expect(found).toEqual([
      [3, 'registration', CREATION.challenge, 'SecurityError'],
      [2, 'authentication', request.challenge, 'SecurityError'],
    ]);
  });

  test('are not reported where real authenticators answer', async () => {
    const { session, ended } = openSession({ watch: true });
    session.exchanged(offer(creation));
    await session.close();
    expect(ended).toEqual([]);
  });
});

test.each<[string, unknown, JsonObject]>([
  ['a DOMException', new DOMException('No.', 'InvalidStateError'), { name: 'InvalidStateError', message: 'No.' }],
  [
    'the cause of an error of ours',
    new PasskeyError('validation_failed', 'Ours.', { cause: new DOMException('Theirs.', 'SecurityError') }),
    { name: 'SecurityError', message: 'Theirs.' },
  ],
  [
    'an error of ours',
    new PasskeyError('validation_failed', 'Ours.', { cause: new Error('x') }),
    { name: 'NotAllowedError', message: 'Ours.' },
  ],
  [
    'another error, whatever its cause',
    new TypeError('Other.', { cause: new DOMException('Theirs.', 'SecurityError') }),
    { name: 'NotAllowedError', message: 'Other.' },
  ],
  ['a text', 'thrown', { name: 'NotAllowedError', message: 'thrown' }],
])('of %s the page gets the exception', async (_, thrown, error) => {
  const { session, ended, call } = openSession({ answer: () => Promise.reject(thrown) });
  expect(await call('get', REQUEST)).toEqual(error);
  await session.close();
  expect(ended).toMatchObject([{ number: 1, error, persona: null, tamper: null, response: undefined, exchange: undefined }]);
});

test('a ceremony that cannot be judged is reported, and the next one is judged', async () => {
  const unjudged: unknown[] = [];
  const cause = new Error('Too much.');
  let isFirst = true;
  const heard: EndedCeremony[] = [];
  const { session, call } = openSession({
    onEnded(ceremony) {
      if (!isFirst) heard.push(ceremony);
      else {
        isFirst = false;
        throw cause;
      }
    },
    onUnjudged: ({ number }, thrown) => void unjudged.push([number, thrown]),
  });
  await call('create', CREATION);
  await call('create', CREATION);
  await session.close();
  expect(unjudged).toEqual([[1, cause]]);
  expect(heard).toMatchObject([{ number: 2 }]);
});

describe('with real authenticators', () => {
  const clientData = (change: JsonObject) =>
    encodeBase64url(encodeUtf8(JSON.stringify({ type: 'webauthn.get', challenge: REQUEST.challenge, origin: ORIGIN, ...change })));
  const login = (change: JsonObject, id = 'AAAA') => {
    const response = { clientDataJSON: clientData(change), authenticatorData: 'AQ', signature: 'Ag' };
    return { id, rawId: id, type: 'public-key', response };
  };
  const never = { watch: true, answer: () => Promise.reject(new Error('Expected no call.')) };

  test('every response that a page sends is a ceremony, once', async () => {
    const { session, ended } = openSession(never);
    session.exchanged(offer({ challenge: REQUEST.challenge, rpId: 'example.org', timeout: 5 }, 1_000, { sendsCookie: true }));
    const first = login({ crossOrigin: true, topOrigin: 'https://top.example' });
    // The reply has the options of the next ceremony.
    const sendsFirst = {
      ...offer({ challenge: 'BAQE', rpId: 'example.org' }, 2_000),
      url: `${ORIGIN}/finish`,
      sent: JSON.stringify(first),
    };
    session.exchanged(sendsFirst);
    session.exchanged(sent('{"other":1}'));
    const second = login({ crossOrigin: false, challenge: 'AwMD' }, 'BBBB');
    const unnamed = { ...sent(JSON.stringify(second)), at: 3_000, origin: undefined };
    session.exchanged(unnamed);
    await session.close();
    expect(ended.map(seen)).toStrictEqual([
      {
        ...CALLED,
        at: 2_000,
        options: { challenge: REQUEST.challenge, rpId: 'example.org', timeout: 5 },
        asked: expect.objectContaining({ at: 1_000, url: `${ORIGIN}/begin`, sendsCookie: true }),
        crossOrigin: true,
        topOrigin: 'https://top.example',
        response: first,
        exchange: sendsFirst,
      },
      { ...CALLED, number: 2, at: 3_000, origin: `${ORIGIN}/finish`, response: second, exchange: unnamed },
    ]);
  });

  test('client data that cannot be read say nothing of the frame', async () => {
    const { session, ended } = openSession(never);
    const response = { clientDataJSON: 'AAAA', authenticatorData: 'AQ', signature: 'Ag' };
    session.exchanged(sent(JSON.stringify({ id: 'CCCC', rawId: 'CCCC', type: 'public-key', response })));
    await session.close();
    expect(ended).toMatchObject([{ number: 1, crossOrigin: false, topOrigin: undefined, response: { id: 'CCCC' } }]);
  });
});

describe('a conditional call', () => {
  const CONDITIONAL = { challenge: 'AgMEBQYHCAkKCwwNDg8QEQ', rpId: 'example.org', extensions: CREATION.extensions };

  function openWaiting() {
    const picks: (() => void)[] = [];
    const waiting: (readonly [string, boolean])[] = [];
    const sessions: string[] = [];
    const opened = openSession({
      autofill: {
        readOptions: (options) => ({ options, session: 'user' in options ? undefined : 'page' }),
        picked: (page, signal) =>
          new Promise((resolve, reject) => {
            sessions.push(page);
            picks.push(resolve);
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      },
      onWaiting: ({ origin }, isEmpty) => void waiting.push([origin, isEmpty]),
    });
    return { ...opened, picks, waiting, sessions };
  }

  test('is answered when the user picks, and waits on where there is no passkey', async () => {
    const { call, ended, session, picks, waiting, sessions } = openWaiting();
    const login = call('get', CONDITIONAL);
    picks[0]?.();
    await until(() => picks.length === 2);
    await call('create', CREATION);
    picks[1]?.();
    expect(await login).toMatchObject({ type: 'public-key' });
    expect([waiting, sessions]).toEqual([
      [
        [ORIGIN, false],
        [ORIGIN, true],
      ],
      ['page', 'page'],
    ]);
    await session.close();
    expect(ended.map(({ kind, isConditional }) => [kind, isConditional])).toEqual([
      ['registration', false],
      ['authentication', true],
    ]);
  });

  test('that the page aborts is no ceremony', async () => {
    const { call, ended, session } = openWaiting();
    const aborting = new AbortController();
    const login = call('get', CONDITIONAL, aborting.signal);
    aborting.abort();
    expect(await login).toMatchObject({ name: 'AbortError' });
    await session.close();
    expect(ended).toEqual([]);
  });
});
