import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LARGE_INPUTS } from './inputs.js';

/** A little more than twice, for what grows with the number of digits. */
const MOST = 2.2;

test('twice the input takes twice the work, in every parser and output', { timeout: 300_000 }, async () => {
  const meter = join(import.meta.dirname, 'meter.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', meter], { maxBuffer: 1024 * 1024 });
  const counted: Record<string, [number, number]> = JSON.parse(stdout);
  expect(Object.keys(counted)).toEqual(Object.keys(LARGE_INPUTS));
  const ratios = Object.entries(counted).map(([name, [once, twice]]) => [name, twice / once] as const);
  expect(ratios.filter(([, ratio]) => ratio > MOST)).toEqual([]);
  // A meter that counts nothing finds nothing.
  expect(ratios.filter(([, ratio]) => ratio > 1.5).length).toBeGreaterThan(ratios.length / 2);
});
