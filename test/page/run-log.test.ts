import { expect, test } from 'vitest';
import { createApi } from '../../src/page/api.js';
import { createRunLog } from '../../src/page/flow/run-log.js';
import { type AppState, createStore, type Store } from '../../src/page/state.js';

type Parts = Pick<AppState, 'runs' | 'waiting' | 'selected' | 'status' | 'statusFailed'>;

function log(fetch: (path: string, init: RequestInit) => Promise<Response>) {
  // What the log reads and writes; the rest of the state is nothing to it.
  const store = createStore<Parts>({ runs: [], waiting: undefined, selected: undefined, status: '', statusFailed: false });
  let time = 1_000;
  const api = createApi({ fetch, token: () => undefined, requestId: () => 'tab-1', origin: 'http://localhost:7277', clock: () => 0 });
  return { store, runs: createRunLog(store as Store<AppState>, api, () => (time += 1)) };
}

const answers = (status: number, body: object) => () => Promise.resolve(new Response(JSON.stringify(body), { status }));

test('a ceremony says for whom it waits, selects itself, and waits no more when it has ended', async () => {
  const { store, runs } = log(answers(200, {}));
  const run = runs.begin('Log in', 'authentication', { waits: true });
  expect(store.get()).toMatchObject({ selected: 'run-1', waiting: { run: 1, phase: 'server', until: undefined } });
  run.waitFor('browser', 60_000);
  const { waiting } = store.get();
  expect(waiting).toMatchObject({ phase: 'browser', until: (waiting?.since ?? 0) + 60_000 });
  run.end('verified', 'Logged in.');
  expect(store.get()).toMatchObject({ waiting: undefined, status: 'Logged in.', statusFailed: false });
});

test('cancelled while the server has not answered: the request ends, and so does the run, without an error', async () => {
  const { store, runs } = log(
    (_path, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  const run = runs.begin('Log in', 'authentication', { waits: true });
  const asked = run.http('POST', '/api/passkeys/login/options');
  runs.cancel();
  const leg = await asked;
  expect(leg).toMatchObject({ status: undefined, requestId: 'tab-1' });
  run.end('rejected', 'whatever the flow makes of it');
  expect(store.get().runs[0]).toMatchObject({ outcome: 'cancelled', summary: 'You cancelled it while it waited for the server.' });
  expect(store.get()).toMatchObject({ waiting: undefined, statusFailed: false });
});

test('a server that did not answer has refused nothing', async () => {
  const { store, runs } = log(() => Promise.reject(new TypeError('Failed to fetch')));
  const run = runs.begin('Log in', 'authentication', { waits: true });
  const { failure = '' } = await run.http('POST', '/api/passkeys/login/options');
  run.end('rejected', failure);
  expect(store.get().runs[0]?.outcome).toBe('unanswered');
});

test('a refusal stays one', async () => {
  const { store, runs } = log(answers(404, { code: 'passkey_not_found' }));
  const run = runs.begin('Log in', 'authentication', { waits: true });
  await run.http('POST', '/api/passkeys/login/options');
  const offer = { method: 'signalUnknownCredential', options: {}, button: 'Hide', warning: '', mayHide: ['AQ'] } as const;
  run.end('rejected', '404', offer);
  expect(store.get().runs[0]).toMatchObject({ outcome: 'rejected', offer });
});

test('what ends out of sight is told as an alert; what is shown is not', () => {
  const { store, runs } = log(answers(200, {}));
  const hidden = runs.begin('Rename', 'other');
  hidden.end('rejected', '409');
  expect(store.get().statusFailed).toBe(true);
  const shown = runs.begin('Log in', 'authentication', { waits: true });
  shown.end('rejected', '401');
  expect(store.get().statusFailed).toBe(false);
});
