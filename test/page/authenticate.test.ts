import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { authenticate } from '../../src/page/flow/ceremonies.js';
import { unknownSignal } from '../../src/page/flow/signals.js';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import type { AppState, PasskeyRow } from '../../src/page/state.js';
import { browserLeg } from './runs.js';
import { type Answer, SERVER, tab } from './tab.js';

beforeAll(() => void vi.stubGlobal('location', { origin: 'http://localhost:7277', hostname: 'localhost' }));
afterAll(() => void vi.unstubAllGlobals());

const PASSKEY: PasskeyRow = { id: 1, label: 'Laptop', credential_id: 'QUJD', created_at: '' };
const GONE = { status: 404, answer: { code: 'passkey_not_found', detail: 'It was revoked.' } };
const UNAUTHORIZED = { status: 401, answer: { code: 'unauthorized', detail: 'No session.' } };
const USER = { owner: 'User:1', name: 'test', email: 'test@example.com' };

test.each<[string, PasskeyRow | undefined, Record<string, Answer>]>([
  ['at its options', PASSKEY, { '/api/passkeys/verify/options': GONE }],
  [
    'at its response',
    undefined,
    {
      '/api/passkeys/login/options': { status: 200, answer: { challenge: 'AA' } },
      '/dev/answer': { status: 200, answer: { response: { id: 'QUJD' } } },
      '/api/passkeys/login': GONE,
    },
  ],
])(
  'a login refused %s keeps the refusal in the status line, although its session has ended with the passkey',
  async (_case, passkey, answers) => {
    const { app, store } = tab({ answer: (path) => answers[path] ?? UNAUTHORIZED, state: { user: USER, passkeys: [PASSKEY] } });
    await authenticate(app, { passkey, endpoint: 'login' });
    expect(store.get().user).toBeUndefined();
    expect(store.get().runs[0]).toMatchObject({ outcome: 'rejected' });
    expect(store.get().status).toBe('404 passkey_not_found: It was revoked. Your session ended as well. Sign in again.');
  },
);

test('a login refused for another reason says nothing of the session', async () => {
  const { app, store } = tab({
    answer: (path) => (path === '/api/passkeys/verify/options' ? GONE : { status: 200, answer: [] }),
    state: { user: USER, passkeys: [PASSKEY] },
  });
  await authenticate(app, { passkey: PASSKEY, endpoint: 'login' });
  expect(store.get().status).toBe('404 passkey_not_found: It was revoked.');
  expect(store.get().user).toBe(USER);
});

describe('a login', () => {
  const answers: Readonly<Record<string, Answer>> = {
    '/dev/answer': { status: 200, answer: { response: { id: 'QUJD' } } },
    '/dev/state': {
      status: 200,
      answer: { signIn: true, policy: {}, verifiable: {}, users: [], passkeys: 1, user: { type: 'User', id: 1, name: 'Ada' } },
    },
    '/api/passkeys/login': { status: 200, answer: { token: 'pk_new', user: { id: 1, name: 'Ada' } } },
    '/api/passkeys/verify': { status: 200, answer: { passkey: { id: 7 }, passkeeable_type: 'User', passkeeable_id: 9 } },
  };
  function open(state: Partial<AppState> = {}, change: Readonly<Record<string, Answer>> = {}) {
    return tab({
      answer: (path) =>
        ({ ...answers, ...change })[path] ?? {
          status: 200,
          answer: path.endsWith('/options') ? { challenge: 'AA', rpId: 'shop.example' } : [],
        },
      state: { signalled: ['QUJD', 'other'], ...state },
    });
  }
  const LATEST = ['/dev/state', '/dev/passkeys?all=1'];

  test('with any passkey keeps the token and the user', async () => {
    const { app, store, sent, asked } = open({ token: 'pk_old' });
    const phases: unknown[] = [];
    store.watch(({ waiting }) => void phases.push(waiting && [waiting.title, waiting.phase, waiting.silent]), ['waiting']);
    await authenticate(app, { passkey: undefined, endpoint: 'login' });
    expect(sent).toEqual(
      ['/api/passkeys/login/options', '/dev/answer', '/api/passkeys/login']
        .map((path) => `POST ${path}`)
        .concat(LATEST.map((path) => `GET ${path}`)),
    );
    expect(asked.slice(0, 3).map(({ body }) => body)).toEqual([{}, { options: { challenge: 'AA', rpId: 'shop.example' } }, { id: 'QUJD' }]);
    expect(store.get()).toMatchObject({ token: 'pk_new', user: { owner: 'User:1', name: 'Ada' }, signalled: ['other'], selected: 'run-1' });
    const title = 'Log in with a discoverable passkey';
    expect(store.get().runs).toMatchObject([{ title, kind: 'authentication', outcome: 'verified', summary: 'Logged in as Ada.' }]);
    // As it begins, and for each of its three requests.
    expect(phases).toEqual([...Array.from({ length: 4 }, () => [title, 'server', false]), undefined]);
  });

  test('that only verifies leaves the user, and says whose passkey it is', async () => {
    const { app, store, sent, asked } = open({ user: USER, token: 'pk_old', passkeys: [PASSKEY] });
    await authenticate(app, { passkey: PASSKEY, endpoint: 'verify' });
    expect(sent).toEqual(['POST /api/passkeys/verify/options', 'POST /dev/answer', 'POST /api/passkeys/verify', 'GET /dev/passkeys?all=1']);
    expect(asked[0]?.body).toEqual({ credential_id: 'QUJD' });
    expect(asked[1]?.body).toMatchObject({ credential_id: 'QUJD' });
    expect(store.get()).toMatchObject({ token: 'pk_old', user: USER, signalled: ['other'] });
    const summary = 'Verified: passkey 7 of User 9. No user was logged in.';
    expect(store.get().runs).toMatchObject([{ title: 'Verify with “Laptop”', outcome: 'verified', summary }]);
  });

  test('after which the server knows no user says so, and one without a token has none', async () => {
    const nobody = { status: 200, answer: { signIn: true, policy: {}, verifiable: {}, users: [], passkeys: 1, user: null } };
    const { app, store } = open({ token: 'pk_old' }, { '/dev/state': nobody, '/api/passkeys/login': { status: 200, answer: {} } });
    await authenticate(app, { passkey: undefined, endpoint: 'login' });
    expect(store.get()).toMatchObject({ token: undefined, user: undefined, runs: [{ summary: 'Logged in as the user.' }] });
  });

  test.each<[string, Partial<AppState>, PasskeyRow | undefined, object | undefined, string, object]>([
    [
      'of the address',
      { setup: { ...PLAIN_SETUP, appUrl: 'https://shop.example' } },
      undefined,
      undefined,
      '/api/passkeys/login/options',
      { app_url: 'https://shop.example' },
    ],
    [
      'of the drawer',
      { setup: { ...PLAIN_SETUP, appUrl: 'https://shop.example', authentication: { timeout: 5 } } },
      undefined,
      undefined,
      '/dev/login/options',
      { app_url: 'https://shop.example', options: { timeout: 5 } },
    ],
    [
      'of a purpose, which come first',
      { setup: { ...PLAIN_SETUP, authentication: { timeout: 5, hints: [] } } },
      PASSKEY,
      { timeout: 6 },
      '/dev/verify/options',
      { credential_id: 'QUJD', options: { timeout: 6, hints: [] } },
    ],
    [
      'of the drawer, at a server that takes none',
      { setup: { ...PLAIN_SETUP, authentication: { timeout: 5 } }, server: { ...SERVER, local: false } },
      undefined,
      undefined,
      '/api/passkeys/login/options',
      {},
    ],
    [
      'of none, at a server that is not known',
      { server: undefined },
      PASSKEY,
      undefined,
      '/api/passkeys/verify/options',
      { credential_id: 'QUJD' },
    ],
  ])('asks with options %s', async (_, state, passkey, options, path, body) => {
    const calls = { run: async () => ({ leg: browserLeg({ response: undefined }), aborted: false }), abort: async () => {} };
    const opened = tab({ answer: () => ({ status: 200, answer: { challenge: 'AA' } }), state: { answerWith: 'browser', ...state }, calls });
    await authenticate(opened.app, { passkey, endpoint: 'login', purpose: { title: 'Own', ...(options && { options: { ...options } }) } });
    expect(opened.asked[0]).toEqual({ path, body });
    // A browser that gives neither a response nor an error.
    expect(opened.store.get().runs).toMatchObject([{ title: 'Own', outcome: 'browser-error', summary: 'Error: .' }]);
  });

  test.each<[string, Readonly<Record<string, Answer>>, object | undefined]>([
    ['its options of a passkey that is unknown', { '/api/passkeys/verify/options': GONE }, unknownSignal('shop.example', 'QUJD')],
    [
      'its options for another reason',
      { '/api/passkeys/verify/options': { status: 422, answer: { code: 'x', detail: 'No.' } } },
      undefined,
    ],
    ['no options', { '/api/passkeys/verify/options': { status: 200, answer: [] } }, undefined],
    ['its response of a passkey that is unknown', { '/api/passkeys/login': GONE }, unknownSignal('shop.example', 'QUJD')],
    ['its response for another reason', { '/api/passkeys/login': { status: 422, answer: { code: 'x', detail: 'No.' } } }, undefined],
  ])('answered with %s offers a signal only where it fits', async (_, change, offer) => {
    const { app, store } = open({ token: 'pk_old', user: USER }, change);
    await authenticate(app, { passkey: { ...PASSKEY, rp_id: 'shop.example' }, endpoint: 'login' });
    expect(store.get()).toMatchObject({ token: 'pk_old', user: USER, signalled: ['QUJD', 'other'], runs: [{ outcome: 'rejected' }] });
    expect(store.get().runs[0]?.offer).toEqual(offer);
  });

  test('at an unknown RP ID offers a signal for the host of the page', async () => {
    const { app, store } = open({}, { '/api/passkeys/verify/options': GONE });
    await authenticate(app, { passkey: PASSKEY, endpoint: 'login' });
    expect(store.get().runs[0]?.offer).toEqual(unknownSignal('localhost', 'QUJD'));
    const { app: other, store: others } = open(
      {},
      { '/api/passkeys/login': GONE, '/dev/answer': { status: 200, answer: { response: {} } } },
    );
    await authenticate(other, { passkey: undefined, endpoint: 'login' });
    expect(others.get().runs[0]).toMatchObject({ outcome: 'rejected', offer: undefined });
  });

  test.each([
    ['NotAllowedError', 400, undefined, 'cancelled'],
    ['NotAllowedError', 399, undefined, 'browser-error'],
    ['NotAllowedError', 400, 'plain', 'browser-error'],
    ['AbortError', 1, undefined, 'cancelled'],
    ['SecurityError', 400, undefined, 'browser-error'],
  ])('ended by %s after %i ms (software: %s) is %s', async (name, milliseconds, persona, outcome) => {
    const error = { name, message: '', explanation: { title: 'Ended', causes: [], next: '' } };
    const software = persona === undefined ? undefined : { persona, tamper: undefined };
    const leg = browserLeg({ response: undefined, error, milliseconds, software });
    const calls = { run: async () => ({ leg, aborted: false }), abort: async () => {} };
    const { app, store } = tab({ answer: () => ({ status: 200, answer: {} }), state: { answerWith: 'browser' }, calls });
    await authenticate(app, { passkey: undefined, endpoint: 'login' });
    expect(store.get().runs).toMatchObject([{ outcome, summary: `${name}: Ended.` }]);
  });
});
