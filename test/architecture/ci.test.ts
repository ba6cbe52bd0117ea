import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const COUNTS = resolve(import.meta.dirname, '../../.ci/counts.mjs');
const GOOD = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, success: true };

function count(...results: readonly (object | undefined)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-counts-'));
  const files = results.map((result, index) => {
    const file = join(folder, `${index}.json`);
    if (result !== undefined) writeFileSync(file, JSON.stringify(result));
    return file;
  });
  const { status, stdout } = spawnSync(process.execPath, [COUNTS, ...files], { encoding: 'utf8' });
  return [stdout.trim(), status];
}

test.each([
  ['one run', [GOOD], ['5 passed, 0 failed, 1 skipped', 0]],
  ['two runs', [GOOD, { ...GOOD, numPassedTests: 2, numPendingTests: 0 }], ['7 passed, 0 failed, 1 skipped', 0]],
  ['a failure in the second', [GOOD, { ...GOOD, numFailedTests: 2, success: false }], ['10 passed, 2 failed, 2 skipped', 1]],
  ['a file that did not load', [{ ...GOOD, success: false }], ['5 passed, 1 failed, 1 skipped', 1]],
  ['a run without results', [GOOD, undefined], ['5 passed, 1 failed, 1 skipped', 1]],
  ['a run without tests', [GOOD, { ...GOOD, numPassedTests: 0, numPendingTests: 0 }], ['5 passed, 0 failed, 1 skipped', 1]],
])('the counts of %s', (_, results, expected) => {
  expect(count(...results)).toEqual(expected);
});
