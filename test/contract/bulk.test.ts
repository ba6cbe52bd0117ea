import { describe, expect, test } from 'vitest';
import type { BulkOptions } from '../../src/kernel/bulk-change.js';
import type { Store } from '../../src/store/store.js';
import { adapters, sharedJsonFile } from './adapters.js';
import { newAccess, newOwner, newPasskey, START } from './samples.js';

const LATER = START + 10_000;
const ref = (id: number) => ({ type: 'User', id });

/** Two owners: passkeys 1 and 2 of the first, 3 of the second, 3 being revoked; a token of each, and sessions opened with 1 and 3. */
async function filled(open: () => Promise<Store>): Promise<Store> {
  const store = await open();
  for (const owner of [ref(1), ref(2)]) await store.insertOwner(newOwner(owner));
  for (const owner of [ref(1), ref(1), ref(2)]) await store.insertPasskey(newPasskey({ owner }));
  await store.insertAccess(newAccess({ kind: 'token', owner: ref(1), expiresAt: undefined }));
  await store.insertAccess(newAccess({ kind: 'token', owner: ref(2), expiresAt: undefined }));
  await store.insertAccess(newAccess({ owner: ref(1), passkeyId: 1 }));
  await store.insertAccess(newAccess({ owner: ref(2), passkeyId: 3 }));
  await store.revokePasskeys([3], { at: START, reason: 'lost' });
  return store;
}

/** What can be asked of a store. */
async function contentsOf(store: Store) {
  return { passkeys: await store.listPasskeys({ revoked: true }), owners: await store.listOwners(), accesses: await store.listAccess() };
}

/** Each change of many, of things that exist and of one that does not. */
const CHANGES: readonly (readonly [
  string,
  (store: Store, options: BulkOptions) => Promise<unknown>,
  (store: Store) => Promise<unknown>,
])[] = [
  [
    'revokePasskeys',
    (store, options) => store.revokePasskeys([1, 2], { at: LATER, reason: 'x', ...options }),
    (store) => store.revokePasskeys([1, 9, 2], { at: LATER, reason: 'x' }),
  ],
  ['restorePasskeys', (store, options) => store.restorePasskeys([3, 1], options), (store) => store.restorePasskeys([3, 9])],
  [
    'removeOwners',
    (store, options) => store.removeOwners([ref(1), ref(2)], { at: LATER, reason: 'left', ...options }),
    (store) => store.removeOwners([ref(1), ref(9), ref(2)], { at: LATER, reason: 'left' }),
  ],
  [
    'revokeAccesses',
    (store, options) => store.revokeAccesses([1, 2], { at: LATER, kind: 'token', ...options }),
    (store) => store.revokeAccesses([1, 3], { at: LATER, kind: 'token' }),
  ],
  [
    'purge',
    (store, options) => store.purge({ passkeys: [3], accesses: [4] }, { endedBefore: LATER, ...options }),
    (store) => store.purge({ passkeys: [3, 1], accesses: [4] }, { endedBefore: LATER }),
  ],
];

describe.each(adapters(sharedJsonFile))('changes of many: $name', ({ open }) => {
  test.each(CHANGES)('%s changes all, or nothing', async (_, change, ofTooMany) => {
    const store = await filled(open);
    const before = await contentsOf(store);
    expect(await ofTooMany(store)).not.toMatchObject({ status: 'done' });
    expect(await contentsOf(store)).toStrictEqual(before);
    expect(await change(store, {})).toMatchObject({ status: 'done' });
    expect(await contentsOf(store)).not.toStrictEqual(before);
  });

  test.each(CHANGES)('%s changes nothing once its signal is aborted, before it or while it goes on', async (_, change) => {
    const store = await filled(open);
    const before = await contentsOf(store);
    const reason = new Error('enough');
    await expect(change(store, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    await expect(change(store, { signal: controller.signal, onProgress: () => controller.abort(reason) })).rejects.toBe(reason);
    expect(await contentsOf(store)).toStrictEqual(before);
  });

  test('tells how many are done, up to all', async () => {
    const store = await open();
    for (let n = 0; n < 3; n += 1) await store.insertPasskey(newPasskey());
    const told: number[] = [];
    await store.revokePasskeys([1, 2, 3], { at: LATER, reason: undefined, onProgress: (done) => told.push(done) });
    expect(told).toStrictEqual([3]);
  });

  test('removes owners with what they have', async () => {
    const store = await filled(open);
    await store.insertOwner(newOwner(ref(3)));
    const owners = await store.listOwners();
    const done = await store.removeOwners([ref(2), ref(1)], { at: LATER, reason: 'left' });
    expect(done).toStrictEqual({
      status: 'done',
      removed: [
        { owner: owners[1], revokedPasskeys: [] },
        { owner: owners[0], revokedPasskeys: [1, 2] },
      ],
    });
    expect(await store.listOwners()).toStrictEqual([owners[2]]);
    expect((await store.listPasskeys({ revoked: true })).map(({ revokedAt, revokedReason }) => [revokedAt, revokedReason])).toStrictEqual([
      [LATER, 'left'],
      [LATER, 'left'],
      [START, 'lost'],
    ]);
    expect((await store.listAccess()).map(({ revokedAt }) => revokedAt)).toStrictEqual([LATER, LATER, LATER, START]);
    await expect(store.insertOwner(newOwner(ref(2)))).rejects.toMatchObject({ code: 'owner_already_exists' });
    await expect(store.restorePasskeys([1])).rejects.toMatchObject({ code: 'passkey_not_restorable' });
    expect(await store.removeOwners([ref(1)], { at: LATER, reason: 'left' })).toStrictEqual({ status: 'missing', owners: [ref(1)] });
  });

  test('keeps the id of the change with what it revokes, until that is restored', async () => {
    const store = await filled(open);
    await store.revokePasskeys([1, 3], { at: LATER, reason: 'lost', change: 'first' });
    await store.removeOwners([ref(1)], { at: LATER, reason: 'left', change: 'second' });
    const changes = async () => (await store.listPasskeys({ revoked: true })).map(({ revokedChange }) => revokedChange);
    expect(await changes()).toStrictEqual(['first', 'second', undefined]);
    await store.restorePasskeys([3]);
    await store.revokePasskeys([3], { at: LATER, reason: 'lost', change: 'third' });
    expect(await changes()).toStrictEqual(['first', 'second', 'third']);
    await store.restorePasskeys([3]);
    expect(await changes()).toStrictEqual(['first', 'second', undefined]);
  });

  test('restores all of them or, where users were removed, none; or the others', async () => {
    const store = await open();
    const owners = [await store.insertOwner(newOwner()), await store.insertOwner(newOwner())];
    for (const n of Array.from({ length: 13 }, (_, index) => index)) {
      await store.insertPasskey(newPasskey({ owner: ref(owners[n === 5 ? 0 : 1]?.id ?? 0) }));
    }
    const ids = Array.from({ length: 13 }, (_, index) => index + 1);
    await store.revokePasskeys(ids.slice(1), { at: START, reason: 'lost' });
    await store.removeOwner(ref(2), { at: LATER, reason: 'left' });
    await expect(store.restorePasskeys(ids)).rejects.toMatchObject({
      code: 'passkey_not_restorable',
      message:
        '12 passkeys stay revoked, because their users have been removed: 1 of User:2, 2 of User:2, 3 of User:2, 4 of User:2, 5 of User:2, ' +
        '7 of User:2, 8 of User:2, 9 of User:2, 10 of User:2, 11 of User:2 and 2 more. Nothing was changed. ' +
        'Run the same command with --skip-removed to restore the others.',
    });
    expect(await store.countPasskeys({ revoked: 'only' })).toBe(13);
    expect(await store.restorePasskeys(ids, { skipRemovedOwners: true })).toMatchObject({
      status: 'done',
      changed: new Map([[6, 'lost']]),
    });
    expect((await store.listPasskeys()).map(({ id }) => id)).toStrictEqual([6]);
    await expect(store.restorePasskeys([1])).rejects.toMatchObject({
      message: 'Passkey 1 stays revoked: its user User:2 has been removed. Nothing was changed.',
    });
  });

  test('revokes tokens of one kind, and leaves those that were revoked before', async () => {
    const store = await filled(open);
    await store.revokeAccess(2, START + 1);
    const { status, ...done } = await store.revokeAccesses([2, 1], { at: LATER, kind: 'token' });
    expect(done).toMatchObject({
      accesses: [
        { id: 2, revokedAt: START + 1 },
        { id: 1, revokedAt: LATER },
      ],
      changed: new Set([1]),
    });
    expect(status).toBe('done');
    expect(await store.revokeAccesses([1, 3, 7], { at: LATER, kind: 'token' })).toStrictEqual({ status: 'missing', ids: [3, 7] });
  });

  test('purges what has ended: ids are not used again, and the credential ID may be', async () => {
    const store = await filled(open);
    const [, , third] = await store.listPasskeys({ revoked: true });
    if (third === undefined) throw new Error('Expected three passkeys.');
    await store.revokeAccess(2, START + 1);
    expect(await store.purge({ passkeys: [3], accesses: [4, 2, 77] }, { endedBefore: LATER })).toStrictEqual({
      status: 'done',
      passkeys: [third],
      accesses: expect.arrayContaining([2, 4]),
    });
    expect(await store.findPasskey(3)).toBeUndefined();
    expect(await store.findPasskeyByCredentialId(third.credential.id)).toBeUndefined();
    expect(await store.countPasskeys({ owner: ref(2), revoked: true })).toBe(0);
    expect((await store.listAccess()).map(({ id }) => id)).toStrictEqual([1, 3]);
    expect(await store.restorePasskeys([3])).toStrictEqual({ status: 'missing', ids: [3] });
    const again = await store.insertPasskey(newPasskey({ owner: ref(2), credential: third.credential }));
    expect(again.id).toBe(4);
    expect(await store.listPasskeys({ owner: ref(2) })).toStrictEqual([again]);
    expect((await store.insertAccess(newAccess())).id).toBe(5);
  });

  test('purges nothing that is live, or ended too late', async () => {
    const store = await filled(open);
    await store.insertAccess(newAccess({ expiresAt: START + 5 }));
    const purge = (passkeys: number[], accesses: number[], endedBefore: number) => store.purge({ passkeys, accesses }, { endedBefore });
    expect(await purge([1, 3, 9], [], LATER)).toStrictEqual({ status: 'kept', passkeys: [1, 9], accesses: [] });
    expect(await purge([3], [], START)).toStrictEqual({ status: 'kept', passkeys: [3], accesses: [] });
    expect(await purge([3], [1, 3, 4, 5], START + 6)).toStrictEqual({ status: 'kept', passkeys: [], accesses: [1, 3] });
    expect(await purge([], [5], START + 5)).toStrictEqual({ status: 'kept', passkeys: [], accesses: [5] });
    expect(await purge([], [5], START + 6)).toStrictEqual({ status: 'done', passkeys: [], accesses: [5] });
  });
});
