import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { writeFixture } from '../../../src/fixture/write.js';
import type { SimulateReport } from '../../../src/simulate/engine/report.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { recordings } from '../simulate/recordings.js';

/** Six fixtures, three of which fail, whose reports in two parts are part-1.json and part-2.json. */
async function partsOfRun() {
  const { cwd, fixtures, good, bad, simulate } = await recordings();
  for (const name of ['fair', 'fine']) await writeFixture(fixtures, { ...good, name });
  for (const name of ['awful', 'worse']) await writeFixture(fixtures, { ...bad, name });
  for (const part of [1, 2]) await simulate(['--shard', `${part}/2`, '--reporter', `json=part-${part}.json`]);
  return { cwd, simulate, merge: (...argv: string[]) => runIn(cwd, ['report', 'merge', ...argv]) };
}

const withoutTimes = ({ results, findings, summary }: SimulateReport) => ({
  results: results.map((result) => ({ ...result, duration_ms: 0, rerun: '' })),
  findings: findings.map((finding) => ({ ...finding, rerun: '' })),
  summary,
});

test('makes of the parts the report of the whole run, and exits as it does', async () => {
  const { cwd, simulate, merge } = await partsOfRun();
  const whole = await simulate(['--json']);
  const merged = await merge('part-2.json', 'part-1.json', '--json', '--reporter', 'junit=junit.xml,sarif=x.sarif');
  expect(merged).toMatchObject({ code: 1, stderr: '' });
  const report: SimulateReport = JSON.parse(merged.stdout);
  expect(withoutTimes(report)).toEqual(withoutTimes(JSON.parse(whole.stdout)));
  expect(report.shard).toBeUndefined();
  expect(await readFile(join(cwd, 'junit.xml'), 'utf8')).toContain('tests="6" failures="3"');
  const pretty = await merge('part-1.json', 'part-2.json', '--fail-on', 'high');
  expect(pretty).toMatchObject({ code: 0, stdout: expect.stringContaining('3 of 6 as expected, 3 tolerated') });
});

test('keeps what the parts know from their baseline', async () => {
  const { simulate, merge } = await partsOfRun();
  await simulate(['bad', 'awful', '--write-baseline', 'base.json']);
  for (const part of [1, 2]) await simulate(['--shard', `${part}/2`, '--baseline', 'base.json', '--reporter', `json=part-${part}.json`]);
  const { code, stdout } = await merge('part-1.json', 'part-2.json', '--json');
  const { summary, baseline }: SimulateReport = JSON.parse(stdout);
  expect({ code, summary, baseline }).toMatchObject({ code: 1, summary: { failed: 3, known: 2 }, baseline: { fixed: [], missing: [] } });
});

test('keeps that a part was interrupted: it exits 1, and neither a baseline nor another run takes its report', async () => {
  const { cwd, simulate, merge } = await partsOfRun();
  const { io } = fakeIo({ cwd });
  const signals = new EventEmitter();
  const stderr = Object.assign(Object.create(io.stderr), { isTTY: true, write: () => signals.emit('SIGTERM') });
  const argv = ['simulate', '--fixtures', 'fixtures', '--replay', 'verbatim', '--jobs', '1', '--shard', '1/2'];
  expect(await run([...argv, '--reporter', 'json=part-1.json'], { ...io, stderr, signals })).toBe(143);
  const part: SimulateReport = JSON.parse(await readFile(join(cwd, 'part-1.json'), 'utf8'));
  expect(part).toMatchObject({ incomplete: true, shard: { index: 1, count: 2, cases: 6 } });
  const left = part.summary.not_run;
  expect(left).toBeGreaterThan(0);

  const merged = await merge(
    'part-1.json',
    'part-2.json',
    '--fail-on',
    'critical',
    '--reporter',
    'pretty,json=whole.json',
    '--write-baseline',
    'base.json',
  );
  expect(merged).toMatchObject({ code: 1, stdout: expect.stringContaining('incomplete: the run was interrupted') });
  expect(merged.stderr).toContain('The run was interrupted;');
  expect(existsSync(join(cwd, 'base.json'))).toBe(false);
  expect(JSON.parse(await readFile(join(cwd, 'whole.json'), 'utf8'))).toMatchObject({
    incomplete: true,
    summary: { total: 6, not_run: left },
  });
  for (const flag of ['--baseline', '--rerun-failed']) {
    expect(await simulate([flag, 'whole.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `passkey: ${flag}: whole.json: expected the report of a whole run; it was interrupted, and lacks ${left} case`,
      ),
    });
  }
});

test('refuses what are not the parts of one run', async () => {
  const { cwd, simulate, merge } = await partsOfRun();
  const refused = (message: string) => ({ code: 2, stdout: '', stderr: expect.stringContaining(`passkey: ${message}`) });
  expect(await merge('part-1.json')).toEqual(refused('Expected 2 parts; got no report of 2/2.'));
  expect(await merge('part-1.json', 'part-1.json')).toEqual(
    refused('Expected each part once; part 1/2 is in part-1.json and part-1.json.'),
  );
  const second: SimulateReport = JSON.parse(await readFile(join(cwd, 'part-2.json'), 'utf8'));
  const change = (members: Partial<SimulateReport>) => writeFile(join(cwd, 'other.json'), JSON.stringify({ ...second, ...members }));
  await change({ target: 'http://localhost:3000' });
  expect(await merge('part-1.json', 'other.json')).toEqual(
    refused('Expected the parts of one run; the target is in-process in part-1.json and http://localhost:3000 in other.json.'),
  );
  await change({ tool_version: '0.0.1' });
  expect(await merge('part-1.json', 'other.json')).toEqual(refused('Expected the parts of one run; the version of passkey is '));
  await change({ shard: { index: 3, count: 3, cases: 6 } });
  expect(await merge('part-1.json', 'other.json')).toEqual(
    refused('Expected the parts of one run; the number of parts is 2 in part-1.json'),
  );
  await change({ results: second.results.slice(1) });
  expect(await merge('part-1.json', 'other.json')).toEqual(refused('Expected 6 cases in all parts; got 5.'));
  await simulate(['--write-baseline', 'base.json']);
  await copyFile(join(cwd, 'base.json'), join(cwd, 'part-3.json'));
  expect(await merge('part-3.json')).toEqual(refused('part-3.json:1:1: /duration_ms: expected a value of type number, received nothing.'));
  await writeFile(join(cwd, 'other.json'), JSON.stringify({ ...second, version: 2 }));
  expect(await merge('part-1.json', 'other.json')).toEqual(refused('other.json: expected version 1 of the report format; got version 2, '));
});

test.each(['0/2', '3/2', '2', '1/1001', 'a/b'])('--shard %s is refused', async (value) => {
  const { simulate } = await recordings();
  expect(await simulate(['--shard', value])).toEqual({
    code: 2,
    stdout: '',
    stderr: `passkey: --shard expects a part and the number of parts, up to 1000, such as 2/5; got "${value}".\n`,
  });
});
