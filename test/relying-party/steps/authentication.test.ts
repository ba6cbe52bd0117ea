import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { runSteps } from '../../../src/relying-party/judge.js';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import type { AuthenticationSlug } from '../../../src/relying-party/steps/procedure.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { type AuthenticationFields, FLAGS } from '../ceremony.js';
import { type AuthenticationExpectation, authenticationOf, challenge, credentialWith, key } from '../diagnosis/explained.js';
import { createWorld } from '../world.js';
import { policyRows, type Row, stepped } from './outcome.js';
import { SHARED_ROWS, UNREADABLE } from './shared-rows.js';

type Fields = Partial<AuthenticationFields>;
type Expected = Partial<AuthenticationExpectation>;

const run = (fields: Fields, expected: Expected) => runSteps(AUTHENTICATION_STEPS, authenticationOf(fields, expected).context);
const badAuthData = { change: { authenticatorData: (bytes: Uint8Array) => bytes.subarray(0, 36) } } satisfies Fields;
const discoverable: Expected = { allowCredentials: [] };
/** Nobody can verify with it, and older versions of Node do not even know its type. */
const mlDsa = encodeCoseKey({ kty: 7, alg: -48, pub: new Uint8Array(1312).fill(1) });

const ROWS: readonly Row<AuthenticationSlug, AuthenticationFields, AuthenticationExpectation>[] = [
  ...SHARED_ROWS,
  ['get', 'skip'],
  ['client-extension-results', 'pass'],
  ['allow-credentials', 'pass'],
  [
    'allow-credentials',
    'fail',
    'it is not among them',
    { expected: { allowCredentials: [Uint8Array.of(1), Uint8Array.of(2)] }, code: 'credential_not_allowed' },
  ],
  ['allow-credentials', 'skip', 'there are none', { expected: discoverable, received: 'empty' }],
  ['user-handle', 'pass', 'all is well', { received: '"1"' }],
  ['user-handle', 'pass', 'the user was identified before', { fields: { userHandle: null }, received: 'none' }],
  [
    'user-handle',
    'fail',
    'nothing identifies the user',
    { fields: { userHandle: null }, expected: discoverable, code: 'user_handle_missing' },
  ],
  [
    'user-handle',
    'fail',
    'it is that of another',
    { fields: { userHandle: encodeUtf8('2') }, code: 'user_handle_mismatch', received: '"2"' },
  ],
  [
    'user-handle',
    'fail',
    'the record is of another credential',
    { expected: credentialWith({ id: Uint8Array.of(1) }), code: 'passkey_not_found', hint: 'signalUnknownCredential' },
  ],
  ['response-members', 'pass'],
  ['client-data', 'pass', 'a byte order mark leads it', { fields: { change: { clientDataJSON: withMark } } }],
  ['type', 'pass', 'all is well', { received: '"webauthn.get"' }],
  ['type', 'fail', 'of a registration', { fields: { type: 'webauthn.create' }, code: 'type_mismatch', hint: 'a registration' }],
  [
    'challenge',
    'fail',
    'it was issued for something else',
    { expected: { challenge: { status: 'elsewhere', why: 'a registration' } }, code: 'challenge_unknown', hint: 'a registration' },
  ],
  ['challenge', 'fail', 'nobody issued it', { expected: { challenge: { status: 'unknown' } }, code: 'challenge_unknown' }],
  [
    'cross-origin',
    'fail',
    'no iframe is expected',
    { fields: { crossOrigin: true }, code: 'cross_origin_not_allowed', hint: 'publickey-credentials-get' },
  ],
  ['rp-id-hash', 'fail', 'authData is cut off', { fields: badAuthData, code: 'authenticator_data_malformed' }],
  [
    'rp-id-hash',
    'fail',
    'its last byte was changed',
    {
      fields: { change: { authenticatorData: (bytes) => bytes.map((byte, at) => (at === 31 ? byte ^ 1 : byte)) } },
      code: 'rp_id_mismatch',
      hint: 'with some bytes changed',
    },
  ],
  ['user-present', 'fail', 'nobody was', { fields: { flags: 0 }, code: 'user_not_present' }],
  ['user-present', 'skip', 'authData is cut off', { fields: badAuthData, received: UNREADABLE }],
  ['user-verified', 'skip', 'authData is cut off', { fields: badAuthData, received: UNREADABLE }],
  ['backup-flags', 'skip', 'authData is cut off', { fields: badAuthData, received: UNREADABLE }],
  ['backup-eligibility', 'pass', 'all is well', { received: 'BE not set' }],
  ['backup-eligibility', 'fail', 'it came', { fields: { flags: FLAGS.up | FLAGS.be }, code: 'backup_eligibility_changed' }],
  ['backup-eligibility', 'fail', 'it went', { expected: credentialWith({ backupEligible: true }), code: 'backup_eligibility_changed' }],
  ['backup-eligibility', 'skip', 'authData is cut off', { fields: badAuthData, received: UNREADABLE }],
  ['signature', 'pass'],
  [
    'signature',
    'fail',
    'a byte follows it',
    { fields: { change: { signature: (bytes) => concatBytes(bytes, Uint8Array.of(0)) } }, code: 'signature_invalid' },
  ],
  [
    'signature',
    'fail',
    'the stored key is none',
    { expected: credentialWith({ publicKey: new Uint8Array() }), code: 'public_key_malformed' },
  ],
  ['sign-count', 'pass', 'all is well', { received: '0' }],
  ['sign-count', 'pass', 'it grew', { fields: { signCount: 6 }, expected: credentialWith({ signCount: 5 }), received: '6' }],
  [
    'sign-count',
    'fail',
    'it stands still',
    { fields: { signCount: 5 }, expected: credentialWith({ signCount: 5 }), code: 'counter_regressed' },
  ],
  ['sign-count', 'fail', 'it is 0 again', { expected: credentialWith({ signCount: 5 }), code: 'counter_regressed' }],
  ['sign-count', 'skip', 'authData is cut off', { fields: badAuthData, received: UNREADABLE }],
  [
    'extension-outputs',
    'pass',
    'there are some',
    { fields: { change: { json: (json) => ({ ...json, clientExtensionResults: { appid: false } }) } }, received: '1 extension output' },
  ],
  [
    'credential-record',
    'pass',
    'all is well',
    { fields: { signCount: 9, flags: FLAGS.up | FLAGS.be | FLAGS.bs }, received: 'signCount 9, backupState true' },
  ],
  ['credential-record', 'skip', 'authData is cut off', { fields: badAuthData, received: UNREADABLE }],
  ['continue', 'skip'],
];

function withMark(bytes: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), bytes);
}

describe('§7.2', () => {
  stepped(AUTHENTICATION_STEPS, run, ROWS);
});

describe('a relying party refuses an authentication, and changes nothing', () => {
  test.each(policyRows(ROWS, AUTHENTICATION_STEPS))('at $slug when $when', async ({ slug, code, fields, policy, step }) => {
    const world = createWorld({ policy, key });
    const before = await world.register();
    await expect(world.authenticate(fields)).rejects.toMatchObject({
      name: 'PasskeyError',
      code,
      step: { section: '7.2', number: step?.number, slug },
      message: expect.stringContaining(`§7.2 step ${step?.number} (${slug}): expected `),
    });
    expect(await world.relyingParty.find(before.id)).toEqual(before);
  });
});

test('a signature of an algorithm that this version of Node does not know is skipped, and never passes', () => {
  const report = run({}, credentialWith({ publicKey: mlDsa })).find(({ slug }) => slug === 'signature');
  const reason = 'this version of Node does not know ML-DSA-44';
  expect(report?.status === 'skip' ? report.reason : report).toEqual(
    report?.status === 'skip' ? reason : expect.objectContaining({ status: 'fail', code: 'signature_invalid' }),
  );
});

test('authenticator data that cannot be read fails the step that reads it; the signature is over the bytes, whatever they are', () => {
  const failed = run(badAuthData, {}).filter(({ status }) => status === 'fail');
  expect(failed.map(({ slug }) => slug)).toEqual(['rp-id-hash']);
});

test('no step shows a challenge, a credential ID or a signature in full', () => {
  const long = new Uint8Array(64).map((_, index) => index);
  const { context, response } = authenticationOf({ credentialId: long }, { allowCredentials: [long], ...credentialWith({ id: long }) });
  const shown = JSON.stringify(runSteps(AUTHENTICATION_STEPS, context));
  for (const whole of [response.id, response.response.signature, encodeBase64url(challenge)]) {
    expect(shown).not.toContain(whole);
  }
  expect(shown).toContain('AAECAwQFBgcICQoL…');
});
