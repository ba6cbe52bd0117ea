import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import type { AuditLog } from '../audit/entry.js';
import { createMemoryStore } from '../memory.js';
import { isPostgresUrl, type OpenStoreOptions, openStore } from '../open-store.js';
import type { Store } from '../store.js';
import { noRows, type RowCounts, type StoredRow } from '../transfer-port.js';

/** A store that rows are moved into. */
export interface Target extends Pick<Store, 'location' | 'transfer' | 'close'> {
  /** Rows added so far. */
  readonly added: RowCounts;
  /** Undefined if the store was not created, or has no log. */
  audit(): AuditLog | undefined;
}

/**
 * Opens the store that rows will be moved into. An absent store acts as an empty one, and is created with the first rows: a refused move,
 * or a mere look, leaves nothing behind.
 *
 * @throws PasskeyError as `openStore`; `transfer.add` throws if the store cannot be created.
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

/** The location of an absent store. */
async function locationWithoutPassword(location: string): Promise<string> {
  return isPostgresUrl(location) ? (await import('../postgres/database.js')).locationWithoutPassword(location) : resolve(location);
}
