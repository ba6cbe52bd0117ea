import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { simulateReportSchema } from '../../../src/simulate/report/report.js';
import { fakeIo } from '../fake-io.js';
import { recordings } from './recordings.js';

const FILES = ['report.json', 'junit.xml', 'report.tap', 'report.sarif', 'report.html'] as const;

/** A run of two fixtures, the first of which fails, that a signal stops at the first line it prints. */
async function interruptAtFirstLine(signal: NodeJS.Signals) {
  const { cwd, simulate } = await recordings();
  const { io, written } = fakeIo({ cwd });
  const signals = new EventEmitter();
  const write = io.stdout.write.bind(io.stdout);
  const stdout = Object.assign(Object.create(io.stdout), {
    write: (...given: Parameters<typeof write>) => {
      signals.emit(signal);
      return write(...given);
    },
  });
  const reporters = 'pretty,json=report.json,junit=junit.xml,tap=report.tap,sarif=report.sarif,html=report.html';
  const argv = ['simulate', '--fixtures', 'fixtures', '--replay', 'verbatim', '--jobs', '1'];
  const code = await run([...argv, '--reporter', reporters, '--write-baseline', 'baseline.json'], { ...io, stdout, signals });
  const files = await Promise.all(FILES.map((name) => readFile(join(cwd, name), 'utf8')));
  return { cwd, simulate, code, written, files };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends a run with its reports, its findings and the exit code %i', async (signal, exit) => {
  const { cwd, code, written, files } = await interruptAtFirstLine(signal);
  const [json = '', junit, tap, sarif = '', html] = files;
  expect(code).toBe(exit);
  expect(written.stdout).toContain('1 not run, incomplete: the run was interrupted');
  expect(written.stdout).toContain('valid-refused');
  expect(written.stderr).toBe('The run was interrupted; 1 case did not run. --write-baseline wrote nothing.\n');
  const report = JSON.parse(json);
  expect(Check(simulateReportSchema, report)).toBe(true);
  expect(report).toMatchObject({ incomplete: true, summary: { total: 2, failed: 1, not_run: 1 }, findings: [{ cause: 'valid-refused' }] });
  expect(junit).toContain('<property name="incomplete" value="true"/>');
  expect(junit).toContain('<skipped message="not run: the run was interrupted"/>');
  expect(tap).toMatch(/\n1\.\.2\n/);
  expect(tap).toContain('# SKIP not run: the run was interrupted');
  expect(JSON.parse(sarif).runs[0].invocations[0].executionSuccessful).toBe(false);
  expect(html).toContain('incomplete: the run was interrupted');
  expect(existsSync(join(cwd, 'baseline.json'))).toBe(false);
});

test.each(['--baseline', '--rerun-failed'])('%s refuses an incomplete report unless it is allowed', async (flag) => {
  const { cwd, simulate, files } = await interruptAtFirstLine('SIGTERM');
  await writeFile(join(cwd, 'cut.txt'), files[0] ?? '');
  expect(await simulate([flag, 'cut.txt'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `passkey: ${flag}: cut.txt: expected the report of a complete run; that run was interrupted, and its report lacks 1 case. Pass the report of another run, or add --allow-incomplete.\n`,
  });
  expect((await simulate([flag, 'cut.txt', '--allow-incomplete'])).code).not.toBe(2);
});
