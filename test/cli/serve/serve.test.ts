import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { until } from '../../until.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { seeded } from '../seeded-store.js';

/** A server in this process, until `stop`. */
async function serve(cwd: string, argv: readonly string[], terminal = false) {
  const { io, written } = fakeIo({ cwd, terminal, env: { NO_COLOR: '1', CI: '1' } });
  const ended = run(['serve', '--port', '0', ...argv], io);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await until(() => isOver || written.stdout.includes('\n'));
  const { signals } = io;
  const stop = async () => {
    if ('emit' in signals && typeof signals.emit === 'function') signals.emit('SIGTERM');
    return await ended;
  };
  return { written, stop };
}

test('with --print-token, prints the URL and a token for each user; they end with the server', async () => {
  const { cwd, passkey, store } = await seeded();
  const { written, stop } = await serve(cwd, [
    '--user',
    'eve@example.com',
    '--user',
    'Admin:1',
    '--print-token',
    '--origin',
    'https://shop.test',
  ]);
  const [url = '', eve = '', admin = ''] = written.stdout.split('\n').map((line) => line.slice(line.indexOf('=') + 1));
  expect(written.stdout).toBe(`PASSKEY_URL=${url}\nPASSKEY_TOKEN=${eve}\nPASSKEY_TOKEN_2=${admin}\n`);
  expect(eve).not.toBe(admin);
  const label = 'passkey serve';
  const tokens = async () => JSON.parse((await passkey('token', 'list', '--all', '--json', '--columns', 'user,label,state')).stdout);
  expect(await tokens()).toEqual([
    { user: 'User:3', label, state: 'live' },
    { user: 'Admin:1', label, state: 'live' },
  ]);
  expect(written.stderr).toContain(`  page    ${url}\n`);
  expect(written.stderr).toContain(`  store   ${store}\n`);
  expect(written.stderr).toContain('  token   of eve@example.com, bob@example.com; ends with the server\n');
  expect(await stop()).toBe(0);
  expect(written.stderr).not.toContain('SIGTERM');
  expect((await tokens()).map(({ state }: { state: string }) => state)).toEqual(['revoked', 'revoked']);
});

test('with --json, prints one document, with the tokens that were asked for', async () => {
  const { cwd, store } = await seeded();
  const { written, stop } = await serve(
    cwd,
    ['--user', 'Admin:1', '--print-token', '--json', '--origin', 'https://a.test', '--record', 'recorded'],
    true,
  );
  const document = JSON.parse(written.stdout);
  expect(document).toEqual({
    url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    page: document.url,
    host: expect.any(String),
    port: Number(new URL(document.url).port),
    mode: 'development',
    store,
    origins: ['https://a.test'],
    pid: process.pid,
    version: expect.any(String),
    tokens: [{ user_id: 1, user_type: 'Admin', email: 'bob@example.com', token: expect.stringMatching(/^pk_/) }],
  });
  expect(await stop()).toBe(0);
  expect(written.stderr).toContain('SIGTERM: stopping. Press again to quit at once.\n');
});

test('in production there is no page; a key is in the fragment of the page alone', async () => {
  const { cwd } = await seeded();
  const origin = ['--origin', 'https://a.test'];
  const production = await serve(cwd, ['--production', '--json', ...origin]);
  expect(JSON.parse(production.written.stdout)).toMatchObject({ page: null, mode: 'production' });
  expect(await production.stop()).toBe(0);
  const { written, stop } = await serve(cwd, ['--dev-sign-in', 'key', '--json', '--store', 'memory:', ...origin]);
  const { url, page } = JSON.parse(written.stdout);
  expect(page).toMatch(/\/#key=[\w-]{43}$/);
  expect(page.startsWith(`${url}/`)).toBe(true);
  expect(await stop()).toBe(0);
});

test.each([
  [['--print-token'], '--print-token prints the tokens of --user. Name at least one user.'],
  [
    ['--print-token', '--user', 'User:1', '--production', '--origin', 'https://a.test'],
    '--print-token and --production exclude each other: the output of a service ends up in logs. Use `passkey token create` instead.',
  ],
])('%j is wrong usage', async (argv, message) => {
  const { cwd } = await seeded();
  expect(await runIn(cwd, ['serve', '--port', '0', ...argv])).toEqual({ code: 2, stdout: '', stderr: `passkey: ${message}\n` });
});

test('a folder that cannot be made is named before anything listens', async () => {
  const { cwd, store } = await seeded();
  const folder = join(store, 'below');
  const { code, stderr } = await runIn(cwd, ['serve', '--port', '0', '--record', folder]);
  expect([code, stderr]).toEqual([2, `passkey: --record expects a folder; ${folder} cannot be created (ENOTDIR).\n`]);
});
