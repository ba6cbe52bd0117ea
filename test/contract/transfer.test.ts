import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/store/memory.js';
import { importLines } from '../../src/store/transfer/import-lines.js';
import { Merge } from '../../src/store/transfer/merge.js';
import type { StoredRow } from '../../src/store/transfer-port.js';
import { adapters } from './adapters.js';
import { addMany, allOf, fill, importInto, linesOf } from './moved.js';
import { newAccess, newOwner, newPasskey, START } from './samples.js';

describe.each(adapters())('StoreTransfer: $name', ({ open }) => {
  test('what is exported and imported is the same, next ids included', async () => {
    const [store, copy, back] = [await open(), createMemoryStore(), await open()];
    await fill(store);
    const all = await allOf(store);
    expect(all.counts).toEqual({ owner: 2, removed_owner: 1, passkey: 3, access: 2 });
    expect(await importInto(copy, await linesOf(store))).toMatchObject({ status: 'done', added: all.counts, withoutOwner: 0 });
    expect(await allOf(copy)).toStrictEqual(all);
    expect(await importInto(back, await linesOf(copy))).toMatchObject({ status: 'done', added: all.counts });
    expect(await allOf(back)).toStrictEqual(all);
    expect(await linesOf(back)).toEqual(await linesOf(store));
  });

  test('ids go on where they ended, and those of the removed are not used again', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await fill(source);
    await importInto(store, await linesOf(source));
    const ada = { type: 'User', id: 1 };
    expect((await store.insertPasskey(newPasskey({ owner: ada }))).id).toBe(4);
    expect((await store.insertAccess(newAccess({ owner: ada }))).id).toBe(3);
    expect((await store.insertOwner(newOwner())).id).toBe(3);
    expect((await store.insertOwner(newOwner({ type: 'Admin' }))).id).toBe(8);
    await expect(store.insertOwner(newOwner({ type: 'Admin', id: 7 }))).rejects.toMatchObject({ code: 'owner_already_exists' });
    await expect(store.insertPasskey(newPasskey({ owner: { type: 'Admin', id: 7 } }))).rejects.toMatchObject({ code: 'owner_not_found' });
    await expect(store.insertOwner(newOwner({ email: 'ADA@example.com' }))).rejects.toMatchObject({ code: 'owner_already_exists' });
  });

  test('next ids come along where all rows are gone', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await source.transfer.add([], () => ({ add: [], next: { passkey: 41, access: 51 }, result: undefined }));
    await importInto(store, await linesOf(source));
    expect((await store.insertPasskey(newPasskey())).id).toBe(41);
    expect((await store.insertAccess(newAccess())).id).toBe(51);
  });

  test('a picture holds nothing that came after it', async () => {
    const store = await open();
    await fill(store);
    const before = await allOf(store);
    const picture = await store.transfer.picture();
    try {
      await store.insertPasskey(newPasskey());
      await store.renamePasskey(1, 'other');
      await store.removeOwner({ type: 'User', id: 1 }, { at: START + 20, reason: 'gone' });
      await store.insertOwner(newOwner());
      await store.insertAccess(newAccess({ owner: { type: 'User', id: 2 } }));
      for (const _ of [1, 2]) {
        const rows = [];
        for await (const batch of picture.rows()) rows.push(...batch);
        expect({ ...before, rows }).toStrictEqual(before);
      }
      expect(picture.counts).toEqual(before.counts);
    } finally {
      await picture.close();
    }
    expect((await allOf(store)).rows).not.toEqual(before.rows);
  });

  test('an import that was cut off goes on when it is run again', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await fill(source);
    await addMany(source, 560);
    const lines = await linesOf(source);
    let reads = 0;
    const cutOff = importLines(store, async function* () {
      reads += 1;
      for (const [index, line] of lines.entries()) {
        if (reads === 2 && index === 540) throw new Error('The cable was pulled.');
        yield line;
      }
    });
    await expect(cutOff).rejects.toThrow('The cable was pulled.');
    expect((await allOf(store)).counts).toEqual({ owner: 2, removed_owner: 1, passkey: 497, access: 0 });
    // A server may have begun to use it: its rows get ids after all that are still to come.
    expect((await store.insertPasskey(newPasskey())).id).toBe(564);
    expect(await importInto(store, lines)).toMatchObject({
      status: 'done',
      added: { owner: 0, removed_owner: 0, passkey: 66, access: 2 },
      kept: { owner: 2, removed_owner: 1, passkey: 497, access: 0 },
    });
    const ids = (await store.listPasskeys({ revoked: true })).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 564 }, (_, index) => index + 1));
    const mine = (await store.listPasskeys({ owner: { type: 'User', id: 1 } })).map(({ id }) => id);
    expect(mine).toEqual([...mine].sort((a, b) => a - b));
    expect(await importInto(store, lines)).toMatchObject({ added: { owner: 0, removed_owner: 0, passkey: 0, access: 0 } });
  });

  test('rows that do not fit are all named, and nothing is changed', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await fill(source);
    const lines = await linesOf(source);
    await store.insertOwner(newOwner({ email: 'BOB@example.com' }));
    const [known] = await source.listPasskeys({ revoked: 'only' });
    await store.insertPasskey(newPasskey({ owner: { type: 'User', id: 1 }, credential: known?.credential ?? newPasskey().credential }));
    await store.insertOwner(newOwner({ type: 'Admin', id: 7 }));
    const before = await allOf(store);
    const report = await importInto(store, lines);
    expect(report).toEqual({
      status: 'conflicts',
      conflicts: [
        expect.stringMatching(/^user User:1 differs: .*email/),
        'the e-mail of user User:2 is that of user User:1 in the store',
        'user Admin:7, who was removed, is a user of the store',
        expect.stringMatching(/^passkey 1 differs: .*credential_id/),
        'the credential ID of passkey 2 is that of passkey 1 in the store',
      ],
      found: 5,
      added: { owner: 0, removed_owner: 0, passkey: 0, access: 0 },
    });
    expect(await allOf(store)).toStrictEqual(before);
  });

  test('ids that were given before are not given to rows of another origin', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    const owner = await source.insertOwner(newOwner());
    await source.insertPasskey(newPasskey({ owner }));
    await store.transfer.add([], () => ({ add: [], next: { passkey: 9, access: 1 }, result: undefined }));
    expect(await importInto(store, await linesOf(source))).toMatchObject({
      status: 'conflicts',
      conflicts: ['the id of passkey 1 was that of one which the store has no more'],
    });
    expect((await allOf(store)).rows).toEqual([]);
  });

  test('a merge gives new ids to what is new, and leaves alone what is there', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await fill(source);
    await source.insertPasskey(newPasskey({ owner: { type: 'User', id: 1 } }));
    const lines = await linesOf(source);
    // Another first user, and Ada as the second one with the last of her passkeys.
    await store.insertOwner(newOwner({ email: 'zoe@example.com', userHandle: new Uint8Array([1, 2]) }));
    const ada = await store.insertOwner(newOwner({ email: 'Ada@example.com', name: 'Ada L.' }));
    const last = await source.findPasskey(4);
    await store.insertPasskey(newPasskey({ ...last, owner: ada, label: 'renamed here' }));
    await store.insertAccess(newAccess({ owner: ada }));
    const report = await importInto(store, lines, { merge: true });
    expect(report).toEqual({
      status: 'done',
      added: { owner: 1, removed_owner: 1, passkey: 3, access: 2 },
      kept: { owner: 1, removed_owner: 0, passkey: 1, access: 0 },
      withoutOwner: 0,
      newIds: [
        { kind: 'owner', from: { type: 'User', id: 1 }, to: { type: 'User', id: 2 } },
        { kind: 'owner', from: { type: 'User', id: 2 }, to: { type: 'User', id: 3 } },
        { kind: 'passkey', from: 1, to: 2 },
        { kind: 'passkey', from: 2, to: 3 },
        { kind: 'passkey', from: 3, to: 4 },
        { kind: 'passkey', from: 4, to: 1 },
      ],
    });
    const passkeys = await store.listPasskeys({ revoked: true });
    expect(passkeys.map(({ id, owner, label }) => [id, `${owner.type}:${owner.id}`, label])).toEqual([
      [1, 'User:2', 'renamed here'],
      [2, 'User:2', 'iCloud Keychain'],
      [3, 'User:3', 'iCloud Keychain'],
      [4, 'Admin:7', 'iCloud Keychain'],
    ]);
    expect(await store.findOwner(ada)).toMatchObject({ name: 'Ada L.' });
    // A session that a passkey opened ends with it, whatever its new id is.
    await store.revokePasskeys([2], { at: START + 30, reason: undefined });
    const accesses = await store.listAccess();
    expect(accesses.map(({ id, passkeyId, revokedAt }) => [id, passkeyId, revokedAt])).toEqual([
      [1, undefined, undefined],
      [2, 2, START + 30],
      [3, undefined, START + 10],
    ]);
    const before = await allOf(store);
    expect(await importInto(store, lines, { merge: true })).toMatchObject({
      added: { owner: 0, removed_owner: 0, passkey: 0, access: 0 },
      kept: { owner: 2, removed_owner: 0, passkey: 4, access: 2 },
    });
    expect(await allOf(store)).toStrictEqual(before);
  });

  test('a user handle that another user has is a conflict', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await source.insertOwner(newOwner({ id: 5, userHandle: new Uint8Array([1]) }));
    await store.insertOwner(newOwner({ userHandle: new Uint8Array([1]) }));
    const before = await allOf(store);
    expect(await importInto(store, await linesOf(source))).toMatchObject({
      status: 'conflicts',
      conflicts: ['the user handle of user User:5 is that of user User:1 in the store'],
    });
    expect(await allOf(store)).toStrictEqual(before);
  });

  test('of two users with the same user handle, a merge leaves it to the first', async () => {
    const [merge, store] = [new Merge(), await open()];
    const rows = [1, 2, 3].map(
      (id): StoredRow => ({
        kind: 'owner',
        record: { ...newOwner({ userHandle: new Uint8Array([7]) }), id, userHandle: new Uint8Array([7]) },
      }),
    );
    const described = { hasOwner: () => true, wasRemoved: () => false };
    const handles = [];
    for (const batch of [rows.slice(0, 2), rows.slice(2)]) {
      const { add } = await store.transfer.look(batch, (known) => merge.decide(batch, known, described));
      merge.accept();
      handles.push(...add.map(({ record }) => 'userHandle' in record && record.userHandle));
    }
    expect(handles).toEqual([new Uint8Array([7]), undefined, undefined]);
  });

  test('a merged user gets a user handle of its own where another has the same', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await source.insertOwner(newOwner({ userHandle: new Uint8Array([1]) }));
    await source.insertOwner(newOwner({ userHandle: new Uint8Array([2]) }));
    await store.insertOwner(newOwner({ userHandle: new Uint8Array([1]) }));
    await importInto(store, await linesOf(source), { merge: true });
    expect((await store.listOwners()).map(({ id, userHandle }) => [id, userHandle])).toEqual([
      [1, new Uint8Array([1])],
      [2, undefined],
      [3, new Uint8Array([2])],
    ]);
  });

  test('a merge refuses a credential ID that another user has', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    const owner = await source.insertOwner(newOwner());
    const passkey = await source.insertPasskey(newPasskey({ owner }));
    await store.insertPasskey(newPasskey({ ...passkey, owner: await store.insertOwner(newOwner()) }));
    const before = await allOf(store);
    const report = await importInto(store, await linesOf(source), { merge: true });
    expect(report).toMatchObject({
      status: 'conflicts',
      conflicts: ["the credential ID of passkey 1 is that of passkey 1 in the store, which is another user's or has another key"],
    });
    expect(await allOf(store)).toStrictEqual(before);
  });

  test('a dry run says the same and changes nothing', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await fill(source);
    await store.insertOwner(newOwner({ email: 'zoe@example.com' }));
    const before = await allOf(store);
    const dry = await importInto(store, await linesOf(source), { merge: true, dryRun: true });
    expect(await allOf(store)).toStrictEqual(before);
    expect(await importInto(store, await linesOf(source), { merge: true })).toEqual(dry);
  });

  test('a change that throws adds nothing', async () => {
    const [source, store] = [createMemoryStore(), await open()];
    await fill(source);
    const { rows } = await allOf(source);
    const add = store.transfer.add(rows, () => {
      throw new Error('No.');
    });
    await expect(add).rejects.toThrow('No.');
    expect((await allOf(store)).counts).toEqual({ owner: 0, removed_owner: 0, passkey: 0, access: 0 });
  });
});
