import { listCases, simulate } from 'passkey-cli/simulate';
import { afterAll, beforeAll, expect } from 'vitest';
import { quick as test, thorough } from '../thorough.js';

// Of the built package: Node starts no thread from TypeScript.

let started = 0;
const count = () => {
  started += 1;
};
beforeAll(() => void process.on('worker', count));
afterAll(() => void process.off('worker', count));

thorough('a long list is shared out to threads, and the report keeps its order', async () => {
  const options = { fixtures: [], select: { ids: ['login.*'] } };
  const listed = (await listCases(options)).map(({ id }) => id);
  expect(listed.length).toBeGreaterThanOrEqual(200);
  const told: string[] = [];
  const { results } = await simulate({ ...options, version: 'test', jobs: 2, onResult: ({ id }) => void told.push(id) });
  expect(started).toBe(1);
  expect([told, results.map(({ id }) => id)]).toEqual([listed, listed]);
  expect(results.filter(({ status }) => status !== 'passed' && status !== 'not_applicable')).toEqual([]);
  expect(process.getActiveResourcesInfo()).not.toContain('MessagePort');
});

test('a short one is not', async () => {
  started = 0;
  await simulate({ fixtures: [], version: 'test', select: { ids: ['session.*'] }, jobs: 8 });
  expect(started).toBe(0);
});

test('an interruption ends the threads', async () => {
  const stop = new AbortController();
  const run = simulate({ fixtures: [], version: 'test', jobs: 2, signal: stop.signal, onResult: () => stop.abort() });
  const report = await run;
  expect(report).toMatchObject({ incomplete: true });
  expect(report.summary.not_run).toBeGreaterThan(0);
  expect(process.getActiveResourcesInfo()).not.toContain('MessagePort');
});
