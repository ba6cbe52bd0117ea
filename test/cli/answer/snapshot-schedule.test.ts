import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SnapshotSchedule } from '../../../src/cli/answer/snapshot-schedule.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] }));
afterEach(() => void vi.useRealTimers());

const LONG = 8 * 1024 * 1024;

/** A schedule whose updates fail or not, and how many there were after each of the given times. */
function scheduled(failures: readonly boolean[] = []) {
  let updates = 0;
  const schedule = new SnapshotSchedule(async () => {
    updates += 1;
    if (failures[updates - 1] === true) throw new TypeError('the disk is full');
  });
  const after = async (...times: readonly number[]) => {
    const counts: number[] = [];
    for (const milliseconds of times) {
      await vi.advanceTimersByTimeAsync(milliseconds);
      counts.push(updates);
    }
    return counts;
  };
  return { schedule, after };
}

test('a file is updated once, when no change came for 300 ms', async () => {
  const { schedule, after } = scheduled();
  schedule.changed({ journalBytes: 5, fileBytes: 70 });
  expect(await after(299)).toEqual([0]);
  schedule.changed({ journalBytes: 9, fileBytes: 70 });
  expect(await after(299, 1, 60_000)).toEqual([0, 1, 1]);
  schedule.changed({ journalBytes: 0, fileBytes: 79 });
  expect(await after(60_000)).toEqual([1]);
  await schedule.finish();
  expect(await after(0)).toEqual([1]);
});

test.each([
  [LONG, 0, [0, 1]],
  [LONG + 1, 0, [1, 1]],
  [LONG + 1, LONG + 1, [0, 1]],
  [LONG + 2, LONG + 1, [1, 1]],
])('a journal of %i bytes beside a file of %i is long or not', async (journalBytes, fileBytes, counts) => {
  const { schedule, after } = scheduled();
  schedule.changed({ journalBytes, fileBytes });
  expect(await after(0, 300)).toEqual(counts);
});

test('a failed update is repeated after 30 s, whatever changes until then', async () => {
  const { schedule, after } = scheduled([true, true]);
  schedule.changed({ journalBytes: LONG + 1, fileBytes: 0 });
  expect(await after(0)).toEqual([1]);
  schedule.changed({ journalBytes: LONG + 2, fileBytes: 0 });
  expect(await after(29_999, 1, 29_999, 1, 60_000)).toEqual([1, 2, 2, 3, 3]);
  schedule.changed({ journalBytes: 5, fileBytes: 70 });
  expect(await after(299, 1)).toEqual([3, 4]);
});

test('changes during an update are in another one', async () => {
  const { schedule, after } = scheduled();
  schedule.changed({ journalBytes: LONG + 1, fileBytes: 0 });
  schedule.changed({ journalBytes: LONG + 2, fileBytes: 0 });
  expect(await after(0, 299, 1)).toEqual([1, 1, 2]);
});

test('the end updates the file at once, also when the last update failed, and leaves no timer', async () => {
  const { schedule, after } = scheduled([true, true]);
  schedule.changed({ journalBytes: LONG + 1, fileBytes: 0 });
  expect(await after(0)).toEqual([1]);
  await schedule.finish();
  expect(await after(0, 60_000)).toEqual([2, 2]);
  expect(vi.getTimerCount()).toBe(0);
});
