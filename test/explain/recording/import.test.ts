import { afterAll, describe, expect, test } from 'vitest';
import { judgeFixture } from '../../../src/explain/recording/judge-fixture.js';
import type { Fixture } from '../../../src/fixture/format.js';
import { parseFixture } from '../../../src/fixture/read.js';
import { serializeFixture } from '../../../src/fixture/write.js';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { asObject } from '../../../src/kernel/json-value.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { replayRebound } from '../../../src/simulate/engine/replay-rebound.js';
import { replayVerbatim } from '../../../src/simulate/engine/replay-verbatim.js';
import { recordSoftwareCeremonies } from '../../simulate/software-ceremonies.js';
import { recordGraphQl, TYPED } from '../../simulate/target/recording/record-pages.js';
import { API_KEY, startGraphQlServer } from '../../simulate/target/recording/recorded-servers.js';
import { ceremoniesElsewhere, importFrom, NOW, ORIGIN } from './ceremonies.js';

const run = await openRun();
afterAll(() => run.close());

const made = await ceremoniesElsewhere();
const { creation, registration, request, login, secondRequest, secondLogin } = made;
const UNCHECKED_ALONE = 'The challenge, the origin, the RP ID, and the algorithm come from the response itself and were not checked.';

/** As the file would be read again. */
const reread = (fixture: Fixture): Fixture => parseFixture(serializeFixture(fixture), 'file');
const outcomes = ({ imported }: Awaited<ReturnType<typeof importFrom>>) => imported.map(({ fixture }) => [fixture.name, fixture.expected]);

describe('importCeremonies', () => {
  test('a registration and logins with their options, in one go: each login is held against what the ceremony before it left', async () => {
    const result = await importFrom([creation, registration, request, login, secondRequest, secondLogin], { origin: ORIGIN });
    expect(outcomes(result)).toEqual([
      ['example.org-registration', { outcome: 'verified' }],
      ['example.org-authentication', { outcome: 'verified' }],
      ['example.org-authentication', { outcome: 'verified' }],
    ]);
    expect(result.imported.flatMap(({ remarks }) => remarks)).toEqual([]);
    const [registered, first, second] = result.imported.map(({ fixture }) => reread(fixture));
    expect(registered).toMatchObject({
      kind: 'registration',
      rpId: 'example.org',
      origin: ORIGIN,
      owner: { userHandle: 'dXNlcg' },
      ceremony: {
        options: creation,
        challenge: creation.challenge,
        origins: [ORIGIN],
        policy: { algorithms: [-7], userVerification: 'required', residentKey: 'required' },
      },
      credential: { signCount: 1, rpName: 'Example' },
      response: registration,
    });
    expect([first?.credential?.signCount, second?.credential?.signCount]).toEqual([1, 2]);
    expect(first).toMatchObject({ ceremony: { discoverable: true }, credential: { publicKey: registered?.credential?.publicKey } });
  });

  test('nothing that the standard does not know gets into a fixture, however deep it stands', async () => {
    const secret = { token: 'SECRET' };
    const { rp, user, pubKeyCredParams } = creation;
    const options = {
      ...creation,
      ...secret,
      rp: { ...rp, ...secret },
      user: { ...user, ...secret },
      pubKeyCredParams: pubKeyCredParams.map((parameter) => ({ ...parameter, ...secret })),
      authenticatorSelection: { ...creation.authenticatorSelection, ...secret },
      excludeCredentials: [{ type: 'public-key', id: 'AQID', ...secret }],
      extensions: { credProps: true, 'x-session': secret },
    };
    const response = {
      ...registration,
      ...secret,
      response: { ...asObject(registration['response']), ...secret },
      clientExtensionResults: {
        credProps: { rk: true },
        prf: { enabled: true, results: { first: 'SECRET' } },
        hmacGetSecret: { output1: 'SECRET' },
        'x-session': secret,
      },
    };
    const { imported } = await importFrom([options, response], { origin: ORIGIN });
    expect(imported).toMatchObject([
      {
        fixture: {
          expected: { outcome: 'verified' },
          ceremony: {
            options: {
              rp,
              user,
              pubKeyCredParams,
              excludeCredentials: [{ type: 'public-key', id: 'AQID' }],
              extensions: { credProps: true },
            },
          },
          response: { clientExtensionResults: { credProps: { rk: true }, prf: { enabled: true } } },
        },
      },
    ]);
    expect(imported.map(({ fixture }) => serializeFixture(fixture)).join()).not.toContain('SECRET');
  });

  test('a login that repeats its sign count is recorded as what it is', async () => {
    const later = await importFrom([registration, secondLogin, login]);
    expect(outcomes(later).at(-1)).toEqual([
      'example.org-authentication-counter_regressed',
      { outcome: 'rejected', code: 'counter_regressed', status: 401, step: 'sign-count' },
    ]);
    expect(later.imported.at(-1)?.hint).toMatch(/./);
  });

  test('without options a response is taken at its word, and a remark says so', async () => {
    const { imported } = await importFrom([registration]);
    expect(imported).toMatchObject([
      {
        fixture: { rpId: 'example.org', origin: ORIGIN, expected: { outcome: 'verified' }, provenance: { notes: UNCHECKED_ALONE } },
        remarks: [UNCHECKED_ALONE],
      },
    ]);
    const told = await importFrom([registration], { origin: ORIGIN, rpId: 'example.org', challenge: creation.challenge });
    expect(told.imported[0]?.remarks).toEqual(['The algorithm comes from the response itself and was not checked.']);
  });

  test('expectations that the response does not meet give a refusal that the steps name', async () => {
    expect(outcomes(await importFrom([registration], { origin: 'https://example.org' }))).toEqual([
      ['example.org-registration-origin_mismatch', { outcome: 'rejected', code: 'origin_mismatch', status: 422, step: 'origin' }],
    ]);
    const { imported } = await importFrom([registration], { options: [{ ...creation, challenge: secondRequest.challenge }] });
    expect(imported).toMatchObject([{ fixture: { expected: { code: 'challenge_unknown', step: 'challenge' } } }]);
    expect(imported[0]?.fixture.credential).toBeUndefined();
  });

  test('a login needs the key: of a registration beside it, of one that is given, or by itself', async () => {
    const { imported, refused } = await importFrom([login, registration]);
    expect(imported).toHaveLength(1);
    expect(refused).toEqual([
      {
        source: 'input-0',
        kind: 'authentication',
        reason: expect.stringMatching(
          /^Its public key is unknown: no accepted registration of credential .+ is among the inputs\. Give it with --registration FILE/,
        ),
      },
    ]);
    const given = await importFrom([login], { registrations: [registration] });
    expect(outcomes(given)).toEqual([['example.org-authentication', { outcome: 'verified' }]]);
    const expecting = { origin: ORIGIN, challenge: request.challenge, registrations: [registration] };
    expect((await importFrom([login], expecting)).imported).toMatchObject([
      { fixture: { expected: { outcome: 'verified' } }, remarks: ['The user handle comes from the response itself and was not checked.'] },
    ]);
    const byKey = await importFrom([login], { publicKey: registration });
    expect(byKey.imported).toMatchObject([
      { fixture: { expected: { outcome: 'verified' } }, remarks: [expect.stringContaining('the user handle')] },
    ]);
    const other = await ceremoniesElsewhere();
    expect(outcomes(await importFrom([login], { publicKey: other.registration }))).toEqual([
      ['example.org-authentication-signature_invalid', { outcome: 'rejected', code: 'signature_invalid', status: 401, step: 'signature' }],
    ]);
    expect((await importFrom([login], { registrations: [other.registration] })).refused).toHaveLength(1);
  });

  test('the shape of @github/webauthn-json: no copies of the key, a user handle that is null', async () => {
    const options = { publicKey: { ...request, allowCredentials: [{ type: 'public-key', id: registration['id'] }] } };
    const { clientDataJSON, attestationObject } = asObject(registration['response']);
    const theirs = {
      ...registration,
      response: { clientDataJSON, attestationObject, transports: ['smart-card'] },
      clientExtensionResults: {},
    };
    const named = {
      ...login,
      authenticatorAttachment: null,
      response: { ...asObject(login['response']), userHandle: null },
      clientExtensionResults: {},
    };
    const { imported } = await importFrom([{ publicKey: creation }, theirs, options, named], { origin: ORIGIN });
    expect(imported.map(({ fixture, remarks }) => [reread(fixture).expected, remarks])).toEqual([
      [{ outcome: 'verified' }, []],
      [{ outcome: 'verified' }, []],
    ]);
    expect(imported[0]?.fixture.credential?.transports).toEqual(['smart-card']);
    expect(imported[1]?.fixture.ceremony.discoverable).toBe(false);
  });

  test('options as others send them: padded base64, members that are null, and what is nobody else’s business', async () => {
    const base64 = (text: string) => Buffer.from(text, 'base64url').toString('base64');
    const sent = {
      csrf: 'csrf-secret',
      options: {
        ...creation,
        challenge: base64(creation.challenge),
        hints: null,
        token: 'token-secret',
        user: { ...creation.user, id: 'dXNlcg==' },
      },
    };
    const response = {
      ...registration,
      session: 'session-secret',
      response: { ...asObject(registration['response']), cookie: 'cookie-secret' },
    };
    const { imported } = await importFrom([sent, response], { origin: ORIGIN });
    expect(imported[0]).toMatchObject({ fixture: { expected: { outcome: 'verified' } }, remarks: [] });
    expect(imported[0]?.fixture.ceremony.options).toEqual(creation);
    expect(JSON.stringify(imported)).not.toMatch(/secret/);
  });

  test('an HTTP archive gives ceremonies with origin and times, and nothing of who was signed in', async () => {
    const server = await startGraphQlServer();
    try {
      const har = (await recordGraphQl(server.url)).har();
      const text = JSON.stringify(har);
      const { imported, refused } = await importFrom([har]);
      expect(refused).toEqual([]);
      expect(imported.map(({ fixture, remarks }) => [fixture.kind, fixture.expected, remarks])).toEqual([
        ['registration', { outcome: 'verified' }, []],
        ['authentication', { outcome: 'verified' }, []],
      ]);
      for (const secret of [API_KEY, TYPED.password, 'Bearer']) {
        expect(text).toContain(secret);
        expect(JSON.stringify(imported.map(({ fixture }) => fixture))).not.toContain(secret);
      }
      for (const { fixture } of imported) {
        expect(Date.parse(fixture.ceremony.issuedAt)).toBeLessThanOrEqual(Date.parse(fixture.ceremony.answeredAt));
        expect(Date.parse(fixture.ceremony.answeredAt)).not.toBe(NOW);
      }
    } finally {
      await server.close();
    }
  });

  test('the same ceremony twice is imported once', async () => {
    const result = await importFrom([registration, { credential: registration }]);
    expect([result.imported.length, result.repeated]).toEqual([1, 1]);
  });

  test('a fixture keeps its name; a verdict that it did not expect is told', async () => {
    const { registration: recorded } = await recordSoftwareCeremonies();
    const same = await importFrom([{ ...recorded, name: 'mine' }]);
    expect(same.imported).toMatchObject([{ fixture: { name: 'mine', expected: { outcome: 'verified' } }, remarks: [] }]);
    const wrong = { ...recorded, expected: { outcome: 'rejected', code: 'origin_mismatch', status: 422 } };
    expect((await importFrom([wrong], { name: 'a' })).imported).toMatchObject([
      { fixture: { name: 'a-registration', expected: { outcome: 'verified' } }, remarks: ['The fixture expected origin_mismatch.'] },
    ]);
  });

  test.each<[string, JsonObject, RegExp]>([
    [
      'client data that nobody can read',
      { ...registration, response: { ...asObject(registration['response']), clientDataJSON: 'AAAA' } },
      /^Its client data cannot be read/,
    ],
    ['an app without options', inApp(registration), /has no host that could be the RP ID\. Give --rp-id\.$/],
  ])('%s is refused with the reason', async (_, credential, reason) => {
    const { imported, refused } = await importFrom([credential]);
    expect(imported).toEqual([]);
    expect(refused).toMatchObject([{ kind: 'registration', reason: expect.stringMatching(reason) }]);
  });

  test('what was imported replays: in both ways where our API can ask the same, re-bound everywhere', async () => {
    const elsewhere = (await importFrom([creation, registration, request, login], { origin: ORIGIN })).imported;
    for (const { fixture } of elsewhere) {
      expect(await judgeFixture(reread(fixture))).toMatchObject({ outcome: { outcome: 'verified' } });
      expect(await replayVerbatim(reread(fixture), run.borrowServer())).toEqual({
        status: 'not_applicable',
        reason: 'the API uses the host login.example.org as RP ID, but the recording uses example.org',
      });
      expect(await replayRebound(reread(fixture), run)).toEqual({ status: 'passed' });
    }
    const host = await ceremoniesElsewhere({}, 'https://example.org');
    const imported = (await importFrom([host.creation, host.registration, host.request, host.login])).imported;
    expect(imported).toHaveLength(2);
    for (const { fixture } of imported) {
      const server = run.borrowServer();
      expect(await replayVerbatim(reread(fixture), server)).toEqual({ status: 'passed' });
      run.giveBack(server);
    }
  });
});

/** The same response as an app of Android would have got it. */
function inApp(credential: JsonObject): JsonObject {
  const clientData = { type: 'webauthn.create', challenge: creation.challenge, origin: 'android:apk-key-hash:abc' };
  const clientDataJSON = Buffer.from(JSON.stringify(clientData)).toString('base64url');
  return { ...credential, response: { ...asObject(credential['response']), clientDataJSON } };
}
