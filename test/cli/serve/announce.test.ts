import { describe, expect, test } from 'vitest';
import { announce, canShowPage } from '../../../src/cli/serve/announce.js';
import { fakeIo } from '../fake-io.js';

const SERVING = {
  url: 'http://localhost:7277',
  page: 'http://localhost:7277',
  host: 'localhost',
  port: 7277,
  mode: 'development' as const,
  store: 'memory:',
  origins: [],
  pid: 1,
  version: '0.0.0',
};

test.each([
  ['/fixtures/rec\u001b[2J', '  record  /fixtures/rec\\x1b[2J\n'],
  [undefined, undefined],
])('names the folder of recordings, where there is one: %j', (record, line) => {
  const { io, written } = fakeIo();
  announce(io, SERVING, { json: false, record, storeFlag: '', signIn: true });
  expect(written.stdout).toBe('http://localhost:7277\n');
  if (line === undefined) expect(written.stderr).not.toContain('record');
  else expect(written.stderr).toContain(line);
});

test('prints the page with the key in its fragment, to open, and the URL without it on stdout', () => {
  const { io, written } = fakeIo();
  announce(io, { ...SERVING, page: 'http://localhost:7277/#key=AbC' }, { json: false, record: undefined, storeFlag: '', signIn: true });
  expect(written.stdout).toBe('http://localhost:7277\n');
  expect(written.stderr).toContain('  page    http://localhost:7277/#key=AbC\n');
});

test.each([
  ['development' as const, true, 'sign in on the page; this store ends with the server'],
  ['development' as const, false, 'none: a memory store has no users, and development sign-in is closed; give --store the path of a file'],
  ['production' as const, false, 'none: a memory store has no users; give --store the path of a file'],
])('says how to get a token of a store in memory: %s, sign-in %s', (mode, signIn, line) => {
  const { io, written } = fakeIo();
  announce(io, { ...SERVING, mode, page: null }, { json: false, record: undefined, storeFlag: '', signIn });
  expect(written.stderr).toContain(`  token   ${line}\n`);
  expect(written.stderr).not.toContain('page    ');
});

const rows: [name: string, terminal: boolean, env: Record<string, string>, platform: NodeJS.Platform, shows: boolean][] = [
  ['macOS', true, {}, 'darwin', true],
  ['Windows', true, {}, 'win32', true],
  ['Linux with X11', true, { DISPLAY: ':0' }, 'linux', true],
  ['Linux with Wayland', true, { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  ['WSL', true, { WSL_DISTRO_NAME: 'Debian' }, 'linux', true],
  ['Linux without display', true, {}, 'linux', false],
  ['CI', true, { CI: 'true' }, 'darwin', false],
  ['CI=false', true, { CI: 'false' }, 'darwin', true],
  ['no terminal', false, { DISPLAY: ':0' }, 'linux', false],
];

describe('the page is opened only where somebody sees it', () => {
  test.each(rows)('%s', (_, terminal, env, platform, shows) => {
    expect(canShowPage(fakeIo({ terminal, env }).io, platform)).toBe(shows);
  });
});
