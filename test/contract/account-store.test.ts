import { describe, expect, test } from 'vitest';
import { adapters, sharedJsonFile } from './adapters.js';
import { newAccess, newLogin, newOwner, newPasskey, START } from './samples.js';

const TYPE = 'App\\Models\\User';

describe.each(adapters(sharedJsonFile))('AccountStore: $name', ({ open }) => {
  test('owner ids ascend within their type and are never given again', async () => {
    const store = await open();
    const idOf = async (change: Parameters<typeof newOwner>[0]) => (await store.insertOwner(newOwner(change))).id;
    expect(await idOf({})).toBe(1);
    expect(await idOf({ type: TYPE })).toBe(1);
    expect(await idOf({ id: 7 })).toBe(7);
    expect(await idOf({})).toBe(8);
    expect(await idOf({ id: 3 })).toBe(3);
    await store.removeOwner({ type: 'User', id: 8 }, { at: START, reason: 'left' });
    expect(await idOf({})).toBe(9);
    await expect(idOf({ id: 8 })).rejects.toMatchObject({ code: 'owner_already_exists' });
    await expect(idOf({ id: 7 })).rejects.toMatchObject({ code: 'owner_already_exists' });
    expect(await idOf({ type: TYPE, id: 8 })).toBe(8);
  });

  test('a new owner does not come to what another left, unless its id is chosen', async () => {
    const store = await open();
    await store.insertPasskey(newPasskey({ owner: { type: 'User', id: 2 } }));
    expect(await store.insertOwner(newOwner())).toMatchObject({ id: 3 });
    await store.insertAccess({ ...newAccess(), owner: { type: 'User', id: 5 } });
    expect(await store.insertOwner(newOwner({ email: 'b@example.com' }))).toMatchObject({ id: 6 });
    expect(await store.insertOwner(newOwner({ email: 'c@example.com', id: 2 }))).toMatchObject({ id: 2 });
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('%d is no owner id', async (id) => {
    const store = await open();
    await expect(store.insertOwner(newOwner({ id }))).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await store.listOwners()).toEqual([]);
  });

  test('the highest id there is leaves ids below it', async () => {
    const store = await open();
    await store.insertOwner(newOwner({ id: Number.MAX_SAFE_INTEGER }));
    await expect(store.insertOwner(newOwner())).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'The type User has no id left after 9007199254740991. Choose a free id.',
    });
    expect(await store.insertOwner(newOwner({ id: 1 }))).toMatchObject({ id: 1 });
  });

  test('an e-mail is held once within a type, compared without case, and is free again when its owner is gone', async () => {
    const store = await open();
    const owner = await store.insertOwner(newOwner({ email: 'Ada@Example.com' }));
    expect(owner).toStrictEqual({ type: 'User', id: 1, email: 'Ada@Example.com', name: 'Ada', userHandle: undefined, createdAt: START });
    await expect(store.insertOwner(newOwner({ email: 'ADA@example.COM' }))).rejects.toMatchObject({
      code: 'owner_already_exists',
      message: 'ADA@example.COM already belongs to User:1. Choose another e-mail.',
    });
    await store.insertOwner(newOwner({ email: 'ada@example.com', type: TYPE }));
    await store.removeOwner(owner, { at: START, reason: 'left' });
    expect(await store.insertOwner(newOwner({ email: 'ada@example.com' }))).toMatchObject({ id: 2 });
  });

  test('a login records the use of its passkey and opens an access, both or neither', async () => {
    const store = await open();
    await store.insertOwner(newOwner());
    await store.insertPasskey(newPasskey());
    const use = { expectedSignCount: 0, signCount: 5, backupState: true, uvInitialized: true, lastUsedAt: START + 9 };
    const opens = newLogin();
    const recorded = await store.recordLogin({ passkeyId: 1, use, opens });
    const access = { ...opens, id: 1, owner: { type: 'User', id: 1 }, passkeyId: 1, lastUsedAt: undefined, revokedAt: undefined };
    expect(recorded).toMatchObject({ status: 'recorded', opened: { ...access, hash: new Uint8Array(opens.hash) } });
    expect(await store.listAccess()).toStrictEqual([recorded.status === 'recorded' && recorded.opened]);
    expect(recorded.passkey).toMatchObject({ lastUsedAt: START + 9, credential: { signCount: 5, backupState: true } });
    expect(await store.findPasskey(1)).toStrictEqual(recorded.passkey);
    const fresh = newLogin();
    expect(await store.recordLogin({ passkeyId: 1, use, opens: fresh })).toStrictEqual({ status: 'changed', passkey: recorded.passkey });
    expect(await store.recordLogin({ passkeyId: 2, use, opens: fresh })).toStrictEqual({ status: 'changed', passkey: undefined });
    // The secret is stored already: the use is not recorded either.
    const next = { ...use, expectedSignCount: 5, signCount: 6 };
    await expect(store.recordLogin({ passkeyId: 1, use: next, opens })).rejects.toMatchObject({ code: 'internal_error' });
    expect(await store.findPasskey(1)).toStrictEqual(recorded.passkey);
    await store.revokePasskeys([1], { at: START, reason: undefined });
    const revoked = await store.findPasskey(1);
    expect(await store.recordLogin({ passkeyId: 1, use: next, opens: fresh })).toStrictEqual({ status: 'changed', passkey: revoked });
    expect(revoked).toMatchObject({ credential: { signCount: 5 } });
    expect(await store.listAccess()).toHaveLength(1);
  });

  test('a login opens nothing without an owner, and with a restored passkey it does', async () => {
    const store = await open();
    await store.insertPasskey(newPasskey());
    const use = { expectedSignCount: 0, signCount: 3, backupState: false, uvInitialized: true, lastUsedAt: START + 4 };
    const login = { passkeyId: 1, use, opens: newLogin() };
    const ownerless = { code: 'passkey_not_found', message: 'The user of this passkey was removed in the meantime.' };
    await expect(store.recordLogin(login)).rejects.toMatchObject(ownerless);
    expect([await store.findPasskey(1), await store.listAccess()]).toMatchObject([{ credential: { signCount: 0 } }, []]);
    const owner = await store.insertOwner(newOwner({ id: 1 }));
    await store.revokePasskeys([1], { at: START + 1, reason: 'lost' });
    expect(await store.recordLogin(login)).toMatchObject({ status: 'changed', passkey: { revokedAt: START + 1 } });
    await store.restorePasskeys([1]);
    expect(await store.recordLogin(login)).toMatchObject({
      status: 'recorded',
      passkey: { credential: { signCount: 3 } },
      opened: { id: 1 },
    });
    await store.removeOwner(owner, { at: START + 2, reason: 'left' });
    const next = { passkeyId: 1, use: { ...use, expectedSignCount: 3, signCount: 4 }, opens: newLogin() };
    expect(await store.recordLogin(next)).toMatchObject({
      status: 'changed',
      passkey: { revokedAt: START + 2, credential: { signCount: 3 } },
    });
    expect(await store.listAccess()).toMatchObject([{ revokedAt: START + 2 }]);
  });

  test('of many logins with one sign count at once exactly one opens something', async () => {
    const store = await open();
    await store.insertOwner(newOwner());
    await store.insertPasskey(newPasskey());
    const use = { expectedSignCount: 0, signCount: 1, backupState: false, uvInitialized: true, lastUsedAt: START };
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => store.recordLogin({ passkeyId: 1, use, opens: newLogin() })));
    expect(outcomes.filter(({ status }) => status === 'recorded')).toHaveLength(1);
    expect(await store.listAccess()).toHaveLength(1);
  });

  test('of many owners with one e-mail at once exactly one is taken', async () => {
    const store = await open();
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => store.insertOwner(newOwner({ email: 'a@example.com' }))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.listOwners()).toHaveLength(1);
  });

  test('an owner takes another name and e-mail, and all else stays', async () => {
    const store = await open();
    const ada = await store.insertOwner(newOwner({ email: 'ada@example.com', userHandle: new Uint8Array([7]) }));
    await store.insertOwner(newOwner({ email: 'bob@example.com' }));
    await store.insertOwner(newOwner({ email: 'ada@new.example', type: TYPE }));
    const ref = { type: 'User', id: 1 };
    expect(await store.editOwner(ref, { name: 'Ada L.' })).toStrictEqual({ ...ada, name: 'Ada L.' });
    expect(await store.editOwner(ref, { email: 'Ada@New.example' })).toStrictEqual({ ...ada, name: 'Ada L.', email: 'Ada@New.example' });
    expect(await store.editOwner(ref, { email: 'ADA@new.example' })).toMatchObject({ email: 'ADA@new.example' });
    expect(await store.editOwner(ref, {})).toMatchObject({ email: 'ADA@new.example', name: 'Ada L.' });
    await expect(store.editOwner(ref, { email: 'BOB@example.com', name: 'X' })).rejects.toMatchObject({
      code: 'owner_already_exists',
      message: 'BOB@example.com already belongs to User:2. Choose another e-mail.',
    });
    expect(await store.findOwner(ref)).toStrictEqual({ ...ada, name: 'Ada L.', email: 'ADA@new.example' });
    expect(await store.listOwners({ email: 'ada@example.com' })).toStrictEqual([]);
    expect(await store.listOwners({ type: 'User', email: 'ada@new.example' })).toHaveLength(1);
    // The old e-mail is free again.
    expect(await store.insertOwner(newOwner({ email: 'ada@example.com' }))).toMatchObject({ id: 3 });
    expect(await store.editOwner({ type: 'User', id: 9 }, { name: 'X' })).toBeUndefined();
    await store.removeOwner(ref, { at: START, reason: 'left' });
    expect(await store.editOwner(ref, { name: 'X' })).toBeUndefined();
  });

  test('of many owners that take one e-mail at once exactly one gets it', async () => {
    const store = await open();
    for (let id = 1; id <= 4; id += 1) await store.insertOwner(newOwner());
    const edit = (id: number) => store.editOwner({ type: 'User', id }, { email: 'a@example.com' });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(edit));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.listOwners({ email: 'a@example.com' })).toHaveLength(1);
  });

  test('the first user handle stays', async () => {
    const store = await open();
    const ref = { type: 'User', id: 1 };
    expect(await store.fixUserHandle(ref, new Uint8Array([1]))).toBeUndefined();
    await store.insertOwner(newOwner());
    const handle = new Uint8Array([49]);
    const fixed = [await store.fixUserHandle(ref, handle), await store.fixUserHandle(ref, new Uint8Array([50, 50]))];
    handle.fill(0);
    for (const owner of [...fixed, await store.findOwner(ref)]) expect(owner?.userHandle).toStrictEqual(new Uint8Array([49]));
  });

  test('a user handle that an owner is made with stays', async () => {
    const store = await open();
    const ref = { type: 'User', id: 1 };
    const userHandle = new Uint8Array(32).fill(7);
    const inserted = await store.insertOwner(newOwner({ userHandle }));
    userHandle.fill(0);
    const fixed = await store.fixUserHandle(ref, new Uint8Array([49]));
    for (const owner of [inserted, fixed, await store.findOwner(ref)]) expect(owner?.userHandle).toStrictEqual(new Uint8Array(32).fill(7));
  });

  test('of two user handles at the same moment one is fixed, and both callers get it', async () => {
    const store = await open();
    const ref = { type: 'User', id: 1 };
    await store.insertOwner(newOwner());
    const handles = [new Uint8Array([49]), new Uint8Array([50, 50])];
    const [first, second] = await Promise.all(handles.map((handle) => store.fixUserHandle(ref, handle)));
    expect(handles).toContainEqual(first?.userHandle);
    expect(second?.userHandle).toStrictEqual(first?.userHandle);
    expect((await store.findOwner(ref))?.userHandle).toStrictEqual(first?.userHandle);
  });

  test('removing an owner revokes its live passkeys and ends its accesses, and nobody else’s', async () => {
    const store = await open();
    const owner = await store.insertOwner(newOwner());
    await store.insertOwner(newOwner());
    const other = { type: 'User', id: 2 };
    const sameId = { type: TYPE, id: 1 };
    await store.insertPasskey(newPasskey());
    await store.insertPasskey(newPasskey());
    await store.insertPasskey(newPasskey({ owner: other }));
    await store.insertPasskey(newPasskey({ owner: sameId }));
    await store.revokePasskeys([1], { at: START + 1, reason: 'lost' });
    for (const access of [newAccess(), newAccess({ kind: 'token' }), newAccess({ owner: other }), newAccess({ owner: sameId })]) {
      await store.insertAccess(access);
    }
    await store.revokeAccess(1, START + 2);

    expect(await store.removeOwner(owner, { at: START + 9, reason: 'left' })).toStrictEqual({ owner, revokedPasskeys: [2] });
    expect(await store.removeOwner(owner, { at: START + 9, reason: 'left' })).toBeUndefined();
    expect(await store.findOwner(owner)).toBeUndefined();
    expect((await store.listPasskeys({ revoked: true })).map(({ revokedAt, revokedReason }) => [revokedAt, revokedReason])).toEqual([
      [START + 1, 'lost'],
      [START + 9, 'left'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect((await store.listAccess()).map(({ revokedAt }) => revokedAt)).toEqual([START + 2, START + 9, undefined, undefined]);
    await expect(store.insertAccess(newAccess())).rejects.toMatchObject({ code: 'owner_not_found' });
  });

  test('accesses are found by kind and hash, listed by kind and owner, revoked once', async () => {
    const store = await open();
    const other = { type: 'User', id: 2 };
    const given = newAccess({ label: 'CI', passkeyId: 12, expiresAt: undefined, kind: 'token' });
    const access = await store.insertAccess(given);
    expect(access).toStrictEqual({ ...given, hash: new Uint8Array(given.hash), id: 1, lastUsedAt: undefined, revokedAt: undefined });
    await store.insertAccess(newAccess());
    await store.insertAccess(newAccess({ owner: other }));
    expect(await store.findAccess('token', given.hash)).toStrictEqual(access);
    expect(await store.findAccess('session', given.hash)).toBeUndefined();
    expect(await store.findAccess('token', new Uint8Array(32))).toBeUndefined();
    const ids = async (filter?: Parameters<typeof store.listAccess>[0]) => (await store.listAccess(filter)).map(({ id }) => id);
    expect(await ids()).toEqual([1, 2, 3]);
    expect(await ids({ kind: 'session' })).toEqual([2, 3]);
    expect(await ids({ owner: other })).toEqual([3]);
    expect(await ids({ owner: other, kind: 'token' })).toEqual([]);
    expect(await store.revokeAccess(1, START + 4)).toStrictEqual({ ...access, revokedAt: START + 4 });
    expect(await store.revokeAccess(1, START + 5)).toStrictEqual({ ...access, revokedAt: START + 4 });
    expect(await store.findAccess('token', given.hash)).toStrictEqual({ ...access, revokedAt: START + 4 });
    expect(await store.revokeAccess(99, START)).toBeUndefined();
  });

  test('a use of a session is noted unless a later one is, and changes nothing else', async () => {
    const store = await open();
    const session = await store.insertAccess(newAccess());
    const other = await store.insertAccess(newAccess());
    expect(await store.touchAccess(session.id, START + 5)).toStrictEqual({ ...session, lastUsedAt: START + 5 });
    expect(await store.touchAccess(session.id, START + 3)).toStrictEqual({ ...session, lastUsedAt: START + 5 });
    expect(await store.findAccess('session', session.hash)).toStrictEqual({ ...session, lastUsedAt: START + 5 });
    expect(await store.listAccess()).toStrictEqual([{ ...session, lastUsedAt: START + 5 }, other]);
    expect(await store.touchAccess(99, START)).toBeUndefined();
  });

  test('of uses noted at the same moment the latest stays', async () => {
    const store = await open();
    const { id, hash } = await store.insertAccess(newAccess());
    await Promise.all([3, 9, 1, 7].map((later) => store.touchAccess(id, START + later)));
    expect(await store.findAccess('session', hash)).toMatchObject({ lastUsedAt: START + 9 });
  });

  test('no use undoes a revocation, not even one at the same moment', async () => {
    const store = await open();
    const { id, hash } = await store.insertAccess(newAccess());
    const [, revoked] = await Promise.all([
      store.touchAccess(id, START + 1),
      store.revokeAccess(id, START + 2),
      store.touchAccess(id, START + 3),
    ]);
    expect(revoked).toMatchObject({ revokedAt: START + 2 });
    const before = await store.findAccess('session', hash);
    expect(await store.touchAccess(id, START + 4)).toBeUndefined();
    expect(await store.findAccess('session', hash)).toStrictEqual(before);
    expect(before).toMatchObject({ revokedAt: START + 2 });
  });

  test('a revoked passkey opens nothing', async () => {
    const store = await open();
    await store.insertPasskey(newPasskey());
    await store.revokePasskeys([1], { at: START, reason: undefined });
    await expect(store.insertAccess(newAccess({ passkeyId: 1 }))).rejects.toMatchObject({ code: 'passkey_not_found' });
  });
});

describe.each(adapters())('AccountStore: $name', ({ open }) => {
  test('ended accesses are pruned, live ones are not, and ids are never used again', async () => {
    const store = await open();
    const live = [
      await store.insertAccess(newAccess({ expiresAt: undefined })),
      await store.insertAccess(newAccess({ expiresAt: START + 1e9 })),
    ];
    await Promise.all(Array.from({ length: 300 }, () => store.insertAccess(newAccess({ expiresAt: START + 10 }))));
    const last = await store.insertAccess(newAccess({ createdAt: START + 20, expiresAt: undefined }));
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 300 }, () => store.insertAccess(newAccess({ createdAt: START + 20, expiresAt: START + 20 }))));
    }
    const kept = await store.listAccess();
    expect(kept.length).toBeLessThan(700);
    expect(kept.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > START + 20)).toStrictEqual([...live, last]);
    expect(last.id).toBe(303);
    const hash = new Uint8Array(32).fill(1);
    expect(await store.insertAccess(newAccess({ hash }))).toMatchObject({ id: 1504 });
    expect(await store.findAccess('session', hash)).toMatchObject({ id: 1504 });
  });

  test('ended tokens are kept for a listing before ended sessions are', async () => {
    const store = await open();
    const ended = { createdAt: START + 20, expiresAt: START + 10 };
    await Promise.all(Array.from({ length: 60 }, () => store.insertAccess(newAccess({ ...ended, kind: 'token' }))));
    await Promise.all(Array.from({ length: 400 }, () => store.insertAccess(newAccess(ended))));
    expect(await store.listAccess({ kind: 'token' })).toHaveLength(60);
    expect((await store.listAccess({ kind: 'session' })).length).toBeLessThan(250);
  });

  test('of the logins of one passkey the latest 500 stay open, whatever their number; all others stay', async () => {
    const store = await open();
    await store.insertPasskey(newPasskey());
    await store.insertPasskey(newPasskey());
    const others = [
      await store.insertAccess(newAccess({ kind: 'token', expiresAt: undefined })),
      await store.insertAccess(newAccess({ passkeyId: 2 })),
    ];
    const logIn = (kind: 'session' | 'token') => store.insertAccess(newAccess({ kind, passkeyId: 1, expiresAt: undefined }));
    const logins = [];
    for (let round = 0; round < 30; round += 1) {
      logins.push(...(await Promise.all(Array.from({ length: 100 }, (_, index) => logIn(index % 2 === 0 ? 'session' : 'token')))));
    }
    const kept = await store.listAccess();
    expect(kept.length).toBeLessThan(1100);
    expect(kept.slice(0, 2)).toStrictEqual(others);
    expect(kept.slice(-500)).toStrictEqual(logins.sort((a, b) => a.id - b.id).slice(-500));
    const [first] = logins;
    expect(await store.findAccess('session', first?.hash ?? new Uint8Array())).toBeUndefined();
  });
});
