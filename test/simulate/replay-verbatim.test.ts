import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedUser } from '../../src/authenticator/user-verifier.js';
import type { Fixture } from '../../src/fixture/format.js';
import { integrityOf } from '../../src/fixture/integrity.js';
import { flipBit } from '../../src/simulate/cases/byte-edits.js';
import { type InProcess, startInProcess } from '../../src/simulate/in-process.js';
import { replayVerbatim } from '../../src/simulate/replay-verbatim.js';
import { editBytes, editCeremony, editClientData, editCredential, editInner, editResponse, type FixtureEdit } from './fixture-edits.js';
import { INVALID_FIXTURES, makeInvalid } from './invalid-fixtures.js';
import { type Recordings, recordSoftwareCeremonies } from './software-ceremonies.js';

let server: InProcess;
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

describe('replayVerbatim', () => {
  it('passes what was recorded', async () => {
    for (const fixture of all) expect(await replayVerbatim(fixture, server)).toEqual({ status: 'passed' });
  });

  it('passes a recording of another policy, owner type and algorithm', async () => {
    const packed = await recordSoftwareCeremonies(
      { algorithms: [-8], attestation: 'packed' },
      { algorithms: [-8, -7], attestation: 'direct', timeout: 5000 },
    );
    for (const fixture of Object.values(packed) as Fixture[]) {
      const other = { ...fixture, owner: { ...fixture.owner, type: 'App\\Models\\User' } };
      expect(await replayVerbatim(other, server)).toEqual({ status: 'passed' });
    }
  });

  it.each(INVALID_FIXTURES.map((row) => [row.name, row] as const))('refuses %s as it must', async (_, row) => {
    const fixture = makeInvalid(row, all);
    expect(fixture).toBeDefined();
    if (fixture !== undefined) expect(await replayVerbatim(fixture, server)).toEqual({ status: 'passed' });
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

  it.each<[what: string, of: keyof Recordings, edit: FixtureEdit, mismatches: object[]]>([
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
      'the recorded RP name, of which the record speaks too',
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
      'id to one that nobody knows',
      'login',
      editResponse({ id: 'AAAA', rawId: 'AAAA' }),
      [{ at: 'POST /api/passkeys/login', received: expect.stringMatching(/^404 passkey_not_found/) }],
    ],
    [
      'a member to another type',
      'registration',
      editInner({ attestationObject: 5 }),
      [{ received: expect.stringMatching(/^422 validation_failed/) }],
    ],
  ])('fails and says where: %s', async (_, of, edit, mismatches) => {
    const verdict = await replayVerbatim(edit(recordings[of]), server);
    expect(verdict).toEqual({ status: 'failed', mismatches: mismatches.map((mismatch) => expect.objectContaining(mismatch)) });
  });

  it('fails when another outcome was recorded', async () => {
    const expected = { outcome: 'rejected', code: 'origin_mismatch', status: 422, step: 'origin' } as const;
    const verdict = await replayVerbatim({ ...recordings.registration, expected }, server);
    expect(verdict).toMatchObject({
      status: 'failed',
      mismatches: [{ at: 'POST /api/passkeys/register', expected: '422 origin_mismatch (step origin)', received: 'accepted (200)' }],
    });
  });

  it('fails when another step than the recorded one refuses it', async () => {
    const base = makeInvalid(rowNamed('authentication-signature-bit'), all);
    if (base === undefined) throw new Error('no base');
    const verdict = await replayVerbatim(
      { ...base, expected: { outcome: 'rejected', code: 'signature_invalid', status: 401, step: 'origin' } },
      server,
    );
    expect(verdict).toMatchObject({ mismatches: [{ expected: '401 signature_invalid (step origin)' }] });
  });

  it('fails by the digest where nothing else can tell', async () => {
    const recorded = { ...recordings.registration, integrity: integrityOf(recordings.registration) };
    expect(await replayVerbatim(recorded, server)).toEqual({ status: 'passed' });
    const verdict = await replayVerbatim({ ...recorded, description: 'changed' }, server);
    expect(verdict).toMatchObject({
      status: 'failed',
      mismatches: [{ at: 'integrity', expected: recorded.integrity, hint: expect.stringContaining('Restore it') }],
    });
  });

  it('fails when the options cannot be had', async () => {
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

function rowNamed(name: string) {
  const row = INVALID_FIXTURES.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}
