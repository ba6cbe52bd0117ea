import { describe, expect, test } from 'vitest';
import type { AuditEntry, AuditReader } from '../../src/store/audit/entry.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/store.js';
import { ACCOUNT_CHANGES, changeAccounts, follow } from '../cli/audited.js';
import { runIn } from '../cli/run-in.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
import { IN_RELEASE } from '../thorough.js';
import { databases, jsonFile, temporaryFolder } from './adapters.js';
import { newAuditEntry } from './samples.js';

const logOf = ({ audit, location }: Store) => {
  if (audit === undefined) throw new Error(`Expected ${location} to have an audit log.`);
  return audit;
};

async function all(reader: AuditReader): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of reader.readOn()) entries.push(entry);
  return entries;
}

const reasons = async (reader: AuditReader) => (await all(reader)).map(({ reason }) => reason);

describe.each(IN_RELEASE ? databases : [jsonFile])('the audit log of $name', ({ open }) => {
  test('gives every entry as it was appended, in order', async () => {
    const log = logOf(await open());
    expect(await all(log.read())).toEqual([]);
    const entries = [
      newAuditEntry({ at: '2026-01-15T10:30:00.123456Z' }),
      newAuditEntry({ action: 'user-remove', passkey_id: null, revoked_passkeys: [3, 1, 2], email: 'ada@example.com' }),
      newAuditEntry({ action: 'authenticate', outcome: 'refused', code: 'challenge_used', via: 'page', address: '::1', label: null }),
      newAuditEntry({
        action: 'token-create',
        token_id: 9,
        actor: 'App\\Models\\User:7',
        user_agent: 'x'.repeat(500),
        reason: '\u001b[31m"\u2028',
      }),
      newAuditEntry({ action: 'import', passkey_id: null, counts: { users: 1, removed_users: 0, passkeys: 100_000, accesses: 2 } }),
    ];
    for (const entry of entries) log.append(entry);
    await log.settled();
    expect(await all(log.read())).toEqual(entries);
  });

  test('is read on from where it was read to', async () => {
    const log = logOf(await open());
    const reader = log.read();
    log.append(newAuditEntry({ reason: '1' }));
    await log.settled();
    expect(await reasons(reader)).toEqual(['1']);
    expect(await reasons(reader)).toEqual([]);
    for (const reason of ['2', '3']) log.append(newAuditEntry({ reason }));
    await log.settled();
    expect(await reasons(reader)).toEqual(['2', '3']);
    expect(await reasons(log.read())).toEqual(['1', '2', '3']);
  });

  test('gives what comes later, of one way only, where that is asked for', async () => {
    const log = logOf(await open());
    const append = async (way: AuditEntry['via'], ...named: string[]) => {
      for (const reason of named) log.append(newAuditEntry({ via: way, reason }));
      await log.settled();
    };
    await append('command', '1');
    const later = log.read({ via: 'command' });
    await later.skip();
    const everything = log.read();
    await everything.skip();
    expect([await reasons(later), await reasons(everything)]).toEqual([[], []]);
    await append('api', '2', '"via":"command"');
    expect(await reasons(later)).toEqual([]);
    await append('command', '3');
    await append('page', '4');
    await append('command', '5', '6');
    expect(await reasons(later)).toEqual(['3', '5', '6']);
    expect(await reasons(later)).toEqual([]);
    expect(await reasons(everything)).toEqual(['2', '"via":"command"', '3', '4', '5', '6']);
    expect(await reasons(log.read({ via: 'page' }))).toEqual(['4']);
  });

  test('holds, when the store is closed, everything that was appended before', async () => {
    const store = await open();
    const log = logOf(store);
    for (let n = 1; n <= 20; n += 1) log.append(newAuditEntry({ reason: String(n) }));
    const reader = log.read();
    await log.settled();
    expect(await reasons(reader)).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 1)));
    await store.close();
  });
});

test('a store in memory has no audit log', () => {
  expect(createMemoryStore().audit).toBeUndefined();
});

// Here, because every file of tests that needs a server starts its own.
describe.skipIf(!HAS_POSTGRES)('passkey audit on a database', () => {
  test('tells of every command once, with who ran it', async () => {
    const env = { PASSKEY_STORE: await (await postgresServer()).newDatabase() };
    const { stdout } = await changeAccounts(await temporaryFolder(), env);
    expect(JSON.parse(stdout)).toMatchObject(ACCOUNT_CHANGES);
  });

  test('follows it', async () => {
    const env = { PASSKEY_STORE: await (await postgresServer()).newDatabase() };
    const cwd = await temporaryFolder();
    const store = await openStore(env.PASSKEY_STORE, { create: true });
    store.audit?.append(newAuditEntry({ reason: 'before' }));
    await store.audit?.settled();
    const following = follow(cwd, ['--json'], env);
    await following.has('before');
    await runIn(cwd, ['user', 'add', '--email', 'eve@example.com', '--name', 'Eve'], env);
    await following.has('eve@example.com');
    expect(await following.stop('SIGINT')).toBe(0);
    await store.close();
  });
});
