import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8 } from '../../src/kernel/bytes.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';
import {
  type AuthenticationFields,
  type AuthenticatorDataFields,
  type ClientDataFields,
  es256Key,
  FLAGS,
  ORIGIN,
  type RegistrationFields,
  RP_ID,
} from './ceremony.js';
import { createWorld, OTHER_OWNER, OWNER, type World } from './world.js';

// From one good ceremony: one broken field a row, and what it must come to.

interface Row<Fields> {
  readonly name: string;
  readonly fields: Partial<Fields>;
  readonly code: string;
  readonly step: readonly [number: number, slug: string];
  /** Expected in `received` and `hint` of the step. */
  readonly received?: string;
  readonly hint?: string;
}

const cut = (bytes: Uint8Array) => bytes.subarray(0, -1);
const flipLastBit = (bytes: Uint8Array) => bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte));
const append = (bytes: Uint8Array) => concatBytes(bytes, Uint8Array.of(0));

interface CommonFields extends ClientDataFields, AuthenticatorDataFields {
  readonly change?: { readonly clientDataJSON?: (bytes: Uint8Array) => Uint8Array };
}

/** Numbers of the steps that both procedures have. */
const STEPS = {
  'client-data-text': { registration: 5, authentication: 8 },
  'client-data': { registration: 6, authentication: 9 },
  type: { registration: 7, authentication: 10 },
  challenge: { registration: 8, authentication: 11 },
  origin: { registration: 9, authentication: 12 },
  'cross-origin': { registration: 10, authentication: 13 },
  'top-origin': { registration: 11, authentication: 14 },
  'rp-id-hash': { registration: 14, authentication: 15 },
  'user-present': { registration: 15, authentication: 16 },
  'user-verified': { registration: 16, authentication: 17 },
  'backup-flags': { registration: 17, authentication: 18 },
} as const;

interface CommonRow extends Omit<Row<CommonFields>, 'step'> {
  readonly step: keyof typeof STEPS;
}

/** What both ceremonies have in common. */
const COMMON: readonly CommonRow[] = [
  {
    name: 'no client data',
    fields: { change: { clientDataJSON: () => new Uint8Array() } },
    code: 'client_data_malformed',
    step: 'client-data-text',
    received: 'nothing',
  },
  {
    name: 'client data that is cut off',
    fields: { change: { clientDataJSON: cut } },
    code: 'client_data_malformed',
    step: 'client-data',
    received: 'byte',
  },
  {
    name: 'a challenge nobody issued',
    fields: { challenge: encodeBase64url(encodeUtf8('another')) },
    code: 'challenge_unknown',
    step: 'challenge',
    hint: 'another tab',
  },
  {
    name: 'the type of the other ceremony',
    fields: { type: 'payment.get' },
    code: 'type_mismatch',
    step: 'type',
    received: '"payment.get"',
  },
  {
    name: 'another scheme',
    fields: { origin: 'http://example.org' },
    code: 'origin_mismatch',
    step: 'origin',
    received: 'http://example.org',
    hint: 'scheme',
  },
  { name: 'another port', fields: { origin: 'https://example.org:8443' }, code: 'origin_mismatch', step: 'origin', hint: 'port' },
  { name: 'a trailing slash', fields: { origin: 'https://example.org/' }, code: 'origin_mismatch', step: 'origin', hint: 'slash' },
  { name: 'www', fields: { origin: 'https://www.example.org' }, code: 'origin_mismatch', step: 'origin', hint: 'www' },
  { name: 'upper case', fields: { origin: 'https://Example.org' }, code: 'origin_mismatch', step: 'origin', hint: 'lower case' },
  { name: 'a longer host', fields: { origin: 'https://example.org.evil.example' }, code: 'origin_mismatch', step: 'origin' },
  { name: 'an iframe', fields: { crossOrigin: true }, code: 'cross_origin_not_allowed', step: 'cross-origin', hint: '--top-origin' },
  {
    name: 'a top origin without an iframe',
    fields: { crossOrigin: false, topOrigin: 'https://shop.example' },
    code: 'top_origin_mismatch',
    step: 'top-origin',
  },
  { name: 'another RP ID', fields: { rpId: 'example.com' }, code: 'rp_id_mismatch', step: 'rp-id-hash' },
  { name: 'the RP ID of a suffix', fields: { rpId: 'org' }, code: 'rp_id_mismatch', step: 'rp-id-hash', received: 'the SHA-256 of "org"' },
  {
    name: 'the origin hashed for the RP ID',
    fields: { rpId: ORIGIN },
    code: 'rp_id_mismatch',
    step: 'rp-id-hash',
    received: `the SHA-256 of "${ORIGIN}"`,
  },
  { name: 'nobody present', fields: { flags: FLAGS.uv }, code: 'user_not_present', step: 'user-present', received: '0x' },
  { name: 'nobody verified', fields: { flags: FLAGS.up }, code: 'user_not_verified', step: 'user-verified', hint: '"preferred"' },
  { name: 'BS without BE', fields: { flags: FLAGS.up | FLAGS.uv | FLAGS.bs }, code: 'backup_state_invalid', step: 'backup-flags' },
];

const commonRows = (ceremony: 'registration' | 'authentication'): Row<CommonFields>[] =>
  COMMON.map((row) => ({ ...row, step: [STEPS[row.step][ceremony], row.step] }));

const REGISTRATION: readonly Row<RegistrationFields>[] = [
  ...commonRows('registration'),
  {
    name: 'an attestation object that is cut off',
    fields: { change: { attestationObject: cut } },
    code: 'attestation_malformed',
    step: [13, 'attestation-object'],
    received: 'byte',
  },
  {
    name: 'a byte after the attestation object',
    fields: { change: { attestationObject: append } },
    code: 'attestation_malformed',
    step: [13, 'attestation-object'],
  },
  {
    name: 'authenticator data that is cut off',
    fields: { change: { authData: cut } },
    code: 'authenticator_data_malformed',
    step: [13, 'attestation-object'],
  },
  {
    name: 'a byte after the authenticator data',
    fields: { change: { authData: append } },
    code: 'authenticator_data_malformed',
    step: [13, 'attestation-object'],
  },
  {
    name: 'no attested credential data',
    fields: { change: { authData: (bytes) => bytes.slice(0, 37).map((byte, index) => (index === 32 ? byte & ~0x40 : byte)) } },
    code: 'authenticator_data_malformed',
    step: [13, 'attestation-object'],
    received: 'AT flag',
  },
  {
    name: 'an algorithm that was not offered',
    fields: { publicKey: encodeCoseKey({ kty: 1, alg: -8, crv: 6, x: new Uint8Array(32).fill(7) }) },
    code: 'algorithm_not_allowed',
    step: [20, 'algorithm'],
    received: 'EdDSA (-8)',
  },
  {
    name: 'a point beside the curve',
    fields: { publicKey: encodeCoseKey({ kty: 2, alg: -7, crv: 1, x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) }) },
    code: 'public_key_malformed',
    step: [20, 'algorithm'],
  },
  {
    name: 'a coordinate of 31 bytes',
    fields: { publicKey: encodeCoseKey({ kty: 2, alg: -7, crv: 1, x: new Uint8Array(31).fill(1), y: new Uint8Array(32).fill(1) }) },
    code: 'public_key_malformed',
    step: [20, 'algorithm'],
    received: '31',
  },
  {
    name: 'an unknown format',
    fields: { fmt: 'compound-2' },
    code: 'attestation_format_unsupported',
    step: [21, 'attestation-format'],
    received: '"compound-2"',
  },
  {
    name: 'a statement of fmt none',
    fields: { attStmt: () => new Map([['alg', -7]]) },
    code: 'attestation_malformed',
    step: [22, 'attestation-statement'],
  },
  {
    name: 'a credential ID of 1024 bytes',
    fields: { credentialId: new Uint8Array(1024).fill(1) },
    code: 'credential_id_too_long',
    step: [25, 'credential-id'],
    received: '1024 bytes',
  },
  {
    name: 'an id that was not attested',
    fields: { change: { json: (json) => ({ ...json, id: 'AAAA', rawId: 'AAAA' }) } },
    code: 'credential_id_mismatch',
    step: [25, 'credential-id'],
  },
];

const AUTHENTICATION: readonly Row<AuthenticationFields>[] = [
  ...commonRows('authentication'),
  {
    name: "another user's handle",
    fields: { userHandle: encodeUtf8('2') },
    code: 'user_handle_mismatch',
    step: [6, 'user-handle'],
    received: '"2"',
  },
  {
    name: 'authenticator data of 36 bytes',
    fields: { change: { authenticatorData: cut } },
    code: 'authenticator_data_malformed',
    step: [15, 'rp-id-hash'],
    received: '36',
  },
  {
    name: 'BE that was not there before',
    fields: { flags: FLAGS.up | FLAGS.uv | FLAGS.be },
    code: 'backup_eligibility_changed',
    step: [19, 'backup-eligibility'],
  },
  {
    name: 'a signature with a flipped bit',
    fields: { change: { signature: flipLastBit } },
    code: 'signature_invalid',
    step: [21, 'signature'],
  },
  { name: 'a byte after the signature', fields: { change: { signature: append } }, code: 'signature_invalid', step: [21, 'signature'] },
  { name: 'no signature', fields: { change: { signature: () => new Uint8Array() } }, code: 'signature_invalid', step: [21, 'signature'] },
  {
    name: 'raw r and s',
    fields: { change: { signature: () => new Uint8Array(64).fill(1) } },
    code: 'signature_invalid',
    step: [21, 'signature'],
    hint: 'DER',
  },
  { name: "another key's signature", fields: { key: es256Key() }, code: 'signature_invalid', step: [21, 'signature'] },
  { name: 'a counter that stands still', fields: { signCount: 5 }, code: 'counter_regressed', step: [22, 'sign-count'], received: '5' },
  { name: 'a counter back at zero', fields: { signCount: 0 }, code: 'counter_regressed', step: [22, 'sign-count'], received: '0' },
];

function expectFailure(error: unknown, { code, step: [number, slug], received, hint }: Row<unknown>, section: string) {
  expect(error).toMatchObject({ name: 'PasskeyError', code, step: { section, number, slug } });
  expect(error).toHaveProperty('step.received', expect.stringContaining(received ?? ''));
  expect(error).toHaveProperty('step.hint', expect.stringContaining(hint ?? ''));
  expect(error).toHaveProperty('message', expect.stringContaining(`§${section} step ${number} (${slug}): expected `));
}

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('accepted'),
    (error: unknown) => error,
  );

describe('a registration with', () => {
  test.each(REGISTRATION)('$name is refused', async (row) => {
    const world = createWorld({ policy: { userVerification: 'required' } });
    expectFailure(await refused(world.register(row.fields)), row, '7.1');
    expect(await world.relyingParty.list()).toEqual([]);
    await expect(world.register(), 'the good one').resolves.toMatchObject({ id: 1 });
  });
});

describe('an authentication with', () => {
  test.each(AUTHENTICATION)('$name is refused', async (row) => {
    const world = createWorld({ policy: { userVerification: 'required' } });
    const before = await world.register({ signCount: 5 });
    expectFailure(await refused(world.authenticate({ signCount: 6, ...row.fields })), row, '7.2');
    const regressions = row.code === 'counter_regressed' ? 1 : 0;
    const after = await world.relyingParty.find(1);
    expect(after).toEqual({ ...before, counterRegressions: regressions, counterRegressedAt: regressions ? world.clock.now : undefined });
    await expect(world.authenticate({ signCount: 6 }), 'the good one').resolves.toBeDefined();
  });

  test('a discoverable credential and no user handle is refused', async () => {
    const world = createWorld();
    await world.register();
    for (const [userHandle, code] of [
      [null, 'user_handle_missing'],
      [encodeUtf8('2'), 'user_handle_mismatch'],
    ] as const) {
      const response = await world.discoverable({ userHandle });
      const error = await refused(world.relyingParty.authenticate({ response }));
      expect(error).toMatchObject({ code, step: { number: 6, slug: 'user-handle', expected: '"1"' } });
    }
  });

  test('a bad signature and a bad counter records no regression: anybody could have sent it', async () => {
    const world = createWorld();
    await world.register({ signCount: 5 });
    const error = await refused(world.authenticate({ signCount: 1, change: { signature: flipLastBit } }));
    expect(error).toMatchObject({ code: 'signature_invalid' });
    expect(await world.relyingParty.find(1)).toMatchObject({ counterRegressions: 0 });
  });
});

describe('a challenge issued for', () => {
  const rows: readonly [string, (world: World) => Promise<unknown>, string][] = [
    [
      'an authentication, at a registration',
      async (world) => {
        await world.register();
        const { challenge } = await world.relyingParty.beginAuthentication({ rpId: RP_ID, origins: [ORIGIN], client: 'test' });
        return world.register({ challenge });
      },
      'issued for an authentication',
    ],
    [
      'another user',
      async (world) => world.relyingParty.register({ owner: OTHER_OWNER, response: await world.registration() }),
      'issued for another user',
    ],
    [
      'the same number of another type',
      async (world) => world.relyingParty.register({ owner: { ...OWNER, type: 'Admin' }, response: await world.registration() }),
      'issued for another user',
    ],
    [
      'a registration, at an authentication',
      async (world) => {
        await world.register();
        const { challenge } = await world.beginRegistration();
        return world.authenticate({ challenge });
      },
      'issued for a registration',
    ],
    [
      'another credential',
      async (world) => {
        await world.register();
        const credentialId = encodeUtf8('second');
        await world.register({ credentialId });
        return world.authenticate({ credentialId });
      },
      'issued for another credential',
    ],
    [
      'another RP ID',
      async (world) => {
        await world.register();
        const scope = { rpId: 'example.com', origins: ['https://example.com'], client: 'test' };
        const { challenge } = await world.relyingParty.beginAuthentication(scope);
        return world.authenticate({ challenge, rpId: 'example.com', origin: 'https://example.com' });
      },
      'issued for the RP ID "example.com"',
    ],
  ];

  test.each(rows)('%s is unknown, says why, and is spent', async (_, run, hint) => {
    const error = await refused(run(createWorld()));
    expect(error).toMatchObject({ code: 'challenge_unknown', step: { slug: 'challenge', hint: expect.stringContaining(hint) } });
  });

  test.each([
    ['base64', (challenge: string) => encodeBase64(decodeBase64url(challenge))],
    ['base64url twice', (challenge: string) => encodeBase64url(encodeUtf8(challenge))],
  ])('this, but written in %s, is unknown', async (_, write) => {
    const world = createWorld();
    const { challenge } = await world.beginRegistration();
    await expect(world.register({ challenge: write(challenge) })).rejects.toMatchObject({ code: 'challenge_unknown' });
  });
});

describe('a response that does not have the right shape', () => {
  test.each([
    ['/id', { id: 'no base64!' }],
    ['/id', { id: '' }],
    ['/rawId', { rawId: 'no base64!' }],
    ['/rawId', { rawId: 'AAAA' }],
    ['/type', { type: 'password' }],
    ['/response/clientDataJSON', { response: { clientDataJSON: '%', attestationObject: '' } }],
    ['/response/attestationObject', { response: { clientDataJSON: '', attestationObject: '%' } }],
  ])('is refused at %s (registration)', async (pointer, change) => {
    const world = createWorld();
    const response = { ...(await world.registration()), ...change };
    await expect(world.relyingParty.register({ owner: OWNER, response })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer }],
    });
    expect(world.events.at(-1)).toMatchObject({ type: 'ceremony-finished', outcome: 'rejected', ceremony: undefined });
  });

  test.each([
    ['an unknown id', { id: 'AAAA' }, 'passkey_not_found'],
    ['an empty id', { id: '' }, 'passkey_not_found'],
    ['an id with bits after its end', { id: 'ABEiM0RVZneImaq7zN3u_x' }, 'passkey_not_found'],
    ['an unknown id and another rawId', { id: 'AAAA', rawId: 'AAAB' }, 'passkey_not_found'],
    ['another rawId', { rawId: 'AAAA' }, 'validation_failed'],
    ['no base64', { id: 'ä' }, 'validation_failed'],
  ])('is refused by what it is: %s', async (_, change, code) => {
    const world = createWorld();
    await world.register();
    const good = await world.authentication();
    await expect(world.relyingParty.authenticate({ response: { ...good, ...change } })).rejects.toMatchObject({ code });
    await expect(world.relyingParty.authenticate({ response: good }), 'its challenge is not spent').resolves.toBeDefined();
  });
});
