import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  adoptToken,
  ensureToken,
  exchangeKey,
  keyFromAddress,
  passkeyRows,
  refresh,
  signIn,
  signOut,
  toUser,
} from '../../src/page/flow/account.js';
import { createApp } from '../../src/page/flow/app.js';
import type { AppState } from '../../src/page/state.js';
import { httpLeg } from './runs.js';
import { type Answer, GONE, SERVER, tab } from './tab.js';

const USER = { owner: 'User:1', name: 'Ada', email: 'ada@example.com' };
const OTHER = { owner: 'Admin:2', name: 'Grace', email: 'grace@example.com' };
/** The same as the server sends them. */
const ADA = { type: 'User', id: 1, name: 'Ada', email: 'ada@example.com' };
const GRACE = { type: 'Admin', id: 2, name: 'Grace', email: 'grace@example.com' };
/** What `GET /dev/state` answers about the same server, with both users. */
const STATE = {
  signIn: true,
  signInReason: null,
  policy: SERVER.policy,
  verifiable: SERVER.verifiable,
  users: [ADA, GRACE],
  passkeys: 3,
  user: null,
};
const SERVER_OF_STATE = { ...SERVER, users: [USER, OTHER], stored: 3 };
const problem = (status: number, code: string): Answer => ({ status, answer: { code, detail: 'Why.' } });
const NO_SESSION = problem(401, 'unauthorized');
/** A stored passkey, with its credential ID in base64 as the server sends it, and as the page keeps it. */
const SENT = { id: 7, label: 'Key', credential_id: '+/8=', created_at: '' };
const KEPT = { ...SENT, credential_id: '-_8' };

/** A tab whose server gives these answers at these paths; all else is found nowhere. */
function tabWith(answers: Readonly<Record<string, Answer>>, state: Partial<AppState> = {}) {
  return tab({ answer: (path) => answers[path] ?? problem(404, 'route_not_found'), state });
}
const stateWith = (change: object = {}): Answer => ({ status: 200, answer: { ...STATE, ...change } });

describe('the state of the server', () => {
  test('is kept with the user and all passkeys of the user', async () => {
    const { app, store, sent } = tabWith(
      {
        '/dev/state': stateWith({ user: ADA, site: { url: 'https://shop.example', persona: null, tamper: null } }),
        '/dev/passkeys?all=1': { status: 200, answer: [SENT] },
      },
      { mode: 'unknown', server: undefined },
    );
    await refresh(app);
    expect(sent).toEqual(['GET /dev/state', 'GET /dev/passkeys?all=1']);
    const { mode, server, user, passkeys, status } = store.get();
    expect({ mode, server, user, passkeys, status }).toEqual({
      mode: 'development',
      server: { ...SERVER_OF_STATE, site: { url: 'https://shop.example', persona: null, tamper: null } },
      user: USER,
      passkeys: [KEPT],
      status: '',
    });
  });

  test('from another machine has no others than the passkeys of the user', async () => {
    const { app, store, sent } = tabWith({
      '/dev/state': stateWith({ user: ADA, signIn: false, signInReason: 'This address is not local.' }),
      '/api/passkeys': { status: 200, answer: [SENT] },
    });
    await refresh(app);
    expect(sent).toEqual(['GET /dev/state', 'GET /api/passkeys']);
    expect(store.get()).toMatchObject({ passkeys: [KEPT] });
    expect(store.get().server).toEqual({ ...SERVER_OF_STATE, local: false, refusal: 'This address is not local.' });
  });

  test('that says nothing new replaces nothing, so that nothing is drawn again', async () => {
    const answers = { '/dev/state': stateWith({ user: ADA }), '/dev/passkeys?all=1': { status: 200, answer: [SENT] } };
    const { app, store } = tabWith(answers);
    await refresh(app);
    const { server, user, passkeys } = store.get();
    await refresh(app);
    expect(store.get().server).toBe(server);
    expect(store.get().user).toBe(user);
    expect(store.get().passkeys).toBe(passkeys);
  });

  test.each<[string, Answer, string]>([
    ['cannot be had', GONE, 'The server did not answer.'],
    ['is refused', problem(403, 'development_only'), '403 development_only: Why.'],
    ['is refused with members of one', { status: 500, answer: { ...STATE, code: 'x' } }, '500 x: The server gave no reason.'],
    ['is none', { status: 200, answer: [] }, '200: The server gave no reason.'],
    ['has no policy', { status: 200, answer: { ...STATE, policy: null } }, '200: The server gave no reason.'],
    ['has nothing verifiable', { status: 200, answer: { ...STATE, verifiable: null } }, '200: The server gave no reason.'],
    ['has no users', { status: 200, answer: { ...STATE, users: null } }, '200: The server gave no reason.'],
  ])('that %s leaves what is known, and is said', async (_, answer, status) => {
    const { app, store, sent } = tabWith({ '/dev/state': answer }, { user: USER });
    await refresh(app);
    expect(store.get()).toMatchObject({ mode: 'unreachable', server: SERVER, user: USER, status, statusFailed: true });
    expect(sent).toEqual(['GET /dev/state']);
  });

  test.each<[string, Partial<AppState>, Partial<AppState>]>([
    [
      'the token is refused',
      { token: 'pk_x', user: USER },
      { token: undefined, status: 'The server no longer accepts this tab’s bearer token. Sign in again.', statusFailed: true },
    ],
    ['the session ended', { user: USER }, { token: undefined, status: 'Your session ended.', statusFailed: true }],
    ['there was neither', {}, { token: undefined, status: '', statusFailed: false }],
  ])('without a user, where %s, keeps the last passkeys', async (_, state, expected) => {
    const { app, store, sent } = tabWith({ '/dev/state': stateWith() }, { passkeys: [KEPT], ...state });
    await refresh(app);
    expect(sent).toEqual(['GET /dev/state']);
    expect(store.get()).toMatchObject({ ...expected, user: undefined, passkeys: [KEPT] });
  });

  test('whose passkeys need another session says so, and keeps none where they cannot be read', async () => {
    const signedIn = stateWith({ user: ADA });
    const ended = tabWith({ '/dev/state': signedIn, '/dev/passkeys?all=1': NO_SESSION }, { token: 'pk_x', passkeys: [KEPT] });
    await refresh(ended.app);
    expect(ended.store.get()).toMatchObject({
      user: undefined,
      token: undefined,
      passkeys: [KEPT],
      status: 'Your session ended. Sign in again.',
      statusFailed: true,
    });
    const failed = tabWith({ '/dev/state': signedIn, '/dev/passkeys?all=1': problem(402, 'other') }, { token: 'pk_x', passkeys: [KEPT] });
    await refresh(failed.app);
    expect(failed.store.get()).toMatchObject({ user: USER, token: 'pk_x', passkeys: [], status: '' });
  });
});

test.each([
  [{ status: 200, answer: [SENT, { ...SENT, credential_id: '?' }] }, [KEPT, { ...SENT, credential_id: '' }]],
  [{ status: 200, answer: {} }, undefined],
  [{ status: 400, answer: [SENT] }, undefined],
])('passkeys in the answer %j', (answer, rows) => {
  expect(passkeyRows(httpLeg(answer))).toEqual(rows);
});

test.each([
  [GRACE, OTHER],
  [
    { id: 3, name: 'Bob' },
    { owner: '3', name: 'Bob', email: '' },
  ],
  [
    { type: 'User', email: 'a@b.example' },
    { owner: '', name: '', email: 'a@b.example' },
  ],
  [undefined, { owner: '', name: '', email: '' }],
])('the user %j', (user, expected) => {
  expect(toUser(user)).toEqual(expected);
});

describe('signing in', () => {
  const signedInAs = (user: object | null) => ({
    '/dev/sign-in': { status: 201, answer: { token: 'pk_new' } },
    '/dev/state': stateWith({ user }),
    '/dev/passkeys?all=1': { status: 200, answer: [SENT] },
  });

  test.each([
    [{ email: 'new@example.com', name: 'New' }, ADA, 'Sign in as new@example.com', 'Signed in as Ada.'],
    [{ owner: 'Admin:2' }, GRACE, 'Sign in as grace@example.com', 'Signed in as Grace.'],
    [{ owner: 'User:9' }, { type: 'User', id: 9 }, 'Sign in as User:9', 'Signed in as .'],
    [{ owner: 'User:9' }, null, 'Sign in as User:9', 'Signed in as User:9.'],
    [{ email: 'new@example.com' }, null, 'Sign in as new@example.com', 'Signed in as new@example.com.'],
    [{}, null, 'Sign in as the test user', 'Signed in as the test user.'],
  ])('as %j, with what the server then says: %j', async (who, user, title, summary) => {
    const { app, store, asked, sent } = tabWith(signedInAs(user), { server: SERVER_OF_STATE });
    expect(await signIn(app, who)).toBe(true);
    expect([sent[0], asked[0]?.body]).toEqual(['POST /dev/sign-in', who]);
    expect(store.get().token).toBe(user === null ? undefined : 'pk_new');
    expect(store.get().runs).toMatchObject([{ title, kind: 'other', outcome: 'verified', summary }]);
  });

  test.each<[Answer, string]>([
    [problem(403, 'development_only'), '403 development_only: Why.'],
    [{ status: 403, answer: { token: 'pk_x' } }, '403: The server gave no reason.'],
    [{ status: 200, answer: {} }, '200: The server gave no reason.'],
  ])('answered %j fails, and changes nothing', async (answer, summary) => {
    const { app, store, sent } = tabWith({ '/dev/sign-in': answer });
    expect(await signIn(app, { owner: 'User:1' })).toBe(false);
    expect(sent).toEqual(['POST /dev/sign-in']);
    expect(store.get()).toMatchObject({ token: undefined, runs: [{ outcome: 'rejected', summary }] });
  });
});

describe('a bearer token for a registration', () => {
  const ensure = async (state: Partial<AppState>) => {
    const { app, store, asked } = tabWith({ '/dev/sign-in': { status: 201, answer: { token: 'pk_new' } } }, state);
    const ensured = await ensureToken(app, app.runs.begin('Register', 'registration'));
    const [run] = store.get().runs;
    return [ensured, asked, store.get().token, run?.outcome, run?.summary];
  };

  test('is that of the tab, or else one of the user by development sign-in', async () => {
    expect(await ensure({ token: 'pk_x' })).toEqual([true, [], 'pk_x', 'running', '']);
    const asked = [{ path: '/dev/sign-in', body: { owner: 'User:1' } }];
    expect(await ensure({ user: USER })).toEqual([true, asked, 'pk_new', 'running', '']);
  });

  test.each<[Partial<AppState>, string]>([
    [{}, 'Registering needs a user. Sign in as a test user first, or paste a bearer token.'],
    [{ user: { ...USER, owner: '' } }, 'Registering needs a user. Sign in as a test user first, or paste a bearer token.'],
    [
      { user: USER, server: { ...SERVER, local: false } },
      'Registering needs a bearer token; the session of a login is not enough. Paste a token.',
    ],
    [{ user: USER, server: undefined }, 'Registering needs a bearer token; the session of a login is not enough. Paste a token.'],
  ])('cannot be had with %j', async (state, summary) => {
    expect(await ensure(state)).toEqual([false, [], undefined, 'failed', summary]);
  });
});

describe('a bearer token that is pasted', () => {
  test('is tried, then kept, without what stands around it', async () => {
    const { app, store, sent } = tabWith(
      { '/api/passkeys': { status: 200, answer: [SENT] }, '/dev/state': stateWith({ user: GRACE }) },
      { user: USER, token: 'pk_old' },
    );
    expect(await adoptToken(app, ' BEARER  pk_x\n')).toBe(true);
    expect(sent).toEqual(['GET /api/passkeys with pk_x', 'GET /dev/state', 'GET /dev/passkeys?all=1']);
    expect(store.get()).toMatchObject({ token: 'pk_x', user: OTHER });
    expect(store.get().runs).toMatchObject([
      {
        title: 'Use a bearer token',
        kind: 'other',
        outcome: 'verified',
        summary: 'The server accepts the bearer token.',
        legs: [{ path: '/api/passkeys' }],
      },
    ]);
  });

  test.each<[Answer, string, string]>([
    [NO_SESSION, 'rejected', 'The server does not accept the bearer token: 401 unauthorized: Why.'],
    [problem(402, 'other'), 'rejected', '402 other: Why.'],
    [GONE, 'unanswered', 'The server did not answer.'],
  ])('is not kept where the server answers %j', async (answer, outcome, summary) => {
    const { app, store, sent } = tabWith({ '/api/passkeys': answer }, { user: USER, token: 'pk_old' });
    expect(await adoptToken(app, 'pk_x')).toBe(false);
    expect(sent).toEqual(['GET /api/passkeys with pk_x']);
    expect(store.get()).toMatchObject({ user: USER, token: 'pk_old', runs: [{ outcome, summary, legs: [{ kind: 'http' }] }] });
  });
});

test.each<[Answer, string, string]>([
  [{ status: 204, answer: undefined }, 'verified', 'Signed out.'],
  [NO_SESSION, 'verified', 'Signed out.'],
  [problem(402, 'other'), 'rejected', '402 other: Why.'],
])('signing out, answered %j', async (answer, outcome, summary) => {
  const { app, store, sent } = tabWith({ '/api/session': answer, '/dev/state': stateWith() }, { user: USER, token: 'pk_x' });
  await signOut(app);
  expect(sent).toEqual(['DELETE /api/session', 'GET /dev/state']);
  // Nothing has ended that was not ended here.
  expect(store.get()).toMatchObject({ user: undefined, token: undefined, runs: [{ title: 'Sign out', kind: 'other', outcome, summary }] });
  expect(store.get().status).toBe(summary);
});

describe('the key in the address', () => {
  test.each<[Answer, string, boolean]>([
    [{ status: 204, answer: undefined }, '', false],
    [problem(404, 'route_not_found'), '', false],
    [problem(403, 'key_invalid'), '403 key_invalid: Why.', true],
    [GONE, 'The server did not answer.', true],
  ])('is exchanged; an answer %j is said only if it is a refusal', async (answer, status, statusFailed) => {
    const { app, store, asked, sent } = tabWith({ '/dev/key': answer });
    await exchangeKey(app, 'k');
    expect([sent, asked[0]?.body]).toEqual([['POST /dev/key'], { key: 'k' }]);
    expect(store.get()).toMatchObject({ status, statusFailed });
  });

  test('is taken out of it', () => {
    onTestFinished(() => void vi.unstubAllGlobals());
    const replaced: unknown[] = [];
    vi.stubGlobal('history', { replaceState: (...to: readonly unknown[]) => void replaced.push(to) });
    vi.stubGlobal('location', { href: 'http://localhost:7277/#key=k&autofill=on' });
    expect(keyFromAddress()).toBe('k');
    vi.stubGlobal('location', { href: 'http://localhost:7277/#autofill=on' });
    expect(keyFromAddress()).toBeUndefined();
    expect(replaced).toEqual([[null, '', 'http://localhost:7277/#autofill=on']]);
  });
});

test('the requests of a tab have its own ids, its token, and are never answered from a cache', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const requests: { readonly path: string; readonly init: RequestInit; readonly id: string }[] = [];
  vi.stubGlobal('location', { origin: 'http://localhost:7277' });
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    requests.push({ path, init, id: new Headers(init.headers).get('x-request-id') ?? '' });
    return new Response('{}');
  });
  const { store } = tab({ answer: () => GONE, state: { token: 'pk_x' } });
  const [app, other] = [createApp(store), createApp(store)];
  expect(app.store).toBe(store);
  const run = app.runs.begin('Sign in', 'other');
  await run.http('POST', '/dev/sign-in');
  await app.api.call('GET', '/dev/state');
  expect(requests.map(({ path, init }) => [path, init.cache, new Headers(init.headers).get('authorization')])).toEqual([
    ['/dev/sign-in', 'no-store', 'Bearer pk_x'],
    ['/dev/state', 'no-store', 'Bearer pk_x'],
  ]);
  const [first = '', second = ''] = requests.map(({ id }) => id);
  expect([first, second].map((id) => /^page-[a-z0-9]+-(\d+)$/.exec(id)?.[1])).toEqual(['1', '2']);
  expect([first, second, `x${first}`].map(app.isOwn)).toEqual([true, true, false]);
  expect(other.isOwn(first)).toBe(false);
  expect(store.get().runs).toMatchObject([{ requestIds: [first] }]);
});
