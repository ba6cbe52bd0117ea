import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { grouped, groupedCount } from '../../kernel/wording.js';
import type { StoreReport } from '../../store/inspect.js';
import { isPostgresUrl } from '../../store/open-store.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, ownCommand, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import type { StoreCheck, StoreMigration, StoreRepair } from '../schemas/store.js';
import { storeFlag } from '../store-flag.js';

const DAMAGED = 3;

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

/** `passkey store check`: exits 3 when something is damaged. */
export async function check(io: Io, flags: Flags): Promise<number> {
  const store = await resolveFile(io, flags);
  const { checkStore } = await import('../../store/inspect.js');
  const report = await checkStore(store);
  const { damages } = report;
  if (flags.json === true) {
    printJson(io, toDocument(report) satisfies StoreCheck);
  } else {
    sayDamages(io, report);
    const pending =
      report.pending === 0
        ? ''
        : ` ${groupedCount(report.pending, 'change')} of its journal ${report.pending === 1 ? 'is' : 'are'} not in the file yet.`;
    print(
      io,
      printable(
        damages.length === 0
          ? `${report.path} is whole: ${describeContent(report)}.${pending}`
          : `${report.path} is damaged. Readable: ${describeContent(report)}.`,
      ),
    );
    if (damages.length > 0) {
      say(io, printable(`Run \`${ownCommand(io)} store repair --out FILE${storeFlag(flags.store)}\` to save that into a new file.`));
    }
  }
  return damages.length === 0 ? 0 : DAMAGED;
}

/** `passkey store repair` */
export async function repair(io: Io, flags: Flags): Promise<void> {
  const store = await resolveFile(io, flags);
  if (typeof flags.out !== 'string' || flags.out === '') throw new PasskeyError('usage', 'Name the new file with --out.');
  const out = resolve(io.cwd, flags.out);
  const { repairStore } = await import('../../store/inspect.js');
  const report = await repairStore(store, out);
  if (flags.json === true) return printJson(io, { ...toDocument(report), out } satisfies StoreRepair);
  sayDamages(io, report);
  print(io, printable(out));
  say(
    io,
    printable(
      `Saved ${describeContent(report)}; ${report.damages.length === 0 ? 'nothing was damaged' : `${groupedCount(report.damages.length, 'fault')} left out`}.`,
    ),
  );
}

/** @throws PasskeyError `usage` for another kind of store. */
async function resolveFile(io: Io, flags: Flags): Promise<string> {
  const { store } = await resolveStoreSettings(io, flags);
  if (isPostgresUrl(store)) {
    throw new PasskeyError('usage', '--store expects the path of a JSON file here. PostgreSQL looks after its own files.');
  }
  return store;
}

function sayDamages(io: Io, { damages }: StoreReport): void {
  for (const { file, place, reason } of damages) {
    const where = place.startsWith('/') ? ` at ${place}` : place && `:${place}`;
    say(io, printable(`${file}${where}: ${reason}`));
  }
}

function describeContent({ passkeys, revoked, owners, accesses }: StoreReport): string {
  return `${groupedCount(passkeys, 'passkey')} (${grouped(revoked)} revoked), ${groupedCount(owners, 'user')}, ${grouped(accesses)} sessions and tokens`;
}

function toDocument({ path, owners, damages, ...counts }: StoreReport): StoreCheck {
  return { store: path, users: owners, ...counts, damages: [...damages] };
}
