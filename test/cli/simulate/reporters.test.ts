import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { simulateReportSchema } from '../../../src/simulate/report/report.js';
import { words } from '../examples/markdown.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { recordings } from './recordings.js';

/** Where Linux has memory as a folder. */
const MEMORY = '/dev/shm';

const read = (...path: string[]) => readFile(join(...path), 'utf8');

test('several reporters report one run, each to its place; folders are made', async () => {
  const { cwd, simulate } = await recordings();
  const { code, stdout, stderr } = await simulate([
    '--reporter',
    'pretty,json=out/deep/report.json,junit=out/junit.xml',
    '--reporter',
    'tap=out/report.tap,html=out/report.html,github=out/annotations.txt',
  ]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^✗ bad verbatim: [\s\S]*^1 of 2 as expected, 1 not; against the server in process/m);
  const report = JSON.parse(await read(cwd, 'out/deep/report.json'));
  expect(Check(simulateReportSchema, report)).toBe(true);
  expect(report.summary).toMatchObject({ total: 2, passed: 1, failed: 1 });
  expect(await read(cwd, 'out/junit.xml')).toContain('<testcase name="good verbatim" classname="simulate.fixture.verbatim"');
  expect(await read(cwd, 'out/report.tap')).toMatch(/^TAP version 14\n1\.\.2\nnot ok 1 - bad verbatim\n/);
  expect(await read(cwd, 'out/report.html')).toContain('<span class="verdict failed">failed</span>');
  expect(await read(cwd, 'out/annotations.txt')).toMatch(/^::error title=low%2C valid-refused::/);
  expect(await readdir(join(cwd, 'out'))).toEqual(['annotations.txt', 'deep', 'junit.xml', 'report.html', 'report.tap']);
});

test.each([
  ['json', /^\{\n {2}"format": "passkey-simulate-report"/],
  ['junit', /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/],
  ['tap', /^TAP version 14\n/],
  ['github', /^::error title=low%2C valid-refused::/],
  ['html', /^<!doctype html>\n/],
  ['sarif', /^\{\n {2}"\$schema": "https:\/\/json.schemastore.org\/sarif-2.1.0.json"/],
  ['pretty', /^✗ bad verbatim/],
])('%s alone is printed, and nothing else', async (reporter, start) => {
  const { simulate } = await recordings();
  const { stdout, stderr } = await simulate(['--reporter', reporter]);
  expect(stdout).toMatch(start);
  expect(stderr).toBe('');
});

test('with files alone the counts are said, and nothing is printed', async () => {
  const { simulate } = await recordings();
  expect(await simulate(['--reporter', 'junit=junit.xml'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^1 of 2 as expected, 1 not; against the server in process, \d+\.\d\d s\n$/),
  });
});

test('--json is --reporter json', async () => {
  const { cwd, simulate } = await recordings();
  const { stdout } = await simulate(['--json', '--reporter', 'json=report.json']);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(await read(cwd, 'report.json')));
  expect((await simulate(['--json', '--reporter', 'json'])).stdout).toMatch(/^\{[\s\S]*\}\n$/);
});

describe('on GitHub Actions', () => {
  test('the summary of the job grows by every run', async () => {
    const { cwd, simulate } = await recordings();
    const summary = join(cwd, 'summary.md');
    await writeFile(summary, 'from another step\n');
    const { stdout } = await simulate(['--reporter', 'pretty,github'], { GITHUB_STEP_SUMMARY: summary });
    expect(stdout).toMatch(/^✗ bad verbatim: [\s\S]*\n::error title=low%2C valid-refused::/);
    await simulate(['good', '--reporter', 'github'], { GITHUB_STEP_SUMMARY: summary });
    expect((await read(summary)).match(/^(?:from another step|## passkey simulate|[12] of [12] as expected)/gm)).toEqual([
      'from another step',
      '## passkey simulate',
      '1 of 2 as expected',
      '## passkey simulate',
      '1 of 1 as expected',
    ]);
  });

  test('without that reporter it does not', async () => {
    const { cwd, simulate } = await recordings();
    await simulate(['good'], { GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') });
    expect(await readdir(cwd)).toEqual(['fixtures']);
  });

  test('a summary that cannot be written is said', async () => {
    const { simulate } = await recordings();
    expect(await simulate(['good', '--reporter', 'github'], { GITHUB_STEP_SUMMARY: 'no/such/folder.md' })).toMatchObject({
      code: 2,
      stderr: 'passkey: GITHUB_STEP_SUMMARY: cannot write no/such/folder.md (ENOENT). Choose another file.\n',
    });
  });
});

describe('what cannot be reported is said before anything runs', () => {
  test.each<[value: string, message: string]>([
    ['tap,json', '--reporter: tap and json cannot both be printed. Give all but one a file, such as json=FILE.'],
    ['pretty,html', '--reporter: pretty and html cannot both be printed. Give all but one a file, such as html=FILE.'],
    ['junit=x.xml,html=./x.xml', '--reporter: junit and html cannot both write'],
    ['xunit', '--reporter: "xunit" is not one of pretty, brief, json, junit, tap, github, html, sarif, followed by =FILE to write a file.'],
    ['json=', '--reporter: "json=" is not one of pretty, brief, json, junit'],
    ['toString', '--reporter: "toString" is not one of'],
    ['json=fixtures', '--reporter json: cannot write fixtures (it is a folder). Choose another file.'],
    ['json=/dev/stdout', '--reporter json: cannot write /dev/stdout (it is a device; leave =FILE out to print). Choose another file.'],
  ])('%s', async (value, message) => {
    const { simulate } = await recordings();
    expect(await simulate(['--reporter', value])).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(`passkey: ${message}`) });
  });

  test('a file below a file', async () => {
    const { simulate } = await recordings();
    expect(await simulate(['--reporter', 'json=fixtures/good.json/x.json'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^passkey: --reporter json: cannot write fixtures.good\.json.x\.json \(\w+\)\. Choose another file\.\n$/,
      ),
    });
  });

  test('with --list', async () => {
    const { simulate } = await recordings();
    expect(await simulate(['--list', '--reporter', 'html=x.html'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--list') });
  });
});

test('a run that is interrupted replaces an earlier report as a whole, and leaves an earlier baseline alone', async () => {
  const { cwd } = await recordings();
  await writeFile(join(cwd, 'report.json'), 'earlier report');
  await writeFile(join(cwd, 'known.json'), 'earlier baseline');
  const { io } = fakeIo({ cwd });
  const signals = io.signals as NodeJS.EventEmitter;
  io.stdout.once('data', () => signals.emit('SIGINT'));
  const argv = ['--fixtures', 'fixtures', '--reporter', 'pretty,json=report.json', '--write-baseline', 'known.json'];
  expect(await run(['simulate', ...argv], io)).toBe(130);
  expect(JSON.parse(await read(cwd, 'report.json'))).toMatchObject({ incomplete: true });
  expect(await read(cwd, 'known.json')).toBe('earlier baseline');
  expect(await readdir(cwd)).toEqual(['fixtures', 'known.json', 'report.json']);
});

test.skipIf(process.platform === 'win32')('a link to a file stays one', async () => {
  const { cwd, simulate } = await recordings();
  await mkdir(join(cwd, 'elsewhere'));
  await writeFile(join(cwd, 'elsewhere/report.tap'), 'earlier');
  await symlink('elsewhere/report.tap', join(cwd, 'report.tap'));
  await simulate(['--reporter', 'tap=report.tap']);
  expect(await read(cwd, 'elsewhere/report.tap')).toMatch(/^TAP version 14/);
});

test.skipIf(!existsSync(MEMORY))('a file in memory is one like others, though it is below /dev', async () => {
  const { simulate } = await recordings();
  const folder = await mkdtemp(join(MEMORY, 'passkey-report-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await simulate(['--reporter', `tap=${folder}/report.tap`])).toMatchObject({ code: 1, stdout: '' });
  expect(await read(folder, 'report.tap')).toMatch(/^TAP version 14/);
});

test('a failure names the command that runs it alone', async () => {
  const { cwd, simulate } = await recordings();
  const { stdout } = await simulate(['--bail', '--reporter', 'pretty', '--repeat', '2']);
  const [, command = ''] = /run alone (.*)/.exec(stdout) ?? [];
  expect(command).toBe('passkey simulate bad --replay verbatim --fixtures fixtures');
  const [, ...argv] = words(command);
  expect(await runIn(cwd, argv)).toMatchObject({ code: 1, stdout: expect.stringContaining('0 of 1 as expected, 1 not') });
});
