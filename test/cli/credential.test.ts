import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { credentialSourceToJson } from '../../src/authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import { INTERCHANGE_SHAPES } from '../../src/authenticator/interchange/contract.js';
import { importCredentials } from '../../src/authenticator/interchange/interchange.js';
import { SHAPES } from '../../src/cli/credential/convert.js';
import { schemas } from '../../src/cli/schemas.js';
import { createClient } from '../../src/client/client.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { createRelyingParty } from '../../src/relying-party/relying-party.js';
import { openStore } from '../../src/store/open-store.js';
import { listNames } from '../../src/webauthn/enumerations.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { seedCredentials } from './seeded-credentials.js';
import { seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

const credentialsOf = async (cwd: string) =>
  (await importCredentials('json', await readFile(join(cwd, '.passkey/credentials.json'), 'utf8'))).credentials;

describe('passkey credential create', () => {
  test('makes a passkey of the store and a private key that logs in with it', async () => {
    const { cwd, store: path, passkey } = await seeded();
    const { code, stdout, stderr } = await passkey('credential', 'create', '--user', 'User:1', '--persona', 'icloud-keychain');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Created the credentials file .*\nStored passkey 5 of Ada for localhost\. Its private key is in .*credentials\.json\.\n$/,
      ),
    ]);
    const store = await openStore(path, { create: false });
    const relyingParty = createRelyingParty({
      store,
      policy: DEFAULT_POLICY,
      origins: [],
      now: Date.now,
      newChallenge: () => crypto.getRandomValues(new Uint8Array(32)),
    });
    const publicKey = await relyingParty.beginAuthentication({ rpId: 'localhost', origins: ['http://localhost:7277'], client: 'test' });
    const authenticator = createAuthenticator({ store: createCredentialSourceStore(await credentialsOf(cwd)) });
    const response = await createClient({ authenticator, origin: 'http://localhost:7277' }).get({ publicKey });
    expect(response.id).toBe(stdout.trim());
    const { passkey: used } = await relyingParty.authenticate({ response });
    expect(used).toMatchObject({
      id: 5,
      owner: { type: 'User', id: 1 },
      label: 'iCloud Keychain',
      aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
    });
    await store.close();
  });

  test.skipIf(process.platform === 'win32')('keeps the keys from others, in a folder that stays out of git', async () => {
    const { cwd, passkey } = await seeded();
    expect((await passkey('credential', 'create', '--user', 'User:1', '--credentials', 'deep/.passkey/own.json')).code).toBe(0);
    const modes = await Promise.all(
      ['deep/.passkey', 'deep/.passkey/own.json'].map(async (name) => (await stat(join(cwd, name))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600]);
    expect((await readdir(join(cwd, 'deep/.passkey'))).sort()).toEqual(['.gitignore', 'own.json']);
  });

  test('takes an algorithm, an origin, names and a label', async () => {
    const { cwd, passkey } = await seeded();
    const flags = '--algorithm EdDSA --origin https://login.example.com --rp-id example.com --rp-name Shop --label mine'.split(' ');
    expect((await passkey('credential', 'create', '--user', 'User:1', ...flags)).code).toBe(0);
    expect(await credentialsOf(cwd)).toMatchObject([
      { rpId: 'example.com', rpName: 'Shop', algorithm: -8, user: { name: 'ada@example.com' } },
    ]);
    expect((await passkey('show', '5', '--json')).stdout).toContain('"label": "mine"');
  });

  test('registers as a persona', async () => {
    const { passkey } = await seeded();
    const { code, stdout, stderr } = await passkey('credential', 'create', '--user', 'User:2', '--persona', 'yubikey-5', '--json');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Created the credentials file .*\n$/)]);
    expect(JSON.parse(stdout)).toMatchObject({ persona: 'yubikey-5', passkey_id: 5 });
  });

  const wrong: [argv: string[], code: number, message: string][] = [
    [[], 2, 'no terminal to prompt on; give --user'],
    [['--user', 'nobody@example.com'], 1, 'nobody@example.com'],
    [['--user', 'User:1', '--persona', 'nokia'], 2, '--persona expects one of icloud-keychain'],
    [
      ['--user', 'User:1', '--persona', 'titan', '--algorithm', 'EdDSA'],
      2,
      '--algorithm expects an algorithm that titan supports (ES256); got EdDSA',
    ],
    [['--user', 'User:1', '--origin', 'ftp://x'], 2, '--origin expects'],
    [['--user', 'User:1', '--rp-id', 'example.org'], 2, 'example.org'],
  ];
  test.each(wrong)('%j exits %i', async (argv, code, message) => {
    const { cwd, passkey } = await seeded();
    const result = await passkey('credential', 'create', ...argv);
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(await readdir(join(cwd, '.passkey'))).not.toContain('credentials.json');
  });

  test('says that there is one already', async () => {
    const { passkey } = await seeded();
    const again = () => passkey('credential', 'create', '--user', 'User:1');
    await again();
    expect(await again()).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('already has a credential of User:1 for localhost'),
    });
  });
});

describe('the credentials file', () => {
  test('is asked for where there is none', async () => {
    const cwd = await tempFolder();
    for (const argv of [['list'], ['remove', 'x', '--yes'], ['convert', '--to', 'jwk']]) {
      expect(await runIn(cwd, ['credential', ...argv])).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('There is no credentials file at'),
      });
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('is not made through a symbolic link that leads to nothing', async () => {
    const { cwd, passkey } = await seeded();
    await symlink(join(cwd, 'elsewhere.json'), join(cwd, 'own.json'));
    const { code, stderr } = await passkey('credential', 'create', '--user', 'User:1', '--credentials', 'own.json');
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`credentials file ${join(cwd, 'own.json')} is a symbolic link to a file that`),
    ]);
    expect(existsSync(join(cwd, 'elsewhere.json'))).toBe(false);
  });

  test('is left alone and named when it is damaged, and no key is shown', async () => {
    const cwd = await tempFolder();
    const { privateKey } = credentialSourceToJson(await seedCredentials(cwd));
    const path = join(cwd, '.passkey/credentials.json');
    const damaged = (await readFile(path, 'utf8')).replace('"signCount":0', '"signCount":-1');
    await writeFile(path, damaged);
    const { code, stderr } = await runIn(cwd, ['credential', 'remove', 'AQID', '--yes']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/credentials\.json is damaged: document\.credentials\[0\]: Expected signCount/),
    ]);
    expect(stderr).not.toContain(privateKey.slice(8, 24));
    expect(await readFile(path, 'utf8')).toBe(damaged);
  });

  test('may be named by PASSKEY_CREDENTIALS and in the configuration file', async () => {
    const cwd = await tempFolder();
    await seedCredentials(join(cwd, 'there'));
    const path = 'there/.passkey/credentials.json';
    expect((await runIn(cwd, ['credential', 'list'], { PASSKEY_CREDENTIALS: path })).stdout).toContain('ada@example.com');
    await writeFile(join(cwd, 'passkey.config.json'), JSON.stringify({ credentials: path }));
    expect((await runIn(cwd, ['credential', 'list'])).stdout).toContain('ada@example.com');
  });

  test('is changed by two at once without a loss', async () => {
    const { cwd, passkey } = await seeded();
    const results = await Promise.all(['User:1', 'User:2', 'Admin:1'].map((user) => passkey('credential', 'create', '--user', user)));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await credentialsOf(cwd)).length).toBe(3);
  });

  test('fits its JSON Schema, which takes nothing else', async () => {
    const cwd = await tempFolder();
    await seedCredentials(cwd);
    const file: { credentials: object[] } = JSON.parse(await readFile(join(cwd, '.passkey/credentials.json'), 'utf8'));
    const schema = schemas['passkey-credentials-1'];
    expect(schema && [Value.Check(schema, file), Value.Check(schema, { ...file, credentials: [{}] })]).toEqual([true, false]);
  });
});

describe('passkey credential list and remove', () => {
  test('shows no keys', async () => {
    const cwd = await tempFolder();
    const { privateKey } = credentialSourceToJson(await seedCredentials(cwd));
    for (const argv of [['list'], ['list', '--json']]) {
      const { stdout } = await runIn(cwd, ['credential', ...argv]);
      expect(stdout).toContain('AQIDBAUGBwgJCgsMDQ4PEA');
      expect(stdout).not.toContain(privateKey.slice(8, 24));
    }
    expect(await runIn(cwd, ['credential', 'list', '--rp-id', 'other.org'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('other.org'),
    });
  });

  test('removes by the beginning of an ID, once it is told to', async () => {
    const cwd = await tempFolder();
    await seedCredentials(cwd);
    expect(await runIn(cwd, ['credential', 'remove', 'AQID'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await runIn(cwd, ['credential', 'remove', 'AQID', 'zz', '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('begins with "zz"'),
    });
    expect((await runIn(cwd, ['credential', 'remove', 'AQID', '--dry-run'])).code).toBe(0);
    expect((await credentialsOf(cwd)).length).toBe(1);
    expect(await runIn(cwd, ['credential', 'remove', 'AQID', '--yes'])).toMatchObject({ code: 0, stdout: 'AQIDBAUGBwgJCgsMDQ4PEA\n' });
    expect(await credentialsOf(cwd)).toEqual([]);
  });
});

describe('passkey credential convert', () => {
  test('goes out and comes back', async () => {
    const cwd = await tempFolder();
    const source = await seedCredentials(cwd);
    const { code, stderr } = await runIn(cwd, ['credential', 'convert', '--to', 'keepassxc', '--out', 'ada.passkey']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^rpName of credential AQIDBAUGBwgJCgsM… of example\.org is lost: .*\nuserDisplayName .*\nWrote 1 credential with private keys to .*ada\.passkey\.\n$/,
      ),
    ]);
    if (process.platform !== 'win32') expect((await stat(join(cwd, 'ada.passkey'))).mode & 0o777).toBe(0o600);
    await runIn(cwd, ['credential', 'remove', 'AQID', '--yes']);
    expect((await runIn(cwd, ['credential', 'convert', 'ada.passkey', '--from', 'keepassxc', '--add'])).code).toBe(0);
    expect(await credentialsOf(cwd)).toEqual([{ ...source, rpName: 'example.org', user: { ...source.user, displayName: '' } }]);
  });

  test.skipIf(process.platform === 'win32')('does not wait for a FIFO', async () => {
    const cwd = await tempFolder();
    execFileSync('mkfifo', [join(cwd, 'fifo')]);
    const { code, stderr } = await runIn(cwd, ['credential', 'convert', 'fifo', '--to', 'jwk']);
    expect([code, stderr]).toEqual([2, 'passkey: fifo is a FIFO (a named pipe). Name a file, or - for standard input.\n']);
  });

  test('reads standard input, and what a bare key does not tell from flags', async () => {
    const cwd = await tempFolder();
    const { privateKey } = await seedCredentials(cwd);
    const { io, written, stdin } = fakeIo({ cwd });
    stdin.end((await runIn(cwd, ['credential', 'convert', '--to', 'pkcs8'])).stdout);
    const { run } = await import('../../src/cli/main.js');
    const told = ['--rp-id', 'a.test', '--credential-id', 'AAAAAAAAAAAAAAAAAAAAAA', '--user-handle', 'MQ', '--user-name', 'ada'];
    expect(await run(['credential', 'convert', '-', '--from', 'pkcs8', '--to', 'json', ...told], io)).toBe(0);
    const { credentials } = await importCredentials('json', written.stdout);
    expect(credentials).toMatchObject([{ rpId: 'a.test', privateKey, discoverable: true, user: { name: 'ada' } }]);
  });

  const wrong: [argv: string[], message: string][] = [
    [[], 'Give --to, one of json'],
    [['--add'], '--add needs a FILE and excludes --out'],
    [['--to', 'csv'], '--to expects one of json, playwright'],
    [['--to', 'jwk', '--id', 'zz'], 'begins with "zz"'],
    [['none.json', '--to', 'jwk'], 'none.json cannot be read (ENOENT)'],
    [
      ['chromium.json', '--from', 'playwright', '--to', 'jwk'],
      'chromium.json: Expected credential.id to be base64url or base64; got nothing',
    ],
    [['--to', 'jwk', '--out', 'no/folder/x'], '--out'],
  ];
  test.each(wrong)('%j is wrong usage', async (argv, message) => {
    const cwd = await tempFolder();
    await seedCredentials(cwd);
    expect(await runIn(cwd, ['credential', 'convert', ...argv])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

test('the help names every shape', () => {
  expect(SHAPES.replaceAll(/ \([^)]*\)/g, '').split(', ')).toEqual(listNames(INTERCHANGE_SHAPES));
});
