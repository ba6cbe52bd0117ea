import { Check } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { schemas } from '../../src/cli/schemas.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

const newDatabase = async () => (await postgresServer()).newDatabase();

describe.skipIf(!HAS_POSTGRES)('passkey store migrate', () => {
  test('makes the tables, and then has nothing to do', async () => {
    const [cwd, url] = [await tempFolder(), await newDatabase()];
    const shown = url.replace('tester:secret@', '');
    const migrate = (...flags: string[]) => runIn(cwd, ['store', 'migrate', '--store', url, ...flags]);
    const made = await migrate();
    const version = Number(/\d+$/.exec(made.stdout.trim())?.[0]);
    expect(version).toBeGreaterThan(1);
    expect(made).toEqual({ code: 0, stdout: `${shown} was made: schema ${version}\n`, stderr: '' });
    expect(await migrate()).toEqual({ code: 0, stdout: `${shown} is up to date: schema ${version}\n`, stderr: '' });
    const { code, stdout } = await migrate('--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { store: shown, from: version, to: version }]);
    expect(Check(schemas['store-migrate'] ?? {}, JSON.parse(stdout))).toBe(true);
  });

  test('is wrong usage for a file', async () => {
    expect(await runIn(await tempFolder(), ['store', 'migrate', '--store', 'passkeys.jsonl'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('such as postgres://passkey@localhost/passkeys. A file needs no migration'),
    });
  });
});

describe.skipIf(!HAS_POSTGRES)('commands on a PostgreSQL store', () => {
  test('those that read never make one', async () => {
    const [cwd, url] = [await tempFolder(), await newDatabase()];
    for (const command of [['list'], ['user', 'list'], ['token', 'list']]) {
      expect(await runIn(cwd, [...command, '--store', url])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('has no passkey store yet'),
      });
    }
  });

  test('users and tokens are added, listed and removed', async () => {
    const [cwd, url] = [await tempFolder(), await newDatabase()];
    const at = (...argv: string[]) => runIn(cwd, [...argv, '--store', url]);
    expect(await at('user', 'add', '--email', 'ada@example.com', '--name', 'Ada')).toMatchObject({ code: 0, stdout: 'User:1\n' });
    expect(await at('user', 'add', '--email', 'ADA@example.com', '--name', 'Ada')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ADA@example.com already belongs to User:1'),
    });
    expect(await at('token', 'create', '--user', 'ada@example.com')).toMatchObject({ code: 0 });
    expect((await at('token', 'list')).stdout).toContain('User:1');
    expect(await at('user', 'remove', 'User:1', '--yes')).toMatchObject({ code: 0 });
    expect(JSON.parse((await at('user', 'list', '--json')).stdout)).toEqual([]);
    expect(await at('user', 'add', '--email', 'ada@example.com', '--name', 'Ada')).toMatchObject({ code: 0, stdout: 'User:2\n' });
  });
});
