import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { isPostgresUrl } from '../../store/open-store.js';
import { addStoreLocation } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson } from '../io.js';

export function define(command: Command): void {
  addHelp(addStoreLocation(addFlags(command, { json: true })), {
    examples: ['passkey store migrate --store postgres://passkey@localhost/passkeys'],
    remarks: ['Everything happens in one transaction. Stop older `passkey serve` processes first: they refuse newer tables.'],
    common: ['--json'],
    page: 'postgresql.md',
  });
}

const version = Type.Integer({ minimum: 0, description: 'Version of the schema; 0 if there were no tables.' });

export const storeMigration = Type.Object(
  { store: Type.String({ description: 'URL of the database, without user and password.' }), from: version, to: version },
  { ...strict, title: 'passkey store migrate --json' },
);

/** Runs `passkey store migrate`. It is only for PostgreSQL stores, since no other store has tables. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const { store } = await resolveStoreSettings(io, flags);
  if (!isPostgresUrl(store)) {
    const advice = 'A file needs no migration.';
    throw new PasskeyError(
      'usage',
      `--store expects the URL of a PostgreSQL database here, such as postgres://passkey@localhost/passkeys. ${advice}`,
    );
  }
  const { migratePostgresStore } = await import('../../store/postgres/open.js');
  const { location, from, to } = await migratePostgresStore(store);
  if (flags.json === true) return printJson(io, { store: location, from, to } satisfies Static<typeof storeMigration>);
  const done = from === to ? 'is up to date' : from === 0 ? 'was made' : `was migrated from schema ${from}`;
  print(io, `${location} ${done}: schema ${to}`);
}
