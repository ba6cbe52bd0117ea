import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { maxConnections } from '../../../src/cli/serve/descriptors.js';

const report = (soft: unknown) => ({ userLimits: { open_files: { soft, hard: 'unlimited' } } });

test.each([
  [1_024, 768],
  [256, 192],
  [1, 1],
  [1_000_000, 4_096],
  ['unlimited', 4_096],
])('a process that may open %s files holds %i connections', (soft, expected) => {
  expect(maxConnections(report(soft))).toBe(expected);
});

test.each([[{}], [{ userLimits: {} }], [report(undefined)]])('a system that does not say gets a fixed number: %j', (silent) => {
  expect(maxConnections(silent)).toBe(1_000);
});

test.skipIf(process.platform === 'win32')('Node’s report says how many files the process may open', () => {
  const script = 'console.log(JSON.stringify(process.report.getReport().userLimits.open_files.soft))';
  const { stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -n 300; exec "$0" -e "$1"', process.execPath, script], { encoding: 'utf8' });
  expect(maxConnections(report(JSON.parse(stdout)))).toBe(225);
});
