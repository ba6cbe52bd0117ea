import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import type { Store } from '../../src/store/store.js';
import { HAS_PGBOUNCER, newPooledDatabase } from '../store/pgbouncer.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
import { IN_RELEASE } from '../thorough.js';

export interface StoreOptions {
  readonly ceremonyLimit?: number;
}

export interface Adapter {
  readonly name: string;
  /** An empty store that is gone when the test is. */
  open(options?: StoreOptions): Promise<Store>;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openTemporary(path: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openJsonFileStore(path, { create: true, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A database of its own on the PostgreSQL server of the tests. */
const onPostgres = (name: string, newDatabase: () => Promise<string>): Adapter => ({
  name,
  async open(options) {
    const store = await openPostgresStore(await newDatabase(), { create: true, ...options });
    onTestFinished(() => store.close());
    return store;
  },
});

/** None where there is no PostgreSQL for this platform. */
export const databases: readonly Adapter[] = [
  ...(HAS_POSTGRES ? [onPostgres('postgres', async () => (await postgresServer()).newDatabase())] : []),
  ...(HAS_PGBOUNCER ? [onPostgres('postgres behind PgBouncer', newPooledDatabase)] : []),
];

export const memory: Adapter = { name: 'memory', open: async (options) => createMemoryStore(options) };

export const jsonFile: Adapter = {
  name: 'json-file',
  open: async (options) => openTemporary(join(await temporaryFolder(), 'passkeys.jsonl'), options),
};

/**
 * The adapters that a contract is held to in this suite, and some more of `npm test`: that runs it on those that need no server,
 * `npm run test:release` on {@link databases}.
 */
export function adapters(...besides: Adapter[]): readonly Adapter[] {
  return IN_RELEASE ? databases : [memory, jsonFile, ...besides];
}

/** Two stores on one file, used by turns, as by two processes: what one does the other must see. Ceremonies are each one's own. */
export const sharedJsonFile: Adapter = {
  name: 'json-file used by two',
  async open(options) {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const stores = [await openTemporary(path, options), await openTemporary(path, options)];
    let turn = 0;
    return new Proxy(stores[0] as Store, {
      get(_, member) {
        turn += 1;
        return Reflect.get(stores[turn % 2] as Store, member);
      },
    });
  },
};
