import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { blockedBecause, isBlocked, register } from '../../src/page/flow/ceremonies.js';
import { unknownSignal } from '../../src/page/flow/signals.js';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import type { AppState } from '../../src/page/state.js';
import { type Answer, GONE, SERVER, tab } from './tab.js';

beforeAll(() => void vi.stubGlobal('location', { origin: 'http://localhost:7277', hostname: 'localhost' }));
afterAll(() => void vi.unstubAllGlobals());

const OPTIONS = { challenge: 'AA', rp: { id: 'shop.example' } };
const ANSWERS: Readonly<Record<string, Answer>> = {
  '/api/passkeys/register/options': { status: 200, answer: OPTIONS },
  '/dev/register/options': { status: 200, answer: OPTIONS },
  '/dev/answer': { status: 200, answer: { response: { id: 'QUJD' } } },
  '/api/passkeys/register': { status: 201, answer: { passkey: { id: 7, label: 'Key' } } },
};

/** A tab with a token, whose server gives these answers; without any, the state of the server cannot be had. */
function open(state: Partial<AppState> = {}, change: Readonly<Record<string, Answer>> = {}) {
  return tab({ answer: (path) => ({ ...ANSWERS, ...change })[path] ?? GONE, state: { token: 'pk_x', ...state } });
}

test('a passkey is registered, and the state is asked for again', async () => {
  const { app, store, asked, sent } = open();
  const waits: unknown[] = [];
  store.watch(({ waiting }) => waiting && waits.push([waiting.title, waiting.phase, waiting.silent]), ['waiting']);
  expect(await register(app, { label: '' })).toBe(true);
  expect(sent).toEqual(['POST /api/passkeys/register/options', 'POST /dev/answer', 'POST /api/passkeys/register', 'GET /dev/state']);
  expect(asked.map(({ body }) => body)).toEqual([
    { app_name: 'Passkey test page', app_url: 'http://localhost:7277' },
    { options: OPTIONS },
    { label: null, id: 'QUJD' },
    undefined,
  ]);
  expect(waits[0]).toEqual(['Register a passkey', 'server', false]);
  const { runs, selected, status, waiting } = store.get();
  const summary = 'Registered “Key” as passkey 7.';
  expect({ selected, status, waiting }).toEqual({ selected: 'run-1', status: summary, waiting: undefined });
  expect(runs).toMatchObject([{ title: 'Register a passkey', kind: 'registration', outcome: 'verified', summary, offer: undefined }]);
});

test('one is registered without a dialog, under a name; an answer without one has none', async () => {
  const { app, store, asked } = open({}, { '/api/passkeys/register': { status: 201, answer: {} } });
  const waits: unknown[] = [];
  store.watch(({ waiting }) => waiting && waits.push(waiting.silent), ['waiting']);
  expect(await register(app, { label: 'Phone', mediation: 'conditional' })).toBe(true);
  expect(asked.slice(0, 3)).toEqual([
    {
      path: '/dev/register/options',
      body: { app_name: 'Passkey test page', app_url: 'http://localhost:7277', mediation: 'conditional', options: {} },
    },
    { path: '/dev/answer', body: { options: OPTIONS, mediation: 'conditional' } },
    { path: '/api/passkeys/register', body: { label: 'Phone', id: 'QUJD' } },
  ]);
  expect(new Set(waits)).toEqual(new Set([true]));
  const title = 'Register without a dialog (conditional create)';
  expect(store.get().runs).toMatchObject([{ title, summary: 'Registered “” as passkey undefined.' }]);
});

const SETUP = { ...PLAIN_SETUP, appName: 'Shop', appUrl: 'https://shop.example' };
const APP = { app_name: 'Shop', app_url: 'https://shop.example' };

test.each<[string, Partial<AppState>, Parameters<typeof register>[1], string, object]>([
  [
    'of the drawer, completed by the policy',
    { setup: { ...SETUP, registration: { timeout: 5, authenticatorSelection: { userVerification: 'required' } } } },
    { label: '' },
    '/dev/register/options',
    { ...APP, options: { timeout: 5, authenticatorSelection: { residentKey: 'required', userVerification: 'required' } } },
  ],
  [
    'of a purpose, which come first',
    { setup: { ...SETUP, registration: { timeout: 5, hints: [] } } },
    { label: '', purpose: { options: { timeout: 6 } } },
    '/dev/register/options',
    { ...APP, options: { timeout: 6, hints: [] } },
  ],
  [
    'of the drawer, at a server that takes none',
    { setup: { ...SETUP, registration: { timeout: 5 } }, server: { ...SERVER, local: false }, answerWith: 'plain' },
    { label: '', mediation: 'conditional', purpose: { answerWith: 'plain' } },
    '/api/passkeys/register/options',
    APP,
  ],
  ['of none', { setup: SETUP }, { label: '' }, '/api/passkeys/register/options', APP],
])('asks with options %s', async (_, state, given, path, body) => {
  const { app, asked } = open(state);
  await register(app, given);
  expect(asked[0]).toEqual({ path, body });
});

test('a purpose has a title, and its authenticator answers', async () => {
  const { app, store, asked } = open({ answerWith: 'titan' });
  const tamper = { id: 'register.origin', title: 'x', inBrowser: true };
  await register(app, { label: '', purpose: { title: 'Break it', answerWith: 'yubikey-5', tamper } });
  expect(asked[1]).toEqual({ path: '/dev/answer', body: { options: OPTIONS, persona: 'yubikey-5', tamper: 'register.origin' } });
  expect(store.get().runs).toMatchObject([{ title: 'Break it' }]);
});

const REFUSAL: Answer = { status: 422, answer: { code: 'origin_mismatch', detail: 'Another origin.' } };
const ORPHAN = 'The authenticator keeps the passkey it created, which the server does not know.';
const ABOUT = 'The server refused its registration and did not store it.';

test.each<[string, Readonly<Record<string, Answer>>, ReturnType<typeof unknownSignal>]>([
  ['at its RP ID', {}, unknownSignal('shop.example', 'QUJD', ABOUT)],
  [
    'at the host of the page, where the options name none',
    {
      '/api/passkeys/register/options': { status: 200, answer: {} },
      '/dev/answer': { status: 200, answer: { response: {} } },
    },
    unknownSignal('localhost', '', ABOUT),
  ],
])('a passkey that the server refuses stays in the authenticator, which can be told %s', async (_, change, offer) => {
  const { app, store, sent } = open({}, { '/api/passkeys/register': REFUSAL, ...change });
  expect(await register(app, { label: '' })).toBe(false);
  expect(sent).toHaveLength(3);
  const summary = `422 origin_mismatch: Another origin. ${ORPHAN}`;
  expect(store.get().runs).toMatchObject([{ outcome: 'rejected', summary, offer }]);
});

test.each<[string, Partial<AppState>, Readonly<Record<string, Answer>>, number, string, string]>([
  ['no token', { token: undefined }, {}, 0, 'failed', 'Registering needs a user. Sign in as a test user first, or paste a bearer token.'],
  ['no options', {}, { '/api/passkeys/register/options': REFUSAL }, 1, 'rejected', '422 origin_mismatch: Another origin.'],
  [
    'options that are none',
    {},
    { '/api/passkeys/register/options': { status: 200, answer: [] } },
    1,
    'rejected',
    '200: The server gave no reason.',
  ],
  [
    'options that are a refusal',
    {},
    { '/api/passkeys/register/options': { status: 500, answer: OPTIONS } },
    1,
    'rejected',
    '500: The server gave no reason.',
  ],
  ['no response', {}, { '/dev/answer': GONE }, 2, 'browser-error', 'NetworkError: The server did not answer.'],
])('with %s it ends', async (_, state, change, requests, outcome, summary) => {
  const { app, store, sent } = open(state, change);
  expect(await register(app, { label: '' })).toBe(false);
  expect(sent).toHaveLength(requests);
  expect(store.get()).toMatchObject({ waiting: undefined, runs: [{ outcome, summary, offer: undefined }] });
});

test('begins nothing while another ceremony waits, nor with options that cannot be used, which the drawer shows', async () => {
  const waiting = { run: 4, title: 'Log in', phase: 'server', since: 0, until: undefined, silent: false } as const;
  const other = open({ waiting });
  expect(await register(other.app, { label: '' })).toBe(false);
  expect(other.store.get()).toMatchObject({ runs: [], drawer: undefined, status: '' });
  expect(blockedBecause(other.store.get(), 'registration')).toBe('“Log in” is still waiting. Answer or cancel it first.');
  const unusable = open({ invalid: { registration: { text: '{', problem: 'It ends.' } } });
  expect(await register(unusable.app, { label: '' })).toBe(false);
  const status = 'The options to register cannot be used. It ends.';
  expect(unusable.store.get()).toMatchObject({ runs: [], drawer: 'options', status, statusFailed: true });
  const fine = open();
  expect(isBlocked(fine.app, 'registration')).toBe(false);
  expect(fine.store.get()).toMatchObject({ drawer: undefined, status: '' });
  expect([...other.sent, ...unusable.sent, ...fine.sent]).toEqual([]);
});
