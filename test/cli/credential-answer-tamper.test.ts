import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { schemas } from '../../src/cli/schemas.js';
import { listMutations } from '../../src/simulate/mutations/mutation.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service } from '../server/app.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

/** A relying party, and a tester's folder beside it. */
async function setUp(service: Service) {
  const cwd = await tempFolder();
  const answer = async (options: object, ...argv: readonly string[]) => {
    await writeFile(join(cwd, 'options.json'), JSON.stringify(options));
    return await runIn(cwd, ['credential', 'answer', 'options.json', '--origin', APP_ORIGIN, ...argv]);
  };
  const creation = async () => (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const request = async () => (await service.post('/api/passkeys/login/options', { app_url: APP_URL }, { token: null })).json();
  return {
    answer,
    creation,
    request,
    cwd,
    async register(...argv: readonly string[]) {
      const { code, stdout } = await answer(await creation(), ...argv);
      expect(code).toBe(0);
      const { statusCode, body } = await service.post('/api/passkeys/register', JSON.parse(stdout));
      return [statusCode, JSON.parse(body).code];
    },
    async logIn(...argv: readonly string[]) {
      const { code, stdout } = await answer(await request(), ...argv);
      expect(code).toBe(0);
      const { statusCode, body } = await service.post('/api/passkeys/login', JSON.parse(stdout), { token: null });
      return [statusCode, JSON.parse(body).code];
    },
    credentials: async () => JSON.parse((await runIn(cwd, ['credential', 'list', '--json'])).stdout),
  };
}

describe('passkey credential answer --tamper', () => {
  test('breaks logins, and the next honest one is accepted, whatever counts', async () => {
    await using service = await Service.start();
    const tester = await setUp(service);
    expect(await tester.register('--persona', 'chrome-virtual')).toEqual([200, undefined]);
    const codes = [
      ['signature-bit', 401, 'signature_invalid'],
      ['login.standard-base64', 200, undefined],
      ['login.signature-missing', 422, 'validation_failed'],
    ] as const;
    for (const [id, status, code] of codes) expect([id, ...(await tester.logIn('--tamper', id))]).toEqual([id, status, code]);
    expect(await tester.logIn('--persona', 'chrome-virtual')).toEqual([200, undefined]);
    const counts = (await tester.credentials()).map(({ sign_count: count }: { sign_count: number }) => count);
    expect(counts[0]).toBeGreaterThan(4);
  });

  test('breaks registrations, and keeps the credentials of those that are to be accepted only', async () => {
    await using service = await Service.start();
    const tester = await setUp(service);
    expect(await tester.register('--tamper', 'register.format-capital')).toEqual([422, 'attestation_format_unsupported']);
    expect(await tester.credentials()).toEqual([]);
    expect(await tester.register('--tamper', 'register.standard-base64')).toEqual([200, undefined]);
    expect(await tester.credentials()).toHaveLength(1);
    expect(await tester.logIn()).toEqual([200, undefined]);
  });

  test('says with --json what it changed', async () => {
    await using service = await Service.start();
    const tester = await setUp(service);
    const { stdout } = await tester.answer(await tester.creation(), '--tamper', 'format-capital', '--json');
    const schema = schemas['credential-answer'];
    expect(schema && [...Value.Errors(schema, JSON.parse(stdout))]).toStrictEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      tamper: { id: 'register.format-capital', expected: 'refused', code: 'attestation_format_unsupported', tests: { section: '7.1' } },
    });
  });

  test('says where a correct server may decide otherwise', async () => {
    await using service = await Service.start();
    const tester = await setUp(service);
    const asked = { ...(await tester.creation()), attestation: 'direct' };
    expect(await tester.answer(asked, '--tamper', 'attestation-packed')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^Created the credentials file .*\nregister\.attestation-packed should be accepted by a server if it accepts the attestation statement format packed and it accepts self attestation\.\n$/,
      ),
    });
    expect(await tester.answer(asked, '--tamper', 'packed-certificate-trailing-byte')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/trailing-byte: a correct server may decide otherwise \(.*\)\.\n$/),
    });
    expect(await tester.answer(asked, '--tamper', 'register.type-other')).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(['register.type-other', 'login.signature-bit'])('%s comes from the frame that was given', async (id) => {
    await using service = await Service.start();
    const tester = await setUp(service);
    await tester.register();
    const options = id.startsWith('login') ? await tester.request() : { ...(await tester.creation()), excludeCredentials: [] };
    const outer = 'https://outer.example';
    const { stdout } = await tester.answer(options, '--tamper', id, '--top-origin', outer, '--cross-origin');
    const { clientDataJSON } = JSON.parse(stdout).response;
    expect(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).toMatchObject({ crossOrigin: true, topOrigin: outer });
  });

  test('reads its options from standard input, and names it', async () => {
    for (const argv of [[], ['-']]) {
      const { io, written, stdin } = fakeIo({ cwd: await tempFolder() });
      stdin.end('[');
      expect(await run(['credential', 'answer', ...argv, '--origin', APP_ORIGIN], io)).toBe(2);
      expect(written.stderr).toMatch(/^passkey: Standard input/);
    }
  });

  test('suggests what an unknown id may mean, and changes nothing', async () => {
    await using service = await Service.start();
    const tester = await setUp(service);
    await tester.register();
    const before = await tester.credentials();
    const unknown = await tester.answer(await tester.request(), '--tamper', 'signature-bits');
    expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([2, '', expect.stringMatching(/Did you mean .*signature-bit/)]);
    const other = await tester.answer(await tester.creation(), '--tamper', 'login.signature-bit');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Expected a mutation of a registration')]);
    const unfit = await tester.answer(
      { ...(await tester.creation()), pubKeyCredParams: [], excludeCredentials: [] },
      '--tamper',
      'register.eddsa',
    );
    expect([unfit.code, unfit.stderr]).toEqual([2, expect.stringContaining('register.eddsa does not apply here')]);
    expect(await tester.credentials()).toEqual(before);
  });

  test('is checked before credentials are looked for', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'options.json'), JSON.stringify({ challenge: 'AAAA', rpId: RP_ID }));
    const { code, stderr } = await runIn(cwd, ['credential', 'answer', 'options.json', '--origin', APP_ORIGIN, '--tamper', 'x-y-z']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no mutation "x-y-z" of an authentication.')]);
    expect(existsSync(join(cwd, '.passkey'))).toBe(false);
  });
});

describe('passkey credential answer --list-tampers', () => {
  test('lists every mutation, as a table and as JSON', async () => {
    const ids = listMutations().map(({ id }) => id);
    const table = await runIn('/nowhere', ['credential', 'answer', '--list-tampers']);
    expect(table.stdout.split('\n').flatMap((line) => line.split(' ')[0] || [])).toEqual(['ID', ...ids]);
    const { code, stdout } = await runIn('/nowhere', ['credential', 'answer', '--list-tampers', '--json']);
    const schema = schemas['credential-mutations'];
    expect([code, schema && [...Value.Errors(schema, JSON.parse(stdout))]]).toStrictEqual([0, []]);
    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual(ids);
  });
});
