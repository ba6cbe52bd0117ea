import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PLAIN, THIS_BROWSER } from '../../src/page/catalogue.js';
import { listItems } from '../../src/page/items.js';
import type { BrowserLeg, Run } from '../../src/page/run.js';
import type { AppState, PasskeyRow } from '../../src/page/state.js';
import { listNextSteps } from '../../src/page/view/subject/next-steps.js';
import { mutation } from './drawing.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { SERVER, tab } from './tab.js';

beforeAll(() => void vi.stubGlobal('location', { origin: 'http://localhost:7277', hostname: 'localhost' }));
afterAll(() => void vi.unstubAllGlobals());

const refused = (code: string) => httpLeg({ status: 401, answer: { code } });
const thrown = (name: string): BrowserLeg => {
  const explanation = { title: '', causes: [], next: '' };
  return browserLeg({ response: undefined, error: { name, message: '', explanation } });
};
const broken = browserLeg({ software: { persona: undefined, tamper: 'login.signature-bit' } });
const passkey: PasskeyRow = { id: 7, label: 'Key', credential_id: 'id-7', created_at: '', revoked_at: null };

/** The buttons below the newer of two runs. */
function below(run: Partial<Run>, { local = true, answerWith = THIS_BROWSER } = {}) {
  const kind = run.kind ?? 'authentication';
  const runs = [loginRun({ id: 2, startedAt: 2, ...run }), loginRun({ id: 1, startedAt: 1, kind })];
  const { app, store, asked } = tab({
    answer: (path) => ({ status: 200, answer: path.endsWith('/options') ? { challenge: 'AA' } : { response: {} } }),
    state: { runs, passkeys: [passkey], answerWith, server: { ...SERVER, local }, token: 'token' },
  });
  const [item] = listItems(store.get());
  return { steps: item === undefined ? [] : listNextSteps(item, store.get()), app, store, asked };
}

describe('after', () => {
  test.each<[string, Partial<Run>, readonly string[]]>([
    ['a registration', { kind: 'registration' }, ['log-in', 'break', 'compare']],
    ['a login', {}, ['break', 'compare']],
    [
      'an InvalidStateError',
      { kind: 'registration', outcome: 'browser-error', legs: [thrown('InvalidStateError')] },
      ['create', 'log-in', 'software'],
    ],
    [
      'a registration that was cancelled',
      { kind: 'registration', outcome: 'cancelled', legs: [thrown('NotAllowedError')] },
      ['again', 'software'],
    ],
    ['a login without a passkey', { outcome: 'cancelled', legs: [thrown('NotAllowedError')] }, ['again', 'software']],
    ['a login that the server refused', { outcome: 'rejected', legs: [refused('origin_mismatch')] }, ['again', 'compare']],
    [
      'a passkey that the server does not know',
      { outcome: 'rejected', legs: [refused('passkey_not_found')] },
      ['again', 'create', 'compare'],
    ],
    ['no answer of the server', { outcome: 'unanswered', legs: [httpLeg({ status: undefined })] }, ['again', 'software']],
    ['a response that was broken', { outcome: 'rejected', legs: [broken, refused('signature_invalid')] }, ['break', 'again']],
    ['a ceremony under way', { outcome: 'running' }, []],
    ['signing in', { kind: 'other' }, []],
  ])('%s', (_what, run, ids) => {
    expect(below(run).steps.map(({ id }) => id)).toStrictEqual(ids);
  });
});

test('what only a local server can do is not offered by another, nor the software authenticator by itself', () => {
  const run = { kind: 'registration', outcome: 'browser-error', legs: [thrown('InvalidStateError')] } as const;
  expect(below(run, { local: false }).steps.map(({ id }) => id)).toStrictEqual(['log-in']);
  expect(below(run, { answerWith: PLAIN }).steps.map(({ id }) => id)).toStrictEqual(['create', 'log-in']);
  expect(below({}, { local: false }).steps.map(({ id }) => id)).toStrictEqual(['compare']);
});

test.each([
  ['login', 'POST /api/passkeys/login/options', { endpoint: 'login' }],
  ['check', 'POST /api/passkeys/verify/options', { endpoint: 'verify' }],
])('a %s whose page was loaded again meanwhile is begun again; not one of another tab', async (_what, via, { endpoint }) => {
  const left = streamEntry('e', {
    state: 'open',
    via,
    request_ids: ['r-1'],
    passkey: endpoint === 'verify' ? { id: 7, label: 'Key' } : null,
  });
  const { app, store, asked } = tab({
    answer: (path) => ({ status: 200, answer: path.endsWith('/options') ? { challenge: 'AA' } : { response: {} } }),
    state: { stream: [left], titles: { 'r-1': 'Log in' }, passkeys: [passkey], answerWith: PLAIN, server: SERVER, token: 'token' },
  });
  const steps = listItems(store.get()).map((item) => listNextSteps(item, store.get()));
  expect(steps.map((each) => each.map(({ id }) => id))).toStrictEqual([['again']]);
  await steps[0]?.[0]?.take(app);
  expect(asked[0]).toMatchObject({ path: via.slice(5), body: endpoint === 'verify' ? { credential_id: 'id-7' } : {} });
  const others = listItems({ ...store.get(), runs: [], titles: {} });
  expect(others.flatMap((item) => listNextSteps(item, store.get()))).toStrictEqual([]);
});

/** What a step asks the server for, as it is taken below a run. */
async function take(id: string, run: Partial<Run>, state: Partial<AppState> = {}) {
  const { app, store, asked } = tab({
    answer: (path) => ({ status: 200, answer: path.endsWith('/options') ? { challenge: 'AA' } : { response: {} } }),
    calls: { run: async () => ({ leg: browserLeg(), aborted: false }), abort: async () => {} },
    state: { runs: [loginRun({ id: 2, startedAt: 2, ...run })], answerWith: THIS_BROWSER, token: 'token', ...state },
  });
  const [item] = listItems(store.get());
  const step = item && listNextSteps(item, store.get()).find((each) => each.id === id);
  await step?.take(app);
  return { step, store, asked: asked.slice(0, 2).map(({ path, body }) => [path, body?.['credential_id'] ?? body?.['options']]) };
}

describe('is taken', () => {
  const made = (software?: BrowserLeg['software']) => ({
    kind: 'registration' as const,
    legs: [httpLeg(), browserLeg({ software }), httpLeg({ answer: { passkey: { id: 7 } } })],
  });
  const other = { ...passkey, id: 8, credential_id: 'id-8' };

  test('a login with the passkey of a registration, by what made it', async () => {
    const software = { persona: 'titan', tamper: undefined };
    const { asked, step } = await take('log-in', made(software), { passkeys: [other, passkey] });
    expect([step?.text, step?.begins]).toEqual(['Log in with it', 'authentication']);
    expect(asked).toEqual([
      ['/api/passkeys/verify/options', 'id-7'],
      ['/dev/answer', 'id-7'],
    ]);
    const left = streamEntry('e', { kind: 'registration', passkey: { id: 8, label: 'x' } });
    const told = await take('log-in', {}, { runs: [], stream: [left], passkeys: [other, passkey] });
    expect(told.asked[0]).toEqual(['/api/passkeys/verify/options', 'id-8']);
  });

  test('a registration that excludes nothing, with a remark', async () => {
    const { asked, step } = await take('create', { kind: 'registration', outcome: 'browser-error', legs: [thrown('InvalidStateError')] });
    expect(asked[0]).toEqual(['/dev/register/options', { excludeCredentials: [] }]);
    expect([step?.text, step?.remark?.slice(0, 24)]).toEqual(['Register it without excludeCredentials', 'Most authenticators keep']);
  });

  test('the software authenticator: it logs in with a passkey of its own, or registers one', async () => {
    const user = { owner: 'User:1', name: 'Ada', email: 'ada@example.com' };
    const ended = { outcome: 'cancelled', legs: [thrown('NotAllowedError')] } as const;
    const { asked, step } = await take('software', ended, { passkeys: [passkey], user });
    expect([step?.text, asked]).toEqual([
      'Register one with the software authenticator',
      [
        ['/dev/register/options', { excludeCredentials: [] }],
        ['/dev/answer', { challenge: 'AA' }],
      ],
    ]);
    const own = loginRun({ id: 1, startedAt: 1, ...made({ persona: 'plain', tamper: undefined }) });
    const runs = (kind: Run['kind']) => [loginRun({ id: 2, startedAt: 2, ...ended, kind }), own];
    const login = await take('software', {}, { runs: runs('authentication'), passkeys: [passkey], user });
    expect([login.step?.text, login.asked]).toEqual([
      'Log in with the software authenticator',
      [
        ['/api/passkeys/verify/options', 'id-7'],
        ['/dev/answer', 'id-7'],
      ],
    ]);
    const registration = await take('software', {}, { runs: runs('registration'), passkeys: [passkey], user });
    expect(registration.step?.text).toBe('Register one with the software authenticator');
  });

  test('the same mistake, signed anew, where a browser signed before it', async () => {
    const rows = ['login.other', 'login.origin'].map((id) => mutation(id));
    const mutations = { status: 'loaded', rows } as const;
    const broken = (persona?: string) => ({
      outcome: 'rejected' as const,
      legs: [browserLeg({ software: { persona, tamper: 'login.origin' } }), refused('origin_mismatch')],
    });
    const user = { owner: 'User:1', name: 'Ada', email: 'ada@example.com' };
    const { store, step } = await take('software', broken(), { mutations, user });
    expect([step?.text, step?.begins]).toEqual(['Sign it anew with the software authenticator', 'authentication']);
    expect(store.get().runs[0]?.title).toBe('First register a software passkey to break');
    expect((await take('software', broken('plain'), { mutations })).step).toBeUndefined();
    expect((await take('software', broken(), { mutations: { status: 'loaded', rows: [] } })).step).toBeUndefined();
    expect((await take('software', broken())).step).toBeUndefined();
  });

  test('the drawer of mistakes, which is not offered where it is open', async () => {
    expect((await take('break', {})).store.get().drawer).toBe('break');
    expect((await take('break', {}, { drawer: 'break' })).step).toBeUndefined();
  });

  test('the comparison with the one before of the same kind', async () => {
    const runs = [
      loginRun({ id: 4, startedAt: 4 }),
      loginRun({ id: 3, startedAt: 4 }),
      loginRun({ id: 2, startedAt: 3, kind: 'registration' }),
      loginRun({ id: 1, startedAt: 1 }),
    ];
    expect((await take('compare', {}, { runs })).store.get().compared).toBe('run-1');
    expect((await take('compare', {}, { runs, compared: 'run-1' })).step).toBeUndefined();
    expect((await take('compare', {}, { runs: runs.slice(0, 3) })).step).toBeUndefined();
  });
});

test('a ceremony is tried again with its passkey, to its endpoint', async () => {
  const legs = [
    httpLeg({ path: '/api/passkeys/verify/options', body: { credential_id: 'id-7' } }),
    browserLeg(),
    { ...refused('origin_mismatch'), path: '/api/passkeys/verify' },
  ];
  const { steps, app, asked } = below({ outcome: 'rejected', legs }, { answerWith: PLAIN });
  await steps[0]?.take(app);
  expect(asked.slice(0, 3).map(({ path }) => path)).toStrictEqual(['/api/passkeys/verify/options', '/dev/answer', '/api/passkeys/verify']);
  expect(asked[0]?.body).toMatchObject({ credential_id: 'id-7' });
});
