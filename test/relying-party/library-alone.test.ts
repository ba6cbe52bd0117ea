import { describe, expect, test } from 'vitest';
import { concatBytes, fromHex } from '../../src/kernel/bytes.js';
import { FLAG, OFFSETS } from '../../src/webauthn/authenticator-data.js';
import { authenticationResponse, CREDENTIAL_ID, registrationResponse } from './ceremony.js';
import { libraryAuthentication, libraryRegistration } from './library.js';
import { createWorld, OWNER } from './world.js';

// report.test.ts and differences.test.ts of explain have what the library accepts and a step refuses.

test('the library alone looks at the counter before the signature; the relying party after it', async () => {
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
