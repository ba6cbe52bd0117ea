import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bashReply, splitWords, unquoted } from '../../../src/cli/completion/shell-words.js';
import { quoteWord } from '../../../src/cli/own-command.js';
import { fc } from '../../properties.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

/** In CI a shell that is missing is a failure. */
const has = (shell: string): boolean => Boolean(process.env.CI) || spawnSync(shell, ['-c', 'exit 0']).status === 0;
const SHELLS = ['bash', 'zsh', 'fish'];
for (const shell of SHELLS) if (!has(shell)) console.warn(`SKIPPED a part of test/cli/completion/shells.test.ts: no ${shell} here`);

/** As bash has them where nobody changed them. */
const BREAKS = ' \t\n"\'@><=;|&(:';
const HOSTILE = fc.string({ unit: fc.constantFrom(...'ab1.@:=,-_"\'\\$`(){}[]<>|&;!*?~#^% +/é'), minLength: 1, maxLength: 12 });

describe('the scripts', () => {
  test.each(SHELLS.filter(has))('%s can read its own', async (shell) => {
    const { code, stdout } = await runIn('/nowhere', ['completion', shell]);
    const file = join(await tempFolder(), 'script');
    await writeFile(file, stdout);
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    expect([code, status, stderr]).toEqual([0, 0, '']);
  });

  test('that of PowerShell is there, and quotes by its rules', async () => {
    const { code, stdout } = await runIn('/nowhere', ['completion', 'powershell']);
    expect(code).toBe(0);
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName passkey');
    expect(stdout).not.toMatch(/Invoke-Expression|iex /);
  });

  test('for another shell there is none', async () => {
    expect(await runIn('/nowhere', ['completion', 'csh'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'passkey: Expected a shell, one of bash, zsh, fish, powershell; got "csh".\n',
    });
  });
});

describe('the words of a line', () => {
  test.each([
    ['', ['']],
    ['passkey ', ['passkey', '']],
    ['passkey  list   --user', ['passkey', 'list', '--user']],
    [`passkey 'a b'"c 'd" e\\ f \\`, ['passkey', `'a b'"c 'd"`, 'e\\ f', '\\']],
    [`passkey "open \\" and on`, ['passkey', `"open \\" and on`]],
  ])('%j', (line, words) => expect(splitWords(line)).toEqual(words));

  test.skipIf(!has('bash'))('are what bash makes of them', () => {
    const quote = (text: string, way: number) =>
      way === 0
        ? `'${text.replaceAll("'", `'"'"'`)}'`
        : way === 1
          ? `"${text.replaceAll(/["$`\\]/g, '\\$&')}"`
          : text.replaceAll(/[^\w]/g, '\\$&');
    const words = fc.sample(fc.tuple(HOSTILE, fc.nat({ max: 2 })), { seed: 17, numRuns: 300 });
    const line = words.map(([text, way]) => quote(text, way)).join(' ');
    const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
    expect(splitWords(line).map(unquoted)).toEqual(stdout.split('\0').slice(0, -1));
  });
});

describe('what bash puts into a line', () => {
  test.each([
    ["o'brien@x", 'o', "o\\'brien@x"],
    ['a@example.com', 'a@ex', 'example.com'],
    ['User:12', 'User:1', '12'],
    ['--attestation=direct', '--attestation=d', 'direct'],
    ['a;b', 'a\\;', 'a\\;b'],
    ['a:b;c', 'a:b\\;', 'b\\;c'],
    ['\u{1f600}@x', '\u{1f600}', '\\\u{1f600}@x'],
    ['a b', '"a', 'a b'],
    ['a$b', '"a', undefined],
    ['a$b', "'a", 'a$b'],
    ["a'b", "'a", undefined],
  ])('%j for %j', (word, typed, reply) => expect(bashReply(word, typed, BREAKS)).toBe(reply));

  test.skipIf(!has('bash'))('becomes the word again, and nothing in it is run', () => {
    const words = fc.sample(HOSTILE, { seed: 18, numRuns: 400 });
    const replies = words.map((word) => bashReply(word, '', BREAKS));
    const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${replies.join(' ')}`], { encoding: 'utf8' });
    expect(stdout.split('\0').slice(0, -1)).toEqual(words);
  });
});

describe('a word of a command that we print', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['App\\Models\\User:1', '"App\\Models\\User:1"'],
    ['$(id)@x', "'$(id)@x'"],
    ["`o'b`@x", "'`o'\\''b`@x'"],
  ])('%s is %s', (value, shown) => expect(quoteWord(value)).toBe(shown));

  test.skipIf(!has('bash'))('is the word again in bash, and nothing in it is run', () => {
    const values = fc.sample(HOSTILE, { seed: 21, numRuns: 400 });
    const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${values.map(quoteWord).join(' ')}`], { encoding: 'utf8' });
    expect(stdout.split('\0').slice(0, -1)).toEqual(values);
  });
});
