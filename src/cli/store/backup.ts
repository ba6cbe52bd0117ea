import { resolve, sep } from 'node:path';
import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { count } from '../../kernel/wording.js';
import { backupStore, defaultBackupFolder } from '../../store/backup.js';
import { countsDocument, countsInWords, RowCountsDocument } from '../../store/transfer-port.js';
import { addStoreLocation } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer } from '../config/values.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { interruptible } from '../interruption.js';
import { type Io, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { showProgress } from '../progress.js';
import { counted, storeName } from './schemas.js';

export function define(command: Command): void {
  addFlags(command, {
    out: {
      about: 'the new file, or a folder for a file with the time in its name (default: the folder backups next to the store)',
      value: 'file|dir',
    },
    keep: 'then remove the oldest backups of this store in the folder, so that COUNT remain',
    json: true,
  });
  addHelp(addStoreLocation(command), {
    examples: ['passkey store backup', 'passkey store backup --out backups/ --keep 7'],
    remarks: [
      'Servers may keep running. A backup is an export: --store opens it, and `passkey store import` reads it into another store. Without --out, backups of a PostgreSQL store go to .passkey/backups.',
    ],
    common: ['--out', '--keep', '--json'],
    page: 'store.md',
  });
}

export const storeBackup = Type.Object(
  {
    store: storeName,
    out: Type.String(),
    bytes: counted,
    ...RowCountsDocument.properties,
    removed: Type.Array(Type.String(), { description: 'Older backups that --keep has removed.' }),
  },
  { ...strict, title: 'passkey store backup --json' },
);

const atLeastOne = integer({ min: 1, max: 1_000_000, what: 'a number' });

/** Runs `passkey store backup`, which prints the path of the new backup file. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const { store } = await resolveStoreSettings(io, flags);
  const keep = flags.keep === undefined ? undefined : readFlag(io, atLeastOne, '--keep', flags.keep);
  const out = flags.out === undefined ? await defaultBackupFolder(store, io.cwd) : folderOrFile(io, flags.out);
  const progress = showProgress(io);
  const report = await interruptible(io, (signal) =>
    backupStore(store, {
      out,
      keep,
      now: io.now(),
      signal,
      onProgress: (moved) => progress.show('Backing up', moved),
    }),
  ).finally(() => progress.clear());
  const { location, path, bytes, counts, removed } = report;
  if (flags.json === true) {
    const document: Static<typeof storeBackup> = {
      store: location,
      out: path,
      bytes,
      ...countsDocument(counts),
      removed: [...removed],
    };
    return printJson(io, document);
  }
  print(io, printable(path));
  const old = removed.length === 0 ? '' : ` Removed ${count(removed.length, 'older backup')}.`;
  say(io, `Saved ${countsInWords(counts)}, and read it back.${old}`);
}

/** Makes the path in `--out` absolute. Keeps a separator at its end, which means that the path is a folder. */
function folderOrFile(io: Io, out: unknown): string {
  if (typeof out !== 'string' || out === '') throw new PasskeyError('usage', '--out expects a file or a folder.');
  return `${resolve(io.cwd, out)}${/[/\\]$/.test(out) ? sep : ''}`;
}
