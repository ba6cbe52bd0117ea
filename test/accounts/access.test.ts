import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.js';
import { PasskeyError } from '../../src/errors.js';
import { createMemoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';

async function world({ sessionIdle, wrap = (store) => store }: { sessionIdle?: number; wrap?: (store: Store) => Store } = {}) {
  const clock = { now: 1000 };
  const store = wrap(createMemoryStore());
  const accounts = createAccounts({
    store,
    ownerType: 'User',
    sessionIdle,
    now: () => clock.now,
    randomBytes: (n) => new Uint8Array(randomBytes(n)),
  });
  const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
  return { clock, store, accounts, owner };
}

describe('a token', () => {
  test('has 32 random bytes and a prefix; the store keeps its SHA-256 and nothing of its owner but the reference', async () => {
    const { accounts, owner, store } = await world();
    const { token, access } = await accounts.createToken({ owner, label: 'ci' });
    expect(token).toMatch(/^pk_[A-Za-z0-9_-]{43}$/);
    expect(access.hash).toEqual(new Uint8Array(createHash('sha256').update(token).digest()));
    expect(await store.listAccess()).toEqual([
      expect.objectContaining({
        kind: 'token',
        owner: { type: 'User', id: 1 },
        label: 'ci',
        createdAt: 1000,
        expiresAt: undefined,
        revokedAt: undefined,
      }),
    ]);
  });

  test('authenticates its owner, and not as a session', async () => {
    const { accounts, owner } = await world();
    const { token } = await accounts.createToken({ owner });
    await expect(accounts.authenticate('token', token)).resolves.toMatchObject({ owner: { id: 1, email: 'ada@example.com' } });
    await expect(accounts.authenticate('session', token)).resolves.toBeUndefined();
    await expect(accounts.authenticate('token', `${token}x`)).resolves.toBeUndefined();
    await expect(accounts.authenticate('token', '')).resolves.toBeUndefined();
  });

  test('is good until its end and not at it', async () => {
    const { accounts, owner, clock } = await world();
    const { token } = await accounts.createToken({ owner, expiresAt: 2000 });
    clock.now = 1999;
    await expect(accounts.authenticate('token', token)).resolves.toBeDefined();
    clock.now = 2000;
    await expect(accounts.authenticate('token', token)).resolves.toBeUndefined();
  });

  test('ends when revoked; revoking again changes nothing', async () => {
    const { accounts, owner, clock } = await world();
    const { token, access } = await accounts.createToken({ owner });
    await expect(accounts.revokeToken(access.id)).resolves.toMatchObject({ id: access.id, revokedAt: 1000 });
    clock.now = 5000;
    await expect(accounts.revokeToken(access.id)).resolves.toMatchObject({ revokedAt: 1000 });
    await expect(accounts.authenticate('token', token)).resolves.toBeUndefined();
  });

  test('an unknown one cannot be revoked, nor a session as if it were one', async () => {
    const { accounts, owner } = await world();
    const { access } = await accounts.createSession({ owner, expiresAt: 2000 });
    for (const id of [99, access.id]) {
      await expect(accounts.revokeToken(id)).rejects.toMatchObject({ code: 'token_not_found' });
    }
  });

  test('tokens are listed for one owner or all, sessions never', async () => {
    const { accounts, owner } = await world();
    const bob = await accounts.addOwner({ email: 'bob@example.com', name: 'Bob' });
    await accounts.createToken({ owner });
    await accounts.createToken({ owner: bob });
    await accounts.createSession({ owner, expiresAt: 2000 });
    expect(await accounts.listTokens()).toHaveLength(2);
    expect(await accounts.listTokens({ owner: bob })).toEqual([expect.objectContaining({ owner: { type: 'User', id: 2 } })]);
  });
});

test('a session has no prefix, and ends', async () => {
  const { accounts, owner } = await world();
  const { secret, access } = await accounts.createSession({ owner, expiresAt: 2000, passkeyId: 3 });
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(access).toMatchObject({ kind: 'session', passkeyId: 3 });
  await expect(accounts.authenticate('session', secret)).resolves.toBeDefined();
  await accounts.endAccess(access.id);
  await expect(accounts.authenticate('session', secret)).resolves.toBeUndefined();
});

describe('an idle session', () => {
  const HOUR = 3_600_000;

  test('ends after the time for it, which each use begins anew; its end stays where it is', async () => {
    const { accounts, owner, clock } = await world({ sessionIdle: HOUR });
    const { secret } = await accounts.createSession({ owner, expiresAt: clock.now + 2.5 * HOUR });
    const good = async () => (await accounts.authenticate('session', secret)) !== undefined;
    clock.now += HOUR - 1;
    expect(await good()).toBe(true);
    clock.now += HOUR - 1;
    expect(await good()).toBe(true);
    clock.now += HOUR / 2 + 2;
    expect(await good()).toBe(false);

    const { secret: unused } = await accounts.createSession({ owner, expiresAt: clock.now + 24 * HOUR });
    clock.now += HOUR;
    expect(await accounts.authenticate('session', unused)).toBeUndefined();
  });

  test('ends after 12 hours by default; a token never does', async () => {
    const { accounts, owner, clock } = await world();
    const { secret } = await accounts.createSession({ owner, expiresAt: clock.now + 99 * HOUR });
    const { token } = await accounts.createToken({ owner });
    clock.now += 12 * HOUR - 1;
    expect(await accounts.authenticate('session', secret)).toBeDefined();
    clock.now += 12 * HOUR;
    expect(await accounts.authenticate('session', secret)).toBeUndefined();
    expect(await accounts.authenticate('token', token)).toMatchObject({ access: { lastUsedAt: undefined } });
  });

  test('few uses are written: one in each sixtieth of the time', async () => {
    const notedAt: number[] = [];
    const { accounts, owner, clock } = await world({
      sessionIdle: HOUR,
      wrap: (store) => ({
        ...store,
        touchAccess: (id, at) => {
          notedAt.push(at - 1000);
          return store.touchAccess(id, at);
        },
      }),
    });
    const { secret } = await accounts.createSession({ owner, expiresAt: clock.now + 24 * HOUR });
    for (let second = 0; second < 180; second++) {
      expect(await accounts.authenticate('session', secret)).toBeDefined();
      clock.now += 1000;
    }
    expect(notedAt).toEqual([60_000, 120_000]);
  });

  test('goes on while the store takes no write, and ends as if it had not been used', async () => {
    const { accounts, owner, clock } = await world({
      sessionIdle: HOUR,
      wrap: (store) => ({ ...store, touchAccess: () => Promise.reject(new PasskeyError('store_unavailable', 'read-only')) }),
    });
    const { secret } = await accounts.createSession({ owner, expiresAt: clock.now + 24 * HOUR });
    clock.now += HOUR - 1;
    expect(await accounts.authenticate('session', secret)).toBeDefined();
    clock.now += 1;
    expect(await accounts.authenticate('session', secret)).toBeUndefined();
  });
});
