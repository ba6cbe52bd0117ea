import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

/** A file that is none of what the flags name. */
const STORE = '.passkey/passkeys.jsonl';

describe('wrong usage', () => {
  const lines: readonly (readonly string[])[] = [
    ['frobnicate'],
    ['user'],
    ['list', '--bogus'],
    ['list', 'extra'],
    ['list', '--json', '--csv'],
    ['list', '--all', '--revoked'],
    ['list', '--limit', '0'],
    ['list', '--limit', 'x'],
    ['list', '--sort', 'name'],
    ['list', '--user', 'bob@example.com'],
    ['list', '--user', 'nobody@example.com'],
    ['list', '--store', 'mysql://u:secret@db/x'],
    ['show'],
    ['show', '0'],
    ['show', '99'],
    ['revoke', '1', '--user', 'ada@example.com', '--yes'],
    ['revoke', '-1'],
    ['revoke', '--bogus'],
    ['show', '-6oY0BKjeoqagCPaecUgXQ'],
    ['user', 'list', '--bogus'],
    ['revoke', '1e3', '--yes'],
    ['restore'],
    ['purge'],
    ['purge', '--older-than', '90'],
    ['user', 'add', '--email', 'a@b.test'],
    ['user', 'add', '--email', 'nonsense', '--name', 'N'],
    ['user', 'add', '--email', 'a@b.test', '--name', 'N', '--id', '0'],
    ['user', 'add', '--email', 'a@b.test', '--name', 'N', '--id', '9007199254740991'],
    ['user', 'add', '--email', 'a@b.test', '--name', 'N', '--type', 'x'.repeat(41)],
    ['user', 'add', '--email', 'ADA@example.com', '--name', 'N'],
    ['user', 'remove'],
    ['user', 'remove', 'ada@example.com'],
    ['user', 'remove', 'ada@example.com', '--user', 'User:1'],
    ['token', 'create'],
    ['token', 'create', '--user', 'User:1', '--expires', 'soon'],
    ['token', 'create', '--user', 'User:1', '--expires', '30'],
    ['token', 'create', '--user', 'User:99'],
    ['token', 'revoke', 'x'],
    ['serve', '--port', 'http'],
    ['serve', '--port', '0', '--attestation-roots', 'no.pem'],
    ['serve', '--port', '0', '--auth-action', './no.mjs'],
    ['serve', '--port', '0', '--auth-action', 'nope'],
    ['serve', '--dev-sign-in', 'open'],
    ['serve', '--dev-sign-in', 'key', '--trust-proxy'],
    ['serve', '--origin', 'foo'],
    ['list', '--limit', '1000000001'],
    ['list', '--offset=-1'],
    ['list', '--offset', '1000000001'],
    ['list', '--after', '0'],
    ['list', '--created-before', 'soon'],
    ['list', '--provider', 'toaster'],
    ['list', '--columns', 'id,nam'],
    ['list', '--aaguid', '1'],
    ['audit', '--limit', '0'],
    ['audit', '--action', 'dance'],
    ['audit', '--outcome', 'good'],
    ['audit', '--via', 'pigeon'],
    ['audit', '--passkey', 'x'],
    ['audit', '--since', 'soon'],
    ['list', '--created-before', 'x'.repeat(201)],
    ['list', '--aaguid', 'x'.repeat(201)],
    ['list', '--columns', 'x'.repeat(61)],
    ['token', 'list', '--columns', 'x'.repeat(61)],
    ['revoke', '--resume', 'x'.repeat(61), '--yes'],
    ['token', 'revoke', '7-9'],
    ['token', 'revoke', '9-7'],
    ['user', 'remove', 'nobody@a.test', 'User:99', '--yes'],
    ['user', 'show', 'nobody@a.test'],
    ['user', 'edit', 'User:1'],
    ['user', 'edit', 'User:1', '--email', 'x'],
    ['audit', '--limit', '1000000001'],
    ['stats', '--top', '0'],
    ['stats', '--top', '1001'],
    ['purge', '--older-than', '999'],
    ['purge', '--older-than', '36501d'],
    ['token', 'create', '--user', 'User:1', '--expires', '36501d'],
    ['store', 'backup', '--keep', '0'],
    ['store', 'backup', '--keep', '1000001'],
    ['store', 'backup', '--out='],
    ['store', 'export', '--out='],
    ['store', 'export', '--json'],
    ['store', 'repair'],
    ['store', 'migrate'],
    ['store', 'check', '--store', 'postgres://u:secret@localhost/db'],
    ['store', 'copy', 'memory:', 'new.jsonl'],
    ['store', 'copy', '.passkey/passkeys.jsonl', 'memory:'],
    ['store', 'copy', '.passkey/passkeys.jsonl', '.passkey/passkeys.jsonl'],
    ['store', 'import', 'absent.jsonl'],
    ['serve', '--port', '65536'],
    ['serve', '--body-limit', '1023'],
    ['serve', '--body-limit', '67108865'],
    ['serve', '--session-ttl', '3651d'],
    ['serve', '--session-idle', '3651d'],
    ['serve', '--token-ttl', '3651d'],
    ['serve', '--timeout', '25h'],
    ['serve', '--challenge-ttl', '25h'],
    ['serve', '--rate-limit', '0'],
    ['serve', '--max-passkeys', '0'],
    ['serve', '--top-origin', 'ftp://x'],
    ['serve', '--algorithms', 'ES255'],
    ['serve', '--log-level', 'loud'],
    ['exec'],
    ['serve', '--port', '0', '--app', STORE],
    ['serve', '--port', '0', '--app', 'absent'],
    ['serve', '--port', '0', '--well-known', STORE],
    ['serve', '--port', '0', '--cert', STORE],
    ['serve', '--port', '0', '--key', STORE],
    ['serve', '--port', '0', '--cert', STORE, '--key', STORE],
    ['serve', '--port', '0', '--cert', 'absent', '--key', STORE],
    ['serve', '--port', '0', '--cert', STORE, '--key', 'absent'],
    ['serve', '--port', '0', '--record', STORE, '--no-open'],
    ['serve', '--port', '0', '--metadata', STORE],
    ['serve', '--port', '0', '--attestation-roots', STORE],
    ['serve', '--port', '0', '--auth-action', '.passkey'],
    ['serve', '--port', '0', '--config', STORE],
    ['serve', '--port', '0', '--config', 'absent.json'],
    ['simulate', '--init-profile', STORE],
    ['simulate', '--init-profile', 'absent/shop.yaml', '--from', 'keycloak'],
    ['simulate', '--init-profile', 'shop.yaml', '--har', STORE],
    ['simulate', '--init-profile', 'shop.yaml', '--har', '.passkey'],
    ['simulate', '--baseline', STORE],
    ['simulate', '--reporter', 'json=.passkey'],
    ['simulate', '--reporter', 'json=/dev/null'],
    ['simulate', '--token-file', 'absent'],
    ['simulate', '--load', '--tag', 'race'],
    ['simulate', '--load', '--rate', '5/s', '--concurrency', '2'],
    ['fixture', 'check', STORE],
    ['store', 'repair', '--out', STORE],
    ['store', 'export', '--out', STORE],
    ['store', 'backup', '--out', STORE],
    ['simulate', '--target', 'simplewebauthn', '--url', 'http://localhost:1', '--jobs', '65'],
    ['simulate', '--target', 'simplewebauthn', '--url', 'http://localhost:1', '--repeat', '1001'],
    ['simulate', '--target', 'simplewebauthn', '--url', 'http://localhost:1', '--timeout', '99'],
    ['simulate', '--target', 'simplewebauthn', '--url', 'http://localhost:1', '--timeout', '3600001'],
    ['simulate', '--target', 'simplewebauthn', '--url', 'http://localhost:1', '--fail-on', 'grave'],
    ['simulate', '--target', 'passkey', '--har', 'shop.har', 'register.default'],
    ['simulate', 'http://localhost:1', 'http://localhost:2'],
    ['simulate', 'http://localhost:1', '--url', 'http://localhost:2'],
    ['simulate', 'localhost:1'],
    ['simulate', '--init-profile', '--har', 'shop.har', '--from', 'passkey'],
    ['simulate', '--init-profile', '--har', 'shop.har'],
    ['simulate', '--init-profile', '--from', 'toaster'],
    ['simulate', '--rerun-failed', 'absent.json'],
    ['simulate', '--reporter', 'json', '--reporter', 'tap'],
    ['simulate', '--reporter', 'json=x', '--reporter', 'tap=x'],
    ['simulate', '--load', '--duration', '0'],
    ['simulate', '--load', '--duration', '25h'],
    ['simulate', '--load', '--rate', '0/s'],
    ['simulate', '--load', '--check', '0'],
    ['simulate', '--load', '--concurrency', '0'],
    ['simulate', '--load', '--mix', '1001:1'],
    ['simulate', '--load', '--mix', '0:0'],
    ['credential', 'answer', 'absent.json', '--origin', 'https://example.org'],
    ['credential', 'remove', 'AQID'],
    ['credential', 'convert', '--to', 'toaster'],
    ['credential', 'list'],
    ['fixture', 'import', 'absent.har'],
    ['fixture', 'check', 'absent'],
    ['fixture', 'list', 'absent'],
    ['fixture', 'export'],
    ['explain', 'absent.json'],
    ['explain', '--fail-on', 'grave', 'absent.json'],
    ['doctor', 'ftp://localhost'],
    ['completion', 'tcsh'],
    ...[['list'], ['user', 'add', '--email', 'a@b.test', '--name', 'N'], ['token', 'list'], ['revoke', '1', '--yes']].map((argv) => [
      ...argv,
      '--store',
      'memory:',
    ]),
  ];
  test('is refused by the message that is recorded, and nothing is printed', async () => {
    const { cwd, store, passkey } = await seeded();
    const before = await readFile(store, 'utf8');
    let text = '';
    for (const argv of lines) {
      const { code, stdout, stderr } = await passkey(...argv);
      text += `$ passkey ${argv.join(' ')}\n${stdout}${stderr.replaceAll(cwd, 'FOLDER')}exit ${code}\n\n`;
    }
    await expect(text).toMatchFileSnapshot('usage.txt');
    expect(await readFile(store, 'utf8')).toBe(before);
  });

  test('a port that is taken does not hide a wrong configuration', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, 'localhost', resolve));
    try {
      const { port } = holder.address() as AddressInfo;
      const serve = ['serve', '--port', String(port)];
      const cwd = await tempFolder();
      const cases: [string[], RegExp][] = [
        [['--attestation-roots', 'no.pem'], /no\.pem cannot be read/],
        [['--auth-action', 'nope'], /there is no .*nope/],
        [['--fido-api', '--production'], /exclude each other/],
        [['--app', 'http://localhost:5173', '--production'], /--app and --production exclude each other/],
        [['--app', 'nowhere'], /--app expects a folder; .*nowhere is not one/],
        [['--well-known', 'nowhere'], /--well-known expects a folder/],
        [[], /is in use/],
      ];
      for (const [flags, stderr] of cases) {
        expect(await runIn(cwd, [...serve, ...flags])).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
      }
    } finally {
      await new Promise((resolve) => holder.close(resolve));
    }
  });

  test('a password in a store URL is not repeated', async () => {
    expect((await runIn(await tempFolder(), ['list', '--store', 'postgres://u:secret@db/x'])).stderr).not.toContain('secret');
  });
});

describe('the store', () => {
  test.each([
    ['list'],
    ['show', '1'],
    ['revoke', '1', '--yes'],
    ['restore', '1'],
    ['user', 'list'],
    ['user', 'remove', 'User:1', '--yes'],
    ['token', 'list'],
    ['token', 'create', '--user', 'User:1'],
    ['token', 'revoke', '1'],
  ])('is not created by %s %s', async (...argv) => {
    const cwd = await tempFolder();
    const path = join(cwd, '.passkey/passkeys.jsonl');
    expect(await runIn(cwd, argv)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining(path) });
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('that is damaged is refused and left as it is', async () => {
    const { passkey, store } = await seeded();
    await writeFile(store, '{ "broken": ');
    expect(await passkey('list')).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining(store) });
    expect(await passkey('user', 'add', '--email', 'a@b.test', '--name', 'A')).toMatchObject({ code: 3 });
    expect(await readFile(store, 'utf8')).toBe('{ "broken": ');
  });

  test('is named by PASSKEY_STORE', async () => {
    const { store } = await seeded();
    expect(await runIn(await tempFolder(), ['list', '--json'], { PASSKEY_STORE: store })).toMatchObject({ code: 0 });
  });
});
