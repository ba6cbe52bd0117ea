import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import type { AuditLog } from '../audit/entry.js';
import { createMemoryStore } from '../memory.js';
import { isPostgresUrl, type OpenStoreOptions, openStore } from '../open-store.js';
import type { Store } from '../store.js';
import { noRows, type RowCounts, type StoredRow } from '../transfer-port.js';

/** A store into which rows are moved. */
export interface Target extends Pick<Store, 'location' | 'transfer' | 'close'> {
  /** Numbers of the rows added so far. */
  readonly added: RowCounts;
  /** Returns the audit log of the store; undefined if the store was not created, or has no log. */
  audit(): AuditLog | undefined;
}

/**
 * Opens the store into which rows will be moved. An absent store acts like an empty one, and is created only with the first rows, so that a
 * refused move or a dry run leaves nothing behind.
 *
 * @throws PasskeyError the same errors as `openStore`. If the store cannot be created, `transfer.add` throws.
 */
export async function openTarget(location: string, options: Omit<OpenStoreOptions, 'create'> = {}): Promise<Target> {
  const empty = createMemoryStore();
  const added = noRows();
  let store = await openStore(location, { ...options, create: false }).catch((error: unknown): Store | undefined => {
    if (error instanceof PasskeyError && error.code === 'store_absent') return undefined;
    throw error;
  });
  return {
    location: store?.location ?? (await locationWithoutPassword(location)),
    added,
    transfer: {
      picture: () => (store ?? empty).transfer.picture(),
      look: (rows, use) => (store ?? empty).transfer.look(rows, use),
      async add(rows, decide) {
        store ??= await openStore(location, { ...options, create: true });
        let adding: readonly StoredRow[] = [];
        const result = await store.transfer.add(rows, (known) => {
          const addition = decide(known);
          adding = addition.add;
          return addition;
        });
        for (const { kind } of adding) added[kind] += 1;
        return result;
      },
    },
    audit: () => store?.audit,
    close: async () => store?.close(),
  };
}

/** Returns the location of an absent store, without a password. */
async function locationWithoutPassword(location: string): Promise<string> {
  return isPostgresUrl(location) ? (await import('../postgres/database.js')).locationWithoutPassword(location) : resolve(location);
}
