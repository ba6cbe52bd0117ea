import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
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
  ['a run without results', [GOOD, undefined], ['FAILED: a run ended without results\n5 passed, 1 failed, 1 skipped', 1]],
  ['a run without tests', [GOOD, { ...GOOD, numPassedTests: 0, numPendingTests: 0 }], ['5 passed, 0 failed, 1 skipped', 1]],
])('the counts of %s', (_, results, expected) => {
  expect(count(...results)).toEqual(expected);
});

test('what failed stands above the counts, where a log that is cut still has it', () => {
  const failed = { status: 'failed', fullName: 'adds two numbers', failureMessages: ['expected 3 to be 4\n    at sum.test.ts'] };
  const name = '/checkout/test/sum.test.ts';
  const vitest = {
    ...GOOD,
    numFailedTests: 1,
    success: false,
    testResults: [
      { name, status: 'failed', message: '', assertionResults: [{ status: 'passed', fullName: 'loads', failureMessages: [] }, failed] },
      { name: '/checkout/test/broken.test.ts', status: 'failed', message: 'Unexpected token', assertionResults: [] },
    ],
  };
  const release = { ...GOOD, numFailedTests: 1, success: false, failures: ['fuzz.mjs: files with seed 7'] };
  expect(count(vitest, release)).toEqual([
    [
      'FAILED: test/sum.test.ts: adds two numbers: expected 3 to be 4',
      'FAILED: test/broken.test.ts: Unexpected token',
      'FAILED: fuzz.mjs: files with seed 7',
      '10 passed, 2 failed, 2 skipped',
    ].join('\n'),
    1,
  ]);
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

describe('the run', () => {
  const WRITES = (passed: number) =>
    `printf '%s' '{"numPassedTests":${passed},"numFailedTests":0,"numPendingTests":0,"success":true}' > test-results.json`;

  /** In a checkout of its own, with an npm that does what a shell script says of its words. */
  function ci(npm: string, seconds = '60', others: Readonly<Record<string, string>> = {}) {
    const checkout = mkdtempSync(join(tmpdir(), 'passkey-ci-'));
    const folder = join(checkout, 'bin');
    mkdirSync(folder);
    cpSync(resolve(import.meta.dirname, '../../.ci'), join(checkout, '.ci'), { recursive: true });
    const programs = { npm: `echo "npm $*"; case "$*" in ${npm} esac`, chromium: '', 'firefox-esr': '', zsh: '', fish: '', ...others };
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, PASSKEY_CI_SECONDS: seconds };
    const { status, stdout, stderr } = spawnSync('bash', [join(checkout, '.ci/run')], { encoding: 'utf8', env });
    return { status, stderr, lines: stdout.trimEnd().split('\n') };
  }

  test('adds the counts of npm test and of what the gate has of the release suite', () => {
    const { status, lines } = ci(`test) ${WRITES(7)};; "run test:release -- --gate") ${WRITES(5)};;`);
    expect(lines.slice(0, 5)).toEqual([
      'npm ci --no-audit --no-fund',
      'npm ci --prefix test/release --no-audit --no-fund',
      'npm run lint',
      'npm test',
      'npm run test:release -- --gate',
    ]);
    expect([status, lines.at(-1)]).toEqual([0, '12 passed, 0 failed']);
  });

  test('has a limit for every stage; says which one hung, and counts it as failed', () => {
    // In place of the real one, which only a clock would show.
    const timeout = 'shift; echo "$1 s"; shift; case "$*" in "npm run test:release -- --gate") exit 124;; esac; exec "$@"';
    const { status, stderr, lines } = ci(`test) ${WRITES(7)};;`, '5100', { timeout });
    expect(lines.slice(0, 9)).toEqual([
      '600 s',
      'npm ci --no-audit --no-fund',
      '300 s',
      'npm ci --prefix test/release --no-audit --no-fund',
      '600 s',
      'npm run lint',
      '900 s',
      'npm test',
      '1200 s',
    ]);
    expect(stderr).toContain('Stopped after 1200 s: npm run test:release -- --gate\n');
    expect([status, lines.at(-1)]).toEqual([1, '7 passed, 1 failed']);
  });

  test('begins nothing when no time is left', () => {
    const { status, stderr, lines } = ci('ci*) ;;', '0');
    expect(stderr).toContain('No time is left for: npm ci');
    expect([status, lines.at(-1)]).toEqual([1, '0 passed, 1 failed']);
  });
});
