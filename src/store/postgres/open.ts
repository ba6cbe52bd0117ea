import { setTimeout } from 'node:timers/promises';
import { PasskeyError } from '../../errors.js';
import type { Store } from '../store.js';
import { accountStore } from './accounts.js';
import { createAuditTable } from './audit.js';
import { ceremonyStore } from './ceremonies.js';
import { openDatabase } from './database.js';
import { checkSchema, migrate } from './migrations.js';
import { passkeyStore } from './passkeys.js';
import { postgresTransfer } from './transfer.js';

interface PostgresStoreOptions {
  /** If true, the tables are created if there are none; default: false. Older tables are not changed; use `migrate` to update them. */
  readonly create?: boolean;
  /** Maximum number of ceremonies, counted over all processes; default: 200,000. */
  readonly ceremonyLimit?: number;
  /** Milliseconds after which an operation gives up. Closing the store waits up to as long for the audit log. */
  readonly patience?: number | undefined;
  readonly onWarning?: (message: string) => void;
  /** Called when tables were created, with the URL of the database without its password. */
  readonly onCreated?: ((location: string) => void) | undefined;
}

/**
 * Opens a store in a PostgreSQL database. Any number of processes can share it, including its ceremonies.
 *
 * @param url `postgres://user:password@host:port/database`; add `?sslmode=verify-full` or another mode for TLS.
 * @throws PasskeyError `usage` for a URL that cannot be read; `store_absent` if there are no tables and `create` is not given;
 * `store_unavailable` if the database cannot be used, or its schema is older or newer than that of this build.
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const { create = false, ceremonyLimit, patience, onWarning = () => {}, onCreated = () => {} } = options;
  const database = await openDatabase(url, { patience });
  const check = () => checkSchema(database);
  try {
    await check().catch(async (error: unknown) => {
      if (!create || !(error instanceof PasskeyError && error.code === 'store_absent')) throw error;
      await migrate(database);
      onCreated(database.location);
    });
  } catch (error) {
    await database.close();
    throw error;
  }
  const audit = createAuditTable(database, onWarning);
  return {
    location: database.location,
    audit,
    check,
    transfer: postgresTransfer(database),
    async close() {
      await Promise.race([audit.settled(), ...(patience === undefined ? [] : [setTimeout(patience, undefined, { ref: false })])]);
      await database.close();
    },
    ...passkeyStore(database),
    ...accountStore(database),
    ...ceremonyStore(database, ceremonyLimit),
  };
}

/**
 * Brings the tables of a database up to date, or creates them.
 *
 * @returns the versions before and after; 0 means that there were no tables.
 * @throws PasskeyError the same errors as `openPostgresStore`.
 */
export async function migratePostgresStore(
  url: string,
): Promise<{ readonly location: string; readonly from: number; readonly to: number }> {
  const database = await openDatabase(url);
  try {
    return { location: database.location, ...(await migrate(database)) };
  } finally {
    await database.close();
  }
}
