import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BATCH } from '../../src/cli/change-in-batches.js';
import { run } from '../../src/cli/main.js';
import { grouped } from '../../src/kernel/wording.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/store.js';
import type { StoredRow } from '../../src/store/transfer-port.js';
import { temporaryFolder } from '../contract/adapters.js';
import { addMany } from '../contract/moved.js';
import { NEVER_USED, newAccess, newOwner, newPasskey, START } from '../contract/samples.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';

/** One more than two batches. */
const MANY = 2 * BATCH + 1;

async function world(fill: (store: Store) => Promise<unknown>) {
  const folder = await temporaryFolder();
  const location = join(folder, 'passkeys.jsonl');
  const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(location, { create: true });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  await inStore(async (store) => {
    await store.insertOwner(newOwner());
    await fill(store);
  });
  const passkey = (...argv: string[]) => runIn(folder, [...argv, '--store', location]);
  const interrupt = async (argv: readonly string[], at: string) => {
    const { io, written } = fakeIo({ cwd: folder, terminal: true });
    io.stderr.on('data', (chunk: Buffer) => {
      if (chunk.toString('utf8').includes(at)) (io.signals as NodeJS.EventEmitter).emit('SIGINT');
    });
    return { code: await run([...argv, '--store', location], io), ...written };
  };
  const revoked = () => inStore((store) => store.listPasskeys({ revoked: 'only' }));
  return { passkey, interrupt, revoked, inStore };
}

const inFirst = (noun: string) => `${noun}s … 500 of ${grouped(MANY)}`;
const inSecond = (noun: string) => `${noun}s … ${grouped(BATCH + 500)} of ${grouped(MANY)}`;

test.each([
  { by: 'filters', selected: ['--type', 'User'] },
  { by: 'a range of ids', selected: [`1-${2 * MANY}`] },
])(
  'a revocation of many by $by is made in batches, goes on after an interruption, and is undone',
  { timeout: 120_000 },
  async ({ selected }) => {
    const { passkey, interrupt, revoked } = await world((store) => addMany(store, MANY));
    const revoke = ['revoke', ...selected, '--yes', '--reason', 'leak'];
    const dry = await passkey(...revoke, '--dry-run', '--json');
    expect(dry.stderr).toContain(`${grouped(MANY)} passkeys would be revoked; nothing was changed.\n`);
    const preview = JSON.parse(dry.stdout);
    expect({ ...preview, passkeys: preview.passkeys.length }).toEqual({ dry_run: true, change: null, passkeys: MANY });

    // In the first batch nothing is done, as in a change that is not made in batches.
    expect(await interrupt([...revoke, '--json'], inFirst('passkey'))).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('passkey: Interrupted; nothing was changed.'),
    });
    expect(await revoked()).toEqual([]);

    const second = await interrupt([...revoke, '--json'], inSecond('passkey'));
    const [, change = ''] = /--resume (\w+)/.exec(second.stderr) ?? [];
    expect(second).toMatchObject({
      code: 130,
      stderr: expect.stringContaining(
        `passkey: Interrupted; ${grouped(BATCH)} of ${grouped(MANY)} passkeys were revoked (change ${change}). ` +
          `Run the same command with --resume ${change} to continue. \`passkey restore --change ${change} --store `,
      ),
    });
    // The document has what was done.
    expect(JSON.parse(second.stdout).passkeys).toHaveLength(BATCH);
    expect(new Set((await revoked()).map(({ revokedChange }) => revokedChange))).toEqual(new Set([change]));

    expect(await passkey('revoke', ...selected, '--yes', '--resume', 'beef')).toMatchObject({
      code: 2,
      stderr: 'passkey: --resume expects the id of an interrupted change; no change with the id "beef" has revoked anything.\n',
    });
    // The rest is one passkey more than a batch.
    const rest = await passkey('revoke', ...selected, '--yes', '--resume', change, '--json');
    expect([rest.code, rest.stderr]).toEqual([0, expect.stringContaining(`Revoked ${grouped(BATCH + 1)} passkeys (change ${change}).`)]);
    const document = JSON.parse(rest.stdout);
    expect({ ...document, passkeys: document.passkeys.length }).toEqual({ dry_run: false, change, passkeys: BATCH + 1 });
    const all = await revoked();
    expect(all).toHaveLength(MANY);
    expect(new Set(all.map(({ revokedChange, revokedReason }) => `${revokedChange} ${revokedReason}`))).toEqual(
      new Set([`${change} leak`]),
    );

    expect((await passkey('revoke', `1-${MANY}`, '--yes')).stderr).toContain(
      `${grouped(MANY)} passkeys had been revoked before; left unchanged.\nNothing to revoke.\n`,
    );
    const restored = await passkey('restore', '--change', change, '--yes');
    expect([restored.code, restored.stdout]).toEqual([0, '']);
    expect(restored.stderr).toContain(`Restored ${grouped(MANY)} passkeys`);
    expect(await revoked()).toEqual([]);
  },
);

const addRows = (store: Store, count: number, toRow: (id: number) => StoredRow) =>
  store.transfer.add([], () => ({ add: Array.from({ length: count }, (_, index) => toRow(index + 1)), result: undefined }));

const addTokens = (store: Store, count: number) =>
  addRows(store, count, (id) => ({
    kind: 'access',
    record: { ...newAccess({ kind: 'token', expiresAt: START + 3_650 * 86_400_000 }), id, lastUsedAt: undefined, revokedAt: undefined },
  }));

describe.each([
  {
    command: ['token', 'revoke', '--type', 'User'],
    noun: 'token',
    done: 'revoked',
    fill: (store: Store) => addTokens(store, MANY),
    left: (store: Store) => store.countAccess({ revoked: false }),
    rest: { tokens: BATCH + 1 },
  },
  {
    command: ['token', 'revoke', `1-${MANY}`],
    noun: 'token',
    done: 'revoked',
    fill: (store: Store) => addTokens(store, MANY),
    left: (store: Store) => store.countAccess({ revoked: false }),
    rest: { tokens: BATCH + 1 },
  },
  {
    command: ['user', 'remove', '--type', 'Guest'],
    noun: 'user',
    done: 'removed',
    async fill(store: Store) {
      await addRows(store, MANY, (id) => ({
        kind: 'owner',
        record: { type: 'Guest', id, email: `guest${id}@example.com`, name: `Guest ${id}`, userHandle: undefined, createdAt: START },
      }));
      const passkey = { ...newPasskey({ owner: { type: 'Guest', id: MANY } }), ...NEVER_USED };
      await addRows(store, 1, (id) => ({ kind: 'passkey', record: { ...passkey, id } }));
    },
    left: (store: Store) => store.countOwners({ type: 'Guest' }),
    rest: { users: BATCH + 1, revoked_passkeys: 1 },
  },
  {
    command: ['purge', '--older-than', '1d'],
    noun: 'record',
    done: 'purged',
    async fill(store: Store) {
      await addMany(store, MANY - 3);
      await addTokens(store, 3);
      const ids = await store.listPasskeyIds();
      await store.revokePasskeys(ids, { at: START - 86_400_000 * 9, reason: 'old' });
      await store.revokeAccesses([1, 2, 3], { at: START - 86_400_000 * 9, kind: 'token' });
    },
    left: async (store: Store) => (await store.countPasskeys({ revoked: true })) + (await store.countAccess()),
    rest: { passkeys: BATCH - 2, tokens: 3, sessions: 0 },
  },
])('$command of many', ({ command, noun, done, fill, left, rest }) => {
  test('is made in batches, and the same command continues it', { timeout: 120_000 }, async () => {
    const { passkey, interrupt, inStore } = await world(fill);
    const argv = [...command, '--yes'];
    expect(await interrupt(argv, inFirst(noun))).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('passkey: Interrupted; nothing was changed.'),
    });
    expect(await inStore(left)).toBe(MANY);
    expect(await interrupt(argv, inSecond(noun))).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `passkey: Interrupted; ${grouped(BATCH)} of ${grouped(MANY)} ${noun}s were ${done} \\(change \\w+\\)\\. Run the same command again to continue\\.`,
        ),
      ),
    });
    expect(await inStore(left)).toBe(BATCH + 1);
    const again = await passkey(...argv, '--json');
    expect(again.code).toBe(0);
    const { dry_run, change, ended_before: _, ...lists } = JSON.parse(again.stdout);
    expect([dry_run, change]).toEqual([false, expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect(Object.fromEntries(Object.entries<unknown[]>(lists).map(([name, list]) => [name, list.length]))).toEqual(rest);
    expect(await inStore(left)).toBe(0);
    // Entries of the audit log are written batch by batch: none is lost.
    expect((await passkey('audit', '--json')).stderr).toBe('');
  });
});
