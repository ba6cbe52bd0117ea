import { describe, expect, test } from 'vitest';
import { PLAIN, THIS_BROWSER } from '../../src/page/catalogue.js';
import { listItems } from '../../src/page/items.js';
import type { BrowserLeg, Run } from '../../src/page/run.js';
import type { PasskeyRow } from '../../src/page/state.js';
import { listNextSteps } from '../../src/page/view/subject/next-steps.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { SERVER, tab } from './tab.js';

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
