import { expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.js';
import { countStatistics } from '../../src/cli/passkey/statistics.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { createRelyingParty } from '../../src/relying-party/relying-party.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { newOwner, newPasskey, START } from '../contract/samples.js';
import { seeded } from './seeded-store.js';

const DAY = 86_400_000;

test('passkey stats counts what the filters find', async () => {
  const { passkey, store } = await seeded();
  const read = async (...argv: string[]) => JSON.parse((await passkey('stats', '--json', ...argv)).stdout);
  expect(await read()).toMatchObject({
    store,
    passkeys: { total: 3, live: 3, revoked: 1 },
    users: { total: 3, with_passkeys: 2, without_passkeys: 1 },
    rp_ids: [
      { name: 'example.com', count: 2 },
      { name: 'login.example.com', count: 1 },
    ],
    providers: [{ name: 'iCloud Keychain', count: 3 }],
    algorithms: [{ name: 'unknown', count: 3 }],
    attestation_formats: [{ name: 'packed', count: 3 }],
    backup: { synced: 3, device_bound: 0, backed_up: 1 },
    user_verified: 3,
    never_used: 2,
    unused: { days_30: 0, days_90: 0, days_365: 0 },
    registrations_by_month: [{ month: '2026-01', count: 3 }],
    last_uses_by_month: [{ month: '2026-01', count: 1 }],
    live_tokens: 0,
    live_sessions: 0,
  });
  expect((await read()).store_bytes).toBeGreaterThan(1000);
  expect(await read('--all')).toMatchObject({ passkeys: { total: 4, live: 3, revoked: 1 }, users: { with_passkeys: 3 } });
  expect(await read('--user', 'ada@example.com', '--backed-up')).toMatchObject({ passkeys: { total: 1 }, users: { with_passkeys: 1 } });
  expect((await read('--top', '1')).rp_ids).toStrictEqual([
    { name: 'example.com', count: 2 },
    { name: 'other', count: 1 },
  ]);
  expect(await read('--label', 'nothing')).toMatchObject({ passkeys: { total: 0 }, providers: [], registrations_by_month: [] });
});

test('passkey stats of a removed user counts the passkeys, and not the user', async () => {
  const { passkey } = await seeded();
  await passkey('user', 'remove', 'User:1', '--yes');
  expect(JSON.parse((await passkey('stats', '--all', '--json')).stdout)).toMatchObject({
    passkeys: { total: 4, live: 1, revoked: 3 },
    users: { total: 2, with_passkeys: 2, without_passkeys: 0 },
  });
});

test('passkey stats is readable', async () => {
  const { passkey, store } = await seeded();
  const { stdout, stderr } = await passkey('stats');
  expect(stderr).toBe('');
  await expect(stdout.replace(/^.*$/m, (line) => line.replace(store, 'STORE').replace(/[\d.]+/, 'N'))).toMatchFileSnapshot('stats.txt');
});

test('many passkeys are counted', async () => {
  const store = createMemoryStore();
  const now = () => START + 400 * DAY;
  const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now, newChallenge: () => new Uint8Array(32) });
  const accounts = createAccounts({ store, ownerType: 'User', now, randomBytes: (n) => new Uint8Array(n) });
  for (let owner = 1; owner <= 50; owner += 1) await store.insertOwner(newOwner());
  for (let n = 0; n < 2500; n += 1) {
    await store.insertPasskey(newPasskey({ owner: { type: 'User', id: 1 + (n % 40) }, createdAt: START + n * (DAY / 7) }));
  }
  await store.revokePasskeys([1000, 1001, 2500], { at: START, reason: undefined });
  const counted = await countStatistics({ relyingParty, accounts }, { filter: { revoked: false }, top: 5, now: now() });
  expect(counted.passkeys).toStrictEqual({ total: 2497, live: 2497, revoked: 3 });
  expect(counted.users).toStrictEqual({ total: 50, with_passkeys: 40, without_passkeys: 10 });
  // One was registered each seventh of a day; the three that are revoked do not count.
  expect(counted.unused).toStrictEqual({ days_30: 2497, days_90: 2170 - 2, days_365: 245 });
  expect(counted.registrations_by_month.reduce((sum, { count }) => sum + count, 0)).toBe(2497);
  expect(counted.registrations_by_month.map(({ month }) => month).slice(0, 2)).toStrictEqual(['2026-01', '2026-02']);
});

test('a passkey is unused since its last login, not since its registration', async () => {
  const store = createMemoryStore();
  const now = () => START + 400 * DAY;
  const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now, newChallenge: () => new Uint8Array(32) });
  const accounts = createAccounts({ store, ownerType: 'User', now, randomBytes: (n) => new Uint8Array(n) });
  const lastUsed = [390, 369, 200, undefined].map((day) => (day === undefined ? undefined : START + day * DAY));
  for (const [index, lastUsedAt] of lastUsed.entries()) {
    await store.insertPasskey(newPasskey({ createdAt: START }));
    const use = { expectedSignCount: 0, signCount: 1, backupState: false, uvInitialized: true };
    if (lastUsedAt !== undefined) await store.recordLogin({ passkeyId: index + 1, use: { ...use, lastUsedAt } });
  }
  const counted = await countStatistics({ relyingParty, accounts }, { filter: {}, top: 5, now: now() });
  expect([counted.never_used, counted.unused]).toStrictEqual([1, { days_30: 3, days_90: 2, days_365: 1 }]);
});
