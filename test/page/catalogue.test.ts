import { expect, test } from 'vitest';
import type { App } from '../../src/page/flow/app.js';
import { loadMutations } from '../../src/page/flow/catalogue.js';
import type { HttpLeg } from '../../src/page/run.js';
import { type AppState, createStore } from '../../src/page/state.js';

/** A tab whose server answers like this, one after the other. */
function tab(...answers: readonly Pick<HttpLeg, 'status' | 'answer' | 'failure'>[]) {
  const state: Partial<AppState> = { mutations: { status: 'unasked' } };
  const store = createStore(state as AppState);
  const rest = [...answers];
  const call: App['api']['call'] = async (method, path, body) => {
    const next = rest.shift();
    if (next === undefined) throw new Error('Expected no further request.');
    return { kind: 'http', requestId: 'r', bearer: false, milliseconds: 1, method, path, body, ...next };
  };
  return { store, app: { store, api: { call } } };
}

const GONE = { status: undefined, answer: undefined, failure: 'The server did not answer.' };
const ROW = { id: 'login.signature-bit' };

test('mutations that could not be had are asked for again, those that are there are not', async () => {
  const { store, app } = tab(GONE, { status: 200, answer: [ROW], failure: undefined });
  await loadMutations(app);
  expect(store.get().mutations).toStrictEqual({ status: 'failed', why: 'The server did not answer.' });
  await loadMutations(app);
  await loadMutations(app);
  expect(store.get().mutations).toStrictEqual({ status: 'loaded', rows: [ROW] });
});

test('only a server that has no such route has no catalogue', async () => {
  const problem = (status: number, code: string) => ({ status, answer: { code, detail: 'Why.' }, failure: undefined });
  const { store, app } = tab(problem(503, 'shutting_down'), problem(404, 'route_not_found'));
  await loadMutations(app);
  expect(store.get().mutations).toStrictEqual({ status: 'failed', why: '503 shutting_down: Why.' });
  await loadMutations(app);
  expect(store.get().mutations).toMatchObject({ why: 'This server has no catalogue of mistakes. 404 route_not_found: Why.' });
});
