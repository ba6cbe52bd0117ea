import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

describe('wrong usage', () => {
  const rows: [argv: string[], code: number, stderr: RegExp][] = [
    [['frobnicate'], 2, /unknown command 'frobnicate'/],
    [['user'], 2, /Usage: passkey user/],
    [['list', '--bogus'], 2, /unknown option '--bogus'/],
    [['list', 'extra'], 2, /too many arguments/],
    [['list', '--json', '--csv'], 2, /cannot be used with/],
    [['list', '--all', '--revoked'], 2, /cannot be used with/],
    [['list', '--limit', '0'], 2, /--limit expects .* got "0"/],
    [['list', '--limit', 'x'], 2, /--limit expects/],
    [['list', '--sort', 'name'], 2, /--sort expects one of id, label/],
    [['list', '--user', 'bob@example.com'], 2, /User:2|Admin:1/],
    [['list', '--user', 'nobody@example.com'], 1, /nobody@example\.com/],
    ...[['list'], ['user', 'add', '--email', 'a@b.test', '--name', 'N'], ['token', 'list'], ['revoke', '1', '--yes']].map(
      (argv): [string[], number, RegExp] => [[...argv, '--store', 'memory:'], 2, /memory store.*Give --store the path of a file/],
    ),
    [['list', '--store', 'mysql://u:secret@db/x'], 2, /is none of them/],
    [['show'], 2, /missing required argument/],
    [['show', '0'], 2, /Expected a passkey id such as 3, .* got "0"/],
    [['show', '99'], 1, /No passkey has the id 99/],
    [['revoke', '1', '--user', 'ada@example.com', '--yes'], 2, /not both/],
    [['revoke', '-1'], 2, /./],
    [['revoke', '--bogus'], 2, /Run `passkey revoke --help` for usage\.\nA credential ID that begins with - must follow --\./],
    [['show', '-6oY0BKjeoqagCPaecUgXQ'], 2, /A credential ID that begins with - must follow --\./],
    [['user', 'list', '--bogus'], 2, /Run `passkey user list --help` for usage\.$/m],
    [['revoke', '1e3', '--yes'], 2, /got "1e3"/],
    [['restore'], 2, /no terminal to prompt on; name the passkeys to restore/],
    [['purge'], 2, /required option '--older-than <duration>'/],
    [['purge', '--older-than', '90'], 2, /--older-than expects/],
    [['user', 'add', '--email', 'a@b.test'], 2, /no terminal to prompt on; give --email and --name/],
    [['user', 'add', '--email', 'nonsense', '--name', 'N'], 2, /--email expects an e-mail address/],
    [['user', 'add', '--email', 'a@b.test', '--name', 'N', '--id', '0'], 2, /--id expects/],
    [['user', 'add', '--email', 'a@b.test', '--name', 'N', '--id', '9007199254740991'], 2, /--id expects an id from 1 to 9007199253740991/],
    [['user', 'add', '--email', 'a@b.test', '--name', 'N', '--type', 'x'.repeat(41)], 2, /40/],
    [['user', 'add', '--email', 'ADA@example.com', '--name', 'N'], 1, /User:1/],
    [['user', 'remove'], 2, /name the users to remove, or filter them/],
    [['user', 'remove', 'ada@example.com'], 2, /--yes/],
    [['user', 'remove', 'ada@example.com', '--user', 'User:1'], 2, /not both/],
    [['token', 'create'], 2, /give --user/],
    [['token', 'create', '--user', 'User:1', '--expires', 'soon'], 2, /--expires expects a duration/],
    [['token', 'create', '--user', 'User:1', '--expires', '30'], 2, /at least 1s.*got "30"/],
    [['token', 'create', '--user', 'User:99'], 1, /User:99/],
    [['token', 'revoke', 'x'], 2, /got "x"/],
    [['serve', '--port', 'http'], 2, /--port expects a port/],
    [['serve', '--port', '0', '--attestation-roots', 'no.pem'], 2, /no\.pem cannot be read \(ENOENT\)/],
    [['serve', '--port', '0', '--auth-action', './no.mjs'], 2, /there is no .*no\.mjs\.$/m],
    [['serve', '--port', '0', '--auth-action', 'nope'], 2, /there is no [^ ]*nope\.$/m],
    [['serve', '--dev-sign-in', 'open'], 2, /--dev-sign-in expects one of local, key, off; got "open"/],
    [['serve', '--dev-sign-in', 'key', '--trust-proxy'], 2, /--dev-sign-in key and --trust-proxy exclude each other/],
    [['serve', '--origin', 'foo'], 2, /--origin: "foo" is not an http or https origin/],
  ];
  test.each(rows)('%j ends with %i', async (argv, code, stderr) => {
    const { passkey } = await seeded();
    expect(await passkey(...argv)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(stderr) });
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
