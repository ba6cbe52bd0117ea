import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { keptExtensionResults } from '../../src/relying-party/limits.js';
import { keptTransports } from '../../src/relying-party/register.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { CREDENTIAL_ID, registrationResponse } from './ceremony.js';
import { createWorld, OTHER_OWNER, OWNER } from './world.js';

const LARGEST = 24 * 1024;

describe('what is stored of one passkey', () => {
  const padded = (bytes: number) => ({ extra: { padding: 'x'.repeat(bytes) } });
  const sizeOf = async (bytes: number) => {
    const error: Error = await createWorld()
      .register(padded(bytes))
      .then(
        () => new Error('accepted'),
        (refused) => refused,
      );
    return Number(/got (\d+)\./.exec(error.message)?.[1]);
  };

  test('is 24 KB at most: one byte more is payload_too_large, and nothing is stored', async () => {
    const fits = 30_000 - ((await sizeOf(30_000)) - LARGEST);
    await expect(createWorld().register(padded(fits))).resolves.toMatchObject({ id: 1 });
    const world = createWorld();
    await expect(world.register(padded(fits + 1))).rejects.toMatchObject({
      code: 'payload_too_large',
      message: `Expected a passkey of at most ${LARGEST} bytes, including its attestation object and client data; got ${LARGEST + 1}. Request attestation "none", or use another authenticator.`,
    });
    expect(await world.relyingParty.list()).toEqual([]);
  });

  test('holds clientExtensionResults of up to 2 KB; more of them are left out, and the event says so', async () => {
    const results = (bytes: number) => ({ credProps: { rk: true }, padding: '名'.repeat(8) + 'x'.repeat(bytes) });
    const room = 2048 - encodeUtf8(JSON.stringify(results(0))).length;
    for (const [index, { given, kept, dropped }] of [
      { given: results(room), kept: results(room), dropped: undefined },
      { given: results(room + 1), kept: {}, dropped: 2049 },
      // Not every store keeps these: as JSON they have 23 bytes.
      { given: { example: ['a\0'] }, kept: {}, dropped: 23 },
      { given: results(60_000), kept: {}, dropped: 60_000 + 2048 - room },
    ].entries()) {
      const world = createWorld();
      const passkey = await world.register({
        credentialId: Uint8Array.of(index),
        change: { json: (json) => ({ ...json, clientExtensionResults: given }) },
      });
      expect(passkey.clientExtensionResults).toEqual(kept);
      expect((await world.store.findPasskey(passkey.id))?.clientExtensionResults).toEqual(kept);
      const event = world.events.at(-1);
      expect(event?.type === 'ceremony-finished' ? event.droppedExtensionBytes : null).toBe(dropped);
    }
  });
});

describe('how many live passkeys one user has', () => {
  test('is 1,000 by default, and none is begun beyond it', async () => {
    const store = createMemoryStore();
    const world = createWorld({ store });
    const first = await world.register();
    for (let index = 1; index < 1_000; index += 1) {
      const credential = { ...first.credential, id: encodeUtf8(`credential ${index}`) };
      await store.insertPasskey({ ...first, credential, rpId: index % 2 === 0 ? first.rpId : 'other.example' });
    }
    await expect(world.beginRegistration()).rejects.toMatchObject({
      code: 'too_many_passkeys',
      message: 'Expected fewer than 1000 live passkeys (--max-passkeys); User:7 has 1000. Revoke one before registering another.',
    });
    const user = { owner: OTHER_OWNER, id: encodeUtf8('2'), name: 'bob@example.org', displayName: 'Bob' };
    await expect(world.beginRegistration({ user })).resolves.toBeDefined();
    await world.relyingParty.revoke(first.id, {});
    await expect(world.beginRegistration()).resolves.toBeDefined();
  });

  test('is counted again when the passkey is stored: of registrations begun in time the store takes what fits', async () => {
    const world = createWorld({ maxPasskeys: 2 });
    const responses = [];
    for (let index = 0; index < 5; index += 1) {
      const { challenge } = await world.beginRegistration();
      responses.push(registrationResponse({ key: world.key, challenge, credentialId: Uint8Array.of(...CREDENTIAL_ID, index) }));
    }
    const outcomes = await Promise.allSettled(responses.map((response) => world.relyingParty.register({ owner: OWNER, response })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'too_many_passkeys' });
    }
    expect(await world.relyingParty.list()).toHaveLength(2);
  });

  test('is any number with Infinity', async () => {
    const world = createWorld({ maxPasskeys: Number.POSITIVE_INFINITY });
    for (let index = 0; index < 3; index += 1) await world.register({ credentialId: Uint8Array.of(1, index) });
    expect(await world.relyingParty.list()).toHaveLength(3);
  });
});

test('of the transports of a response the plausible ones are kept, each once, at most sixteen', () => {
  const [fits, tooLong] = ['x'.repeat(32), 'x'.repeat(33)];
  expect(keptTransports(['usb', fits, 'nfc', 'usb', tooLong, 5 as never])).toEqual(['usb', fits, 'nfc']);
  const many = Array.from({ length: 17 }, (_, index) => `transport ${index}`);
  expect(keptTransports(many)).toEqual(many.slice(0, 16));
});

test('extension results of 2,048 bytes are kept, one byte more is dropped', () => {
  const results = (bytes: number) => ({ x: 'y'.repeat(bytes - '{"x":""}'.length) });
  expect(keptExtensionResults(results(2048))).toEqual({ kept: results(2048), dropped: undefined });
  expect(keptExtensionResults(results(2049))).toEqual({ kept: {}, dropped: 2049 });
  expect(keptExtensionResults({ x: '\0' })).toEqual({ kept: {}, dropped: 14 });
});
