import { linkSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { schemas } from '../../src/cli/schemas.js';
import { parseProfile, readProfile } from '../../src/simulate/target/read-profile.js';
import { startPlainServer } from '../simulate/target/plain-server.js';
import { recordForms } from '../simulate/target/recording/record-pages.js';
import { startFormServer } from '../simulate/target/recording/recorded-servers.js';
import type { Target } from '../targets/http.js';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

let plain: Target;
beforeAll(async () => {
  plain = await startPlainServer();
});
afterAll(() => plain.close());

/** The requests of the plain server, in place of those of the first profile. */
function fitPlain(text: string, isYaml: boolean): string {
  if (!isYaml) {
    const { account: _, ...profile } = JSON.parse(text);
    const sent = { json: { credential: { $: 'credential' } }, accept: { status: '2xx', 'json verified': true } };
    const [registration, authentication] = [profile.register[0], profile.authenticate[0]];
    return `${JSON.stringify({ ...profile, register: [{ ...registration, ...sent }], authenticate: [{ ...authentication, ...sent }] }, null, 2)}\n`;
  }
  return text
    .replace(/^account:\n(?: {2}.*\n)+/m, '')
    .replaceAll(
      '    json: { $: credential }\n',
      '    json: { credential: { $: credential } }\n    accept: { status: 2xx, json verified: true }\n',
    );
}

describe('passkey simulate --init-profile', () => {
  test.each(['shop.json', 'tests/shop.yaml'])('writes %s to start from; --probe then finds what does not fit', async (file) => {
    const cwd = await tempFolder();
    mkdirSync(join(cwd, 'tests'));
    const written = await runIn(cwd, ['simulate', '--init-profile', file]);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(written.stderr.replaceAll('"', '')).toContain(
      `Wrote ${file}. Try it: passkey simulate --target ${file} --url URL --probe --write`,
    );
    const isYaml = file.endsWith('.yaml');
    const text = fitPlain(readFileSync(join(cwd, file), 'utf8'), isYaml);
    writeFileSync(join(cwd, file), text);
    const schema = 'node_modules/passkey-cli/dist/schemas/passkey-target-profile.schema.json';
    expect(text).toContain(file === 'shop.json' ? `"$schema": "./${schema}"` : `# yaml-language-server: $schema=../${schema}\n`);

    // It does not say yet where the options are.
    const first = await runIn(cwd, ['simulate', '--target', file, '--url', plain.url, '--probe']);
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(
      new RegExp(
        `✗ registration options: [^]*profile   ${file}:\\d+:\\d+ \\(registrationOptions, POST /register/options\\)\n[^]*"json data`,
      ),
    );
    expect(first.stdout).toContain('The profile does not fit yet.');

    const more = isYaml ? '    take:\n      options: json data.options\n' : '"take": { "options": "json data.options" },';
    const mended = isYaml
      ? text.replace('  - request: POST /register/options\n', (line) => `${line}${more}`)
      : text.replace('"request": "POST /register/options",', (line) => `${line}${more}`);
    writeFileSync(join(cwd, file), mended);
    // A second name of the file as it was: it is replaced, not written over.
    linkSync(join(cwd, file), join(cwd, 'before'));
    const second = await runIn(cwd, ['simulate', '--target', file, '--url', plain.url, '--probe', '--write']);
    expect(readFileSync(join(cwd, 'before'), 'utf8')).toBe(mended);
    expect(second).toMatchObject({ code: 0, stderr: `Wrote the result into "has" of ${file}.\n` });
    expect(second.stdout).toMatch(
      /✓ discoverable login\b[^]*✓ login with a changed signature: refused, as it must be[^]*counter +"refuse": refused login\.counter-regressed\n[^]*The profile fits\./,
    );
    const measured = readFileSync(join(cwd, file), 'utf8');
    if (isYaml) {
      expect(measured.replace(/^has:\n(?: {2}\w+:.*\n)+/m, '')).toBe(mended.replace(/^has:\n(?: {2}.*\n)+/m, ''));
    } else {
      const has = expect.objectContaining({ counter: 'refuse', formats: ['none'] });
      expect(JSON.parse(measured)).toEqual({ ...JSON.parse(mended), has });
    }
    expect(measured).toMatch(isYaml ? /^ {2}counter: refuse # refused login\.counter-regressed$/m : /^ {4}"counter": "refuse",$/m);
  });

  test('--write needs --probe and a file', async () => {
    const refused = async (...argv: string[]) => (await runIn('/nowhere', ['simulate', '--write', '--url', plain.url, ...argv])).stderr;
    expect(await refused()).toMatch(/^passkey: --write needs --probe\./);
    expect(await refused('--probe', '--target', 'simplewebauthn')).toMatch(/^passkey: --write needs a profile in a file, got the built-in/);
  });

  test('prints YAML with -, and one JSON document with --json', async () => {
    const cwd = await tempFolder();
    const printed = await runIn(cwd, ['simulate', '--init-profile', '-']);
    expect(printed.stderr).toBe('First change its requests to those of your page.\n');
    expect(printed.stdout).toContain('\n# Send the new credential.\nregister:\n');
    expect((await parseProfile(printed.stdout, 'target.yaml')).profile).toMatchObject({
      format: 'passkey-target-profile',
      name: 'target',
      registrationOptions: [{ request: 'POST /register/options', json: { username: '{user.name}' } }],
      register: [{ request: 'POST /register', json: { $: 'credential' } }],
    });
    const { stdout } = await runIn(cwd, ['simulate', '--init-profile', 'shop.json', '--json']);
    const schema = schemas['simulate-init-profile'];
    expect(schema && [...Value.Errors(schema, JSON.parse(stdout))]).toStrictEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ file: 'shop.json', url: null });
  });

  test('has the same in JSON as in YAML, with every commented part one that fits', async () => {
    const cwd = await tempFolder();
    await runIn(cwd, ['simulate', '--init-profile', 'shop.json']);
    await runIn(cwd, ['simulate', '--init-profile', 'shop.yaml']);
    const yaml = readFileSync(join(cwd, 'shop.yaml'), 'utf8');
    const { profile } = await readProfile('shop.yaml', cwd);
    const { $schema: _, ...json } = JSON.parse(readFileSync(join(cwd, 'shop.json'), 'utf8'));
    expect(json).toEqual(profile);
    const part = /^( *)# (?=(?:origin|cleanup|take|accept): |cleanup:$| {2}- request: DELETE)/gm;
    expect(yaml.match(part)).toHaveLength(5);
    const whole = await parseProfile(yaml.replaceAll(part, '$1'), 'shop.yaml');
    expect(whole.profile).toMatchObject({ origin: 'http://localhost:3000', cleanup: [{ request: 'DELETE /me' }] });
  });

  test('never replaces a file without --force', async () => {
    const cwd = await tempFolder();
    writeFileSync(join(cwd, 'passkey-target.yaml'), 'mine');
    const argv = ['simulate', '--init-profile'];
    const refused = await runIn(cwd, argv);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('passkey-target.yaml exists. Name another file, or replace it with --force.');
    expect(readFileSync(join(cwd, 'passkey-target.yaml'), 'utf8')).toBe('mine');
    expect(await runIn(cwd, [...argv, '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'passkey-target.yaml'), 'utf8')).toContain('passkey-target-profile');
  });

  test('begins with a built-in profile', async () => {
    const cwd = await tempFolder();
    expect(await runIn(cwd, ['simulate', '--init-profile', 'own.json', '--from', 'passkey'])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(cwd, 'own.json'), 'utf8'))).toMatchObject({
      name: 'own',
      register: [{ request: 'POST /api/passkeys/register' }],
    });
  });

  const mistakes: [what: string, argv: string[], message: RegExp][] = [
    ['an unknown built-in', ['--from', 'nobody'], /--from expects one of .*passkey.*; got "nobody"/],
    ['two beginnings', ['--from', 'passkey', '--har', 'x.har'], /Expected --from or --har; got both/],
    ['a folder that is not there', ['--from', 'passkey', '--init-profile', 'no/shop.json'], /no\/shop\.json cannot be written \(ENOENT\)/],
  ];
  test.each(mistakes)('refuses %s', async (_, argv, message) => {
    const { code, stdout, stderr } = await runIn(await tempFolder(), ['simulate', '--init-profile', 'a.json', ...argv]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('the flags of --init-profile', () => {
  test.each([
    [['--har', 'a.har'], '--har needs --init-profile. Add it, or leave --har out.'],
    [['--force'], '--force needs --init-profile. Add it, or leave --force out.'],
    [['--init-profile', 'a.json', '--probe'], 'Write the profile with --init-profile first; then probe it with --target and --probe.'],
  ])('%j is refused', async (argv, message) => {
    expect(await runIn(await tempFolder(), ['simulate', ...argv])).toMatchObject({ code: 2, stderr: `passkey: ${message}\n` });
  });
});

describe('passkey simulate --init-profile --har', () => {
  let forms: Target;
  let har: string;
  beforeAll(async () => {
    forms = await startFormServer();
    har = JSON.stringify((await recordForms(forms.url)).har());
  });
  afterAll(() => forms.close());

  test('writes a profile that drives what was recorded', async () => {
    const cwd = await tempFolder();
    writeFileSync(join(cwd, 'recording.har'), har);
    const written = await runIn(cwd, ['simulate', '--init-profile', 'forms.yml', '--har', 'recording.har']);
    expect(written.code).toBe(0);
    expect(written.stderr).toBe(
      `The recording deletes no passkey: add cleanup, otherwise test passkeys stay on the server.\nWrote forms.yml. Try it: passkey simulate --target forms.yml --url ${forms.url} --probe --write\n`,
    );
    const probed = await runIn(cwd, ['simulate', '--target', 'forms.yml', '--url', forms.url, '--probe', '--json']);
    expect(probed.code).toBe(0);
    const report = JSON.parse(probed.stdout);
    const schema = schemas['simulate-probe'];
    expect(schema && [...Value.Errors(schema, report)]).toStrictEqual([]);
    expect(report).toMatchObject({ passed: true, profile: 'forms', url: forms.url });
  });

  test('says what is wrong with the archive', async () => {
    const cwd = await tempFolder();
    const initialise = (file: string) => runIn(cwd, ['simulate', '--init-profile', 'a.json', '--har', file]);
    expect(await initialise('none.har')).toMatchObject({ code: 2, stderr: expect.stringContaining('none.har cannot be read (ENOENT)') });
    expect((await initialise('.')).stderr).toContain('--har expects an HTTP archive (HAR 1.2); . is a folder.');
    writeFileSync(join(cwd, 'cut.har'), har.slice(0, 1000));
    expect((await initialise('cut.har')).stderr).toMatch(/cut\.har is not JSON, line 1, column \d+: expected .*, got the end/);
    writeFileSync(join(cwd, 'other.har'), '{"log":1}');
    expect((await initialise('other.har')).stderr).toContain(
      'Expected an HTTP archive (HAR 1.2), an object with log.entries; got other JSON.',
    );
    writeFileSync(join(cwd, 'huge.har'), '');
    truncateSync(join(cwd, 'huge.har'), 300 * 1024 * 1024);
    expect(await initialise('huge.har')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/huge\.har has 314572800 bytes; expected at most 268435456/),
    });
  });
});

describe('passkey simulate --probe', () => {
  test('names the library whose error text a refusal has', async () => {
    const target = await startSimpleWebAuthn();
    onTestFinished(() => target.close());
    const { stdout } = await runIn('/nowhere', ['simulate', '--probe', '--target', 'simplewebauthn', '--url', target.url, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ passed: true, found: { library: '@simplewebauthn/server' } });
  });

  test('exits 4 when nobody answers', async () => {
    const gone = await startPlainServer();
    await gone.close();
    const { code, stdout } = await runIn(await tempFolder(), ['simulate', '--probe', '--url', gone.url, '--token', 'a']);
    expect(code).toBe(4);
    expect(stdout).toMatch(/✗ registration options[^]*Check --url, and that the server is running\.[^]*The server did not respond\./);
  });

  const mistakes: [what: string, argv: string[], message: RegExp][] = [
    ['no URL', [], /--probe needs a running server\. Name it with --url/],
    [
      'a host that is not this machine',
      ['--url', 'https://shop.example.com', '--token', 'a'],
      /repeat the command with --allow-host shop\.example\.com/,
    ],
    ['a profile that is not there', ['--url', 'http://localhost:1', '--target', 'none.json'], /none\.json cannot be read/],
    ['a variable that is none', ['--url', 'http://localhost:1', '--token', 'a', '--set', 'realm'], /--set expects NAME=VALUE, got "realm"/],
    [
      'certificates that are none',
      ['--url', 'https://localhost:1', '--token', 'a', '--ca', 'ca.pem'],
      /--ca expects a file of certificates in PEM; ca\.pem cannot be read/,
    ],
  ];
  test.each(mistakes)('refuses %s', async (_, argv, message) => {
    const { code, stderr } = await runIn(await tempFolder(), ['simulate', '--probe', ...argv]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
