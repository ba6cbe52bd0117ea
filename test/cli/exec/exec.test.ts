import { readdirSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { until } from '../../until.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { seeded } from '../seeded-store.js';
import { tempFolder } from '../temp-folder.js';

const NODE = process.execPath;
const PATH = { PATH: process.env['PATH'] ?? '' };

/** A command that prints as JSON what it has of the environment, and its arguments. */
const PRINT = [
  NODE,
  '-p',
  "JSON.stringify({ ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('PASSKEY_'))), args: process.argv.slice(1), cwd: process.cwd() })",
];

describe('passkey exec', () => {
  test('gives the command a server, its users and its arguments, and has its exit code', async () => {
    const cwd = await tempFolder();
    const outer = { ...PATH, PASSKEY_TOKEN: 'old', PASSKEY_TOKEN_3: 'old', PASSKEY_URL: 'http://old.test', PASSKEY_TIMEOUT: '7s' };
    const argv = [
      'exec',
      '--user',
      'ada@example.com',
      '--user',
      'bob@example.com',
      '--owner-type',
      'Admin',
      '--',
      ...PRINT,
      '--',
      'a',
      '-b',
    ];
    const { code, stdout, stderr } = await runIn(cwd, argv, outer);
    expect([code, stderr]).toEqual([0, '']);
    const seen = JSON.parse(stdout);
    expect(seen).toEqual({
      PASSKEY_URL: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      PASSKEY_TOKEN: expect.stringMatching(/^pk_/),
      PASSKEY_TOKEN_2: expect.stringMatching(/^pk_/),
      PASSKEY_TIMEOUT: '7s',
      PASSKEY_STORE: 'memory:',
      PASSKEY_OWNER_TYPE: 'Admin',
      args: ['a', '-b'],
      cwd,
    });
    expect(seen.PASSKEY_TOKEN).not.toBe(seen.PASSKEY_TOKEN_2);
    expect((await runIn(cwd, ['exec', '--', NODE, '-e', 'process.exitCode = 42'], PATH)).code).toBe(42);
  });

  test('keeps users in the store that it is given, finds those there are, and ends their tokens', async () => {
    const { cwd, passkey } = await seeded();
    const argv = [
      'exec',
      '--store',
      '.passkey/passkeys.jsonl',
      '--verbose',
      '--user',
      'ada@example.com',
      '--user',
      'eve@example.com',
      '--user',
      'Admin:1',
    ];
    const { code, stderr } = await runIn(cwd, [...argv, '--', NODE, '-e', ''], PATH);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^passkey: serving http:\/\/localhost:\d+; store \S+passkeys\.jsonl\. ada@example\.com is User:1\. eve@example\.com is User:3\. bob@example\.com is Admin:1\.\n$/,
      ),
    ]);
    const tokens = JSON.parse((await passkey('token', 'list', '--all', '--json', '--columns', 'id,user,label,state')).stdout);
    expect(tokens).toEqual([
      { id: 1, user: 'User:1', label: 'passkey exec', state: 'revoked' },
      { id: 2, user: 'User:3', label: 'passkey exec', state: 'revoked' },
      { id: 3, user: 'Admin:1', label: 'passkey exec', state: 'revoked' },
    ]);
    const audit = JSON.parse((await passkey('audit', '--json')).stdout);
    expect(audit.map(({ action, source }: { action: string; source: string }) => [action, source])).toEqual([
      ['user-add', 'passkey exec'],
      ...Array(3).fill(['token-create', 'passkey exec']),
      ...Array(3).fill(['token-revoke', 'passkey exec']),
    ]);
    for (const [user, message] of [
      ['bob@example.com', 'bob@example.com'],
      ['User:9', 'User:9'],
    ] as const) {
      const refused = await runIn(cwd, ['exec', '--store', '.passkey/passkeys.jsonl', '--user', user, '--', ...PRINT], PATH);
      expect([refused.code === 0, refused.stdout, refused.stderr]).toEqual([false, '', expect.stringContaining(message)]);
    }
  });

  test('begins with an export and ends with one; of a temporary store nothing stays', async () => {
    const { cwd, passkey } = await seeded();
    expect((await passkey('store', 'export', '--out', 'before.jsonl')).code).toBe(0);
    const temporaries = () => readdirSync(tmpdir()).filter((name) => name.startsWith('passkey-exec-') && name.includes(`-${process.pid}-`));
    const argv = ['exec', '--temporary-store', '--import', 'before.jsonl', '--export-on-exit', 'after.jsonl', '--user', 'eve@example.com'];
    const { code, stdout, stderr } = await runIn(cwd, [...argv, '--', ...PRINT], PATH);
    expect([code, stderr, temporaries()]).toEqual([0, '', []]);
    expect(JSON.parse(stdout).PASSKEY_STORE).toMatch(/passkey-exec-.*passkeys\.jsonl$/);
    const lines = (await readFile(join(cwd, 'after.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.length).toBeGreaterThan((await readFile(join(cwd, 'before.jsonl'), 'utf8')).trim().split('\n').length);
    expect(lines.filter((line) => line.includes('eve@example.com'))).toHaveLength(1);
  });

  test.each([
    ['-', 1, /^passkey: --import expects a file: standard input belongs to the command\.\n$/],
    [
      'before.jsonl',
      1,
      /^passkey: --import: 1 row of before\.jsonl does not fit the store, such as: user User:1 differs: name\. Use an empty store\.\n$/,
    ],
    ['before.jsonl', 2, /^passkey: --import: 2 rows of before\.jsonl do not fit the store, such as: user User:1 differs: name\. /],
  ])('does not run the command where --import %s cannot be used (%d)', async (file, edited, message) => {
    const { cwd, passkey } = await seeded();
    await passkey('store', 'export', '--out', 'before.jsonl');
    for (const user of ['User:1', 'User:2'].slice(0, edited)) await passkey('user', 'edit', user, '--name', 'Other');
    const { code, stdout, stderr } = await runIn(
      cwd,
      ['exec', '--store', '.passkey/passkeys.jsonl', '--import', file, '--', ...PRINT],
      PATH,
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test('names an export that cannot be written', async () => {
    const cwd = await tempFolder();
    const { code, stderr } = await runIn(cwd, ['exec', '--export-on-exit', 'no/where.jsonl', '--', NODE, '-e', ''], PATH);
    expect([code, stderr]).toEqual([
      2,
      `passkey: --export-on-exit: cannot write ${join(cwd, 'no/where.jsonl')} (ENOENT). Choose another file.\n`,
    ]);
  });

  test('says why a command cannot be run', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'plain.txt'), 'text');
    await chmod(join(cwd, 'plain.txt'), 0o600);
    expect(await runIn(cwd, ['exec', '--', 'no-such-command'], PATH)).toEqual({
      code: 127,
      stdout: '',
      stderr: 'passkey: cannot find the command no-such-command. Check its name, and that its folder is in PATH.\n',
    });
    expect((await runIn(cwd, ['exec', '--', ''], PATH)).code).toBe(127);
    expect(await runIn(cwd, ['exec', '--', './plain.txt'], PATH)).toEqual({
      code: 126,
      stdout: '',
      stderr: 'passkey: cannot run ./plain.txt (EACCES). Make it executable, or name the program that runs it.\n',
    });
    expect(await runIn(cwd, ['exec', '--', NODE, 'x'.repeat(200_000)], PATH)).toEqual({
      code: 126,
      stdout: '',
      stderr: `passkey: cannot run ${NODE} (E2BIG). Give it fewer or shorter arguments.\n`,
    });
  });

  test('passes input, output and signals on, and ends what the command leaves running', async () => {
    const cwd = await tempFolder();
    const { io, written, stdin } = fakeIo({ cwd, env: PATH });
    const left =
      'const { pid } = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });';
    const script = `${left} console.error(pid); process.stdin.on("data", (text) => process.stdout.write("got " + text)); setInterval(() => {}, 1000)`;
    const ended = run(['exec', '--', NODE, '-e', script], io);
    await until(() => written.stderr.includes('\n'));
    stdin.write('typed');
    await until(() => written.stdout === 'got typed');
    const { signals } = io;
    if ('emit' in signals && typeof signals.emit === 'function') signals.emit('SIGTERM');
    expect(await ended).toBe(128 + 15);
    expect(() => process.kill(Number(written.stderr), 0)).toThrow('ESRCH');
  });
});
