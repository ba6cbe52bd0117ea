import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { maxConnections } from '../../../src/cli/serve/descriptors.js';

const report = (soft: unknown) => ({ userLimits: { open_files: { soft, hard: 'unlimited' } } });

test.each([
  [1_024, 20, 972],
  [64, 20, 12],
  [50, 20, 1],
  [1_000_000, 20, 4_096],
  ['unlimited', 20, 4_096],
])('a process that may open %s files and has %i open holds %i connections', (soft, inUse, expected) => {
  expect(maxConnections(1, { report: report(soft), inUse })).toBe(expected);
});

test.each([[{}], [{ userLimits: {} }], [report(undefined)]])('a system that states no limit gets a fixed number: %j', (silent) => {
  expect(maxConnections(1, { report: silent, inUse: 0 })).toBe(1_000);
});

test.skipIf(process.platform === 'win32')('Node’s report states how many files the process may open', () => {
  const script = 'console.log(JSON.stringify(process.report.getReport().userLimits.open_files.soft))';
  const { stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -n 300; exec "$0" -e "$1"', process.execPath, script], { encoding: 'utf8' });
  expect(maxConnections(1, { report: report(JSON.parse(stdout)), inUse: 8 })).toBe(260);
});

test('a connection that holds two descriptors counts as two', () => {
  expect(maxConnections(2, { report: report(256), inUse: 20 })).toBe(102);
});
