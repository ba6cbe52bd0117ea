import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import { FLAG, OFFSETS } from '../../src/webauthn/authenticator-data.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';
import {
  type AuthenticationFields,
  authenticationResponse,
  CREDENTIAL_ID,
  FLAGS,
  ORIGIN,
  type RegistrationFields,
  RP_ID,
  registrationResponse,
} from './ceremony.js';
import { libraryAuthentication, libraryRegistration } from './library.js';
import { createWorld, OWNER } from './world.js';

// What the library accepts by itself, and the step of ours that refuses it.

const append = (bytes: Uint8Array) => concatBytes(bytes, Uint8Array.of(0));

const REGISTRATION: readonly [name: string, fields: Partial<RegistrationFields>, code: string, number: number, slug: string][] = [
  ['crossOrigin', { crossOrigin: true }, 'cross_origin_not_allowed', 10, 'cross-origin'],
  ['crossOrigin under some page', { crossOrigin: true, topOrigin: 'https://evil.example' }, 'cross_origin_not_allowed', 10, 'cross-origin'],
  ['topOrigin without crossOrigin', { topOrigin: 'https://evil.example' }, 'top_origin_mismatch', 11, 'top-origin'],
  ['a byte after the attestation object', { change: { attestationObject: append } }, 'attestation_malformed', 13, 'attestation-object'],
  [
    'a point beside the curve',
    { publicKey: encodeCoseKey({ kty: 2, alg: -7, crv: 1, x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) }) },
    'public_key_malformed',
    20,
    'algorithm',
  ],
  ['a credential ID of 1024 bytes', { credentialId: new Uint8Array(1024).fill(1) }, 'credential_id_too_long', 25, 'credential-id'],
  [
    'an id that was not attested',
    { change: { json: (json) => ({ ...json, id: 'AAAA', rawId: 'AAAA' }) } },
    'credential_id_mismatch',
    25,
    'credential-id',
  ],
];

describe('the library alone accepts at registration', () => {
  test.each(REGISTRATION)('%s; the relying party does not', async (_, fields, code, number, slug) => {
    const world = createWorld();
    const { challenge } = await world.beginRegistration();
    const response = registrationResponse({ key: world.key, challenge, ...fields });
    await expect(libraryRegistration(response, challenge)).resolves.toMatchObject({ verified: true });
    await expect(world.relyingParty.register({ owner: OWNER, response })).rejects.toMatchObject({ code, step: { number, slug } });
  });

  test('a credential ID that is registered already; the relying party does not', async () => {
    const world = createWorld();
    await world.register();
    const { challenge } = await world.beginRegistration();
    const response = registrationResponse({ key: world.key, challenge });
    await expect(libraryRegistration(response, challenge)).resolves.toMatchObject({ verified: true });
    await expect(world.relyingParty.register({ owner: OWNER, response })).rejects.toMatchObject({
      code: 'credential_already_registered',
      step: { number: 26, slug: 'credential-id-unused' },
    });
  });
});

const AUTHENTICATION: readonly [name: string, fields: Partial<AuthenticationFields>, code: string, number: number, slug: string][] = [
  ["another user's handle", { userHandle: encodeUtf8('2') }, 'user_handle_mismatch', 6, 'user-handle'],
  ['crossOrigin without topOrigin', { crossOrigin: true }, 'cross_origin_not_allowed', 13, 'cross-origin'],
  ['BE that was not there before', { flags: FLAGS.up | FLAGS.uv | FLAGS.be }, 'backup_eligibility_changed', 19, 'backup-eligibility'],
  ['bytes after the signature', { change: { signature: append } }, 'signature_invalid', 21, 'signature'],
];

describe('the library alone accepts at authentication', () => {
  test.each(AUTHENTICATION)('%s; the relying party does not', async (_, fields, code, number, slug) => {
    const world = createWorld();
    await world.register();
    const { challenge } = await world.relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'test' });
    const response = authenticationResponse({ key: world.key, challenge, ...fields });
    await expect(libraryAuthentication(response, challenge, world.key)).resolves.toMatchObject({ verified: true });
    await expect(world.relyingParty.authenticate({ response })).rejects.toMatchObject({ code, step: { number, slug } });
  });

  test('a discoverable credential without a user handle; the relying party does not', async () => {
    const world = createWorld();
    await world.register();
    const { challenge } = await world.relyingParty.beginAuthentication({ rpId: RP_ID, origins: [ORIGIN], client: 'test' });
    const response = authenticationResponse({ key: world.key, challenge, userHandle: null });
    await expect(libraryAuthentication(response, challenge, world.key)).resolves.toMatchObject({ verified: true });
    await expect(world.relyingParty.authenticate({ response })).rejects.toMatchObject({
      code: 'user_handle_missing',
      step: { number: 6, slug: 'user-handle' },
    });
  });

  test('a credential that allowCredentials does not name; the relying party does not', async () => {
    const world = createWorld();
    await world.register();
    const options = { allowCredentials: [{ id: 'AAAA', type: 'public-key' }] };
    const { challenge } = await world.relyingParty.beginAuthentication({ rpId: RP_ID, origins: [ORIGIN], client: 'test', options });
    const response = authenticationResponse({ key: world.key, challenge });
    await expect(libraryAuthentication(response, challenge, world.key)).resolves.toMatchObject({ verified: true });
    await expect(world.relyingParty.authenticate({ response })).rejects.toMatchObject({
      code: 'credential_not_allowed',
      step: { number: 5, slug: 'allow-credentials' },
    });
  });

  test('looks at the counter before the signature; the relying party after it', async () => {
    const world = createWorld();
    await world.register({ signCount: 5 });
    const { challenge } = await world.relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'test' });
    const forged = { key: world.key, challenge, signCount: 1, change: { signature: (bytes: Uint8Array) => bytes.map((byte) => byte ^ 1) } };
    const response = authenticationResponse(forged);
    // It throws instead of answering `verified: false`: the forger decides what is heard of the counter.
    await expect(libraryAuthentication(response, challenge, world.key, 5)).rejects.toThrow('counter');
    await expect(world.relyingParty.authenticate({ response })).rejects.toMatchObject({
      code: 'signature_invalid',
      step: { number: 21, slug: 'signature' },
    });
    expect(await world.relyingParty.find(1)).toMatchObject({ counterRegressions: 0, counterRegressedAt: undefined });
  });
});

/** A map of extension outputs with one member, "name". */
const EXTENSION_OUTPUTS = {
  'a map of indefinite length': 'bf646e616d6501ff',
  'a text of indefinite length': 'a1646e616d657f6161ff',
  'an array of indefinite length': 'a1646e616d659f01ff',
  'an integer in more bytes than needed': 'a1646e616d651801',
  'a float of 16 bits': 'a1646e616d65f93e00',
  'a float of 64 bits that 32 hold': 'a1646e616d65fb3ff8000000000000',
};

/** Authenticator data with extension outputs, and the flag that says so. */
const withExtensions = (outputs: string) => (bytes: Uint8Array) => {
  const data = concatBytes(bytes, fromHex(outputs));
  data[OFFSETS.flags] = (data[OFFSETS.flags] ?? 0) | FLAG.ed;
  return data;
};

describe('the library alone cannot read', () => {
  test.each(Object.entries(EXTENSION_OUTPUTS))('%s among extension outputs, so that the verifiers disagree', async (_, outputs) => {
    const world = createWorld();
    const { challenge } = await world.beginRegistration();
    const response = registrationResponse({ key: world.key, challenge, change: { authData: withExtensions(outputs) } });
    await expect(libraryRegistration(response, challenge)).rejects.toBeInstanceOf(Error);
    await expect(world.relyingParty.register({ owner: OWNER, response })).rejects.toMatchObject({
      code: 'verifiers_disagree',
      step: { slug: 'attestation-statement' },
    });
    await world.register();
    const begun = await world.relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'test' });
    const login = authenticationResponse({
      key: world.key,
      challenge: begun.challenge,
      change: { authenticatorData: withExtensions(outputs) },
    });
    await expect(libraryAuthentication(login, begun.challenge, world.key)).rejects.toBeInstanceOf(Error);
    await expect(world.relyingParty.authenticate({ response: login })).rejects.toMatchObject({
      code: 'verifiers_disagree',
      step: { slug: 'signature' },
    });
    expect(world.events.at(-1)).toMatchObject({ outcome: 'rejected', decidedBy: 'library' });
  });

  test.each(['a1646e616d65fa3fc00000', 'a1646e616d65fb3fb999999999999a'])('only some floats: %s is accepted', async (outputs) => {
    const world = createWorld();
    const { challenge } = await world.beginRegistration();
    const response = registrationResponse({ key: world.key, challenge, change: { authData: withExtensions(outputs) } });
    await expect(world.relyingParty.register({ owner: OWNER, response })).resolves.toMatchObject({ id: 1 });
  });
});
