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

const WARNING = (host: string) =>
  `warning: development mode on ${host}: others on the network can reach the API and its error details. Add --production, or leave --host out.`;

test.each([
  ['0.0.0.0', 'development' as const, [WARNING('0.0.0.0')]],
  ['0.0.0.0', 'production' as const, []],
  ['127.0.0.1', 'development' as const, []],
])('on %s in %s mode, says where everything is, and who else can reach it', (host, mode, warnings) => {
  const { io, written } = fakeIo({ terminal: true, env: { NO_COLOR: '1' } });
  const users = {
    tokens: [
      { owner: { type: 'User', id: 1, email: 'a@b.test', name: 'A', userHandle: undefined, createdAt: 0 }, token: 'secret-1' },
      { owner: { type: 'Guest', id: 2, email: 'c@d.test', name: 'C', userHandle: undefined, createdAt: 0 }, token: 'secret-2' },
    ],
    end: async () => {},
  };
  announce(
    io,
    { ...SERVING, host, mode, page: null, store: '/tmp/x.jsonl' },
    { json: false, record: undefined, storeFlag: ' --store x.jsonl', signIn: true },
  );
  expect(written).toEqual({
    stdout: 'http://localhost:7277\n',
    stderr: [
      `passkey 0.0.0 ${mode}`,
      '  API     http://localhost:7277/openapi.json',
      '  store   /tmp/x.jsonl',
      '  token   passkey user add --email you@example.com --name You --store x.jsonl',
      '          passkey token create --user you@example.com --store x.jsonl',
      '  stop    Ctrl-C',
      ...warnings,
      '',
    ].join('\n'),
  });
  const json = fakeIo();
  announce(json.io, { ...SERVING, host, mode }, { json: true, record: undefined, storeFlag: '', signIn: true, users });
  expect(json.written.stderr).toBe(warnings.map((line) => `${line}\n`).join(''));
  expect(JSON.parse(json.written.stdout)).toEqual({
    ...SERVING,
    host,
    mode,
    tokens: [
      { user_id: 1, user_type: 'User', email: 'a@b.test', token: 'secret-1' },
      { user_id: 2, user_type: 'Guest', email: 'c@d.test', token: 'secret-2' },
    ],
  });
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
