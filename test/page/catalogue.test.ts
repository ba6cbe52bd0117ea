import { expect, test } from 'vitest';
import { loadExpectations, loadMutations, loadPersonas } from '../../src/page/flow/catalogue.js';
import { type Answer, GONE, tab } from './tab.js';

/** A tab whose server answers like this, one after the other. */
function tabWith(...answers: readonly Answer[]) {
  const rest = [...answers];
  return tab({ answer: () => rest.shift() ?? { status: 500, answer: 'Expected no further request.' } });
}

const ROW = { id: 'login.signature-bit' };

test('mutations that could not be had are asked for again, those that are there are not', async () => {
  const { store, app } = tabWith(GONE, { status: 200, answer: [ROW] });
  await loadMutations(app);
  expect(store.get().mutations).toStrictEqual({ status: 'failed', why: 'The server did not answer.' });
  await loadMutations(app);
  await loadMutations(app);
  expect(store.get().mutations).toStrictEqual({ status: 'loaded', rows: [ROW] });
});

test('only a server that has no such route has no catalogue', async () => {
  const problem = (status: number, code: string) => ({ status, answer: { code, detail: 'Why.' } });
  const { store, app } = tabWith(problem(503, 'shutting_down'), problem(404, 'route_not_found'));
  await loadMutations(app);
  expect(store.get().mutations).toStrictEqual({ status: 'failed', why: '503 shutting_down: Why.' });
  await loadMutations(app);
  expect(store.get().mutations).toMatchObject({ why: 'This server has no catalogue of mistakes. 404 route_not_found: Why.' });
});

test.each([
  ['personas', loadPersonas, 'id'],
  ['mutations', loadMutations, 'id'],
  ['expectations', loadExpectations, 'name'],
] as const)('%s are loaded once, and again after a failure', async (list, load, name) => {
  const row = { [name]: 'one' };
  const seen: unknown[] = [];
  const { store, app, sent } = tabWith(
    { status: 503, answer: [row] },
    { status: 200, answer: [row, { [name]: 1 }] },
    { status: 200, answer: [row] },
  );
  store.watch((state) => void seen.push(state[list]), [list]);
  await Promise.all([load(app), load(app)]);
  await load(app);
  await load(app);
  await load(app);
  expect(sent).toEqual(Array.from({ length: 3 }, () => `GET /dev/${list}`));
  const loading = { status: 'loading' };
  const why = 'The server gave no reason.';
  expect(seen).toEqual([
    loading,
    { status: 'failed', why: `503: ${why}` },
    loading,
    { status: 'failed', why: `200: ${why}` },
    loading,
    { status: 'loaded', rows: [row] },
  ]);
});
