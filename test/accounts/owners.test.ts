import { describe, expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.js';
import type { AccountsEvent } from '../../src/accounts/events.js';
import { MAX_OWNER_ID, parseOwnerRef } from '../../src/accounts/owners.js';
import { decodeUtf8 } from '../../src/kernel/bytes.js';
import { createMemoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import type { UserHandleKind } from '../../src/webauthn/user-handle.js';

interface Given {
  readonly ownerType?: string;
  readonly store?: Store;
  readonly userHandle?: UserHandleKind;
}

function accountsOf({ ownerType = 'User', store = createMemoryStore(), userHandle }: Given = {}) {
  let drawn = 0;
  const randomBytes = (n: number) => new Uint8Array(n).fill((drawn += 1));
  return createAccounts({ store, ownerType, now: () => 1000, randomBytes, ...(userHandle && { userHandle }) });
}

describe('addOwner', () => {
  test('gives the default type and the next id', async () => {
    const accounts = accountsOf();
    const ada = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
    const bob = await accounts.addOwner({ email: 'bob@example.com', name: 'Bob' });
    expect(ada).toMatchObject({ type: 'User', id: 1, email: 'ada@example.com', name: 'Ada', userHandle: undefined, createdAt: 1000 });
    expect(bob.id).toBe(2);
  });

  test('takes a type with backslashes and an id', async () => {
    const accounts = accountsOf();
    const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada', type: 'App\\Models\\User', id: 40 });
    expect(owner).toMatchObject({ type: 'App\\Models\\User', id: 40 });
    await expect(accounts.findOwner({ type: 'App\\Models\\User', id: 40 })).resolves.toMatchObject({ email: 'ada@example.com' });
  });

  test('goes on after the highest id that may be given', async () => {
    const accounts = accountsOf();
    await accounts.addOwner({ email: 'ada@example.com', name: 'Ada', id: MAX_OWNER_ID });
    await expect(accounts.addOwner({ email: 'bob@example.com', name: 'Bob' })).resolves.toMatchObject({ id: MAX_OWNER_ID + 1 });
  });

  test.each([
    ['an e-mail without @', { email: 'ada', name: 'Ada' }, ['/email']],
    ['an e-mail with an escape sequence', { email: 'a\u001b[31m@example.com', name: 'Ada' }, ['/email']],
    ['a blank name', { email: 'ada@example.com', name: ' ' }, ['/name']],
    ['a type of 41 bytes', { email: 'ada@example.com', name: 'Ada', type: 'x'.repeat(41) }, ['/type']],
    ['an e-mail with half of a surrogate pair', { email: 'a\ud800@example.com', name: 'Ada' }, ['/email']],
    ['a name with U+0000', { email: 'ada@example.com', name: 'A\0' }, ['/name']],
    ['a name with half of a surrogate pair', { email: 'ada@example.com', name: 'A\udc00' }, ['/name']],
    ['a type with an escape sequence', { email: 'ada@example.com', name: 'Ada', type: 'U\u001b[31m' }, ['/type']],
    ['a type with half of a surrogate pair', { email: 'ada@example.com', name: 'Ada', type: 'U\ud800' }, ['/type']],
    ['an empty type', { email: 'ada@example.com', name: 'Ada', type: '' }, ['/type']],
    ['the id 0', { email: 'ada@example.com', name: 'Ada', id: 0 }, ['/id']],
    ['an id without any after it', { email: 'ada@example.com', name: 'Ada', id: MAX_OWNER_ID + 1 }, ['/id']],
    ['a broken id', { email: 'ada@example.com', name: 'Ada', id: 1.5 }, ['/id']],
    ['all of them', { email: '', name: '', type: '', id: -1 }, ['/email', '/name', '/type', '/id']],
  ])('refuses %s', async (_what, owner, pointers) => {
    const failure = accountsOf().addOwner(owner);
    await expect(failure).rejects.toMatchObject({ code: 'validation_failed', errors: pointers.map((pointer) => ({ pointer })) });
    await expect(failure).rejects.toThrow(/^The user cannot be added: /);
  });
});

describe('editOwner', () => {
  test('changes what is given, and tells listeners of a change, but of nothing else', async () => {
    const accounts = accountsOf();
    await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
    const events: AccountsEvent[] = [];
    accounts.on((event) => events.push(event));
    const ref = { type: 'User', id: 1 };
    const edited = await accounts.editOwner(ref, { name: 'Ada Lovelace' }, { via: 'test' });
    expect(edited).toMatchObject({ id: 1, email: 'ada@example.com', name: 'Ada Lovelace' });
    await accounts.editOwner(ref, { name: 'Ada Lovelace' });
    expect(events).toStrictEqual([{ type: 'owner-edited', at: 1000, context: { via: 'test' }, owner: edited }]);
  });

  test('refuses what no owner may have, and owners there are not', async () => {
    const accounts = accountsOf();
    await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
    const failure = accounts.editOwner({ type: 'User', id: 1 }, { email: 'ada', name: ' ' });
    await expect(failure).rejects.toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/email' }, { pointer: '/name' }] });
    await expect(failure).rejects.toThrow(/^The user cannot be changed: /);
    await expect(accounts.editOwner({ type: 'User', id: 2 }, { name: 'Eve' })).rejects.toMatchObject({ code: 'owner_not_found' });
  });
});

test('a default type of no or more than 40 bytes is a wrong configuration', () => {
  expect(() => accountsOf({ ownerType: '' })).toThrow(expect.objectContaining({ code: 'configuration_invalid' }));
  expect(() => accountsOf({ ownerType: 'ü'.repeat(21) })).toThrow(expect.objectContaining({ code: 'configuration_invalid' }));
});

describe('resolveUser', () => {
  async function people() {
    const accounts = accountsOf();
    await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
    await accounts.addOwner({ email: 'both@example.com', name: 'Both' });
    await accounts.addOwner({ email: 'both@example.com', name: 'Both', type: 'Admin' });
    await accounts.addOwner({ email: 'php@example.com', name: 'Php', type: 'App\\Models\\User', id: 7 });
    await accounts.addOwner({ email: 'scoped@example.com', name: 'Scoped', type: '@app/user' });
    return accounts;
  }

  test.each([
    ['ada@example.com', { type: 'User', id: 1 }],
    ['ADA@Example.com', { type: 'User', id: 1 }],
    ['1', { type: 'User', id: 1 }],
    ['Admin:1', { type: 'Admin', id: 1 }],
    ['App\\Models\\User:7', { type: 'App\\Models\\User', id: 7 }],
    ['@app/user:1', { type: '@app/user', id: 1 }],
  ])('%s', async (text, ref) => {
    await expect((await people()).resolveUser(text)).resolves.toMatchObject(ref);
  });

  test.each(['nobody@example.com', '99', 'Admin:99', 'Admin:', ':1', 'Admin:01', 'Admin:-1', 'User', '', '1e3', '99999999999999999999'])(
    '%j names nobody',
    async (text) => {
      await expect((await people()).resolveUser(text)).rejects.toMatchObject({ code: 'owner_not_found' });
    },
  );

  test('an e-mail of two types is ambiguous, and both are named', async () => {
    const failure = (await people()).resolveUser('both@example.com');
    await expect(failure).rejects.toMatchObject({ code: 'ambiguous_user' });
    await expect(failure).rejects.toThrow('Admin:1, User:2');
  });
});

test('a reference is divided at its last colon', () => {
  expect(parseOwnerRef('a:b:3', 'User')).toEqual({ type: 'a:b', id: 3 });
});

describe('userHandleOf', () => {
  test.each([
    ['the bare id for the default type', { type: 'User', id: 12 }, '12'],
    ['type and id for another', { type: 'App\\Models\\User', id: 12 }, 'App\\Models\\User:12'],
  ])('is %s', async (_what, ref, text) => {
    const accounts = accountsOf();
    await accounts.addOwner({ email: 'a@example.com', name: 'A', ...ref });
    expect(decodeUtf8(await accounts.userHandleOf(ref))).toBe(text);
  });

  test('never changes, whatever the default type becomes', async () => {
    const store = createMemoryStore();
    const before = accountsOf({ store });
    await before.addOwner({ email: 'a@example.com', name: 'A' });
    const handle = await before.userHandleOf({ type: 'User', id: 1 });
    const after = accountsOf({ store, ownerType: 'Admin' });
    expect(await after.userHandleOf({ type: 'User', id: 1 })).toEqual(handle);
  });

  test('is not given to two owners, even when the default type changes', async () => {
    const store = createMemoryStore();
    const before = accountsOf({ store });
    await before.addOwner({ email: 'a@example.com', name: 'A' });
    await before.userHandleOf({ type: 'User', id: 1 });
    const after = accountsOf({ store, ownerType: 'Admin' });
    await after.addOwner({ email: 'b@example.com', name: 'B' });
    expect(decodeUtf8(await after.userHandleOf({ type: 'Admin', id: 1 }))).toBe('Admin:1');
  });

  test('is 32 random bytes where it is set so, of every owner others', async () => {
    const accounts = accountsOf({ userHandle: 'random' });
    const owners = [
      await accounts.addOwner({ email: 'a@example.com', name: 'A' }),
      await accounts.addOwner({ email: 'a@example.com', name: 'A', type: 'Admin' }),
    ];
    expect(owners.map(({ userHandle }) => userHandle)).toEqual([undefined, undefined]);
    const handles = [];
    for (const owner of owners) handles.push(await accounts.userHandleOf(owner));
    expect(handles).toEqual([new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]);
    expect(await Promise.all(owners.map((owner) => accounts.userHandleOf(owner)))).toEqual(handles);
  });

  test('of an owner that was made with a random one is that, whatever is set', async () => {
    for (const userHandle of ['id', 'random'] as const) {
      const accounts = accountsOf({ userHandle });
      const owner = await accounts.addOwner({ email: 'a@example.com', name: 'A', userHandle: 'random' });
      expect(owner.userHandle).toEqual(new Uint8Array(32).fill(1));
      expect(await accounts.userHandleOf(owner)).toEqual(owner.userHandle);
    }
  });

  test('that is stored stays when the setting changes', async () => {
    const store = createMemoryStore();
    const owner = await accountsOf({ store }).addOwner({ email: 'a@example.com', name: 'A' });
    const [first, later] = [accountsOf({ store }), accountsOf({ store, userHandle: 'random' })];
    expect(decodeUtf8(await first.userHandleOf(owner))).toBe('1');
    expect(decodeUtf8(await later.userHandleOf(owner))).toBe('1');
  });

  test('there is none of nobody', async () => {
    await expect(accountsOf().userHandleOf({ type: 'User', id: 1 })).rejects.toMatchObject({ code: 'owner_not_found' });
  });
});

test('removeOwner answers who went, and refuses the second time', async () => {
  const accounts = accountsOf();
  const owner = await accounts.addOwner({ email: 'a@example.com', name: 'A' });
  const { token } = await accounts.createToken({ owner });
  await expect(accounts.removeOwner(owner)).resolves.toMatchObject({ owner: { id: 1 }, revokedPasskeys: [] });
  await expect(accounts.authenticate('token', token)).resolves.toBeUndefined();
  await expect(accounts.removeOwner(owner)).rejects.toMatchObject({ code: 'owner_not_found' });
  await expect(accounts.listOwners()).resolves.toEqual([]);
});
