import { afterAll, expect, test } from 'vitest';
import { inContext, passTime } from '../../../src/simulate/engine/context.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';

const HOUR = 3_600_000;
const stop = new AbortController();
const run = await openRun({ signal: stop.signal });
afterAll(() => run.close());

test('in process, the clock of the server moves', async () => {
  const verdict = await inContext(run, { key: 'a case', setup: { now: 1_000 } }, async (context) => {
    await passTime(context, HOUR);
    expect(context.server?.now()).toBe(HOUR + 1_000);
    return { status: 'passed' };
  });
  expect(verdict).toEqual({ status: 'passed' });
});

test('at a target with a clock of its own, that moves', async () => {
  const passed: number[] = [];
  await inContext(run, { key: 'a case', setup: {} }, async (context) => {
    await passTime({ ...context, server: undefined, passTime: async (milliseconds) => void passed.push(milliseconds) }, HOUR);
    return { status: 'passed' };
  });
  expect(passed).toEqual([HOUR]);
});

test('elsewhere it waits, until the run is interrupted', async () => {
  await inContext(run, { key: 'a case', setup: {} }, async (context) => {
    const elsewhere = { ...context, server: undefined };
    await passTime(elsewhere, 1);
    const waiting = passTime(elsewhere, HOUR);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
    return { status: 'passed' };
  });
});
