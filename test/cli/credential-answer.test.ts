import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { importCredentials } from '../../src/authenticator/interchange/interchange.js';
import { run } from '../../src/cli/main.js';
import { schemas } from '../../src/cli/schemas.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service } from '../server/app.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

const CHALLENGE = '3q2-7wABAgMEBQYHCAkKCw';
const CREATION = {
  rp: { id: RP_ID, name: 'App' },
  user: { id: 'QWRh', name: 'ada', displayName: 'Ada' },
  challenge: CHALLENGE,
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  authenticatorSelection: { residentKey: 'required' },
};
const REQUEST = { challenge: CHALLENGE, rpId: RP_ID };

/** Answers options that are in a file, from the application's page; `test/cli/store-created.test.ts` covers the line on a new file. */
async function answerIn(cwd: string, options: unknown, ...argv: readonly string[]) {
  await writeFile(join(cwd, 'options.json'), typeof options === 'string' ? options : JSON.stringify(options));
  const ran = await runIn(cwd, ['credential', 'answer', 'options.json', '--origin', APP_ORIGIN, ...argv]);
  return { ...ran, stderr: ran.stderr.replace(/^Created the credentials file .*\n/m, '') };
}

/** The answer, which has to be one. */
async function responseIn(cwd: string, options: unknown, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await answerIn(cwd, options, ...argv);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const authenticatorDataOf = (response: { response: { authenticatorData: string } }) =>
  decodeAuthenticatorData(decodeBase64url(response.response.authenticatorData));

const credentialsOf = async (cwd: string) =>
  (await importCredentials('json', await readFile(join(cwd, '.passkey/credentials.json'), 'utf8'))).credentials;

describe('passkey credential answer', () => {
  test.each([[], ['--persona', 'yubikey-5'], ['--persona', 'security-key-u2f']])(
    'registers at a relying party and logs in, again and again %j',
    async (...persona) => {
      await using service = await Service.start();
      const cwd = await tempFolder();
      const creation = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
      const registration = await responseIn(cwd, creation, ...persona);
      const { statusCode, body } = await service.post('/api/passkeys/register', registration);
      expect([statusCode, JSON.parse(body).passkey]).toEqual([200, expect.objectContaining({ id: 1 })]);
      for (const argv of [persona, [], persona]) {
        const request = (await service.post('/api/passkeys/verify/options', { credential_id: registration.id })).json();
        const login = await responseIn(cwd, { ...request, rpId: RP_ID }, ...argv);
        expect((await service.post('/api/passkeys/login', login)).statusCode).toBe(200);
      }
    },
  );

  test.each([
    [[], { crossOrigin: false }],
    [['--cross-origin'], { crossOrigin: true }],
  ])('of a page with %j: its client data say so', async (flags, clientData) => {
    const { response } = await responseIn(await tempFolder(), CREATION, ...flags);
    expect(JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())).toMatchObject(clientData);
  });

  test('keeps the sign count in the file, and the file from others', async () => {
    const cwd = await tempFolder();
    const made = await responseIn(cwd, CREATION, '--persona', 'chrome-virtual');
    const counts = [authenticatorDataOf(made).signCount];
    for (const argv of [['--persona', 'chrome-virtual'], [], []]) {
      counts.push(authenticatorDataOf(await responseIn(cwd, REQUEST, ...argv)).signCount);
    }
    expect(counts).toEqual([1, 2, 3, 4]);
    expect(await credentialsOf(cwd)).toMatchObject([{ rpId: RP_ID, signCount: 4, user: { name: 'ada' } }]);
    expect(await readFile(join(cwd, '.passkey/.gitignore'), 'utf8')).toContain('*');
    if (process.platform !== 'win32') expect((await stat(join(cwd, '.passkey/credentials.json'))).mode & 0o777).toBe(0o600);
  });

  test('loses no credential when many answer at once', async () => {
    const cwd = await tempFolder();
    const users = ['AAAA', 'BBBB', 'CCCC', 'DDDD', 'EEEE', 'FFFF'];
    const answers = users.map(async (id) => {
      await mkdir(join(cwd, id));
      const options = { ...CREATION, user: { ...CREATION.user, id } };
      return (await responseIn(join(cwd, id), options, '--credentials', join(cwd, 'shared.json'))).id;
    });
    const ids = await Promise.all(answers);
    const { stdout } = await runIn(cwd, ['credential', 'list', '--credentials', 'shared.json', '--json']);
    const kept: { id: string }[] = JSON.parse(stdout);
    expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(ids));
    expect(kept).toHaveLength(users.length);
    const logins = users.map(async (user) => {
      const request = { ...REQUEST, allowCredentials: [{ type: 'public-key', id: ids[0] }] };
      return authenticatorDataOf(
        await responseIn(join(cwd, user), request, '--credentials', join(cwd, 'shared.json'), '--persona', 'windows-hello'),
      ).signCount;
    });
    expect(new Set(await Promise.all(logins))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  });

  test('takes the file from PASSKEY_CREDENTIALS, and options from standard input', async () => {
    const cwd = await tempFolder();
    const { io, written, stdin } = fakeIo({ cwd, env: { PASSKEY_CREDENTIALS: 'own.json' } });
    stdin.end(JSON.stringify({ publicKey: CREATION }));
    expect(await run(['credential', 'answer', '--origin', APP_ORIGIN], io)).toBe(0);
    expect(JSON.parse(written.stdout)).toMatchObject({ type: 'public-key', response: { attestationObject: expect.any(String) } });
    expect((await stat(join(cwd, 'own.json'))).isFile()).toBe(true);
  });

  test('finds options wherever a server puts them, and says what a page would have to convert', async () => {
    const cwd = await tempFolder();
    const dialect = { ...CREATION, pubKeyCredParams: [{ type: 'public-key', alg: '-7' }], timeout: null, challenge: `${CHALLENGE}==` };
    const { code, stdout, stderr } = await answerIn(cwd, { data: { options: { publicKey: dialect } } });
    expect([code, stderr.trimEnd().split('\n')]).toEqual([
      0,
      [
        'The options are at /data/options/publicKey.',
        expect.stringContaining('publicKey.timeout: Expected a value'),
        expect.stringContaining('publicKey.challenge: Expected base64url without padding'),
        expect.stringContaining('pubKeyCredParams[0].alg'),
      ],
    ]);
    expect(JSON.parse(stdout).type).toBe('public-key');
    const inText = await answerIn(cwd, { state: JSON.stringify({ publicKey: REQUEST }) });
    expect([inText.code, inText.stderr]).toEqual([0, 'The options are at /state/publicKey.\n']);
    // The shortest options that a browser takes.
    expect((await answerIn(cwd, { challenge: 'AAAA' })).code).toBe(0);
  });

  test('logs in with the credential that is named', async () => {
    const cwd = await tempFolder();
    const first = await responseIn(cwd, CREATION);
    const second = await responseIn(cwd, { ...CREATION, user: { ...CREATION.user, id: 'Qm9i', name: 'bob' } });
    expect((await responseIn(cwd, REQUEST)).id).toBe(second.id);
    expect((await responseIn(cwd, REQUEST, '--id', first.id.slice(0, 12))).id).toBe(first.id);
    const others = await answerIn(cwd, { ...REQUEST, allowCredentials: [{ type: 'public-key', id: second.id }] }, '--id', first.id);
    expect([others.code, others.stderr]).toEqual([1, expect.stringContaining('NotAllowedError')]);
    expect(await answerIn(cwd, CREATION, '--id', first.id)).toMatchObject({ code: 2, stderr: expect.stringContaining('is for logins') });
  });

  test('verifies the user as asked, always or never', async () => {
    const cwd = await tempFolder();
    await responseIn(cwd, CREATION);
    const verified = async (asked: string, how: string) =>
      authenticatorDataOf(await responseIn(cwd, { ...REQUEST, userVerification: asked }, '--user-verification', how)).flags.uv;
    expect([await verified('preferred', 'as-asked'), await verified('discouraged', 'as-asked')]).toEqual([true, false]);
    expect([await verified('discouraged', 'always'), await verified('preferred', 'never')]).toEqual([true, false]);
    expect(await answerIn(cwd, { ...REQUEST, userVerification: 'required' }, '--user-verification', 'never')).toMatchObject({ code: 1 });
    const cannot = await answerIn(cwd, REQUEST, '--user-verification', 'always', '--persona', 'security-key-u2f');
    expect([cannot.code, cannot.stderr]).toEqual([2, expect.stringContaining('security-key-u2f cannot verify its user')]);
  });

  test('answers from a frame, and for a registration without a prompt', async () => {
    const cwd = await tempFolder();
    const framed = await responseIn(cwd, CREATION, '--top-origin', 'https://shop.test');
    expect(JSON.parse(Buffer.from(framed.response.clientDataJSON, 'base64url').toString())).toMatchObject({
      origin: APP_ORIGIN,
      crossOrigin: true,
      topOrigin: 'https://shop.test',
    });
    expect(authenticatorDataOf(await responseIn(cwd, CREATION, '--mediation', 'conditional')).flags.up).toBe(false);
  });

  test('says with --json what the response comes from', async () => {
    const cwd = await tempFolder();
    const { stdout } = await answerIn(cwd, { ...CREATION, timeout: '60000' }, '--persona', 'icloud-keychain', '--json');
    const document = JSON.parse(stdout);
    const schema = schemas['credential-answer'];
    expect(schema && [...Value.Errors(schema, document)]).toStrictEqual([]);
    expect(document).toMatchObject({
      ceremony: 'registration',
      credential: { id: document.response.id, rp_id: RP_ID, user_name: 'ada', backup_state: true },
      persona: 'icloud-keychain',
      tamper: null,
      remarks: [expect.stringContaining('publicKey.timeout')],
    });
    expect(stdout).not.toContain('privateKey');
  });
});

describe('passkey credential answer refuses', () => {
  const rows: [what: string, options: unknown, argv: string[], code: number, message: string][] = [
    ['what is not JSON', '{"challenge": }', [], 2, 'options.json is not JSON: line 1, column 15 has'],
    ['an empty file', ' ', [], 2, 'options.json is empty'],
    ['what is no options', { hello: 1 }, [], 2, 'Expected creation options (challenge, rp, user, pubKeyCredParams) or request options'],
    ['a response', { id: 'AA', response: { attestationObject: '', clientDataJSON: '' } }, [], 2, 'got a registration response'],
    ['options without a challenge', { ...CREATION, challenge: undefined }, [], 2, 'publicKey.challenge'],
    [
      'an RP ID of another site',
      { ...CREATION, rp: { id: 'other.org', name: 'O' } },
      [],
      1,
      'SecurityError: Expected publicKey.rp.id to be',
    ],
    [
      'algorithms that the persona does not have',
      { ...CREATION, pubKeyCredParams: [{ type: 'public-key', alg: -257 }] },
      ['--persona', 'icloud-keychain'],
      1,
      'NotSupportedError: publicKey.pubKeyCredParams: Expected one of the algorithms -7 (ES256); the client asked for -257. Offer an algorithm',
    ],
    ['a login before any registration', REQUEST, [], 3, 'Register first, or name another'],
    ['a mediation that nobody knows', CREATION, ['--mediation', 'silent'], 2, '--mediation expects the value conditional; got "silent"'],
    ['a persona that nobody knows', CREATION, ['--persona', 'yubikey'], 2, '--persona expects one of icloud-keychain'],
    ['an origin with a path', CREATION, ['--origin', 'https://app.example.com/login'], 2, '--origin expects an origin without a path'],
    ['an Android origin without a hash', CREATION, ['--origin', 'android:apk-key-hash:x'], 2, 'Expected origin to be an origin'],
  ];
  test.each(rows)('%s', async (_, options, argv, code, message) => {
    const cwd = await tempFolder();
    const outcome = await answerIn(cwd, options, ...argv);
    expect(outcome).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a login with credentials that it does not have, and names those it has', async () => {
    const cwd = await tempFolder();
    const { id } = await responseIn(cwd, CREATION);
    const other = await answerIn(cwd, { ...REQUEST, allowCredentials: [{ type: 'public-key', id: 'AAAAAAAAAAAAAAAAAAAAAA' }] });
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringMatching(`Expected the credential in allowCredentials for ${RP_ID}; .*credentials\\.json has ${id} \\(ada\\)\\.`),
    ]);
    await responseIn(cwd, { ...CREATION, user: { ...CREATION.user, id: 'BBBB', name: 'x'.repeat(100_000) } });
    const long = await answerIn(cwd, { ...REQUEST, allowCredentials: [{ type: 'public-key', id: 'AAAAAAAAAAAAAAAAAAAAAA' }] });
    expect(long.stderr).toContain(`(${'x'.repeat(64)}…)`);
    await responseIn(cwd, { ...CREATION, rp: { name: 'E' }, authenticatorSelection: {} }, '--origin', 'https://example.net');
    const hidden = await answerIn(cwd, { ...REQUEST, rpId: 'example.net' }, '--origin', 'https://example.net');
    expect([hidden.code, hidden.stderr]).toEqual([1, expect.stringMatching(/\(ada, not discoverable\)\. Name it in allowCredentials/)]);
    const elsewhere = await answerIn(cwd, { challenge: CHALLENGE, rpId: 'example.com' });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      1,
      expect.stringContaining(
        `has none for it, only for ${RP_ID}, example.net. Answer creation options first, or use the credentials file`,
      ),
    ]);
  });

  test('a second registration of the same authenticator', async () => {
    const cwd = await tempFolder();
    const { id } = await responseIn(cwd, CREATION);
    const again = await answerIn(cwd, { ...CREATION, excludeCredentials: [{ type: 'public-key', id }] });
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/InvalidStateError.*Register another user, remove the credential, or/),
    ]);
    expect(await credentialsOf(cwd)).toHaveLength(1);
  });

  test('to wait for a terminal, or to guess the origin', async () => {
    const terminal = fakeIo({ cwd: await tempFolder(), terminal: true });
    expect(await run(['credential', 'answer', '--origin', APP_ORIGIN], terminal.io)).toBe(2);
    expect(terminal.written.stderr).toContain('standard input, but it is a terminal');
    const { code, stderr } = await runIn('/nowhere', ['credential', 'answer', 'options.json']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Give --origin')]);
  });
});
