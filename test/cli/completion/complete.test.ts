import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findArgumentSource, findOptionSource } from '../../../src/cli/completion/sources.js';
import { createProgram } from '../../../src/cli/program.js';
import { COMMANDS } from '../all-commands.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { seedCredentials } from '../seeded-credentials.js';
import { seeded } from '../seeded-store.js';
import { tempFolder } from '../temp-folder.js';

/** What the last word can become: what the shell adds, and the words with what they are. */
async function completed(cwd: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runIn(cwd, ['__complete', '--', ...words], env);
  expect([code, stderr]).toEqual([0, '']);
  const [shell, ...lines] = stdout.trimEnd().split('\n');
  return { shell, words: lines.map((line) => line.split('\t')[0] ?? ''), lines };
}

const { program } = createProgram(fakeIo().io);

/** The entries of COMPREPLY for a line up to the cursor. */
async function bashReplies(line: string, ...more: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runIn('/nowhere', ['__complete', '--bash', ':=', '--line', line, ...more]);
  return stdout.trimEnd().split('\n').slice(1);
}

test('bash gets the rest of a word behind its last break, and what several are', async () => {
  expect(await bashReplies('passkey serve --user-verification=re')).toEqual(['required']);
  const several = await bashReplies('passkey store ex');
  expect(several).toEqual(['export']);
  const about = await bashReplies('passkey credential c');
  expect(about).toEqual([expect.stringMatching(/^create {2}\(make .*…\)$/), expect.stringMatching(/^convert {2}\(convert .*…\)$/)]);
  expect(await bashReplies('passkey credential c', '--plain')).toEqual(['create', 'convert']);
  expect(await bashReplies('passkey serve --log-level f')).toEqual(['fatal']);
  expect(await bashReplies('passkey simulate --reporter pretty,j')).toEqual(['pretty,json', 'pretty,junit']);
});

describe('every command', () => {
  test('stands among the commands', async () => {
    const groups = new Set(COMMANDS.map(([name]) => name.split(' ').slice(0, -1).join(' ')));
    const found: string[] = [];
    for (const group of groups) {
      const { words } = await completed('/nowhere', [...group.split(' ').filter(Boolean), '']);
      found.push(...words.map((word) => `${group} ${word}`.trim()));
    }
    expect(found).toEqual(expect.arrayContaining(COMMANDS.map(([name]) => name)));
    expect(found.filter((name) => name.startsWith('__'))).toEqual([]);
  });

  test.each(COMMANDS)('%s has its flags completed, and somebody said what their values are', async (name, command) => {
    const { words } = await completed('/nowhere', [...name.split(' '), '--']);
    const { stdout: help } = await runIn('/nowhere', [...name.split(' '), '--help']);
    for (const option of command.options) {
      expect(words.includes(option.long ?? '')).toBe(!option.hidden);
      if (!option.required && !option.optional) continue;
      const source = findOptionSource(option);
      expect(source, `${name} ${option.flags}: say it in src/cli/flags.ts`).toBeDefined();
      const values = typeof source?.words === 'object' ? source.words : [];
      for (const value of values) expect(help.replaceAll(/\s+/g, ' ')).toContain(value.replace(/^-/, ''));
    }
    for (const argument of command.registeredArguments) {
      expect(findArgumentSource(command, argument), `${name} <${argument.name()}>: add it to src/cli/completion/sources.ts`).toBeDefined();
    }
  });

  test('the program has those', () => expect(program.commands.length).toBeGreaterThan(10));
});

describe('values', () => {
  const rows: [words: string, expected: readonly string[], shell?: string][] = [
    ['serve --log-level f', ['fatal']],
    ['serve --user-verification=re', ['--user-verification=required']],
    ['serve --algorithms ES256,Ed', ['ES256,EdDSA', 'ES256,Ed25519', 'ES256,Ed448']],
    ['serve --auth-action s', ['session'], 'files'],
    ['serve --record ', [], 'folders'],
    ['serve --port ', []],
    ['simulate --reporter pretty,j', ['pretty,json', 'pretty,junit']],
    ['simulate --target better', ['better-auth'], 'files'],
    ['simulate --step rp-', ['rp-id-hash']],
    ['simulate --attestation-format android-k', ['android-key']],
    ['simulate login.challenge-used', ['login.challenge-used', 'login.challenge-used-later', 'login.challenge-used-kept-cookies']],
    ['simulate --init-profile --fr', ['--from']],
    ['credential answer --persona yubi', ['yubikey-5', 'yubikey-5-safari']],
    ['credential convert --to k', ['keepassxc']],
    ['help token c', ['create']],
    ['completion p', ['powershell']],
    ['exec --user x ', [], 'commands'],
    ['exec npm --', [], 'files'],
    ['exec -- npm li', [], 'files'],
    ['explain ', [], 'files'],
    ['list -- --u', []],
    ['nope list ', []],
    ['list --nope= ', []],
  ];
  test.each(rows)('%j', async (words, expected, shell = 'none') => {
    const found = await completed('/nowhere', words.split(' '));
    expect(found.shell).toBe(shell);
    expect(found.words).toHaveLength(expected.length);
    expect(new Set(found.words)).toEqual(new Set(expected));
  });

  const stored: [words: string, lines: string[]][] = [
    [
      'show ',
      [
        '1\tPhone, User:1, example.com',
        '2\t=1+1, User:1, login.example.com',
        '3\tOld "key", grey, User:2, example.com',
        '4\t\\x1b[31mKey\\x9b\\u202e, Admin:1, example.com',
      ],
    ],
    [
      'revoke ',
      ['1\tPhone, User:1, example.com', '2\t=1+1, User:1, login.example.com', '4\t\\x1b[31mKey\\x9b\\u202e, Admin:1, example.com'],
    ],
    ['revoke 1 --yes 4', ['4\t\\x1b[31mKey\\x9b\\u202e, Admin:1, example.com']],
    ['restore ', ['3\tOld "key", grey, User:2, example.com']],
    ['list --user ', ['Admin:1\tBob \\x1b[2J, bob@example.com', 'ada@example.com\tAda, User:1', 'User:2\tBob, bob@example.com']],
    ['user remove User:', ['User:1\tAda, ada@example.com', 'User:2\tBob, bob@example.com']],
    ['token revoke ', ['1\ttwo lines, User:1', '2\tUser:2']],
    ['list --store none.json --user ', []],
  ];
  test('of what is stored, with what it is in printable characters', async () => {
    const { cwd, passkey } = await seeded();
    await passkey('token', 'create', '--user', 'User:1', '--label', 'two\nlines');
    await passkey('token', 'create', '--user', 'User:2');
    await passkey('token', 'create', '--user', 'User:2');
    await passkey('token', 'revoke', '3');
    for (const [line, lines] of stored) expect((await completed(cwd, line.split(' '))).lines, line).toEqual(lines);
    await seedCredentials(cwd);
    const { words, lines } = await completed(cwd, ['credential', 'remove', '']);
    expect(words).toEqual(['AQIDBAUGBwgJCgsMDQ4PEA']);
    expect(lines[0]).toMatch(/\t.*, example\.org$/);
  });

  test('a store that is absent, damaged, in memory or a database is left alone, without a word', async () => {
    const cwd = await tempFolder();
    const nothing = { shell: 'none', words: [] };
    const revoke = ['revoke', ''];
    expect(await completed(cwd, revoke)).toMatchObject(nothing);
    expect(await readdir(cwd)).toEqual([]);
    for (const store of ['memory:', 'postgres://nobody@127.0.0.1:1/none', 'mysql://x', '']) {
      expect(await completed(cwd, revoke, { PASSKEY_STORE: store })).toMatchObject(nothing);
    }
    await mkdir(join(cwd, '.passkey'));
    await writeFile(join(cwd, '.passkey/passkeys.jsonl'), '{ broken');
    expect(await completed(cwd, revoke)).toMatchObject(nothing);
    expect(await readdir(join(cwd, '.passkey'))).toEqual(['passkeys.jsonl']);
    await writeFile(join(cwd, 'passkey.config.json'), '{ broken');
    expect(await completed(cwd, revoke)).toMatchObject(nothing);
    expect(await completed(cwd, ['serve', '--log-level', 'fat'])).toMatchObject({ words: ['fatal'] });
  });
});

test('the words of many lines are recorded, with what they are', async () => {
  const { cwd, passkey } = await seeded();
  await seedCredentials(cwd);
  await passkey('token', 'create', '--user', 'User:1', '--label', 'CI');
  await passkey('revoke', '2', '--yes');
  const lines: readonly (readonly string[])[] = [
    ['s'],
    ['help', 'st'],
    ['help', 'store', ''],
    ['store', ''],
    ['store', 'check', ''],
    ['store', 'check', '--'],
    ['list', '--s'],
    ['list', '--sort', 'c'],
    ['list', '--sort=c'],
    ['list', '--columns', 'id,cr'],
    ['list', '--user', ''],
    ['list', '--user', 'User:'],
    ['list', '--type', ''],
    ['list', '--rp-id', ''],
    ['list', '--label', ''],
    ['list', '--provider', 'iC'],
    ['list', '--aaguid', 'fbfc'],
    ['list', '--no-such=', ''],
    ['list', '--limit', ''],
    ['show', ''],
    ['show', '1', ''],
    ['revoke', ''],
    ['revoke', '1', ''],
    ['restore', ''],
    ['restore', '--change', ''],
    ['user', 'show', ''],
    ['user', 'remove', 'A'],
    ['token', 'revoke', ''],
    ['token', 'create', '--user', 'a'],
    ['audit', '--action', 'register,re'],
    ['audit', '--outcome', ''],
    ['audit', '--passkey', ''],
    ['credential', 'remove', ''],
    ['credential', 'answer', '--persona', 'yu'],
    ['credential', 'answer', '--tamper', 'login.signature-l'],
    ['credential', 'answer', '--credential', ''],
    ['credential', 'convert', '--to', 'p'],
    ['simulate', 'login.signature-s'],
    ['simulate', 'login.signature-bit', 'register.none-s'],
    ['simulate', '--tag', 'r'],
    ['simulate', '--step', 'sig'],
    ['simulate', '--target', 'f'],
    ['simulate', '--attestation-format', ''],
    ['simulate', '--replay', ''],
    ['simulate', '--reporter', 'h'],
    ['simulate', '--init-profile', '--f'],
    ['browse', '--persona=so'],
    ['browse', 'http://localhost', 'login.h'],
    ['doctor', '--only', ''],
    ['serve', '--attestation', ''],
    ['serve', '--algorithms', 'ES'],
    ['exec', '--', ''],
    ['exec', 'n', ''],
    ['completion', ''],
    ['--q'],
    ['frobnicate', ''],
  ];
  let text = '';
  for (const words of lines) {
    const { shell, lines: found } = await completed(cwd, words);
    text += `${words.map((word) => word || "''").join(' ')} (${shell})\n${found.map((line) => `  ${line.replaceAll('\t', ' | ')}\n`).join('')}`;
  }
  await expect(text).toMatchFileSnapshot('words.txt');
  expect((await completed(cwd, ['simulate', ''])).lines).toHaveLength(500);
});
