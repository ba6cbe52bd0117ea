import { expect, test } from 'vitest';
import { createApi } from '../../src/page/api.js';
import type { App } from '../../src/page/flow/app.js';
import { loadDetail } from '../../src/page/flow/live.js';
import { type AppState, createStore, type Store } from '../../src/page/state.js';
import type { StreamEntry } from '../../src/server/schemas/stream.js';
import { streamEntry } from './stream-entries.js';

const entry = (state: StreamEntry['state']) => streamEntry('e', { state });

test('a ceremony that ends while the server tells of it is asked for again', async () => {
  const store = createStore<Pick<AppState, 'stream' | 'details'>>({ stream: [entry('open')], details: new Map() });
  const told: StreamEntry['state'][] = ['open', 'rejected'];
  const fetch = () => {
    const state = told.shift();
    // The server has sent how it ended before its answer arrives.
    store.set({ stream: [entry('rejected')] });
    return Promise.resolve(new Response(JSON.stringify({ ...entry(state ?? 'rejected'), explanation: null })));
  };
  const api = createApi({ fetch, token: () => undefined, requestId: () => 'tab-1', origin: 'http://localhost:7277', clock: () => 0 });
  const app = { store: store as Store<AppState>, api } as App;
  await Promise.all([loadDetail(app, entry('open')), loadDetail(app, entry('rejected'))]);
  expect(store.get().details.get('e')).toMatchObject({ status: 'loaded', detail: { state: 'rejected' } });
  expect(told).toEqual([]);
});

test('a ceremony whose browser reports an error is asked for again, and once', async () => {
  const store = createStore<Pick<AppState, 'stream' | 'details'>>({ stream: [], details: new Map() });
  const reported: StreamEntry = { ...entry('open'), browser: { error: 'NotAllowedError', message: null, milliseconds: 5 } };
  const answers = [entry('open'), reported];
  const fetch = () => Promise.resolve(new Response(JSON.stringify({ ...answers.shift(), explanation: null })));
  const api = createApi({ fetch, token: () => undefined, requestId: () => 'tab-1', origin: 'http://localhost:7277', clock: () => 0 });
  const app = { store: store as Store<AppState>, api } as App;
  for (const seen of [entry('open'), reported, reported]) await loadDetail(app, seen);
  expect(answers).toEqual([]);
  expect(store.get().details.get('e')).toMatchObject({ status: 'loaded', detail: { browser: { error: 'NotAllowedError' } } });
});
