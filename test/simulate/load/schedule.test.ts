import { describe, expect, test } from 'vitest';
import { forEachAtOnce, keepConcurrent, keepRate } from '../../../src/simulate/load/schedule.js';
import { virtualClock } from './clocks.js';

/** Ceremonies of one length, and when they were due and began. */
function ceremonies(length: number, duration: number, stop = new AbortController()) {
  const clock = virtualClock();
  const began: { readonly index: number; readonly due: number; readonly at: number }[] = [];
  const seen = { underWay: 0, most: 0 };
  async function start(index: number, due: number): Promise<void> {
    began.push({ index, due, at: clock.now() });
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    await clock.wait(length);
    seen.underWay -= 1;
  }
  return { clock, began, seen, schedule: { clock, duration, signal: stop.signal, start } };
}

describe('keepRate', () => {
  test('begins a ceremony whenever one is due, however long those before take', async () => {
    const { clock, began, schedule, seen } = ceremonies(5000, 1000);
    expect(await clock.run(keepRate(schedule, 50, 1000))).toBe(0);
    expect(began.map(({ due }) => due)).toEqual(Array.from({ length: 50 }, (_, index) => index * 20));
    expect(began.every(({ due, at }) => at === due)).toBe(true);
    expect(seen).toEqual({ underWay: 0, most: 50 });
  });

  test('does not drift with steps that are no whole numbers', async () => {
    const { clock, began, schedule } = ceremonies(1, 10_000);
    await clock.run(keepRate(schedule, 3, 10));
    expect(began).toHaveLength(30);
    expect(began.at(-1)?.due).toBeCloseTo(29_000 / 3, 6);
  });

  test('what had to wait keeps the time at which it was due', async () => {
    const { clock, began, schedule, seen } = ceremonies(300, 1000);
    expect(await clock.run(keepRate(schedule, 10, 2))).toBe(0);
    expect(began.map(({ due }) => due)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
    expect(began.map(({ at }) => at)).toEqual([0, 100, 300, 400, 600, 700, 900, 1000, 1200, 1300]);
    expect(seen.most).toBe(2);
  });

  test('counts those that were due and could not begin', async () => {
    const { clock, began, schedule } = ceremonies(1500, 1000);
    expect(await clock.run(keepRate(schedule, 10, 1))).toBe(8);
    expect(began.map(({ at }) => at)).toEqual([0, 1500]);
  });
});

describe('keepConcurrent', () => {
  test('keeps so many under way, and begins none when the time is up', async () => {
    const { clock, began, schedule, seen } = ceremonies(300, 1000);
    await clock.run(keepConcurrent(schedule, 3));
    expect(began.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(began.map(({ at }) => at)).toEqual([0, 0, 0, 300, 300, 300, 600, 600, 600, 900, 900, 900]);
    expect(seen).toEqual({ underWay: 0, most: 3 });
  });
});

test.each<[name: string, keep: (schedule: ReturnType<typeof ceremonies>['schedule']) => Promise<unknown>]>([
  ['keepRate', (schedule) => keepRate(schedule, 10, 5)],
  ['keepConcurrent', (schedule) => keepConcurrent(schedule, 2)],
])('%s begins no more once it is stopped', async (_, keep) => {
  const stop = new AbortController();
  const { clock, began, schedule } = ceremonies(10, 1000, stop);
  const start = async (index: number, due: number) => {
    if (index === 3) stop.abort();
    await schedule.start(index, due);
  };
  await clock.run(keep({ ...schedule, start }));
  expect(began).toHaveLength(4);
});

describe('forEachAtOnce', () => {
  test('works on every item once', async () => {
    const done: number[] = [];
    await forEachAtOnce([1, 2, 3, 4, 5], 2, async (item) => void done.push(item));
    expect(done).toEqual([1, 2, 3, 4, 5]);
  });

  test('rejects with the first error, when what was begun has ended', async () => {
    const done: number[] = [];
    const work = forEachAtOnce([1, 2, 3, 4, 5, 6], 2, async (item) => {
      await Promise.resolve();
      if (item === 2) throw new Error('two');
      done.push(item);
    });
    await expect(work).rejects.toThrow('two');
    expect(done.length).toBeLessThan(5);
  });
});
