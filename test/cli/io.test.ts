import { EventEmitter } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { stopped } from '../../src/cli/interruption.js';
import { type Io, isClosedPipe, printAll } from '../../src/cli/io.js';
import { run } from '../../src/cli/main.js';
import { ownCommand } from '../../src/cli/own-command.js';
import { progressLine } from '../../src/cli/progress.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

const FIXTURE = join(import.meta.dirname, '../../fixtures/recorded/login-synced.json');
const ERASE = '\r\u001b[K';

test('writes over itself on a terminal, and leaves nothing behind', () => {
  const { io, written } = fakeIo({ terminal: true });
  const line = progressLine(io);
  line.clear();
  line.show('1 of 2');
  line.show('2 of 2');
  line.clear();
  line.clear();
  expect(written).toEqual({ stdout: '', stderr: `${ERASE}1 of 2${ERASE}2 of 2${ERASE}` });
});

test.each([
  ['no terminal', fakeIo()],
  ['a dumb one', fakeIo({ terminal: true, env: { TERM: 'dumb' } })],
])('writes nothing where there is %s', (_, { io, written }) => {
  const line = progressLine(io);
  line.show('1 of 2');
  line.clear();
  expect(written.stderr).toBe('');
});

test('tells of a run how far it is, also with --json, and only a terminal', async () => {
  const replay = ['simulate', '--fixtures', FIXTURE, '--replay', 'verbatim', '--json'];
  const terminal = fakeIo({ terminal: true });
  expect(await run(replay, terminal.io)).toBe(0);
  expect(terminal.written.stderr).toBe(`${ERASE}1 of 1${ERASE}`);
  expect(JSON.parse(terminal.written.stdout)).toMatchObject({ summary: { total: 1, passed: 1 } });
  const piped = fakeIo();
  expect(await run(replay, piped.io)).toBe(0);
  expect(piped.written.stderr).toBe('');
});

test.each([
  ['list', ['list']],
  ['user list', ['user', 'list']],
  ['explain', ['explain', FIXTURE]],
  ['simulate', ['simulate', '--fixtures', FIXTURE, '--replay', 'verbatim']],
])('FORCE_COLOR colours what %s writes to a pipe, unless NO_COLOR says otherwise', async (_name, argv) => {
  const { cwd } = await seeded();
  expect((await runIn(cwd, argv, { FORCE_COLOR: '1' })).stdout).toContain('\u001b[');
  expect((await runIn(cwd, argv, { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\u001b[');
  expect((await runIn(cwd, argv, { FORCE_COLOR: '0' })).stdout).not.toContain('\u001b[');
});

const ON_PATH = { PATH: ['/usr/sbin', '/usr/bin'].join(delimiter) };
const NPM = { ...ON_PATH, npm_execpath: '/usr/lib/npm-cli.js' };
const CLONE = { ...NPM, npm_package_json: '/src/passkey/package.json', npm_lifecycle_event: 'start' };
const SHOP = { ...NPM, npm_package_json: '/srv/shop/package.json', npm_lifecycle_event: 'test' };
const SCRIPT = '/src/passkey/bin/passkey.js';

test.each<[from: string, started: Partial<Io>, command: string]>([
  ['the path', { script: '/usr/bin/passkey', env: ON_PATH }, 'passkey'],
  ['the path, by its other name', { script: '/usr/bin/passkey-cli', env: ON_PATH }, 'passkey-cli'],
  ['a folder that is not on the path', { script: '/opt/passkey/bin/passkey', env: ON_PATH }, '/opt/passkey/bin/passkey'],
  ['npx', { script: '/root/.npm/_npx/1f/node_modules/.bin/passkey-cli', env: { ...CLONE, npm_lifecycle_event: 'npx' } }, 'npx passkey-cli'],
  ['a script of a project', { script: '/srv/shop/node_modules/.bin/passkey', env: SHOP, cwd: '/srv/shop' }, 'npx passkey-cli'],
  ['the path, in a script of a project', { script: '/usr/bin/passkey', env: SHOP }, 'passkey'],
  ['node_modules', { script: '/srv/shop/node_modules/.bin/passkey', cwd: '/srv/shop/web' }, 'npx passkey-cli'],
  ['node_modules by Node', { script: '/srv/shop/node_modules/passkey-cli/bin/passkey.js', cwd: '/srv/shop' }, 'npx passkey-cli'],
  [
    'node_modules of pnpm',
    { script: '/srv/shop/node_modules/.pnpm/passkey-cli@0.1.0/node_modules/passkey-cli/bin/passkey.js', cwd: '/srv/shop' },
    'npx passkey-cli',
  ],
  [
    'node_modules of another folder',
    { script: '/srv/shop/node_modules/.bin/passkey', cwd: '/srv/shop-2' },
    '/srv/shop/node_modules/.bin/passkey',
  ],
  [
    'node_modules of another folder by Node',
    { script: '/srv/shop/node_modules/passkey-cli/bin/passkey.js', cwd: '/srv/mail' },
    'node /srv/shop/node_modules/passkey-cli/bin/passkey.js',
  ],
  ['a clone by npm', { script: SCRIPT, env: CLONE, cwd: '/src/passkey' }, 'npm run -s passkey --'],
  [
    'a folder of a clone by npm',
    { script: SCRIPT, env: { ...CLONE, INIT_CWD: '/src/passkey/docs' }, cwd: '/src/passkey' },
    'npm run -s passkey --',
  ],
  [
    'outside of a clone by npm',
    { script: SCRIPT, env: { ...CLONE, INIT_CWD: '/src/passkey-shop' }, cwd: '/src/passkey' },
    'npm --prefix /src/passkey run -s passkey --',
  ],
  ['a clone by Node', { script: SCRIPT, cwd: '/src/passkey' }, 'node bin/passkey.js'],
  ['beside a clone by Node', { script: SCRIPT, cwd: '/src/shop' }, 'node /src/passkey/bin/passkey.js'],
  ['a clone by a script of a project', { script: SCRIPT, cwd: '/srv/shop', env: SHOP }, 'node /src/passkey/bin/passkey.js'],
  ['a clone with a space in its path', { script: '/my src/passkey/bin/passkey.js' }, 'node "/my src/passkey/bin/passkey.js"'],
  ['a clone with a dollar in its path', { script: '/$src/bin/passkey.js' }, "node '/$src/bin/passkey.js'"],
  ['an executable', { command: './passkey-1.2.3-linux-x64', env: NPM }, './passkey-1.2.3-linux-x64'],
  ['an executable in a folder of Windows', { command: 'C:\\My Tools\\passkey.exe' }, '"C:\\My Tools\\passkey.exe"'],
])('started from %s, prints commands that work there', (_from, started, command) => {
  expect(ownCommand({ ...fakeIo().io, ...started })).toBe(command);
});

test('a global package of npm on Windows is on the path', async () => {
  const folder = await tempFolder();
  const bin = join(folder, 'node_modules/passkey-cli/bin');
  await writeFile(join(folder, 'passkey.cmd'), '');
  expect(ownCommand({ ...fakeIo({ cwd: '/srv/shop' }).io, script: join(bin, 'passkey.js') })).toBe('passkey');
});

test.each<[argv: readonly string[], hint: string]>([
  [
    ['list', '--store', 'absent.json'],
    'Create one with `node /src/passkey/bin/passkey.js serve` or `node /src/passkey/bin/passkey.js user add`',
  ],
  [['revoke', 'x'], 'Run `node /src/passkey/bin/passkey.js list` to see them'],
  [['simulate', 'login.defalt'], 'Did you mean'],
  [['simulate', '--tag', 'zzzzzz'], 'Run `node /src/passkey/bin/passkey.js simulate --list` to see them all'],
  [['list', '--bogus'], 'Run `node /src/passkey/bin/passkey.js list --help` for usage.'],
  [['nonsense'], 'Run `node /src/passkey/bin/passkey.js --help` for usage.'],
])('%j names in its hint a command that works where it was started', async (argv, hint) => {
  const { cwd } = await seeded();
  const { io, written } = fakeIo({ cwd });
  await run(argv, { ...io, script: SCRIPT });
  expect(written.stderr).toContain(hint);
});

test.each([
  ['EPIPE', true],
  ['EOF', true],
  ['ENOSPC', false],
])('a write that fails with %s: the reader has gone: %s', (code, gone) => {
  expect(isClosedPipe(Object.assign(new Error(code), { code }))).toBe(gone);
});

const listeners = (signals: EventEmitter) => signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM');

describe('stopping', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops; its echo by npm does nothing', async (signal) => {
    const signals = new EventEmitter();
    const stop = stopped({ signals, env: { npm_lifecycle_event: 'npx' } });
    signals.emit(signal);
    signals.emit('SIGINT');
    expect(await stop).toBe(signal);
    expect(listeners(signals)).toBe(2);
  });

  test('leaves another signal to the system', async () => {
    const signals = new EventEmitter();
    const stop = stopped({ signals, env: {} });
    signals.emit('SIGTERM');
    await stop;
    expect(listeners(signals)).toBe(0);
  });
});

describe('printing much', () => {
  /** A reader of a pipe that holds little, and leaves after some bytes. */
  function reader(leavesAfter: number) {
    let bytes = 0;
    return Object.assign(
      new Writable({
        highWaterMark: 1,
        write(chunk: Buffer, _, done) {
          bytes += chunk.length;
          // Writing on goes wrong, as EPIPE does.
          setImmediate(() => done(bytes > leavesAfter ? new Error('EPIPE') : null));
        },
      }).on('error', () => undefined),
      { bytes: () => bytes },
    );
  }

  function* lines(counted: { asked: number }) {
    for (let line = 0; line < 100_000; line += 1) {
      counted.asked += 1;
      yield 'x'.repeat(99).concat('\n');
    }
  }

  test('waits for the reader, and writes all', async () => {
    const counted = { asked: 0 };
    const stdout = reader(Number.POSITIVE_INFINITY);
    expect(await printAll({ ...fakeIo().io, stdout }, lines(counted))).toBe(true);
    expect({ ...counted, bytes: stdout.bytes() }).toEqual({ asked: 100_000, bytes: 10_000_000 });
  });

  test('makes no more once the reader has gone', async () => {
    const counted = { asked: 0 };
    expect(await printAll({ ...fakeIo().io, stdout: reader(0) }, lines(counted))).toBe(false);
    expect(counted.asked).toBeLessThan(1000);
  });
});
