import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { newAccess } from '../contract/samples.js';
import { seeded } from './seeded-store.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 15, 10, 30);

/** Passkeys 1 and 2 revoked 100 and 10 days ago, token 1 ended 100 days ago; token 2, sessions 3 (open) and 4 (expired 100 days ago). */
async function withOld() {
  const made = await seeded();
  const store = await openStore(made.store, { create: false });
  await store.revokePasskeys([1], { at: NOW - 100 * DAY, reason: 'lost' });
  await store.revokePasskeys([2], { at: NOW - 10 * DAY, reason: 'lost' });
  const createdAt = NOW - 200 * DAY;
  await store.insertAccess(newAccess({ kind: 'token', createdAt, expiresAt: NOW - 100 * DAY }));
  await store.insertAccess(newAccess({ kind: 'token', createdAt, expiresAt: undefined }));
  await store.insertAccess(newAccess({ createdAt, expiresAt: NOW + DAY }));
  await store.insertAccess(newAccess({ createdAt, expiresAt: NOW - 100 * DAY }));
  await store.close();
  return made;
}

describe('passkey purge', () => {
  test('deletes what ended longer ago than that, and nothing else', async () => {
    const { passkey, store } = await withOld();
    const argv = ['purge', '--older-than', '90d', '--json'];
    const document = { ended_before: '2025-10-17T10:30:00.000000Z', passkeys: [{ id: 1, label: 'Phone' }], tokens: [1], sessions: [4] };
    const dry = await passkey(...argv, '--dry-run');
    expect(dry.stderr).toBe('1 passkey, 1 token and 1 session would be purged; nothing was changed.\n');
    expect(JSON.parse(dry.stdout)).toMatchObject({ dry_run: true, ...document });
    expect(await passkey(...argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('add --yes') });
    const done = await passkey(...argv, '--yes');
    expect(done.stderr).toMatch(
      /^Purged 1 passkey, 1 token and 1 session \(change \w+\)\. The credential IDs can be registered again\.\n$/,
    );
    expect(JSON.parse(done.stdout)).toMatchObject({ dry_run: false, ...document });

    const checked = JSON.parse((await passkey('store', 'check', '--json')).stdout);
    expect(checked).toMatchObject({ passkeys: 3, revoked: 2, accesses: 2 });
    const left = await openStore(store, { create: false });
    expect((await left.listPasskeys({ revoked: true })).map(({ id }) => id)).toStrictEqual([2, 3, 4]);
    expect((await left.listAccess()).map(({ id }) => id)).toStrictEqual([2, 3]);
    await left.close();
    expect((await passkey(...argv, '--yes')).stderr).toMatch(
      /^Nothing to purge: nothing was revoked or ended before 2025-10-17 10:30 UTC\.$/m,
    );
  });

  test('takes filters', async () => {
    const { passkey } = await withOld();
    const { stdout } = await passkey('purge', '--older-than', '1d', '--rp-id', 'login.example.com', '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ passkeys: [{ id: 2 }], tokens: [], sessions: [] });
    expect(JSON.parse((await passkey('list', '--all', '--json')).stdout)).toHaveLength(3);
  });

  test.each([
    ['ada@example.com', [1, 2]],
    ['User:2', []],
  ])('--user %s purges what is theirs', async (user, ids) => {
    const { passkey } = await withOld();
    const { stdout } = await passkey('purge', '--older-than', '1d', '--user', user, '--dry-run', '--json');
    expect(JSON.parse(stdout).passkeys.map(({ id }: { id: number }) => id)).toEqual(ids);
  });
});
