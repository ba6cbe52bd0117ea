import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { ORIGIN, RP_ID } from './ceremony.js';
import { createWorld, OTHER_OWNER, OWNER, type World } from './world.js';

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('accepted'),
    (error: unknown) => error,
  );

describe('an authentication with', () => {
  test.each([5, 0])('a counter of %i after 5 is refused, and recorded as a regression', async (signCount) => {
    const world = createWorld();
    const before = await world.register({ signCount: 5 });
    expect(await refused(world.authenticate({ signCount }))).toMatchObject({ code: 'counter_regressed', step: { number: 22 } });
    expect(await world.relyingParty.find(1)).toEqual({ ...before, counterRegressions: 1, counterRegressedAt: world.clock.now });
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

test.each([
  ['in quotes', (challenge: string) => `"${challenge}"`],
  ['in a sentence', (challenge: string) => `the challenge is ${challenge}.`],
  ['behind a tab and a number', (challenge: string) => `1\t${challenge}`],
])('the message about an unknown challenge does not tell one that is still good, %s', async (_, write) => {
  const world = createWorld();
  const { challenge } = await world.beginRegistration();
  const message = String(await refused(world.register({ challenge: write(challenge) })));
  expect(message).toContain(challenge.slice(0, 8));
  expect(message).not.toContain(challenge);
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
