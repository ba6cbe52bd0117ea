import { expect, test } from 'vitest';
import { createApi } from '../../src/page/api.js';
import type { App } from '../../src/page/flow/app.js';
import { loadDetail } from '../../src/page/flow/live.js';
import { createRunLog } from '../../src/page/flow/run-log.js';
import { type AppState, createStore } from '../../src/page/state.js';
import { streamEntry } from './stream-entries.js';

const OPEN = streamEntry('s-1', { state: 'open' });
const VERIFIED = streamEntry('s-1');

test('an entry that changes while it is asked for is asked for again', async () => {
  const store = createStore({ stream: [OPEN], details: new Map() } as Partial<AppState> as AppState);
  const answers = [OPEN, VERIFIED];
  const api = createApi({
    fetch: async () => {
      const answer = answers.shift();
      // The change is told before the answer has arrived.
      store.set({ stream: [VERIFIED] });
      void loadDetail(app, VERIFIED);
      return Response.json({ ...answer, explanation: null });
    },
    token: () => undefined,
    requestId: () => 'r',
    origin: 'http://localhost:7277',
    clock: () => 0,
  });
  const calls: App['calls'] = { run: () => Promise.reject(new Error('not asked')), abort: () => Promise.resolve() };
  const app: App = { store, api, runs: createRunLog(store, api, () => 0), calls, isOwn: () => false };
  await loadDetail(app, OPEN);
  expect(store.get().details.get('s-1')).toMatchObject({ status: 'loaded', detail: { state: 'verified' } });
  expect(answers).toEqual([]);
});
