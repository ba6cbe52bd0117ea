import { describe, expect, test } from 'vitest';
import type { PasskeyUse } from '../../src/relying-party/ports.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { createWorld, START } from './world.js';

/** A memory store that lets something happen just before a login is recorded: what another process would do in that moment. */
function storeWithRival(rival: (world: ReturnType<typeof createMemoryStore>, use: PasskeyUse) => Promise<unknown>, times = 1) {
  const store = createMemoryStore();
  const { recordLogin } = store;
  let left = times;
  store.recordLogin = async (login) => {
    if (left > 0) {
      left -= 1;
      await rival({ ...store, recordLogin }, login.use);
    }
    return recordLogin(login);
  };
  return store;
}

const raise = (signCount: number) => (store: ReturnType<typeof createMemoryStore>, use: PasskeyUse) =>
  store.recordLogin({ passkeyId: 1, use: { ...use, signCount } });

describe('an assertion whose record changes meanwhile', () => {
  test('is accepted where the counter is above the new one too', async () => {
    const world = createWorld({ store: storeWithRival(raise(7)) });
    await world.register({ signCount: 5 });
    const { passkey } = await world.authenticate({ signCount: 8 });
    expect(passkey).toMatchObject({ credential: { signCount: 8 }, counterRegressions: 0 });
  });

  test.each([8, 9])('is a regression where the new one is %i', async (signCount) => {
    const world = createWorld({ store: storeWithRival(raise(signCount)) });
    await world.register({ signCount: 5 });
    await expect(world.authenticate({ signCount: 8 })).rejects.toMatchObject({
      code: 'counter_regressed',
      step: { number: 22, expected: `more than ${signCount}`, received: '8' },
    });
    expect(await world.relyingParty.find(1)).toMatchObject({ counterRegressions: 1, counterRegressedAt: START, credential: { signCount } });
  });

  test('finds no passkey when it was revoked', async () => {
    const world = createWorld({ store: storeWithRival((store) => store.revokePasskeys([1], { at: START, reason: undefined })) });
    await world.register();
    await expect(world.authenticate()).rejects.toMatchObject({ code: 'passkey_not_found' });
  });

  test('gives up when that never ends', async () => {
    let signCount = 5;
    const store = storeWithRival((rival, use) => {
      signCount += 1;
      return rival.recordLogin({ passkeyId: 1, use: { ...use, signCount } });
    }, 100);
    const world = createWorld({ store });
    await world.register({ signCount });
    await expect(world.authenticate({ signCount: 1000 })).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test('always succeeds where the authenticator does not count', async () => {
    const world = createWorld();
    await world.register();
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.authentication()));
    const outcomes = await Promise.all(responses.map((response) => world.relyingParty.authenticate({ response })));
    expect(outcomes).toHaveLength(20);
  });

  test('of many with rising counters never takes one twice', async () => {
    const world = createWorld();
    await world.register({ signCount: 1 });
    const responses = await Promise.all([2, 3, 3, 4, 4].map((signCount) => world.authentication({ signCount })));
    const outcomes = await Promise.allSettled(responses.map((response) => world.relyingParty.authenticate({ response })));
    const taken = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.passkey.credential.signCount] : []));
    expect(new Set(taken).size).toBe(taken.length);
    expect(await world.relyingParty.find(1)).toMatchObject({ credential: { signCount: 4 }, counterRegressions: 5 - taken.length });
  });
});

test('a registration whose credential only the store knows fails at its step', async () => {
  const store = createMemoryStore();
  const world = createWorld({ store });
  await world.register();
  store.findPasskeyByCredentialId = async () => undefined;
  await expect(world.register()).rejects.toMatchObject({ code: 'credential_already_registered', step: { number: 26 } });
});
