import { PasskeyError } from '../../errors.js';
import { isPostgresUrl } from '../../store/open-store.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, printJson } from '../io.js';
import type { StoreMigration } from '../schemas/store.js';

/** `passkey store migrate`: only a PostgreSQL store has tables; a file is brought up to date by its first write. */
export async function migrate(io: Io, flags: Flags): Promise<void> {
  const { store } = await resolveStoreSettings(io, flags);
  if (!isPostgresUrl(store)) {
    const advice = 'A JSON file needs no migration: the first change brings it up to date.';
    throw new PasskeyError(
      'usage',
      `--store expects the URL of a PostgreSQL database here, such as postgres://passkey@localhost/passkeys. ${advice}`,
    );
  }
  const { migratePostgresStore } = await import('../../store/postgres/open.js');
  const { location, from, to } = await migratePostgresStore(store);
  if (flags.json === true) return printJson(io, { store: location, from, to } satisfies StoreMigration);
  const done = from === to ? 'is up to date' : from === 0 ? 'was made' : `was migrated from schema ${from}`;
  print(io, `${location} ${done}: schema ${to}`);
}
