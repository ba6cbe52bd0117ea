import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { resolveServeSettings, resolveStoreSettings } from '../../../src/cli/config/resolve.js';
import { nameFlag, nameVariable, SERVE_SETTINGS, type Setting } from '../../../src/cli/config/settings.js';
import { schemas } from '../../../src/cli/schemas.js';
import type { ErrorCode } from '../../../src/errors.js';
import { DEFAULT_SETTINGS } from '../../../src/server/settings.js';
import { fakeIo } from '../fake-io.js';
import { tempFolder } from '../temp-folder.js';

type Key = keyof typeof SERVE_SETTINGS;

/** For each setting three different values: of a flag or variable as text, and of the file as JSON, with what they mean. */
const VALUES: Record<Key, { flag: [string | string[] | boolean, unknown]; variable: [string, unknown]; file: [unknown, unknown] }> = {
  port: { flag: ['1', 1], variable: ['2', 2], file: [3, 3] },
  cert: { flag: ['/a.pem', '/a.pem'], variable: ['/b.pem', '/b.pem'], file: ['/c.pem', '/c.pem'] },
  key: { flag: ['/d.pem', '/d.pem'], variable: ['/e.pem', '/e.pem'], file: ['/f.pem', '/f.pem'] },
  host: { flag: ['a', 'a'], variable: ['b', 'b'], file: ['::1', '::1'] },
  allowedHost: {
    flag: [
      ['a', 'b,c'],
      ['a', 'b', 'c'],
    ],
    variable: ['a,b', ['a', 'b']],
    file: [['c'], ['c']],
  },
  store: { flag: ['memory:', 'memory:'], variable: ['/b.json', '/b.json'], file: ['/c.json', '/c.json'] },
  ownerType: { flag: ['A', 'A'], variable: ['App\\Models\\User', 'App\\Models\\User'], file: ['C', 'C'] },
  origin: {
    flag: [['https://a.test'], ['https://a.test']],
    variable: ['https://b.test', ['https://b.test']],
    file: [['https://c.test'], ['https://c.test']],
  },
  app: {
    flag: ['/a', '/a'],
    variable: ['http://localhost:5173/', 'http://localhost:5173'],
    file: ['http://localhost:3000', 'http://localhost:3000'],
  },
  wellKnown: { flag: ['/a', '/a'], variable: ['/b', '/b'], file: ['/c', '/c'] },
  credentials: { flag: ['/a.json', '/a.json'], variable: ['/b.json', '/b.json'], file: ['/c.json', '/c.json'] },
  authAction: { flag: ['token', 'token'], variable: ['expiring_token', 'expiring_token'], file: ['session', 'session'] },
  userHandle: { flag: ['random', 'random'], variable: ['id', 'id'], file: ['random', 'random'] },
  record: { flag: ['/a', '/a'], variable: ['/b', '/b'], file: ['/c', '/c'] },
  recordName: { flag: ['a', 'a'], variable: ['b.1', 'b.1'], file: ['c_d-e', 'c_d-e'] },
  trustProxy: { flag: [true, true], variable: ['true', true], file: [true, true] },
  devSignIn: { flag: ['key', 'key'], variable: ['off', 'off'], file: ['local', 'local'] },
  rateLimit: { flag: ['1', 1], variable: ['off', 'off'], file: [3, 3] },
  maxPasskeys: { flag: ['1', 1], variable: ['off', 'off'], file: [3, 3] },
  production: { flag: [true, true], variable: ['yes', true], file: [true, true] },
  fidoApi: { flag: [true, true], variable: ['1', true], file: [true, true] },
  open: { flag: [false, false], variable: ['0', false], file: [false, false] },
  logLevel: { flag: ['debug', 'debug'], variable: ['warn', 'warn'], file: ['silent', 'silent'] },
  bodyLimit: { flag: ['1024', 1024], variable: ['2048', 2048], file: [4096, 4096] },
  sessionIdle: { flag: ['1h', 3_600_000], variable: ['2m', 120_000], file: ['3s', 3000] },
  sessionTtl: { flag: ['1h', 3_600_000], variable: ['2m', 120_000], file: ['3s', 3000] },
  tokenTtl: { flag: ['1h', 3_600_000], variable: ['2m', 120_000], file: [3000, 3000] },
  algorithms: {
    flag: [
      ['EdDSA', 'ES256'],
      [-8, -7],
    ],
    variable: ['-257', [-257]],
    file: [
      ['ES384', -7],
      [-35, -7],
    ],
  },
  attestation: { flag: ['direct', 'direct'], variable: ['indirect', 'indirect'], file: ['enterprise', 'enterprise'] },
  userVerification: { flag: ['required', 'required'], variable: ['discouraged', 'discouraged'], file: ['required', 'required'] },
  residentKey: { flag: ['required', 'required'], variable: ['discouraged', 'discouraged'], file: ['required', 'required'] },
  attestationRoots: {
    flag: [
      ['/a.pem', '/b.pem'],
      ['/a.pem', '/b.pem'],
    ],
    variable: ['/b.pem', ['/b.pem']],
    file: [['/c.pem'], ['/c.pem']],
  },
  metadata: { flag: ['/a.jwt', '/a.jwt'], variable: ['/b.jwt', '/b.jwt'], file: ['/c.jwt', '/c.jwt'] },
  selfAttestation: { flag: ['refuse', 'refuse'], variable: ['accept', 'accept'], file: ['refuse', 'refuse'] },
  metadataRoot: { flag: [['/a.der'], ['/a.der']], variable: ['/b.der', ['/b.der']], file: [['/c.der'], ['/c.der']] },
  topOrigin: {
    flag: [['https://a.test'], ['https://a.test']],
    variable: ['https://b.test', ['https://b.test']],
    file: [['https://c.test'], ['https://c.test']],
  },
  timeout: { flag: ['1s', 1000], variable: ['2s', 2000], file: [3000, 3000] },
  challengeTtl: { flag: ['1s', 1000], variable: ['2s', 2000], file: [3000, 3000] },
};
const KEYS = Object.keys(SERVE_SETTINGS) as Key[];

async function settingsWith(o: { file?: unknown; env?: Record<string, string>; flags?: Record<string, unknown> }) {
  const cwd = await tempFolder();
  if (o.file !== undefined) await writeFile(join(cwd, 'passkey.config.json'), typeof o.file === 'string' ? o.file : JSON.stringify(o.file));
  const { io, written } = fakeIo({ cwd, env: o.env ?? {} });
  return { cwd, settings: await resolveServeSettings(io, o.flags ?? {}), written };
}

describe('flags > PASSKEY_* > passkey.config.json > defaults', () => {
  test.each(KEYS)('%s', async (key) => {
    const { flag, variable, file } = VALUES[key];
    const sources = { file: { [key]: file[0] }, env: { [nameVariable(key)]: variable[0] }, flags: { [key]: flag[0] } };

    const none = await settingsWith({});
    const fallback = 'fallback' in SERVE_SETTINGS[key] ? SERVE_SETTINGS[key].fallback : undefined;
    expect(none.settings[key]).toStrictEqual(key === 'store' ? join(none.cwd, '.passkey/passkeys.jsonl') : fallback);
    expect((await settingsWith({ file: sources.file })).settings[key]).toStrictEqual(file[1]);
    expect((await settingsWith({ file: sources.file, env: sources.env })).settings[key]).toStrictEqual(variable[1]);
    expect((await settingsWith(sources)).settings[key]).toStrictEqual(flag[1]);
  });

  test('counts relative paths from the file that has them, else from the working directory', async () => {
    const cwd = await tempFolder();
    await mkdir(join(cwd, 'conf'));
    await writeFile(
      join(cwd, 'conf/my.json'),
      JSON.stringify({ store: 'a.json', authAction: './action.mjs', attestationRoots: ['r.pem'] }),
    );
    const { io } = fakeIo({ cwd, env: { PASSKEY_RECORD: 'rec' } });
    const settings = await resolveServeSettings(io, { config: 'conf/my.json' });
    expect(settings.store).toBe(join(cwd, 'conf/a.json'));
    expect(settings.authAction).toBe(join(cwd, 'conf/action.mjs'));
    expect(settings.attestationRoots).toStrictEqual([join(cwd, 'conf/r.pem')]);
    expect(settings.record).toBe(join(cwd, 'rec'));
  });

  test('takes the file that PASSKEY_CONFIG names', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'x.json'), '{ "port": 9 }');
    expect((await resolveServeSettings(fakeIo({ cwd, env: { PASSKEY_CONFIG: 'x.json' } }).io, {})).port).toBe(9);
  });

  test('says which credentials of the environment go to a database that a found file names', async () => {
    const env = { PGUSER: 'ada', PGPASSWORD: 'secret' };
    const file = { store: 'postgres://db.example/x' };
    const said = async (o: Parameters<typeof settingsWith>[0]) => (await settingsWith(o)).written.stderr;
    expect(await said({ file, env })).toBe(
      'PGUSER and PGPASSWORD from the environment go to the database that passkey.config.json names: db.example.\n',
    );
    expect(await said({ file: { store: 'postgres://bob@db.example/x' }, env })).toMatch(/^PGPASSWORD from the environment goes to /);
    expect(await said({ file: { store: 'postgres://bob:own@db.example/x' }, env })).toBe('');
    expect(await said({ file })).toBe('');
    expect(await said({ file, env: { ...env, PASSKEY_STORE: 'postgres://other.example/x' } })).toBe('');
    expect(await said({ file, env: { ...env, PASSKEY_CONFIG: 'passkey.config.json' } })).toMatch(/db\.example/);
  });

  test('takes an empty variable for none', async () => {
    expect((await settingsWith({ env: { PASSKEY_PORT: '' } })).settings.port).toBe(7277);
  });

  const wrong: [string, { file?: unknown; env?: Record<string, string>; flags?: Record<string, unknown> }, ErrorCode, RegExp][] = [
    ['a flag', { flags: { port: 'abc' } }, 'usage', /^--port expects a port from 0 to 65535; got "abc"\.$/],
    ['a negated flag', { flags: { open: 'perhaps' } }, 'usage', /^--no-open expects true or false/],
    ['a variable', { env: { PASSKEY_PORT: '70000' } }, 'usage', /^PASSKEY_PORT expects a port from 0 to 65535; got "70000"\.$/],
    [
      'a wrong type in the file',
      { file: { port: '80' } },
      'configuration_invalid',
      /^passkey\.config\.json: "port" expects a port.*got "80"\.$/,
    ],
    ['null in the file', { file: { origin: null } }, 'configuration_invalid', /^passkey\.config\.json: "origin" expects a list/],
    [
      'an unknown key',
      { file: { prot: 80 } },
      'configuration_invalid',
      /^passkey\.config\.json has an unknown key "prot" \(did you mean "port"\?\)\. Known keys: port, host/,
    ],
    ['a key of Object.prototype', { file: '{"__proto__": 1}' }, 'configuration_invalid', /unknown key "__proto__"/],
    ['an inherited key', { file: { toString: 1 } }, 'configuration_invalid', /unknown key "toString"/],
    ['an array', { file: [] }, 'configuration_invalid', /^passkey\.config\.json expects a JSON object/],
    ['broken JSON', { file: '{ "port": ' }, 'configuration_invalid', /^passkey\.config\.json is not valid JSON/],
    ['an empty file', { file: '' }, 'configuration_invalid', /^passkey\.config\.json is (?:empty|not valid JSON)/],
    ['null', { file: 'null' }, 'configuration_invalid', /^passkey\.config\.json expects a JSON object/],
    [
      'a file that is not there',
      { flags: { config: 'no.json' } },
      'configuration_invalid',
      /^The configuration file no\.json cannot be read \(ENOENT\)/,
    ],
    [
      'an unknown algorithm',
      { flags: { algorithms: ['ES256', 'FOO'] } },
      'usage',
      /^--algorithms: "FOO" is not an algorithm.*ES256 \(-7\)/,
    ],
  ];
  test.each(wrong)('refuses %s', async (_, sources, code, message) => {
    await expect(settingsWith(sources)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('checks the whole file, whatever the command needs of it', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'passkey.config.json'), '{ "timeout": "soon" }');
    await expect(resolveStoreSettings(fakeIo({ cwd }).io, {})).rejects.toMatchObject({ code: 'configuration_invalid' });
  });

  test('takes a byte order mark and $schema, as its JSON Schema does', async () => {
    expect((await settingsWith({ file: '\uFEFF{ "$schema": "x", "port": 5 }' })).settings.port).toBe(5);
    const values = Object.fromEntries(Object.entries(VALUES).map(([key, { file }]) => [key, file[0]]));
    const isValid = (file: unknown) => Value.Check(schemas['passkey-config'] ?? {}, file);
    expect(isValid({ $schema: 'x', ...values })).toBe(true);
    const refused = [{ prot: 80 }, { port: '80' }, { userVerification: 'never' }, { record: 1 }, { metadataRoot: [1] }];
    expect(refused.filter(isValid)).toEqual([]);
  });
});

describe('names', () => {
  test.each([
    ['allowedHost', '--allowed-host', 'PASSKEY_ALLOWED_HOST'],
    ['open', '--no-open', 'PASSKEY_OPEN'],
    ['production', '--production', 'PASSKEY_PRODUCTION'],
    ['challengeTtl', '--challenge-ttl', 'PASSKEY_CHALLENGE_TTL'],
  ] as const)('%s', (key, flag, variable) => {
    expect([nameFlag(key, SERVE_SETTINGS[key]), nameVariable(key)]).toStrictEqual([flag, variable]);
  });
});

test('the defaults of serve are those of the server and the accounts', () => {
  const fallbackOf = (name: keyof typeof SERVE_SETTINGS) => {
    const entry: Setting<unknown> = SERVE_SETTINGS[name];
    return entry.fallback;
  };
  // As test/accounts/access.test.ts has it for the accounts.
  expect(fallbackOf('sessionIdle')).toBe(12 * 3_600_000);
  for (const name of ['bodyLimit', 'rateLimit', 'sessionTtl', 'tokenTtl', 'fidoApi', 'trustProxy', 'devSignIn'] as const) {
    expect([name, fallbackOf(name)]).toEqual([name, DEFAULT_SETTINGS[name]]);
  }
});
