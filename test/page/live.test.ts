import { afterEach, expect, test, vi } from 'vitest';
import { clearStream, followStream, loadDetail } from '../../src/page/flow/live.js';
import type { StreamEntry } from '../../src/server/schemas/stream.js';
import { until } from '../until.js';
import { loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { type Answer, GONE, tab } from './tab.js';

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
