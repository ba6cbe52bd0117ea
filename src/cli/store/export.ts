import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { openStore } from '../../store/open-store.js';
import { writeNewFile } from '../../store/replace-file.js';
import type { Store } from '../../store/store.js';
import { newFileFailure } from '../../store/store-failures.js';
import { exportLines, inPieces } from '../../store/transfer/export-lines.js';
import { countsDocument, countsInWords, noRows, type RowCounts, RowCountsDocument } from '../../store/transfer-port.js';
import { addStoreLocation } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { interruptible } from '../interruption.js';
import { type Io, print, printAll, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { showProgress } from '../progress.js';
import { storeName } from './schemas.js';

export function define(command: Command): void {
  addFlags(command, { out: 'the new file; - is standard output (default: -)', json: 'with --out FILE: print one JSON document about it' });
  addHelp(addStoreLocation(command), {
    examples: ['passkey store export', 'passkey store export --out today.jsonl'],
    remarks: [
      'The export shows the store at one moment, and others may change the store meanwhile. It contains tokens and sessions as SHA-256 hashes, so they stay valid after an import.',
    ],
    common: ['--out', '--json'],
    page: 'store.md',
  });
}

export const storeExport = Type.Object(
  { store: storeName, out: Type.String(), ...RowCountsDocument.properties },
  { ...strict, title: 'passkey store export --out FILE --json' },
);

/** Runs `passkey store export`. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  if (flags.out === '') throw new PasskeyError('usage', '--out expects a file, or - for standard output.');
  const out = typeof flags.out === 'string' && flags.out !== '-' ? resolve(io.cwd, flags.out) : undefined;
  if (out === undefined && flags.json === true) {
    throw new PasskeyError('usage', '--json needs --out FILE: standard output has the export, which is JSON Lines already.');
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
  if (json) return printJson(io, { store: store.location, out, ...countsDocument(counts) } satisfies Static<typeof storeExport>);
  print(io, printable(out));
  say(io, `Exported ${countsInWords(counts)}.`);
}
