import { expect, test } from 'vitest';
import { createApi } from '../../src/page/api.js';
import { createRunLog } from '../../src/page/flow/run-log.js';
import { type AppState, createStore, type Store } from '../../src/page/state.js';
import { browserLeg } from './runs.js';

type Parts = Pick<AppState, 'runs' | 'titles' | 'waiting' | 'selected' | 'status' | 'statusFailed'>;

function log(fetch: (path: string, init: RequestInit) => Promise<Response>) {
  // What the log reads and writes; the rest of the state is nothing to it.
  const store = createStore<Parts>({ runs: [], titles: {}, waiting: undefined, selected: undefined, status: '', statusFailed: false });
  let time = 1_000;
  let requests = 0;
  const api = createApi({
    fetch,
    token: () => undefined,
    requestId: () => `tab-${(requests += 1)}`,
    origin: 'http://localhost:7277',
    clock: () => 0,
  });
  return { store, runs: createRunLog(store as Store<AppState>, api, () => (time += 1)) };
}

const answers = (status: number, body: object) => () => Promise.resolve(new Response(JSON.stringify(body), { status }));

const BROWSER = browserLeg();
const SIGNAL = { kind: 'signal', method: 'signalUnknownCredential', options: {}, outcome: 'sent', detail: undefined } as const;

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

test('a run is in the list from its beginning, with its requests before they are answered, and whole when it has ended', async () => {
  const { store, runs } = log(answers(200, { id: 7 }));
  const seen: unknown[] = [];
  store.watch(({ runs: [run] }) => void seen.push([run?.requestIds, run?.legs.length, run?.outcome]), ['runs']);
  const run = runs.begin('Rename', 'other');
  expect(store.get()).toEqual({
    runs: [expect.anything()],
    titles: {},
    waiting: undefined,
    selected: undefined,
    status: '',
    statusFailed: false,
  });
  const leg = await run.http('PATCH', '/api/passkeys/7', { label: 'Key' });
  await run.http('GET', '/dev/state');
  run.end('verified', 'Renamed.');
  expect(seen).toEqual([
    [undefined, 0, 'running'],
    [['tab-1'], 0, 'running'],
    [['tab-1'], 1, 'running'],
    [['tab-1', 'tab-2'], 1, 'running'],
    [['tab-1', 'tab-2'], 2, 'running'],
    [['tab-1', 'tab-2'], 2, 'verified'],
  ]);
  expect(leg).toMatchObject({ method: 'PATCH', path: '/api/passkeys/7', body: { label: 'Key' }, answer: { id: 7 } });
  expect(store.get().runs).toEqual([
    {
      id: 1,
      title: 'Rename',
      kind: 'other',
      startedAt: 1_001,
      legs: [leg, expect.objectContaining({ path: '/dev/state' })],
      requestIds: ['tab-1', 'tab-2'],
      outcome: 'verified',
      summary: 'Renamed.',
      offer: undefined,
    },
  ]);
  expect(store.get()).toMatchObject({ titles: { 'tab-1': 'Rename', 'tab-2': 'Rename' }, selected: undefined, status: 'Renamed.' });
  expect(run.id).toBe(1);
});

test('what a ceremony waits for is all told, and not by a run that is none', () => {
  const { store, runs } = log(answers(200, {}));
  const run = runs.begin('Log in', 'authentication', { waits: true, silent: true });
  const waiting = { run: 1, title: 'Log in', phase: 'server', since: 1_002, until: undefined, silent: true };
  expect(store.get().waiting).toEqual(waiting);
  const other = runs.begin('Rename', 'other');
  other.waitFor('browser', 5);
  expect(store.get().waiting).toEqual(waiting);
  other.end('verified', 'Renamed.');
  expect(store.get()).toMatchObject({ waiting, selected: 'run-1' });
  run.waitFor('browser', 60_000);
  expect(store.get().waiting).toEqual({ ...waiting, phase: 'browser', since: 1_006, until: 61_006 });
  run.waitFor('server');
  expect(store.get().waiting).toMatchObject({ phase: 'server', until: undefined });
  runs.begin('Log in', 'authentication', { waits: true });
  expect(store.get().waiting).toMatchObject({ silent: false });
});

test('a run keeps its place as it goes on, and the oldest of fifty goes for a new one', () => {
  const { store, runs } = log(answers(200, {}));
  const [first, second] = [runs.begin('First', 'other'), runs.begin('Second', 'other')];
  const ids = () => store.get().runs.map(({ id }) => id);
  first.end('verified', 'Done.');
  expect(store.get().runs.map(({ title, outcome }) => [title, outcome])).toEqual([
    ['Second', 'running'],
    ['First', 'verified'],
  ]);
  for (let more = 3; more <= 50; more += 1) runs.begin('More', 'other');
  expect([ids().length, ids().at(-1)]).toEqual([50, 1]);
  runs.begin('Last', 'other');
  expect([ids().length, ids()[0], ids().at(-1)]).toEqual([50, 51, 2]);
  second.end('verified', 'Done.');
  expect(store.get().runs.at(-1)).toMatchObject({ id: 2, outcome: 'verified' });
});

test('a hidden run is nowhere until it is shown, and takes no place that is taken', async () => {
  const { store, runs } = log(answers(200, {}));
  const before = store.get();
  const hidden = runs.begin('Log in by autofill', 'authentication', { hidden: true });
  await hidden.http('POST', '/api/passkeys/login/options');
  expect(store.get()).toEqual(before);
  hidden.show();
  expect(store.get()).toMatchObject({ selected: 'run-1', titles: { 'tab-1': 'Log in by autofill' } });
  expect(store.get().runs).toMatchObject([{ startedAt: 1_004, requestIds: ['tab-1'], legs: [{ kind: 'http' }] }]);
  hidden.end('rejected', '401');
  expect(store.get()).toMatchObject({ status: '401', statusFailed: false });
  const second = runs.begin('Log in by autofill', 'authentication', { hidden: true });
  second.show();
  second.end('rejected', '402');
  // The user looks at another one.
  expect(store.get()).toMatchObject({ selected: 'run-1', status: '401' });
  const unseen = runs.begin('Log in by autofill', 'authentication', { hidden: true });
  unseen.end('verified', 'Nothing.');
  expect(store.get().runs.map(({ id, outcome }) => [id, outcome])).toEqual([
    [2, 'rejected'],
    [1, 'rejected'],
  ]);
});

test.each([
  ['verified', false],
  ['cancelled', false],
  ['rejected', true],
  ['browser-error', true],
] as const)('out of sight, %s is an alert: %s', (outcome, statusFailed) => {
  const { store, runs } = log(answers(200, {}));
  runs.begin('Rename', 'other').end(outcome, 'Ended.');
  expect(store.get()).toMatchObject({ status: 'Ended.', statusFailed });
});

test('only the ceremony that waits is cancelled; one that has ended is not, nor is one that was verified all the same', async () => {
  const { store, runs } = log(answers(200, {}));
  runs.cancel();
  const other = runs.begin('Rename', 'other');
  const ended = runs.begin('Log in', 'authentication', { waits: true });
  ended.end('verified', 'Logged in.');
  const run = runs.begin('Log in', 'authentication', { waits: true });
  run.add(SIGNAL);
  runs.cancel();
  expect([other, ended, run].map(({ signal }) => signal.aborted)).toEqual([false, false, true]);
  run.end('verified', 'Logged in.');
  expect(store.get().runs[0]).toMatchObject({ outcome: 'verified', summary: 'Logged in.' });
});

test.each([
  [[BROWSER], 'browser'],
  [[BROWSER, SIGNAL], 'browser'],
  [[], 'server'],
])('cancelled after %j it waited for the %s', (legs, party) => {
  const { store, runs } = log(answers(200, {}));
  const run = runs.begin('Log in', 'authentication', { waits: true });
  for (const leg of legs) run.add(leg);
  runs.cancel();
  run.end('browser-error', 'whatever the flow makes of it');
  expect(store.get().runs[0]).toMatchObject({ outcome: 'cancelled', summary: `You cancelled it while it waited for the ${party}.` });
});

test('a signal is added to the run that offered it', () => {
  const { store, runs } = log(answers(200, {}));
  for (const title of ['First', 'Second']) runs.begin(title, 'other').add(BROWSER);
  runs.addTo(1, SIGNAL);
  expect(store.get().runs.map(({ legs }) => legs)).toEqual([[BROWSER], [BROWSER, SIGNAL]]);
});

test('a server that does not answer has not failed what the page could not begin', async () => {
  const { store, runs } = log(() => Promise.reject(new TypeError('Failed to fetch')));
  const run = runs.begin('Log in', 'authentication', { waits: true });
  await run.http('POST', '/api/passkeys/login/options');
  run.end('failed', 'Not begun.');
  expect(store.get().runs[0]).toMatchObject({ outcome: 'failed', summary: 'Not begun.' });
});
