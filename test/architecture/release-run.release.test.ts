import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const RUN = resolve(import.meta.dirname, '../release/run.mjs');

/** Begins the release suite with these scripts in place of its own. */
function begin(scripts: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-release-suite-'));
  for (const [file, text] of Object.entries(scripts)) writeFileSync(join(folder, file), text);
  const child = spawn(process.execPath, [RUN, '--folder', folder, '--grace', '1', ...args], {
    cwd: folder,
    env: { ...process.env, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    const written: unknown = JSON.parse(readFileSync(join(folder, 'test-results.json'), 'utf8'));
    return { code, output, written, last: output.trimEnd().split('\n').at(-1) };
  });
  return { child, ended, output: () => output };
}

/** Elsewhere only the process group is looked at. */
const FINDS_ALL = existsSync('/proc/self/environ');
const GOOD = 'export const run = async (say) => { say("all is well"); return { passed: 2, failed: 0, skipped: 1 }; };';
/** A process that only a signal ends; what it is called is seen in the report. */
const sleeper = (options: string) =>
  `import { spawn } from 'node:child_process';
  export const run = async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)', 'the-sleeper'], ${options});
    child.unref();
    return { passed: 1, failed: 0 };
  };`;

test('counts what the scripts count, and writes it where vitest does', async () => {
  const { code, output, written, last } = await begin({ 'a.mjs': GOOD, 'b.mjs': GOOD }).ended;
  expect([code, last]).toEqual([0, '4 passed, 0 failed, 2 skipped']);
  expect(output).toMatch(/^a\.mjs\n {2}all is well\n {2}a\.mjs took \d+ s\nb\.mjs\n/);
  expect(written).toEqual({ numPassedTests: 4, numFailedTests: 0, numPendingTests: 2, success: true, failures: [] });
});

test('says at the end, too, what a script said that failed', async () => {
  const bad =
    'export const run = async (say) => { say("FAILED: the third check: no luck\\nmore"); say("done"); return { passed: 2, failed: 1 }; };';
  const { output, written } = await begin({ 'a.mjs': bad, 'b.mjs': GOOD }).ended;
  expect(output).toMatch(/\nFAILED: a\.mjs: the third check: no luck\n4 passed, 1 failed, 1 skipped\n$/);
  expect(written).toMatchObject({ failures: ['a.mjs: the third check: no luck'] });
});

test('runs those that are named', async () => {
  expect((await begin({ 'a.mjs': GOOD, 'b.mjs': GOOD }, 'b.mjs').ended).last).toBe('2 passed, 0 failed, 1 skipped');
});

describe('a script fails that', () => {
  test.each([
    ['throws', 'export const run = async () => { throw new Error("no luck"); };', 'no luck'],
    ['ends without counts', 'export const run = async () => process.exit(0);', 'FAILED: bad.mjs: ended without counts (exit code 0)'],
    [
      'leaves a server listening',
      `import { createServer } from 'node:http';
       export const run = async () => { createServer().listen(0); return { passed: 1, failed: 0 }; };`,
      'FAILED: it does not end by itself: TCPServerWrap',
    ],
    [
      'leaves a process',
      sleeper('{ stdio: "ignore" }'),
      FINDS_ALL ? / {2}FAILED: bad\.mjs: left running: \S+ -e setInterval.* the-sleeper\n/ : 'left running',
    ],
    [
      'leaves one in a group of its own',
      sleeper(`{ stdio: "ignore", detached: ${FINDS_ALL} }`),
      FINDS_ALL ? / left running: .* the-sleeper\n/ : 'left running',
    ],
  ])('%s; the next one runs', async (_, bad, says) => {
    const { code, output, last, written } = await begin({ 'bad.mjs': bad, 'good.mjs': GOOD }).ended;
    expect(output).toMatch(says);
    expect(last).toMatch(/^\d passed, 1 failed, 1 skipped$/);
    expect([code, written]).toMatchObject([1, { numFailedTests: 1, success: false }]);
  });

  test('hangs: it is ended with all that it has started', async () => {
    const forEver = 'await new Promise(() => setInterval(() => 0, 1000));';
    const hangs = sleeper(`{ stdio: "ignore", detached: ${FINDS_ALL} }`).replace('return { passed: 1, failed: 0 };', forEver);
    const { code, output, last } = await begin({ 'bad.mjs': hangs, 'good.mjs': GOOD }, '--limit', '15', '--grace', '10').ended;
    expect(output).toContain('  FAILED: bad.mjs: stopped after 15 s\n');
    expect(output).not.toContain('left running');
    expect([code, last]).toEqual([1, '2 passed, 1 failed, 1 skipped']);
  });
});

test('a signal ends the script that runs, counts it as failed, and starts no other', async () => {
  const waits = 'export const run = async (say) => { say("waiting"); await new Promise(() => setInterval(() => 0, 1000)); };';
  const { child, ended, output } = begin({ 'a.mjs': GOOD, 'b.mjs': waits, 'c.mjs': GOOD });
  while (!output().includes('waiting')) await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const { code, last, written } = await ended;
  expect([code, last]).toEqual([1, '2 passed, 1 failed, 1 skipped']);
  expect(written).toMatchObject({ numPassedTests: 2, success: false });
});
