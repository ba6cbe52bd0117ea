import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.js';
import type { AccountsEvent } from '../../src/accounts/events.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { newPasskey } from '../contract/samples.js';

function world(onListenerError?: (error: unknown) => void) {
  const store = createMemoryStore();
  const accounts = createAccounts({
    store,
    ownerType: 'User',
    now: () => 1000,
    randomBytes: (n) => new Uint8Array(randomBytes(n)),
    ...(onListenerError && { onListenerError }),
  });
  const events: AccountsEvent[] = [];
  accounts.on((event) => events.push(event));
  return { store, accounts, events };
}

const context = { via: 'passkey test', requestId: 'r1' };
const use = { expectedSignCount: 0, signCount: 0, backupState: false, uvInitialized: true, lastUsedAt: 1000 };

describe('accounts tell listeners', () => {
  test('of users that were added and removed, with what was revoked and why', async () => {
    const { store, accounts, events } = world();
    const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' }, context);
    const passkey = await store.insertPasskey(newPasskey({ owner: { type: owner.type, id: owner.id } }));
    await accounts.removeOwner(owner, { reason: 'left' }, context);
    expect(events).toEqual([
      { type: 'owner-added', at: 1000, context, owner },
      { type: 'owner-removed', at: 1000, context, owner, revokedPasskeys: [passkey.id], reason: 'left' },
    ]);
  });

  test('of tokens and sessions, those that a login opens too', async () => {
    const { store, accounts, events } = world();
    const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
    const passkey = await store.insertPasskey(newPasskey({ owner: { type: owner.type, id: owner.id } }));
    events.length = 0;
    const { access: token } = await accounts.createToken({ owner, label: 'ci' }, context);
    const { access: session } = await accounts.createSession({ owner, expiresAt: 2000 }, context);
    const { secret, opens } = accounts.prepareLogin({ kind: 'session', expiresAt: 2000 });
    const login = await store.recordLogin({ passkeyId: passkey.id, use, opens });
    const opened = login.status === 'recorded' ? login.opened : undefined;
    if (opened === undefined) throw new TypeError('Expected an access.');
    accounts.loginOpened(opened, context);
    expect(await accounts.authenticate('session', secret)).toEqual({ owner, access: opened });
    await accounts.revokeToken(token.id, context);
    await accounts.endAccess(session.id, context);
    expect(events).toEqual([
      { type: 'token-created', at: 1000, context, access: token },
      { type: 'session-opened', at: 1000, context, access: session },
      { type: 'session-opened', at: 1000, context, access: opened },
      { type: 'token-revoked', at: 1000, context, access: { ...token, revokedAt: 1000 } },
      { type: 'session-ended', at: 1000, context, access: { ...session, revokedAt: 1000 } },
    ]);
  });

  test('of nothing that did not happen', async () => {
    const { accounts, events } = world();
    const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
    const { access } = await accounts.createToken({ owner });
    await accounts.revokeToken(access.id);
    events.length = 0;
    await expect(accounts.addOwner({ email: 'ADA@example.com', name: 'Again' })).rejects.toMatchObject({ code: 'owner_already_exists' });
    await expect(accounts.removeOwner({ type: 'User', id: 9 })).rejects.toMatchObject({ code: 'owner_not_found' });
    await accounts.revokeToken(access.id);
    await accounts.endAccess(99);
    accounts.prepareLogin({ kind: 'token', expiresAt: undefined });
    expect(events).toEqual([]);
  });

  test('whose exceptions change no outcome', async () => {
    const thrown = new Error('a listener');
    const told: unknown[] = [];
    const { accounts, events } = world((error) => told.push(error));
    accounts.on(() => {
      throw thrown;
    });
    const stop = accounts.on(() => told.push('stopped'));
    stop();
    await expect(accounts.addOwner({ email: 'ada@example.com', name: 'Ada' })).resolves.toMatchObject({ id: 1 });
    expect(told).toEqual([thrown]);
    expect(events).toHaveLength(1);
  });
});
