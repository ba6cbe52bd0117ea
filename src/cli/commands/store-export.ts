import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { openStore } from '../../store/open-store.js';
import { writeNewFile } from '../../store/replace-file.js';
import type { Store } from '../../store/store.js';
import { newFileFailure } from '../../store/store-failures.js';
import { exportLines, inPieces } from '../../store/transfer/export-lines.js';
import { countsDocument, countsInWords, noRows, type RowCounts } from '../../store/transfer/port.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, interruptible, print, printAll, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { showProgress } from '../output/progress.js';
import { productName } from '../package.js';
import type { StoreExport } from '../schemas/store-moving.js';

/** `passkey store export` */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  if (flags.out === '') throw new PasskeyError('usage', '--out expects a file, or - for standard output.');
  const out = typeof flags.out === 'string' && flags.out !== '-' ? resolve(io.cwd, flags.out) : undefined;
  if (out === undefined && flags.json === true) {
    throw new PasskeyError('usage', '--json goes with --out FILE: standard output has the export, which is JSON Lines already.');
  }
  const store = await openStore(settings.store, { create: false });
  try {
    await interruptible(io, (signal) => write(io, store, { out, json: flags.json === true, signal }));
  } finally {
    await store.close();
  }
}

interface Where {
  readonly out: string | undefined;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

async function write(io: Io, store: Store, { out, json, signal }: Where): Promise<void> {
  const progress = showProgress(io);
  let counts: RowCounts = noRows();
  const pieces = inPieces(
    exportLines(store, {
      now: io.now(),
      by: productName(),
      signal,
      onProgress: (moved) => progress.show('Exporting', moved),
      onDone: (rows) => {
        counts = rows;
      },
    }),
  );
  try {
    if (out === undefined) await printAll(io, pieces);
    else await writeNewFile(out, pieces);
  } catch (cause) {
    throw out === undefined ? cause : newFileFailure(out, cause);
  } finally {
    progress.clear();
  }
  if (out === undefined) return;
  if (json) return printJson(io, { store: store.location, out, ...countsDocument(counts) } satisfies StoreExport);
  print(io, printable(out));
  say(io, `Exported ${countsInWords(counts)}.`);
}
