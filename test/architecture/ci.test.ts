import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

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

describe('the audit', () => {
  const AUDIT = resolve(import.meta.dirname, '../../.ci/audit.mjs');

  /** Runs it with a npm that does what a shell script says. */
  function audit(script: string, seconds: string) {
    const folder = mkdtempSync(join(tmpdir(), 'passkey-audit-'));
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'npm'), 0o755);
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
    const { status, stdout } = spawnSync(process.execPath, [AUDIT, seconds], { encoding: 'utf8', env });
    return [stdout, status];
  }
  const answers = (document: object) => `printf '%s' '${JSON.stringify(document)}'; exit 1`;
  const counts = { info: 0, low: 1, moderate: 0, high: 2, critical: 0, total: 3 };

  test.each([
    [
      'nothing',
      { vulnerabilities: {}, metadata: { vulnerabilities: { low: 0, total: 0 }, dependencies: { total: 300 } } },
      'no known vulnerability in 300 packages',
    ],
    ['something', { vulnerabilities: { a: {}, b: {} }, metadata: { vulnerabilities: counts } }, '1 low, 2 high: a, b'],
    [
      'that there is no network',
      { message: 'request to https://registry.npmjs.org failed\nmore' },
      'no report (request to https://registry.npmjs.org failed)',
    ],
  ])('reports %s, and never fails', (_, document, line) => {
    expect(audit(answers(document), '30')).toEqual([`npm audit: ${line}\n`, 0]);
  });

  test('does not fail or wait where npm breaks or hangs', () => {
    expect(audit('echo broken', '30')).toEqual(['npm audit: no report (no JSON)\n', 0]);
    expect(audit('exec sleep 1000', '0.2')).toEqual(['npm audit: no report (ETIMEDOUT)\n', 0]);
  });

  test('comes before the last line of .ci/run, and decides nothing', () => {
    const lines = readFileSync(resolve(import.meta.dirname, '../../.ci/run'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-4);
    expect(lines).toEqual([
      'node .ci/audit.mjs',
      `node .ci/counts.mjs "\${results[@]}"`,
      'counted=$?',
      '[ "$status" -eq 0 ] && [ "$counted" -eq 0 ]',
    ]);
  });
});
