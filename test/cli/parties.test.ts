import { truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openParties } from '../../src/cli/parties.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { fakeIo } from './fake-io.js';
import { seeded } from './seeded-store.js';

const HOUR = 3_600_000;

test('time stands still while the clock is behind its last value', async () => {
  const { io } = fakeIo();
  const clock = { now: 5 };
  const { now } = await openParties({ ...io, now: () => clock.now }, { settings: { store: 'memory:', ownerType: 'User' }, create: true });
  const times = [5, 7, 3, 6.5, 7, 8, -1].map((reading) => {
    clock.now = reading;
    return now();
  });
  expect(times).toEqual([5, 7, 7, 7, 7, 8, 8]);
});

test('when the clock is set back, what has expired stays expired', async () => {
  const { io } = fakeIo();
  const clock = { now: io.now() };
  const settings = { store: 'memory:', ownerType: 'User' };
  const { relyingParty, accounts, store, now } = await openParties({ ...io, now: () => clock.now }, { settings, create: true });
  const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
  const start = clock.now;
  const { secret } = await accounts.createSession({ owner, expiresAt: start + HOUR });
  const { challenge } = await relyingParty.beginAuthentication({ rpId: 'example.com', origins: ['https://example.com'], client: 'test' });
  expect(await accounts.authenticate('session', secret)).toBeDefined();

  clock.now = start + HOUR;
  expect(await accounts.authenticate('session', secret)).toBeUndefined();
  clock.now = start;
  expect(await accounts.authenticate('session', secret)).toBeUndefined();
  expect(now()).toBe(start + HOUR);
  expect(DEFAULT_POLICY.challengeTtl).toBeLessThan(HOUR);
  expect((await store.takeCeremony(decodeBase64url(challenge), now())).status).not.toBe('open');
});

test.each([['list'], ['show', '1'], ['user', 'list'], ['token', 'list']])(
  'a store with a line that is too long to be read: %s %s exits 3 and says so',
  async (...argv) => {
    const { store, passkey } = await seeded();
    await truncate(store, 5 * 2 ** 30);
    const { code, stdout, stderr } = await passkey(...argv.filter((word) => word !== undefined));
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/passkeys\.jsonl:\d+ is damaged: the line has more than 16777216 bytes\. Nothing was changed\./);
  },
);
