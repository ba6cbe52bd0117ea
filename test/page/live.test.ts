import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { clearStream, followStream, loadDetail, select } from '../../src/page/flow/live.js';
import type { AppState } from '../../src/page/state.js';
import type { StreamEntry } from '../../src/server/schemas/stream.js';
import { until } from '../until.js';
import { loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { type Answer, GONE, SERVER, tab } from './tab.js';

afterEach(() => void vi.unstubAllGlobals());

const entry = (state: StreamEntry['state']) => streamEntry('e', { state });
const detail = (of: StreamEntry): Answer => ({ status: 200, answer: { ...of, explanation: null } });

test('a ceremony that ends while the server tells of it is asked for again', async () => {
  const told: StreamEntry['state'][] = ['open', 'rejected'];
  const { app, store } = tab({
    answer: () => {
      // The server has sent how it ended before its answer arrives.
      store.set({ stream: [entry('rejected')] });
      return detail(entry(told.shift() ?? 'rejected'));
    },
    state: { stream: [entry('open')] },
  });
  await Promise.all([loadDetail(app, entry('open')), loadDetail(app, entry('rejected'))]);
  expect(store.get().details.get('e')).toMatchObject({ status: 'loaded', detail: { state: 'rejected' } });
  expect(told).toEqual([]);
});

test('a ceremony whose browser reports an error is asked for again, and once', async () => {
  const reported: StreamEntry = { ...entry('open'), browser: { error: 'NotAllowedError', message: null, milliseconds: 5 } };
  const answers = [entry('open'), reported];
  const { app, store } = tab({ answer: () => detail(answers.shift() ?? entry('expired')) });
  for (const seen of [entry('open'), reported, reported]) await loadDetail(app, seen);
  expect(answers).toEqual([]);
  expect(store.get().details.get('e')).toMatchObject({ status: 'loaded', detail: { browser: { error: 'NotAllowedError' } } });
});

test('an entry that arrives before the list is newer than the list', async () => {
  const listeners = new Map<string, (event: { data: string }) => void>();
  let opened: () => void = () => undefined;
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => undefined });
  vi.stubGlobal(
    'EventSource',
    class {
      set onopen(listener: () => void) {
        opened = listener;
      }
      addEventListener = (type: string, listener: (event: { data: string }) => void) => listeners.set(type, listener);
    },
  );
  const { app, store } = tab({
    answer: () => {
      listeners.get('stream')?.({ data: JSON.stringify(entry('verified')) });
      return { status: 200, answer: { entries: [entry('open'), streamEntry('older')] } };
    },
  });
  followStream(app);
  opened();
  await until(() => store.get().stream.length === 2);
  expect(store.get().stream.map(({ id, state }) => [id, state])).toEqual([
    ['e', 'verified'],
    ['older', 'verified'],
  ]);
});

test('an emptied list keeps the ceremony that waits, and no other', async () => {
  const waiting = { run: 2, title: 'Log in', phase: 'browser', since: 5, until: 9, silent: false } as const;
  const runs = [loginRun({ id: 3 }), loginRun({ id: 2 }), loginRun({ id: 1 })];
  const state = { waiting, runs, stream: [entry('open')], details: new Map([['e', { status: 'loading' } as const]]), selected: 'e' };
  const { app, store, asked } = tab({ answer: () => ({ status: 204, answer: undefined }), state });
  await clearStream(app);
  expect(asked.map(({ path }) => path)).toEqual(['/dev/stream']);
  expect(store.get()).toMatchObject({ runs: [{ id: 2 }], stream: [], details: new Map(), status: 'Emptied the list.' });
  expect(store.get().selected).toBeUndefined();
});

test('a list that the server does not empty stays', async () => {
  const { app, store } = tab({ answer: () => GONE, state: { runs: [loginRun()], stream: [entry('open')] } });
  await clearStream(app);
  expect(store.get()).toMatchObject({ runs: [{ id: 1 }], stream: [{ id: 'e' }], statusFailed: true });
});

/** A tab that follows the stream of its server, which sends entries when the test does. */
function follow(state: Partial<AppState> = {}, answer: Answer = GONE) {
  const listeners = new Map<string, (event: { readonly data: string }) => void>();
  const shown = { visibilityState: 'visible', addEventListener: (_: string, listener: () => void) => void (change = listener) };
  let change = (): void => undefined;
  const streams: { closed: boolean; readyState: number; onerror?: () => void; onopen?: () => void }[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('location', { origin: 'http://localhost:7277' });
  vi.stubGlobal('document', shown);
  vi.stubGlobal(
    'EventSource',
    class {
      static readonly CLOSED = 2;
      readyState = 1;
      closed = false;
      constructor() {
        streams.push(this);
      }
      addEventListener = (type: string, listener: (event: { readonly data: string }) => void) => listeners.set(type, listener);
      close() {
        this.closed = true;
      }
    },
  );
  const opened = tab({ answer: () => answer, state: { user: USER, ...state } });
  const app = { ...opened.app, isOwn: (id: string) => id.startsWith('own-') };
  followStream(app);
  return {
    ...opened,
    streams,
    clear: () => listeners.get('stream-cleared')?.({ data: '' }),
    send: (data: unknown) => listeners.get('stream')?.({ data: typeof data === 'string' ? data : JSON.stringify(data) }),
    show: (visibilityState: string) => {
      Object.assign(shown, { visibilityState });
      change();
    },
    /** Whether the server is asked again, and not before a quarter of a second. */
    refreshes: () => {
      vi.advanceTimersByTime(249);
      const early = opened.asked.length;
      vi.advanceTimersByTime(1);
      return [early, opened.asked.map(({ path }) => path)];
    },
  };
}

const USER = { name: 'Ada', email: 'ada@example.com', owner: 'User:1' };

test.each<[string, Partial<StreamEntry>, boolean]>([
  ['a login of the user elsewhere', {}, true],
  ['a change of a passkey of the user', { kind: 'change', state: 'changed' }, true],
  ['one of another user', { owner: 'User:2' }, false],
  ['one of nobody', { owner: null }, false],
  ['one that was refused', { state: 'rejected' }, false],
  ['one of this tab', { request_ids: ['other-1', 'own-2'] }, false],
  ['one at the site that is followed', { owner: null, state: 'rejected', site: 'https://shop.example' }, true],
])('%s: what this tab shows is asked for again: %s', (_, change, expected) => {
  onTestFinished(() => void vi.useRealTimers());
  const { send, store, refreshes } = follow();
  const sent = streamEntry('new', change);
  send(sent);
  expect(store.get().stream).toEqual([sent]);
  expect(refreshes()).toEqual([0, expected ? ['/dev/state'] : []]);
});

test('an entry takes the place of itself, and the oldest of a thousand goes for a new one', () => {
  onTestFinished(() => void vi.useRealTimers());
  const stream = Array.from({ length: 1_000 }, (_, index) => streamEntry(`e${index}`, { owner: null }));
  const { send, store } = follow({ stream });
  const again = streamEntry('e7', { owner: null, state: 'rejected' });
  send(again);
  expect([store.get().stream.length, store.get().stream[7]]).toEqual([1_000, again]);
  send(streamEntry('new', { owner: null }));
  const ids = store.get().stream.map(({ id }) => id);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 'new', 'e998']);
  for (const other of ['no JSON', '[]', '{"id":1,"request_ids":[]}', '{"id":"x"}']) send(other);
  expect(store.get().stream).toHaveLength(1_000);
});

test('a hidden tab holds no connection, nor does one of another machine', () => {
  onTestFinished(() => void vi.useRealTimers());
  const { streams, show, store } = follow();
  show('hidden');
  expect([streams.length, streams[0]?.closed, store.get().live]).toEqual([1, true, false]);
  show('visible');
  show('visible');
  expect(streams.map(({ closed }) => closed)).toEqual([true, false]);
  store.set({ server: { ...SERVER, local: false } });
  expect(streams.map(({ closed }) => closed)).toEqual([true, true]);
});

test('where another server answers now, the connection is opened anew', () => {
  onTestFinished(() => void vi.useRealTimers());
  const { streams, store, refreshes } = follow({ live: true });
  const [stream] = streams;
  stream?.onerror?.();
  expect(store.get()).toMatchObject({
    live: false,
    statusFailed: true,
    status: 'Lost the server at http://localhost:7277. Trying to reconnect.',
  });
  expect(refreshes()).toEqual([0, []]);
  if (stream !== undefined) stream.readyState = 2;
  stream?.onerror?.();
  expect(refreshes()).toEqual([0, ['/dev/state']]);
  store.set({ server: { ...SERVER } });
  expect(streams).toHaveLength(2);
});

test('many changes at once are asked for once', () => {
  onTestFinished(() => void vi.useRealTimers());
  const { send, refreshes } = follow();
  send(streamEntry('a'));
  vi.advanceTimersByTime(249);
  send(streamEntry('b'));
  expect(refreshes()).toEqual([0, ['/dev/state']]);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('a connection that opens says so only after one that was lost, which also asks for the state again', async () => {
  onTestFinished(() => void vi.useRealTimers());
  const { streams, store, asked, sent } = follow({ live: false });
  const [stream] = streams;
  stream?.onerror?.();
  expect(store.get()).toMatchObject({ live: false, status: '', statusFailed: false });
  stream?.onopen?.();
  expect(store.get()).toMatchObject({ live: true, status: '' });
  vi.advanceTimersByTime(1_000);
  expect(sent).toEqual(['GET /dev/stream']);
  stream?.onerror?.();
  stream?.onopen?.();
  expect(store.get()).toMatchObject({ live: true, status: 'Connected to the server again.', statusFailed: false });
  vi.advanceTimersByTime(250);
  expect(asked.map(({ path }) => path)).toEqual(['/dev/stream', '/dev/stream', '/dev/state']);
  store.set({ status: '' });
  stream?.onopen?.();
  expect(store.get().status).toBe('');
  vi.advanceTimersByTime(250);
  expect(asked.at(-1)?.path).toBe('/dev/stream');
});

test('a list that is emptied elsewhere is empty here', () => {
  onTestFinished(() => void vi.useRealTimers());
  const details = new Map([['e', { status: 'loading' } as const]]);
  const { clear, store } = follow({ stream: [entry('open')], details, runs: [loginRun()] });
  clear();
  expect(store.get()).toMatchObject({ stream: [], details: new Map(), runs: [{ id: 1 }] });
});

test.each<[string, Answer, readonly string[]]>([
  ['is the list', { status: 200, answer: { entries: [streamEntry('new'), { id: 1, request_ids: [] }, entry('verified')] } }, ['new', 'e']],
  ['is refused, and the list stays', { status: 403, answer: { entries: [streamEntry('new')] } }, ['e']],
  ['is none, and the list stays', { status: 200, answer: { entries: 'x' } }, ['e']],
])('what the server answers about its stream %s', async (_, answer, ids) => {
  onTestFinished(() => void vi.useRealTimers());
  const { streams, store } = follow({ stream: [entry('open')], selected: 'e-1' }, answer);
  streams[0]?.onopen?.();
  // The answer is read in the same turn.
  await nextTurn();
  expect(store.get().stream.map(({ id }) => id)).toEqual(ids);
});

test('the ceremony that the address names is shown when the list has come, under the key of its run', async () => {
  onTestFinished(() => void vi.useRealTimers());
  const answer = { status: 200, answer: { entries: [streamEntry('new'), entry('verified')] } };
  const state = { selected: 'e', runs: [loginRun({ id: 4, requestIds: ['e-2'] })] };
  const { streams, store } = follow(state, answer);
  streams[0]?.onopen?.();
  await nextTurn();
  expect(store.get()).toMatchObject({ selected: 'run-4', statusFailed: false });
  const unselected = follow({}, answer);
  unselected.streams[0]?.onopen?.();
  await nextTurn();
  expect(unselected.store.get().stream).toHaveLength(2);
  expect(unselected.store.get()).toMatchObject({ selected: undefined, statusFailed: false });
});

test.each([
  ['new', 'new', ''],
  ['e', 'run-4', ''],
  ['run-4', 'run-4', ''],
  ['gone', undefined, 'The server does not have this ceremony any more. Choose another from the list.'],
])('%s selects %s', (id, selected, status) => {
  const state = { stream: [streamEntry('new'), entry('verified')], runs: [loginRun({ id: 4, requestIds: ['e-2'] })], selected: 'x' };
  const { app, store } = tab({ answer: () => GONE, state });
  select(app, id);
  expect(store.get()).toMatchObject({ selected, status, statusFailed: status !== '' });
});

test.each<[string, Answer, object]>([
  ['fails', GONE, { status: 'failed', why: 'The server did not answer.' }],
  ['is refused', { ...detail(entry('open')), status: 404 }, { status: 'failed', why: '404: The server gave no reason.' }],
  ['has no explanation', { status: 200, answer: entry('open') }, { status: 'failed', why: '200: The server gave no reason.' }],
  ['is no entry', { status: 200, answer: { explanation: null } }, { status: 'failed', why: '200: The server gave no reason.' }],
  ['is there', detail(entry('open')), { status: 'loaded', detail: { ...entry('open'), explanation: null } }],
])('the loading of an entry that %s is kept', async (_, answer, kept) => {
  const seen: unknown[] = [];
  const { app, store, sent } = tab({ answer: () => answer });
  store.watch(({ details }) => void seen.push(details.get('a/b')), ['details']);
  await loadDetail(app, streamEntry('a/b', { state: 'open' }));
  expect(sent).toEqual(['GET /dev/stream/a%2Fb']);
  expect(seen).toEqual([{ status: 'loading' }, kept]);
});

test('an entry that the list lacks, or whose state the server does not know yet, is asked for once', async () => {
  const { app, asked } = tab({ answer: () => detail(entry('rejected')), state: { stream: [entry('verified')] } });
  await loadDetail(app, entry('verified'));
  expect(asked).toHaveLength(1);
  const other = tab({ answer: () => detail(entry('open')), state: { stream: [streamEntry('other', { state: 'verified' })] } });
  await loadDetail(other.app, entry('verified'));
  expect(other.asked).toHaveLength(1);
});
