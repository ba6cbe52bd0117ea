import { readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type JsonFileStoreOptions, openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newOwner, newPasskey, START } from '../contract/samples.js';

async function open(path: string, options: JsonFileStoreOptions) {
  const store = await openJsonFileStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

/** A store whose file may have 40,000 bytes, with as many passkeys as there is room for. */
async function fullStore() {
  const path = join(await temporaryFolder(), 'passkeys.jsonl');
  const warnings: string[] = [];
  const options = { create: true, maxBytes: 40_000, onWarning: (message: string) => warnings.push(message) };
  const store = await open(path, options);
  let count = 0;
  for (; ; count += 1) {
    try {
      await store.insertPasskey(newPasskey());
    } catch (error) {
      return { path, options, store, count, warnings, error };
    }
  }
}

describe('a store that comes near the largest size of its file', () => {
  test('takes no passkey and no user more, with store_unavailable, and keeps what it has', async () => {
    const { path, store, count, error } = await fullStore();
    expect(error).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(
        /^The store .*passkeys\.jsonl is full: this change would make it 4\d{4} bytes, and this process has memory for a store of 40000 bytes at most\. Nothing was changed\. Give Node\.js more memory/,
      ),
    });
    expect(count).toBeGreaterThan(20);
    for (;;) {
      const failed = await store.insertOwner(newOwner()).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (failed === undefined) continue;
      expect(failed).toMatchObject({ code: 'store_unavailable' });
      break;
    }
    expect(await store.listPasskeys()).toHaveLength(count);
    expect(await (await open(path, {})).listPasskeys()).toHaveLength(count);
    await store.close();
    const { size } = await stat(path);
    expect(size).toBeLessThanOrEqual(40_000);
    expect(size).toBeGreaterThan(38_000);
  });

  test('still revokes, ends sessions and removes users', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    const owner = await store.insertOwner(newOwner());
    for (let index = 0; index < 20; index += 1) await store.insertPasskey(newPasskey());
    const access = await store.insertAccess(newAccess());
    await store.close();
    const full = await open(path, { maxBytes: (await stat(path)).size });
    await expect(full.insertPasskey(newPasskey())).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await full.revokePasskeys([1], { at: START, reason: 'lost' })).toMatchObject({ status: 'done' });
    expect(await full.revokeAccess(access.id, START)).toMatchObject({ revokedAt: START });
    expect(await full.removeOwner(owner, { at: START, reason: 'left' })).toBeDefined();
    expect(await (await open(path, {})).listPasskeys()).toEqual([]);
  });

  test('still revokes when logins have taken all the room that there is for them', async () => {
    const { store } = await fullStore();
    const openSessions = async (): Promise<unknown> => {
      for (let index = 0; ; index += 1) {
        try {
          await store.insertAccess({ ...newAccess(), passkeyId: 2 });
        } catch (error) {
          return error;
        }
        if (index > 200) return undefined;
      }
    };
    expect(await openSessions()).toMatchObject({ code: 'store_unavailable' });
    // Smaller changes may still have found room.
    for (let id = 1; id <= 20; id += 1) await store.renamePasskey(id, 'x'.repeat(255)).catch(() => {});
    expect(await store.revokePasskeys([1, 2], { at: START, reason: 'lost' })).toMatchObject({ status: 'done' });
  });

  test('fails the changes that there is no room for, not those that wait with them', async () => {
    const { store, count } = await fullStore();
    const [refused, revoked, alsoRefused, renamed] = await Promise.allSettled([
      store.insertPasskey(newPasskey()),
      store.revokePasskeys([1], { at: START, reason: 'lost' }),
      store.insertPasskey(newPasskey()),
      store.renamePasskey(2, 'Phone'),
    ]);
    expect([refused.status, revoked.status, alsoRefused.status, renamed.status]).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect((await store.listPasskeys({ revoked: true })).slice(0, 2)).toMatchObject([{ revokedAt: START }, { label: 'Phone' }]);
    expect(await store.listPasskeys()).toHaveLength(count - 1);
  });

  test('says so from 80 % on, and again every 5 %', async () => {
    const { path, warnings, options, store } = await fullStore();
    // A passkey takes less than 5 %.
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toMatch(
      /^the store .*passkeys\.jsonl is 8\d % full: it has 3\d{4} bytes of 40000 bytes; once it is full, nothing can be registered\. Give Node\.js more memory/,
    );
    await store.check();
    expect(warnings).toHaveLength(4);
    warnings.length = 0;
    await open(path, { ...options, create: false });
    expect(warnings).toHaveLength(1);
  });

  test('counts bytes, not characters', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true, maxBytes: 10_000 });
    await expect(store.insertOwner({ ...newOwner(), name: '名'.repeat(3_400) })).rejects.toMatchObject({ code: 'store_unavailable' });
    await store.insertOwner({ ...newOwner(), name: 'n'.repeat(3_400) });
    await store.close();
    const { size } = await stat(path);
    expect(await readFile(path, 'utf8')).toHaveLength(size);
  });
});

describe('a file that is too large', () => {
  test('is store_unavailable: its rows need more memory than it was opened with', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    for (let count = 0; count < 10; count += 1) await store.insertPasskey(newPasskey());
    await store.close();
    const { size } = await stat(path);
    expect(await (await open(path, { maxBytes: size })).listPasskeys()).toHaveLength(10);
    await expect(openJsonFileStore(path, { maxBytes: Math.floor(size / 1.1) })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(
        /^The store .*passkeys\.jsonl has [\d.]+ (?:MB|bytes); this process has memory for a store of [\d.]+ (?:MB|bytes) at most\. Nothing was read or changed\./,
      ),
    });
  });

  test('counts its present rows, not superseded lines', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true, maxBytes: 10_000 });
    await store.insertPasskey(newPasskey());
    for (let round = 0; round < 50; round += 1) await store.renamePasskey(1, `Phone ${round}`);
    expect((await stat(path)).size).toBeGreaterThan(20_000);
    expect(await (await open(path, { maxBytes: 10_000 })).listPasskeys()).toMatchObject([{ label: 'Phone 49' }]);
    await store.insertPasskey(newPasskey());
  });

  test('is damaged where a line has no end, before all of it is read', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    await (await open(path, { create: true })).close();
    // Sparse: it takes no room on the disk.
    await truncate(path, 5 * 2 ** 30);
    await expect(openJsonFileStore(path)).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(':2 is damaged: the line has more than 16777216 bytes'),
    });
  });
});
