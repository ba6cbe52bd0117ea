import { expect, test } from 'vitest';
import { showProgress } from '../../src/cli/progress.js';
import { fakeIo } from './fake-io.js';

test.each<[done: number, total: number, elapsed: number, text: string]>([
  [0, 0, 0, '0 of 0 rows, 0 %'],
  [500, 2000, 999, '500 of 2,000 rows, 25 %'],
  [500, 2000, 1000, '500 of 2,000 rows, 25 %, 500 rows/s, 3s left'],
  [45_000, 100_000, 4000, '45,000 of 100,000 rows, 45 %, 11,250 rows/s, 5s left'],
  [1999, 2000, 1000, '1,999 of 2,000 rows, 99 %, 1,999 rows/s, 1s left'],
  [1000, 601_000, 1000, '1,000 of 601,000 rows, 0 %, 1,000 rows/s, 10m left'],
  [1000, 120_000, 1000, '1,000 of 120,000 rows, 0 %, 1,000 rows/s, 119s left'],
  [1000, 122_000, 1000, '1,000 of 122,000 rows, 0 %, 1,000 rows/s, 3m left'],
  [2000, 2000, 2000, '2,000 of 2,000 rows, 100 %, 1,000 rows/s'],
])('%i of %i after %i ms', (done, total, elapsed, text) => {
  const { io, written } = fakeIo({ terminal: true });
  let now = 0;
  const progress = showProgress({ ...io, now: () => now });
  progress.show('Copying', { done: 0, total });
  now = elapsed;
  progress.show('Copying', { done, total });
  expect(written.stderr.split('] ').at(-1)).toBe(text);
});

test('on a terminal a bar is rewritten, and goes at the end', () => {
  const { io, written } = fakeIo({ terminal: true });
  let now = 0;
  const progress = showProgress({ ...io, now: () => now });
  progress.show('Copying', { done: 0, total: 4 });
  now = 2000;
  progress.show('Copying', { done: 3, total: 4 });
  progress.clear();
  const erase = '\r\u001b[K';
  expect(written.stderr).toBe(
    `${erase}Copying [....................] 0 of 4 rows, 0 %${erase}Copying [###############.....] 3 of 4 rows, 75 %, 2 rows/s, 1s left${erase}`,
  );
});

test('elsewhere nothing is written, or a line for each tenth', () => {
  for (const [plain, lines] of [
    [false, ''],
    [true, 'Copying: 1 of 4 rows, 25 %\nCopying: 4 of 4 rows, 100 %\nVerifying: 4 of 4 rows, 100 %\n'],
  ] as const) {
    const { io, written } = fakeIo();
    const progress = showProgress(io, { plain });
    for (const done of [0, 1, 1, 4]) progress.show('Copying', { done, total: 4 });
    progress.show('Verifying', { done: 4, total: 4 });
    progress.clear();
    expect(written.stderr).toBe(lines);
  }
});
