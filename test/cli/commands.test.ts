import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { CHALLENGE, seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

const idsOf = (stdout: string): number[] => JSON.parse(stdout).map(({ id }: { id: number }) => id);

describe('passkey list', () => {
  test('--json has exactly the members of the contract', async () => {
    const { passkey } = await seeded();
    const [, second] = JSON.parse((await passkey('list', '--json')).stdout);
    expect(second).toStrictEqual({
      id: 2,
      label: '=1+1',
      credential_id: '--8C',
      created_at: '2026-01-15T10:32:00.000000Z',
      passkeeable_id: 1,
      passkeeable_type: 'User',
      rp_id: 'login.example.com',
      aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
      sign_count: 99,
      last_used_at: '2026-01-15T11:30:00.000000Z',
      revoked_at: null,
    });
  });

  test('--csv is quoted, and no formula', async () => {
    const { passkey } = await seeded();
    const lines = (await passkey('list', '--csv', '--all')).stdout.split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe(
      'id,label,credential_id,created_at,passkeeable_id,passkeeable_type,rp_id,aaguid,sign_count,last_used_at,revoked_at',
    );
    expect(lines[2]).toMatch(/^2,'=1\+1,'--8C,/);
    expect(lines[3]).toMatch(/^3,"Old ""key"", grey",/);
  });

  test('is a table that fits 80 columns and has no control characters', async () => {
    const { cwd } = await seeded();
    const { stdout } = await runIn(cwd, ['list'], { COLUMNS: '80' });
    expect(stdout.split('\n')).toStrictEqual([
      'ID  LABEL       USER                RP ID     CREATED (UTC)     LAST USED (UTC)',
      ' 1  Phone       User:1 ada@exampl…  example…  2026-01-15 10:31  never',
      ' 2  =1+1        User:1 ada@exampl…  login.e…  2026-01-15 10:32  2026-01-15 11:30',
      ' 4  \\x1b[31mK…  Admin:1 bob@examp…  example…  2026-01-15 10:34  never',
      '',
    ]);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test.each([
    [['--rp-id', 'nowhere.test'], 'No live passkey matches --rp-id nowhere.test.'],
    [['--rp-id', 'nowhere\u001b.test', '--all'], 'No passkey matches --rp-id nowhere\\x1b.test.'],
    [['--user', 'User:2'], 'No live passkey matches --user User:2. 1 revoked passkey does: add --all.'],
    [['--user', 'ada@example.com', '--revoked'], 'No revoked passkey matches --user ada@example.com. 2 live passkeys do: add --all.'],
    [['--user', 'User:2', '--rp-id', 'nowhere.test'], 'No live passkey matches --user User:2 or --rp-id nowhere.test.'],
    [['--created-before', '2020-01-01', '--user', 'User:1'], 'No live passkey matches --created-before 2020-01-01.'],
    [['--backed-up', '--label', 'Phone', '--user', '1'], 'No live passkey matches all of --user 1, --label Phone and --backed-up.'],
    [['--user', 'Admin:1', '--rp-id', 'login.example.com'], 'No live passkey matches both --user Admin:1 and --rp-id login.example.com.'],
  ])('%j says on stderr which filter matches nothing', async (argv, message) => {
    const { passkey } = await seeded();
    expect(await passkey('list', ...argv)).toStrictEqual({ code: 0, stdout: '', stderr: `${message}\n` });
  });

  test('says on stderr where there are none without a filter', async () => {
    const { passkey } = await seeded();
    await passkey('restore', '3');
    expect((await passkey('list', '--revoked')).stderr).toBe('No passkeys are revoked here.\n');
    await passkey('revoke', '1', '2', '3', '4', '--yes');
    expect((await passkey('list')).stderr).toBe('No passkeys are live here.\n');
    const cwd = await tempFolder();
    await runIn(cwd, ['user', 'add', '--email', 'a@b.test', '--name', 'A']);
    expect((await runIn(cwd, ['list', '--all'])).stderr).toBe('No passkeys are stored here.\n');
  });
});

describe('passkey show', () => {
  test('--json has everything but the challenge', async () => {
    const { passkey } = await seeded();
    const { stdout } = await passkey('show', '3', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      id: 3,
      passkeeable_email: 'bob@example.com',
      provider: expect.any(String),
      public_key: 'oA',
      algorithm: null,
      revoked_reason: 'lost',
    });
    for (const text of [encodeBase64(CHALLENGE), encodeBase64url(CHALLENGE), 'nobody may see']) expect(stdout).not.toContain(text);
  });
});

describe('passkey revoke and restore', () => {
  test('revokes by id, once, with the reason kept', async () => {
    const { passkey } = await seeded();
    const { code, stdout } = await passkey('revoke', '1', '2', '1', '--yes', '--reason', 'stolen', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      dry_run: false,
      passkeys: [{ id: 1, revoked_at: '2026-01-15T10:30:00.000000Z' }, { id: 2 }],
    });
    expect(idsOf((await passkey('list', '--json')).stdout)).toStrictEqual([4]);
    expect(JSON.parse((await passkey('show', '1', '--json')).stdout).revoked_reason).toBe('stolen');
  });

  test('changes nothing when one id is unknown, when it is a rehearsal, or when it cannot ask', async () => {
    const { passkey, store } = await seeded();
    const before = await readFile(store, 'utf8');
    expect(await passkey('revoke', '1', '99', '--yes')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('id 99; nothing was changed'),
    });
    expect(await passkey('revoke', '1', '2', '--dry-run', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"dry_run": true'),
    });
    expect(await passkey('revoke', '1')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    expect(await passkey('revoke')).toMatchObject({ code: 2, stdout: '' });
    expect(await passkey('restore', '3', '99')).toMatchObject({ code: 1, stdout: '' });
    expect(await readFile(store, 'utf8')).toBe(before);
  });

  test('leaves a revoked one as it was', async () => {
    const { passkey } = await seeded();
    expect(await passkey('revoke', '3', '--yes', '--reason', 'again')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('since 2026-01-15 12:30 UTC'),
    });
    expect(JSON.parse((await passkey('show', '3', '--json')).stdout).revoked_reason).toBe('lost');
  });

  test('restores', async () => {
    const { passkey } = await seeded();
    expect(JSON.parse((await passkey('restore', '3', '--json')).stdout)).toMatchObject({ passkeys: [{ id: 3, revoked_at: null }] });
    expect(await passkey('restore', '3')).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing to restore') });
  });
});

describe('many passkeys at once', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s before the write changes nothing, says so, and exits %i', async (signal, exitCode) => {
    const { cwd, store } = await seeded();
    const before = await readFile(store, 'utf8');
    for (const argv of [
      ['revoke', '1', '2', '4', '--yes'],
      ['restore', '3'],
    ]) {
      const { io, written } = fakeIo({ cwd });
      const signals = new EventEmitter();
      signals.on('newListener', (name) => name === signal && process.nextTick(() => signals.emit(signal)));
      expect(await run(argv, { ...io, signals })).toBe(exitCode);
      expect(written).toStrictEqual({ stdout: '', stderr: 'passkey: Interrupted; nothing was changed.\n' });
      expect(await readFile(store, 'utf8')).toBe(before);
      expect(['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => signals.listenerCount(name))).toEqual([0, 0, 0]);
    }
  });
});

describe('passkey user', () => {
  test('add creates the store and prints TYPE:ID', async () => {
    const cwd = await tempFolder();
    expect(await runIn(cwd, ['user', 'add', '--email', 'a@b.test', '--name', 'A'])).toMatchObject({ code: 0, stdout: 'User:1\n' });
    expect(
      await runIn(cwd, ['user', 'add', '--email', 'a@b.test', '--name', 'A', '--type', 'App\\Models\\User', '--id', '42']),
    ).toMatchObject({
      code: 0,
      stdout: 'App\\Models\\User:42\n',
    });
    expect(JSON.parse((await runIn(cwd, ['user', 'list', '--json'])).stdout)).toHaveLength(2);
  });

  test.each<[flags: string[], command: string]>([
    [[], 'passkey token create --user a@b.test'],
    [['--store', 'my own.json'], 'passkey token create --user a@b.test --store "my own.json"'],
    [['--type', 'App\\Models\\User'], 'passkey token create --user "App\\Models\\User:1"'],
  ])('add %j says how this user gets a token', async (flags, command) => {
    const { stderr } = await runIn(await tempFolder(), ['user', 'add', '--email', 'a@b.test', '--name', 'A', ...flags]);
    expect(stderr).toContain(`\`${command}\` creates a bearer token.`);
  });

  test('remove says how many passkeys go, and takes them along', async () => {
    const { passkey } = await seeded();
    expect(await passkey('user', 'remove', 'ada@example.com', '--dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 passkeys will be revoked'),
    });
    const { stdout } = await passkey('user', 'remove', '--user', 'ada@example.com', '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ dry_run: false, users: [{ id: 1, type: 'User' }], revoked_passkeys: [1, 2] });
    expect(await passkey('list', '--user', 'ada@example.com')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('passkey token', () => {
  test('create prints the token and nothing else', async () => {
    const { passkey, store } = await seeded();
    const { code, stdout, stderr } = await passkey('token', 'create', '--user', 'ada@example.com', '--expires', '30d', '--label', 'ci');
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(stdout).toMatch(/^pk_[\w-]{43}\n$/);
    expect(await readFile(store, 'utf8')).not.toContain(stdout.trim());
    const list = await passkey('token', 'list', '--json');
    expect(JSON.parse(list.stdout)).toMatchObject([
      { id: 1, label: 'ci', user_id: 1, expires_at: '2026-02-14T10:30:00.000000Z', revoked_at: null },
    ]);
    expect(list.stdout).not.toContain(stdout.trim());
  });

  test('revoke says which were revoked before', async () => {
    const { passkey } = await seeded();
    for (const label of ['a', 'b']) await passkey('token', 'create', '--user', 'User:1', '--label', label);
    expect(await passkey('token', 'revoke', '1')).toStrictEqual({
      code: 0,
      stdout: '1\n',
      stderr: expect.stringMatching(/^Revoked 1 token \(change \w+\)\.\n$/),
    });
    expect((await passkey('token', 'list', '--user', 'User:2')).stderr).toBe('No live token matches --user User:2.\n');
    const since = 'Token 1 has been revoked since 2026-01-15 10:30 UTC; left unchanged.\n';
    expect(await passkey('token', 'revoke', '1')).toStrictEqual({ code: 0, stdout: '1\n', stderr: `${since}Nothing to revoke.\n` });
    expect(await passkey('token', 'revoke', '1', '2')).toStrictEqual({
      code: 0,
      stdout: '1\n2\n',
      stderr: expect.stringContaining(`${since}Revoked 1 token (change `),
    });
    expect((await passkey('token', 'list', '--user', 'User:1')).stderr).toBe(
      'No live token matches --user User:1. 2 ended tokens do: add --all.\n',
    );
  });
});
