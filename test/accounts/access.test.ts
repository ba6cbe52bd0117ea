import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.js';
import { createMemoryStore } from '../../src/store/memory.js';

async function world() {
  const clock = { now: 1000 };
  const store = createMemoryStore();
  const accounts = createAccounts({ store, ownerType: 'User', now: () => clock.now, randomBytes: (n) => new Uint8Array(randomBytes(n)) });
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

  test('is never the same twice', async () => {
    const { accounts, owner } = await world();
    const [a, b] = [await accounts.createToken({ owner }), await accounts.createToken({ owner })];
    expect(a.token).not.toBe(b.token);
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

  test('is not made for nobody', async () => {
    const { accounts } = await world();
    await expect(accounts.createToken({ owner: { type: 'User', id: 9 } })).rejects.toMatchObject({ code: 'owner_not_found' });
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
