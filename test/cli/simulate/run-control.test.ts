import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { version } from '../../../src/cli/package.js';
import { schemas } from '../../../src/cli/schemas.js';
import { writeFixture } from '../../../src/fixture/write.js';
import { STEP_REVISION } from '../../../src/relying-party/steps/step.js';
import { type CaseResult, simulateReportSchema } from '../../../src/simulate/report/report.js';
import { findEnding } from '../../../src/simulate/reporters/words.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';
import { recordings } from './recordings.js';

const VERSION = version();
const ADVICE = 'Pass a report written by `passkey simulate --reporter json=FILE`.';

/** What a JSON report says of each case. */
const endings = (stdout: string) => {
  const report = JSON.parse(stdout);
  expect(Check(simulateReportSchema, report)).toBe(true);
  return report.results.map((result: CaseResult) => [result.id, findEnding(result)]);
};

describe('--baseline', () => {
  test('fails only for failures that it does not have', async () => {
    const { fixtures, bad, simulate } = await recordings();
    expect(await simulate(['--reporter', 'json=base.json'])).toMatchObject({ code: 1 });
    const again = await simulate(['--baseline', 'base.json']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('1 of 2 as expected, 1 known failure; against') });
    expect(again.stdout).toContain('~ bad verbatim');

    await writeFixture(fixtures, { ...bad, name: 'worse' });
    const worse = await simulate(['--baseline', 'base.json', '--bail', '--json']);
    expect(worse.code).toBe(1);
    expect(endings(worse.stdout)).toEqual([
      ['bad', 'known'],
      ['good', 'passed'],
      ['worse', 'failed'],
    ]);
  });

  test('says what need not be known any more', async () => {
    const { cwd, fixtures, good, simulate } = await recordings();
    await simulate(['--reporter', 'json=base.json']);
    await writeFile(join(fixtures, 'bad.json'), JSON.stringify({ ...good, name: 'bad' }).replace(/,"integrity":"[^"]*"/, ''));
    const fixed = await simulate(['--baseline', 'base.json', '--reporter', 'json=new.json']);
    expect(fixed).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^2 of 2 as expected, 1 fixed; .*\n1 failure of the baseline passed: bad verbatim\n$/),
    });
    expect(JSON.parse(await readFile(join(cwd, 'new.json'), 'utf8')).baseline).toMatchObject({ fixed: ['bad verbatim'], missing: [] });
    const without = await simulate(['good', '--baseline', 'base.json']);
    expect(without).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('· 1 failure of the baseline did not run\n    bad verbatim\n'),
    });
  });

  test('reads what --write-baseline writes: the failures alone, one a line', async () => {
    const { cwd, fixtures, bad, simulate } = await recordings();
    await writeFixture(fixtures, { ...bad, name: 'awful' });
    const first = await simulate(['--write-baseline', 'failures.json']);
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('1 of 3 as expected') });
    const lines = (await readFile(join(cwd, 'failures.json'), 'utf8')).split('\n');
    expect(lines.slice(1, 4)).toEqual([
      '  "format": "passkey-simulate-report",',
      '  "version": 1,',
      expect.stringMatching(/^ {2}"tool_version": "\d+\.\d+\.\d+",$/),
    ]);
    expect(lines.slice(6)).toEqual([
      '  "results": [',
      '    {"id":"awful","replay":"verbatim","status":"failed","cause":"valid-refused"},',
      '    {"id":"bad","replay":"verbatim","status":"failed","cause":"valid-refused"}',
      '  ]',
      '}',
      '',
    ]);
    expect(await simulate(['--baseline', 'failures.json'])).toMatchObject({ code: 0 });
    expect(await simulate(['--write-baseline', 'a.json', '--reporter', 'json=a.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('json and baseline cannot both write'),
    });
  });

  test('may be the file that is written', async () => {
    const { simulate } = await recordings();
    await simulate(['--reporter', 'json=base.json']);
    const rounds = ['--baseline', 'base.json', '--reporter', 'json=base.json'];
    expect([(await simulate(rounds)).code, (await simulate(rounds)).code]).toEqual([0, 0]);
  });
});

describe('--fail-on', () => {
  test('fails only for findings that are at least so serious', async () => {
    const { simulate } = await recordings();
    expect(await simulate(['--fail-on', 'low'])).toMatchObject({ code: 1 });
    const medium = await simulate(['--fail-on', 'medium', '--bail', '--json']);
    expect(medium.code).toBe(0);
    expect(endings(medium.stdout)).toEqual([
      ['bad', 'tolerated'],
      ['good', 'passed'],
    ]);
    expect(await simulate(['--fail-on', 'severe'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--fail-on.*critical, high, medium, low.*note/),
    });
  });
});

describe('--rerun-failed', () => {
  test('runs only what failed', async () => {
    const { simulate } = await recordings();
    await simulate(['--reporter', 'json=report.json']);
    const { code, stdout } = await simulate(['--rerun-failed', 'report.json', '--json']);
    expect(code).toBe(1);
    expect(endings(stdout)).toEqual([['bad', 'failed']]);
    expect((await simulate(['--rerun-failed', 'report.json', '--list'])).stdout).toMatch(/^CASE .*\nbad verbatim .*\n$/);
    expect(await simulate(['good', '--rerun-failed', 'report.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('None of the cases that failed in that report is selected here.'),
    });
  });

  test('nothing run is no pass', async () => {
    const { simulate } = await recordings();
    await simulate(['good', '--reporter', 'json=report.json']);
    expect(await simulate(['--rerun-failed', 'report.json'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Nothing ran: nothing failed in the report of --rerun-failed.\n',
    });
    expect(await simulate(['--rerun-failed', 'report.json', '--list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

test.each(['--baseline', '--rerun-failed'])('%s refuses what is no report', async (flag) => {
  const { cwd, simulate } = await recordings();
  await writeFile(join(cwd, 'half.json'), '{ "format": "passkey-simulate-report", ');
  expect(await simulate([flag, 'nowhere.json'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `passkey: ${flag}: nowhere.json cannot be read (ENOENT). ${ADVICE}\n`,
  });
  expect(await simulate([flag, 'half.json'])).toMatchObject({ code: 2, stderr: expect.stringContaining(`${flag}: half.json:1:`) });
  expect(await simulate([flag, 'fixtures/good.json'])).toMatchObject({ code: 2, stderr: expect.stringContaining(ADVICE) });
  expect(await simulate([flag, 'fixtures'])).toMatchObject({ code: 2, stderr: `passkey: ${flag}: fixtures is a folder. ${ADVICE}\n` });
});

/** A baseline that another version wrote, with these failures. */
const baselineOf = (...results: readonly object[]) =>
  JSON.stringify({
    format: 'passkey-simulate-report',
    version: 1,
    tool_version: '0.0.9',
    target: 'in-process',
    started_at: '2026-01-15T10:30:00.000Z',
    results: results.map((result) => ({ status: 'failed', ...result })),
  });

const GONE = { id: 'login.of-another-version', cause: 'cause-of-another-version' };

describe.each(['--baseline', '--rerun-failed'])('%s, of another version', (flag) => {
  test('says which of its cases there are no more, and runs', async () => {
    const { cwd, simulate } = await recordings();
    const results = [GONE, { id: 'bad', replay: 'verbatim' }, { id: 'register.gone-too', status: 'passed' }, { id: 'login.default' }];
    await writeFile(join(cwd, 'old.json'), baselineOf(...results));
    const { code, stderr } = await simulate([flag, 'old.json', '--json']);
    expect(stderr).toContain(
      `${flag}: old.json, written by passkey 0.0.9, has 2 cases that passkey ${VERSION} does not have: login.of-another-version, register.gone-too. `,
    );
    expect(code).toBe(flag === '--baseline' ? 0 : 1);
  });

  test('says nothing of a baseline whose cases there are, nor of fixtures, which come and go', async () => {
    const { cwd, simulate } = await recordings();
    const results = [{ id: 'bad', replay: 'verbatim' }, { id: 'a fixture of theirs', replay: 'rebound' }, { id: 'login.default' }];
    await writeFile(join(cwd, 'old.json'), baselineOf(...results));
    expect((await simulate([flag, 'old.json', '--json'])).stderr).not.toContain('does not have');
  });

  test('is refused where no failure can be compared', async () => {
    const { cwd, simulate } = await recordings();
    await writeFile(join(cwd, 'old.json'), baselineOf(GONE, { id: 'login.default', status: 'passed' }));
    expect(await simulate([flag, 'old.json'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `passkey: ${flag}: old.json, written by passkey 0.0.9, has 1 case that passkey ${VERSION} does not have: login.of-another-version. None of its failures can be compared. Write the file again with this version.\n`,
    });
  });

  test('is taken where a failure is one of a cause that there is', async () => {
    const { cwd, simulate } = await recordings();
    await writeFile(join(cwd, 'old.json'), baselineOf({ ...GONE, cause: 'origin' }, { id: 'bad', replay: 'verbatim' }));
    expect((await simulate([flag, 'old.json', '--json'])).stderr).toContain('is compared by its cause.');
  });

  test('is refused in a newer version of the format, whatever else it has', async () => {
    const { cwd, simulate } = await recordings();
    await writeFile(join(cwd, 'new.json'), JSON.stringify({ format: 'passkey-simulate-report', version: 2, cases: [] }));
    expect(await simulate([flag, 'new.json'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `passkey: ${flag}: new.json: expected version 1 of the report format; got version 2, written by a newer version of passkey. Update passkey, or create the report again with this version.\n`,
    });
  });
});

test('--verbose shows every case of a finding, not three', async () => {
  const { fixtures, bad, simulate } = await recordings();
  for (const name of ['bad-2', 'bad-3', 'bad-4']) await writeFixture(fixtures, { ...bad, name });
  const shown = (await simulate([])).stdout;
  const whole = (await simulate(['--verbose'])).stdout;
  expect([shown, whole].map((text) => text.includes('and 1 case more; --verbose shows them'))).toEqual([true, false]);
});

test('--repeat runs each case so often', async () => {
  const { simulate } = await recordings();
  const { code, stdout } = await simulate(['--repeat', '3', '--json']);
  expect(code).toBe(1);
  const { results } = JSON.parse(stdout);
  expect(results.map(({ repeats }: { repeats: unknown }) => repeats)).toEqual([
    { passed: 0, failed: 3 },
    { passed: 3, failed: 0 },
  ]);
});

test.each([
  ['--repeat', '0', '1 to 1000'],
  ['--repeat', 'often', '1 to 1000'],
  ['--jobs', '65', '1 to 64'],
  ['--jobs', '1.5', '1 to 64'],
])('%s %s is refused', async (flag, value, range) => {
  const { simulate } = await recordings();
  expect(await simulate([flag, value])).toEqual({
    code: 2,
    stdout: '',
    stderr: `passkey: ${flag} expects a whole number from ${range}; got "${value}".\n`,
  });
});

describe('--list', () => {
  const listed = async (...argv: string[]) => {
    const { code, stdout } = await runIn(await tempFolder(), ['simulate', '--list', '--json', ...argv]);
    const cases = code === 0 ? JSON.parse(stdout) : [];
    expect(Check(schemas['simulate-list'] ?? {}, cases)).toBe(true);
    return cases;
  };

  test('by step', async () => {
    const cases = await listed('--step', 'origin,sign-count');
    expect(new Set(cases.map(({ tests }: { tests: { slug: string } }) => tests.slug))).toEqual(new Set(['origin', 'sign-count']));
    expect(cases.map(({ id }: { id: string }) => id)).toContain('login.origin-other-port');
    const sections = new Set(cases.map(({ tests }: { tests: { section: string } }) => tests.section));
    expect(sections).toEqual(new Set(['7.1', '7.2']));
  });

  test('says of every case what is sent, what is right, the step with its revision, and why it matters', async () => {
    expect(await listed('login.signature-bit')).toEqual([
      expect.objectContaining({
        title: 'one bit of the signature flipped',
        expected: '401 signature_invalid (step signature)',
        tests: expect.objectContaining({ section: '7.2', number: 21, slug: 'signature', revision: STEP_REVISION }),
        advice: expect.stringMatching(/^The signature is the only proof/),
      }),
    ]);
  });

  test('describes a few cases that are named, and lists many', async () => {
    const cwd = await tempFolder();
    const { stdout } = await runIn(cwd, ['simulate', '--list', 'login.signature-bit']);
    expect(stdout).toMatch(
      /^login.signature-bit\n {4}case {6}one bit.*\n {4}tests {5}§7.2 step 21.*\n {4}revision .*\n {4}see {7}CWE-347\n {4}expected .*\n {4}why {7}The/,
    );
    const narrow = (await runIn(cwd, ['simulate', '--list', 'login.signature-bit'], { COLUMNS: '80' })).stdout;
    expect(narrow.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(narrow.replaceAll(/\n {14}/g, ' ')).toBe(stdout);
    expect((await runIn(cwd, ['simulate', '--list', 'login.*'])).stdout).toMatch(/^CASE +EXPECTED +SEE +TAGS\n/);
  });

  test('with --target, why a case does not run there, of which nothing is asked', async () => {
    const cases = await listed(
      '--target',
      'simplewebauthn',
      '--slow',
      'login.default',
      'login.two-users*',
      'login.user-handle-of-another-user-named',
      'session.*',
    );
    const reasons = new Map(cases.map(({ id, reason }: { id: string; reason?: string }) => [id, reason]));
    const noSecond = 'the target has no second user that a run could use';
    expect(Object.fromEntries(reasons)).toMatchObject({
      'login.default': undefined,
      'login.two-users-interleaved': noSecond,
      'login.user-handle-of-another-user-named': noSecond,
      'session.own-passkeys': 'the profile does not say how a user lists their passkeys (list)',
      'session.fixation': 'the profile does not say how to find out who is signed in (whoami)',
      'session.opens': 'needs its own server settings',
    });
    const { stdout, stderr } = await runIn(await tempFolder(), ['simulate', '--list', '--target', 'passkey', 'register.*']);
    expect(stdout).toMatch(/^register\.default .* needs the bearer token of a user \(--token\)$/m);
    expect(stderr).toMatch(/^\d+ cases, 0 of which the profile allows\./);
  });

  test.each([
    [['--step', 'orign'], 'There is no case for the step "orign".'],
    [['--attestation-format', 'pakced'], 'There is no case for the attestation statement format "pakced".'],
    [['--step', 'origin', '--tag', 'sessions'], 'There is no tag "sessions". Did you mean session?'],
    [
      ['--step', 'origin', '--tag', 'session'],
      'Expected at least one case to match every filter; none does. Remove a filter, or choose other values.',
    ],
  ])('%j is refused', async (argv, message) => {
    expect(await runIn(await tempFolder(), ['simulate', '--list', ...argv])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});
