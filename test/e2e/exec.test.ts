import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { quick as test, thorough } from '../thorough.js';
import { begun, canGiveTerminal, execBegun, execOnTerminal, isAlive, scriptIn, seenIn, untilGone } from './exec-process.js';
import { passkeyHere } from './passkey-in-process.js';
import { BIN, passkey } from './passkey-process.js';
import { browserAt } from './relying-party-over-http.js';

const NODE = process.execPath;
const isPosix = process.platform !== 'win32';
if (!isPosix) console.warn('SKIPPED parts of test/e2e/exec.test.ts: Windows has no signals');
if (!canGiveTerminal) console.warn('SKIPPED a part of test/e2e/exec.test.ts: no `script` of util-linux to give the command a terminal');

/** What runs until it is told to end, once its first line is out. */
const LASTING = 'setInterval(() => undefined, 1000);';
const PATH = { PATH: process.env['PATH'] ?? '' };
/** The temporary stores of a process. Other tests may have theirs meanwhile. */
const temporariesOf = (pid: number | undefined): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('passkey-exec-') && name.includes(`-${pid}-`));

async function isListening(url: string): Promise<boolean> {
  return await fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

describe('passkey exec', () => {
  test('gives the command a server and tokens of its users, and leaves nothing', async () => {
    const cwd = await tempFolder();
    const argv = ['--user', 'ada@example.com', '--user', 'bob@example.com', '--user-verification', 'required', '--'];
    const outer = { PASSKEY_TOKEN: 'old', PASSKEY_TOKEN_3: 'old', PASSKEY_STORE: 'other.json', PASSKEY_TIMEOUT: '7s' };
    const { child, seen, ended } = await execBegun([...argv, ...(await scriptIn(cwd, LASTING))], cwd, outer);
    const { PASSKEY_URL: url = '', PASSKEY_TOKEN: ada = '', PASSKEY_TOKEN_2: bob = '' } = seen.env;
    expect(seen.env).toEqual({
      PASSKEY_URL: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      PASSKEY_TOKEN: expect.stringMatching(/^pk_/),
      PASSKEY_TOKEN_2: expect.stringMatching(/^pk_/),
      PASSKEY_STORE: 'memory:',
      PASSKEY_OWNER_TYPE: 'User',
      PASSKEY_TIMEOUT: '7s',
    });
    const browsers = [browserAt(url, ada), browserAt(url, bob)];
    for (const browser of browsers) {
      const { body } = await browser.optionsOfRegistration();
      expect(body).toMatchObject({ timeout: 7000, authenticatorSelection: { userVerification: 'required' } });
    }
    const registered = await browsers[1]?.register();
    expect(await browsers[1]?.logIn(registered?.id ?? '')).toMatchObject({ body: { user: { id: 2, email: 'bob@example.com' } } });

    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([128 + 15, '']);
    expect(isAlive(seen.pid)).toBe(false);
    expect(await isListening(url)).toBe(false);
    expect(await readdir(cwd)).toEqual(['command.cjs']);
  });

  test('has the input and output of the command, and its exit code', async () => {
    const cwd = await tempFolder();
    const script = 'process.stdin.pipe(process.stdout); process.stderr.write("talk"); process.exitCode = 42';
    expect(await passkey(['exec', '--', NODE, '-e', script], { cwd })).toMatchObject({ code: 42, stdout: '', stderr: 'talk' });
    // What stands behind the command is its own, with `--` or without.
    const print = ['-p', 'JSON.stringify(process.argv.slice(1))', '--', '--user', 'x', '--', '--help'];
    for (const argv of [
      ['--', NODE, ...print],
      [NODE, ...print],
    ]) {
      const { stdout } = await passkeyHere(['exec', ...argv], { cwd });
      expect(JSON.parse(stdout)).toEqual(['--user', 'x', '--', '--help']);
    }
  });

  test('says with --verbose alone where the server listens, and who its users are', async () => {
    const argv = ['exec', '--user', 'ada@example.com', '--user', 'bob@example.com', '--', NODE, '-e', ''];
    expect((await passkeyHere(argv, { cwd: await tempFolder() })).stderr).toBe('');
    const { stderr } = await passkeyHere(['exec', '--verbose', ...argv.slice(1)], { cwd: await tempFolder() });
    expect(stderr).toMatch(
      /^passkey: serving http:\/\/localhost:\d+; store .+\. ada@example\.com is User:1\. bob@example\.com is User:2\.\n$/,
    );
  });

  test.skipIf(!isPosix)('exits as a shell does when the command is killed, absent, or no program', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'text'), 'no program', { mode: 0o644 });
    const rows: [argv: string[], code: number, stderr: RegExp][] = [
      [['sh', '-c', 'kill -KILL $$'], 137, /^$/],
      [['no-such-command'], 127, /^passkey: cannot find the command no-such-command\. Check .*\n$/],
      [['./text'], 126, /^passkey: cannot run \.\/text \(EACCES\)\. Make it executable.*\n$/],
      [[''], 127, /^passkey: cannot find the command /],
    ];
    for (const [argv, code, stderr] of rows) {
      expect(await passkeyHere(['exec', '--', ...argv], { cwd })).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) });
    }
  });

  test('runs nothing when the server cannot start or a user is wrong', async () => {
    const cwd = await tempFolder();
    const command = ['--', NODE, '-e', 'console.log("ran")'];
    const rows: [argv: string[], code: number, stderr: RegExp][] = [
      [['--attestation', 'some'], 2, /--attestation expects one of/],
      [['--user', 'Ada@'], 2, /name@host/],
      [['--user', 'User:7'], 1, /No user matches "User:7"/],
      [['--store', 'mysql://x'], 2, /is none of them/],
      [['--store', 'a.json', '--temporary-store'], 2, /cannot be used with/],
    ];
    for (const [argv, code, stderr] of rows) {
      expect(await passkeyHere(['exec', ...argv, ...command], { cwd })).toEqual({
        code,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      });
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  test('takes the store and the port from flags only, and the rest as passkey serve does', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'passkey.config.json'), JSON.stringify({ store: 'configured.json', port: 1, production: true }));
    const command = await scriptIn(cwd);
    const { stdout } = await passkeyHere(['exec', '--', ...command], { cwd, env: { ...PATH, PASSKEY_PORT: '2' } });
    expect(seenIn(stdout).env).toMatchObject({ PASSKEY_STORE: 'memory:', PASSKEY_URL: expect.stringMatching(/:\d{3,}$/) });
    expect((await readdir(cwd)).toSorted()).toEqual(['command.cjs', 'passkey.config.json']);
  });

  test('in a store that is given, keeps users and ends tokens; commands in it find that store', async () => {
    const cwd = await tempFolder();
    await passkeyHere(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada', '--store', 'a.json'], { cwd });
    const list = [NODE, BIN, 'token', 'list', '--json'];
    const users = ['--user', 'ADA@example.com', '--user', 'bob@example.com', '--user', 'User:2'];
    const within = await passkeyHere(['exec', '--store', 'a.json', ...users, '--', ...list], { cwd, env: PATH });
    expect(within).toMatchObject({ code: 0, stderr: '' });
    const tokens: readonly object[] = JSON.parse(within.stdout);
    expect(tokens).toMatchObject([1, 2, 2].map((id) => ({ user_id: id, label: 'passkey exec', revoked_at: null })));
    const after = await passkeyHere(['token', 'list', '--store', 'a.json', '--json'], { cwd });
    expect(JSON.parse(after.stdout)).toEqual([]);
    const { stdout } = await passkeyHere(['user', 'list', '--store', 'a.json', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'Ada' }, { name: 'bob@example.com', email: 'bob@example.com' }]);
  });

  thorough('commands in it do not take another store for one in memory; a temporary one they find', async () => {
    const cwd = await tempFolder();
    await passkeyHere(['user', 'add', '--email', 'own@example.com', '--name', 'Own'], { cwd });
    const list = ['--user', 'ada@example.com', '--', NODE, BIN, 'user', 'list', '--json'];
    expect(await passkeyHere(['exec', ...list], { cwd, env: PATH })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching('A memory store exists only inside .*--temporary-store'),
    });
    const { code, stdout } = await passkeyHere(['exec', '--temporary-store', ...list], { cwd, env: PATH });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ email: 'ada@example.com' }]]);
    expect(temporariesOf(process.pid)).toEqual([]);
  });

  thorough('begins with an export, and writes one in the end, over that of an earlier run', async () => {
    const cwd = await tempFolder();
    const fails = [NODE, '-e', 'process.exit(9)'];
    const moves = (from: string | undefined, to: string) => [...(from === undefined ? [] : ['--import', from]), '--export-on-exit', to];
    const exec = (...argv: string[]) => passkeyHere(['exec', ...argv], { cwd });
    expect(await exec('--user', 'ada@example.com', ...moves(undefined, 'a.jsonl'), '--', ...fails)).toMatchObject({ code: 9, stderr: '' });
    for (const name of ['b.jsonl', 'a.jsonl']) {
      const users = ['--user', 'bob@example.com', '--user', 'User:1'];
      expect(await exec(...moves('a.jsonl', name), ...users, '--', NODE, '-e', '')).toEqual({ code: 0, stdout: '', stderr: '' });
    }
    await passkeyHere(['store', 'import', 'a.jsonl', '--store', 'new.json'], { cwd });
    const { stdout } = await passkeyHere(['user', 'list', '--store', 'new.json', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ email: 'ada@example.com' }, { email: 'bob@example.com' }]);
    const tokens = await passkeyHere(['token', 'list', '--store', 'new.json', '--json'], { cwd });
    expect(JSON.parse(tokens.stdout)).toEqual([]);

    const rows: [argv: string[], code: number, stderr: RegExp][] = [
      [['--import', '-'], 2, /--import expects a file: standard input/],
      [['--import', 'none.jsonl'], 2, /none\.jsonl/],
      [['--import', 'command.cjs'], 3, /command\.cjs/],
      [['--import', 'a.jsonl', '--store', 'other.json'], 2, /of a\.jsonl do(?:es)? not fit the store, such as: .*User:1/],
      [['--export-on-exit', 'a.jsonl/b'], 2, /--export-on-exit: cannot write .*b \(ENOTDIR\)/],
    ];
    await scriptIn(cwd);
    await passkeyHere(['user', 'add', '--email', 'eve@example.com', '--name', 'Eve', '--store', 'other.json'], { cwd });
    for (const [argv, code, stderr] of rows) {
      expect(await exec(...argv, '--', NODE, '-e', '')).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) });
    }
  });

  test.skipIf(!isPosix)('passes signals on, and the command decides', async () => {
    const cwd = await tempFolder();
    const command = await scriptIn(cwd, `process.on('SIGHUP', () => process.exit(4));${LASTING}`);
    const { child, seen, ended } = await execBegun(['--temporary-store', '--', ...command], cwd);
    expect(temporariesOf(child.pid)).toHaveLength(1);
    child.kill('SIGHUP');
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([4, '']);
    expect(temporariesOf(child.pid)).toEqual([]);
    expect(await isListening(seen.env['PASSKEY_URL'] ?? '')).toBe(false);
  });

  thorough.skipIf(!isPosix)('ends what the command leaves running', async () => {
    const cwd = await tempFolder();
    const { code, stdout } = await passkey(['exec', '--', 'sh', '-c', `"${NODE}" -e "${LASTING}" >&2 & echo $!`], { cwd });
    expect(code).toBe(0);
    await untilGone(Number(stdout));
  });

  test.skipIf(!canGiveTerminal)('on a terminal, Ctrl-C reaches the command once', async () => {
    const cwd = await tempFolder();
    // By the time that SIGTERM comes back, a second SIGINT would have come.
    const script = `
      let count = 0;
      process.on('SIGINT', () => { count += 1; process.kill(process.ppid, 'SIGTERM'); });
      process.on('SIGTERM', () => { console.log("interrupted " + count); process.exit(5); });
      process.stdin.resume();
      console.log('ready');`;
    await writeFile(join(cwd, 'command.cjs'), script);
    const { code, stdout } = await execOnTerminal(`"${NODE}" command.cjs`, { cwd, keys: '\u0003' });
    expect(stdout).toContain('interrupted 1');
    expect(code).toBe(5);
  });

  thorough.skipIf(!isPosix)('leaves nothing when npm is ended, which passes nothing on', async () => {
    const cwd = await tempFolder();
    await mkdir(join(cwd, 'node_modules/.bin'), { recursive: true });
    await writeFile(
      join(cwd, 'package.json'),
      '{ "private": true, "scripts": { "e2e": "passkey exec --user ada@example.com -- node command.cjs" } }',
    );
    await writeFile(join(cwd, 'node_modules/.bin/passkey'), `#!/bin/sh\nexec "${NODE}" "${BIN}" "$@"\n`, { mode: 0o755 });
    await scriptIn(cwd, `process.on('SIGTERM', () => process.exit(0));${LASTING}`);
    const { child, seen, ended } = await begun(spawn('npm', ['run', '--silent', 'e2e'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] }));
    child.kill('SIGTERM');
    await ended;
    await untilGone(seen.pid);
    expect(await isListening(seen.env['PASSKEY_URL'] ?? '')).toBe(false);
  });
});
