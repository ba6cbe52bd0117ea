import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../contract/adapters.js';
import { runIn } from './run-in.js';

const add = (cwd: string, email: string, ...more: readonly string[]) =>
  runIn(cwd, ['user', 'add', '--email', email, '--name', 'Ada', ...more]);

test('a command that makes a credentials file says so, and only then', async () => {
  const cwd = await temporaryFolder();
  for (const email of ['ada@example.com', 'bob@example.com']) await add(cwd, email);
  const create = (user: string, ...more: readonly string[]) => runIn(cwd, ['credential', 'create', '--user', user, ...more]);
  const made = (file: string) => `Created the credentials file ${join(cwd, file)}.\n`;
  expect((await create('ada@example.com', '--credentials', 'own.json')).stderr).toContain(made('own.json'));
  expect((await create('bob@example.com', '--credentials', 'own.json')).stderr).not.toContain('Created');
  expect((await create('nobody@example.com', '--credentials', 'typo.jsn')).stderr).not.toContain('Created');
  const copied = await runIn(cwd, ['credential', 'convert', 'own.json', '--add', '--credentials', 'copy.json']);
  expect(copied.stderr).toContain(made('copy.json'));
});

test('a command that makes a store says so, and only then', async () => {
  const cwd = await temporaryFolder();
  const made = (file: string) => `Created the store ${join(cwd, file)}.\n`;
  expect((await add(cwd, 'ada@example.com')).stderr).toContain(made('.passkey/passkeys.jsonl'));
  expect((await add(cwd, 'bob@example.com')).stderr).not.toContain('Created');
  expect((await add(cwd, 'ada@example.com', '--store', 'typo.jsn')).stderr).toContain(made('typo.jsn'));
  await runIn(cwd, ['store', 'export', '--out', 'all.jsonl']);
  expect((await runIn(cwd, ['store', 'import', 'all.jsonl', '--store', 'a.json'])).stderr).toContain(made('a.json'));
  expect((await runIn(cwd, ['store', 'import', 'all.jsonl', '--store', 'a.json'])).stderr).not.toContain('Created');
  expect((await runIn(cwd, ['store', 'copy', '.passkey/passkeys.jsonl', 'b.json'])).stderr).toContain(made('b.json'));
  const absent = await runIn(cwd, ['list', '--store', 'none.json']);
  expect(absent).toMatchObject({ code: 3, stderr: expect.not.stringContaining('Created') });
  await expect(readFile(join(cwd, 'none.json'))).rejects.toThrow('ENOENT');
});

test.each([
  'list',
  'show 1',
  'revoke 1 --yes',
  'restore 1 --yes',
  'purge --older-than 1d --yes',
  'stats',
  'audit',
  'user list',
  'user show ada@example.com',
  'user edit ada@example.com --name Countess',
  'user remove ada@example.com --yes',
  'token create --user ada@example.com',
  'token list',
  'token revoke 1 --yes',
  'store check',
  'store export --out out.jsonl',
  'store backup',
])('passkey %s makes no store', async (line) => {
  const cwd = await temporaryFolder();
  const { code, stdout, stderr } = await runIn(cwd, [...line.split(' '), '--store', 'none.jsonl']);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(join(cwd, 'none.jsonl'));
  expect(await readdir(cwd)).toEqual([]);
});
