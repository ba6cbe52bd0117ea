import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { cp, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test as shared } from 'vitest';
import { seedStore } from '../cli/seeded-store.js';
import { tempFolder } from '../cli/temp-folder.js';
import { share, quick as test, thorough } from '../thorough.js';
import { passkeyHere } from './passkey-in-process.js';
import { BIN, collect, passkey, spawnPasskey } from './passkey-process.js';

describe('bin/passkey.js', () => {
  test('says what to do where nothing is built', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await cp(dirname(BIN), join(folder, 'bin'), { recursive: true });
    const result = await collect(spawn(process.execPath, [join(folder, 'bin/passkey.js'), 'list']));
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('npm run build') });
  });

  test.skipIf(process.platform === 'win32')('with too few file descriptors says so', async () => {
    const limited = ['-c', 'ulimit -n 28 && exec "$@"', 'sh', process.execPath, BIN, 'simulate', '--list'];
    expect(await collect(spawn('/bin/sh', limited, { cwd: await tempFolder() }))).toMatchObject({
      code: 2,
      stderr: 'passkey: too many files are open. Allow more, such as with `ulimit -n 256`.\n',
    });
  });

  thorough.skipIf(process.platform === 'win32')('prints commands that a shell beside the clone runs as they stand', async () => {
    const cwd = await tempFolder();
    await rename(await seedStore(cwd), join(cwd, 'my store.json'));
    const printedBy = async (...argv: readonly string[]) => {
      const { stderr } = await passkey([...argv, '--store', 'my store.json'], { cwd });
      return /`(.*)`/.exec(String(stderr))?.[1] ?? '';
    };
    const runs = (command: string) => collect(spawn('/bin/sh', ['-c', command], { cwd }));
    expect(await runs(await printedBy('user', 'add', '--email', 'eve@example.com', '--name', 'Eve'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\S{20,}\n$/),
    });
    expect(await runs(`${await printedBy('revoke', '1', '--yes')} --yes`)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Restored 1 passkey /),
    });
  });

  test('tells its version and its help on stdout', async () => {
    const cwd = await tempFolder();
    expect(await passkey(['--version'], { cwd })).toStrictEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    expect(await passkey(['--help'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Exit codes: 0 done'),
      stderr: '',
    });
  });

  const WITHOUT_FOLDER: [line: string, code: number][] = [
    ['list', 2],
    ['completion bash', 0],
    ['explain -', 2],
    ['show 1', 2],
    ['revoke 1 --yes', 2],
    ['purge --older-than 1d', 2],
    ['stats', 2],
    ['user list', 2],
    ['token list', 2],
    ['store check', 2],
    ['audit', 2],
    ['explain x.json', 2],
    ['fixture check x', 2],
    ['credential list', 2],
    ['simulate --fixtures x', 2],
    ['serve --no-open', 2],
    ['exec -- true', 2],
    ['attestation-root', 0],
    ['simulate --list login.default', 0],
    ['--version', 0],
    ['list --help', 0],
  ];
  shared.skipIf(process.platform === 'win32').each(share(WITHOUT_FOLDER, 7))(
    'in a working directory that was removed, %s exits %i without a stack trace',
    async (line, code) => {
      const argv = line.split(' ');
      const cwd = await tempFolder();
      const gone = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
      const result = await collect(
        spawn('sh', ['-c', gone, 'sh', process.execPath, BIN, ...argv], { cwd, stdio: ['ignore', 'pipe', 'pipe'] }),
      );
      const says = code === 0 ? '' : 'passkey: The working directory no longer exists. Change to another one.\n';
      expect([result.code, result.stderr.replace(/^\d+ cases?\n$/, '')]).toEqual([code, argv.includes('-') ? expect.any(String) : says]);
      expect(result.stderr).not.toMatch(/^ +at /m);
    },
  );

  const READERS = ['explain -', 'credential answer --origin https://example.org', 'store import -'];
  shared.skipIf(process.platform === 'win32').each(share(READERS, 3))('%s: a folder as standard input is no empty file', async (line) => {
    const cwd = await tempFolder();
    const folder = openSync(cwd, 'r');
    onTestFinished(() => closeSync(folder));
    expect(await collect(spawn(process.execPath, [BIN, ...line.split(' ')], { cwd, stdio: [folder, 'pipe', 'pipe'] }))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'passkey: Standard input is a folder. Redirect a file to it, or name a file.\n',
    });
  });

  test('writes plain text where there is no terminal', async () => {
    const cwd = await tempFolder();
    await seedStore(cwd);
    const { stdout } = await passkeyHere(['list', '--all'], { cwd, env: { FORCE_COLOR: '0' } });
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  test('is quiet when nobody reads on', async () => {
    const cwd = await tempFolder();
    await seedStore(cwd);
    for (const argv of [['list', '--json'], ['--help']]) {
      const child = spawnPasskey(argv, { cwd });
      child.stdout?.destroy();
      expect(await collect(child)).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test.skipIf(!existsSync('/dev/full'))('says so when the output cannot be written, and ends with 1', async () => {
    const cwd = await tempFolder();
    await seedStore(cwd);
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    for (const argv of [['list', '--json'], ['--help']]) {
      expect(await collect(spawnPasskey(argv, { cwd, stdout: full }))).toMatchObject({
        code: 1,
        stderr: 'passkey: cannot write the output (ENOSPC); it is incomplete.\n',
      });
    }
    expect(await collect(spawnPasskey(['list', '--json'], { cwd, stderr: full }))).toMatchObject({ code: 0 });
    expect(await collect(spawnPasskey(['list', '--bogus'], { cwd, stderr: full }))).toMatchObject({ code: 2 });
  });

  test('writes and reads profiles in YAML, as it is built', async () => {
    const cwd = await tempFolder();
    expect(await passkeyHere(['simulate', '--init-profile', 'shop.yaml', '--from', 'better-auth'], { cwd })).toMatchObject({ code: 0 });
    const probe = ['simulate', '--probe', '--url', 'http://localhost:1', '--target'];
    expect(await passkeyHere([...probe, 'shop.yaml'], { cwd })).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('The server did not respond.'),
    });
    await writeFile(join(cwd, 'wrong.yaml'), 'format: passkey-target-profile\nversion: 2\n');
    expect(await passkeyHere([...probe, 'wrong.yaml'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('wrong.yaml:2:10'),
    });
  });

  test('never waits for a terminal that is not there', async () => {
    const cwd = await tempFolder();
    await seedStore(cwd);
    const waiting = await passkey(['revoke'], { cwd });
    expect(waiting).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no terminal') });
  });
});

describe('garbage', () => {
  const files: [name: string, content: string | Uint8Array][] = [
    ['bytes', new Uint8Array([0xff, 0xfe, 0x00, 0x9b])],
    ['control characters', '{ "\\u001b[31mport": 1 }'],
  ];
  test.each(files)('in passkey.config.json ends every command with 2 and names the file: %s', async (_, content) => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'passkey.config.json'), content);
    for (const argv of [['list'], ['serve', '--port', '0']]) {
      const result = await passkeyHere(argv, { cwd });
      expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('passkey.config.json') });
      expect(result.stderr).not.toMatch(/(?!\n)\p{Cc}| at .*:\d+:\d+/u);
    }
  });

  const stores: [name: string, content: string | Uint8Array][] = [
    ['bytes', new Uint8Array([0xff, 0xfe, 0x00, 0x9b])],
    ['another document', '{ "users": [] }'],
    ['a cut file', '{ "format": "passkey-store", "version": 1, "owners": ['],
  ];
  test.each(stores)('in the store ends with 3 and names the file: %s', async (_, content) => {
    const cwd = await tempFolder();
    const store = join(cwd, 'store.json');
    await writeFile(store, content);
    for (const argv of [['list'], ['user', 'add', '--email', 'a@b.test', '--name', 'A'], ['serve', '--port', '0']]) {
      expect(await passkeyHere([...argv, '--store', store], { cwd })).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining(store),
      });
    }
  });

  test('as a store path that is a folder ends with 3', async () => {
    const cwd = await tempFolder();
    expect(await passkeyHere(['list', '--store', cwd], { cwd })).toMatchObject({ code: 3, stdout: '' });
  });
});
