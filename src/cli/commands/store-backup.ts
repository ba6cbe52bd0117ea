import { resolve, sep } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { backupStore, defaultBackupFolder } from '../../store/backup.js';
import { countsDocument, countsInWords } from '../../store/transfer/port.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer } from '../config/values.js';
import { type Io, interruptible, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { showProgress } from '../output/progress.js';
import { productName } from '../package.js';
import type { StoreBackup } from '../schemas/store-moving.js';

const atLeastOne = integer({ min: 1, max: 1_000_000, what: 'a number' });

/** `passkey store backup`: prints the path of the new file. */
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
      by: productName(),
      signal,
      onProgress: (moved) => progress.show('Backing up', moved),
    }),
  ).finally(() => progress.clear());
  const { location, path, form, bytes, counts, removed } = report;
  if (flags.json === true) {
    const document: StoreBackup = { store: location, out: path, form, bytes, ...countsDocument(counts), removed: [...removed] };
    return printJson(io, document);
  }
  print(io, printable(path));
  const old = removed.length === 0 ? '' : ` Removed ${count(removed.length, 'older backup')}.`;
  say(io, `Saved ${countsInWords(counts)}, and read it back.${old}`);
}

/** A separator at the end says that it is a folder, and would be lost. */
function folderOrFile(io: Io, out: unknown): string {
  if (typeof out !== 'string' || out === '') throw new PasskeyError('usage', '--out expects a file or a folder.');
  return `${resolve(io.cwd, out)}${/[/\\]$/.test(out) ? sep : ''}`;
}
