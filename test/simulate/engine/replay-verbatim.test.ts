import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { scriptedUser } from '../../../src/authenticator/user-verifier.js';
import { createClient } from '../../../src/client/client.js';
import type { Fixture } from '../../../src/fixture/format.js';
import { recordCeremony } from '../../../src/fixture/recorded-ceremony.js';
import { computeIntegrity } from '../../../src/fixture/write.js';
import { flipBit } from '../../../src/simulate/engine/edits.js';
import { type InProcessServer, startInProcess } from '../../../src/simulate/engine/in-process.js';
import { replayVerbatim } from '../../../src/simulate/engine/replay-verbatim.js';
import type { Verdict } from '../../../src/simulate/engine/scenario.js';
import { OWN_ORIGIN, Service } from '../../server/app.js';
import { editBytes, editCeremony, editClientData, editCredential, editInner, editResponse, type FixtureEdit } from '../fixture-edits.js';
import { INVALID_FIXTURES, makeInvalid } from '../invalid-fixtures.js';
import { type Recordings, recordSoftwareCeremonies } from '../software-ceremonies.js';

let server: InProcessServer;
let recordings: Recordings;
let all: Fixture[];

beforeAll(async () => {
  server = startInProcess();
  recordings = await recordSoftwareCeremonies();
  const unverified = await recordSoftwareCeremonies({ userVerifier: scriptedUser('present') });
  const required = await recordSoftwareCeremonies({}, { userVerification: 'required' });
  all = [recordings, unverified, required].flatMap((each) => Object.values(each) as Fixture[]);
});
afterAll(() => server.close());

const asMismatches = (verdict: Verdict) => (verdict.status === 'failed' ? verdict.mismatches : []);

describe('replayVerbatim', () => {
  test('passes an unchanged recording', async () => {
    for (const fixture of all) expect(await replayVerbatim(fixture, server)).toEqual({ status: 'passed' });
  });

  test('passes a recording of another policy, owner type and algorithm', async () => {
    const packed = await recordSoftwareCeremonies(
      { algorithms: [-8], attestation: 'packed' },
      { algorithms: [-8, -7], attestation: 'direct', timeout: 5000 },
    );
    for (const fixture of Object.values(packed) as Fixture[]) {
      const other = { ...fixture, owner: { ...fixture.owner, type: 'App\\Models\\User' } };
      expect(await replayVerbatim(other, server)).toEqual({ status: 'passed' });
    }
  });
});

describe('a changed recording', () => {
  const signature: FixtureEdit = editBytes('signature', flipBit(-1));
  const problem = (step: string) => ({
    slug: step,
    section: expect.stringMatching(/^7\.[12]$/),
    number: expect.any(Number),
    title: expect.any(String),
    expected: expect.any(String),
    received: expect.any(String),
  });

  test.each<[what: string, of: keyof Recordings, edit: FixtureEdit, mismatches: object[]]>([
    [
      'a bit of the signature',
      'login',
      signature,
      [
        {
          at: 'POST /api/passkeys/login',
          expected: 'verified',
          received: '401 signature_invalid (step signature)',
          step: problem('signature'),
          hint: expect.any(String),
        },
      ],
    ],
    [
      'the origin',
      'registration',
      editClientData((text) => text.replace('7277', '7276')),
      [
        {
          at: 'POST /api/passkeys/register',
          expected: 'verified',
          received: expect.stringMatching(/^422 origin_mismatch/),
          step: problem('origin'),
          hint: expect.any(String),
        },
      ],
    ],
    [
      'the recorded challenge',
      'discoverableLogin',
      editCeremony(() => ({ challenge: 'A'.repeat(43) })),
      [{ at: 'POST /api/passkeys/login', received: expect.stringMatching(/^401 challenge_unknown/) }],
    ],
    [
      'the recorded options',
      'registration',
      editCeremony(({ options }) => ({ options: { ...options, timeout: 1, attestation: undefined } })),
      [{ at: 'options of POST /api/passkeys/register/options: timeout', expected: '1', received: '60000' }],
    ],
    [
      'the recorded RP name, which the record has too',
      'registration',
      editCeremony(({ options }) => ({ options: { ...options, rp: { name: 'Other', id: 'localhost' } } })),
      [{ at: 'stored record: rpName', expected: '"Test"', received: '"Other"' }],
    ],
    ['the stored key', 'registration', editCredential(() => ({ publicKey: 'oA' })), [{ at: 'stored record: publicKey', expected: '"oA"' }]],
    [
      'the public key of an authentication',
      'login',
      editCredential(({ publicKey }) => ({ publicKey: `${publicKey.slice(0, -2)}AA` })),
      [{ at: 'POST /api/passkeys/login', received: '401 public_key_malformed (step signature)' }],
    ],
    [
      'an unknown id',
      'login',
      editResponse({ id: 'AAAA', rawId: 'AAAA' }),
      [{ at: 'POST /api/passkeys/login', received: expect.stringMatching(/^404 passkey_not_found/) }],
    ],
    [
      'a member of another type',
      'registration',
      editInner({ attestationObject: 5 }),
      [{ received: expect.stringMatching(/^422 validation_failed/) }],
    ],
  ])('fails and names the place: %s', async (_, of, edit, mismatches) => {
    const verdict = await replayVerbatim(edit(recordings[of]), server);
    expect(verdict).toEqual({ status: 'failed', mismatches: mismatches.map((mismatch) => expect.objectContaining(mismatch)) });
  });

  test('fails when another outcome was recorded', async () => {
    const expected = { outcome: 'rejected', code: 'origin_mismatch', status: 422, step: 'origin' } as const;
    const verdict = await replayVerbatim({ ...recordings.registration, expected }, server);
    expect(verdict).toMatchObject({
      status: 'failed',
      mismatches: [{ at: 'POST /api/passkeys/register', expected: '422 origin_mismatch (step origin)', received: 'accepted (200)' }],
    });
  });

  test('fails when a step other than the recorded one refuses it', async () => {
    const base = makeInvalid(rowNamed('authentication-signature-bit'), all);
    if (base === undefined) throw new Error('no base');
    const verdict = await replayVerbatim(
      { ...base, expected: { outcome: 'rejected', code: 'signature_invalid', status: 401, step: 'origin' } },
      server,
    );
    expect(verdict).toMatchObject({ mismatches: [{ expected: '401 signature_invalid (step origin)' }] });
  });

  test('fails by the digest where nothing else differs', async () => {
    const recorded = { ...recordings.registration, integrity: computeIntegrity(recordings.registration) };
    expect(await replayVerbatim(recorded, server)).toEqual({ status: 'passed' });
    const verdict = await replayVerbatim({ ...recorded, description: 'changed' }, server);
    expect(verdict).toMatchObject({
      status: 'failed',
      mismatches: [{ at: 'integrity', expected: recorded.integrity, hint: expect.stringContaining('Restore it') }],
    });
  });

  test.each(['registration', 'login'] as const)('fails when the server sends another challenge (%s)', async (of) => {
    const forgetful = {
      ...server,
      open: async (...settings: Parameters<InProcessServer['open']>) => ({ ...(await server.open(...settings)), pinChallenge: () => {} }),
    };
    const [first] = asMismatches(await replayVerbatim(recordings[of], forgetful));
    const { challenge } = recordings[of].ceremony;
    expect(first).toMatchObject({ at: expect.stringMatching(/^options of POST \S+: challenge$/), expected: `"${challenge}"` });
    expect(first?.received).toMatch(/^"[\w-]{22,}"$/);
  });

  test('fails when the server refuses the options', async () => {
    const fixture = { ...recordings.login, credential: undefined };
    const { credential: _, ...unknown } = fixture;
    expect(await replayVerbatim(unknown, server)).toMatchObject({
      mismatches: [
        {
          at: 'POST /api/passkeys/verify/options',
          expected: 'options for http://localhost:7277 (200)',
          received: expect.stringMatching(/^404 passkey_not_found/),
        },
      ],
    });
  });
});

test.each([true, false])('passes ceremonies recorded over the FIDO server API (discoverable: %s)', async (residentKey) => {
  await using service = await Service.start({ settings: { fidoApi: true } });
  const fixtures: Fixture[] = [];
  service.relyingParty.on((event) => {
    if (event.type !== 'ceremony-finished') return;
    const recorded = recordCeremony(event, { tool: 'test', version: '0' });
    if (recorded.status === 'recorded') fixtures.push(recorded.fixture);
  });
  const client = createClient({ authenticator: createAuthenticator({ residentKey, attestation: 'packed' }), origin: OWN_ORIGIN });
  let cookie = '';
  const post = async (url: string, body: unknown) => {
    const reply = await service.post(url, body, { token: null, headers: cookie === '' ? {} : { cookie } });
    const [set] = reply.cookies;
    if (set) cookie = `${set.name}=${set.value}`;
    return reply.json();
  };
  const authenticatorSelection = { requireResidentKey: residentKey, userVerification: 'required' };
  const creation = await post('/attestation/options', {
    username: 'ada',
    displayName: 'Ada',
    attestation: 'direct',
    authenticatorSelection,
  });
  await post('/attestation/result', await client.create({ publicKey: creation }));
  const request = await post('/assertion/options', { username: 'ada', userVerification: 'required' });
  await post('/assertion/result', await client.get({ publicKey: request }));

  expect(fixtures.map(({ kind, expected, ceremony }) => [kind, expected.outcome, ceremony.discoverable])).toEqual([
    ['registration', 'verified', undefined],
    ['authentication', 'verified', false],
  ]);
  for (const fixture of fixtures) expect(await replayVerbatim(fixture, server)).toEqual({ status: 'passed' });
});

function rowNamed(name: string) {
  const row = INVALID_FIXTURES.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}
