import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { systemErrorCode } from '../../store/file-system.js';
import { putInPlace, writeTemporary } from '../../store/replace-file.js';
import type { Store } from '../../store/store.js';
import { exportLines, inPieces } from '../../store/transfer/export-lines.js';
import { importLines } from '../../store/transfer/import-lines.js';
import { withExport } from '../export-file.js';
import type { Io } from '../io.js';
import { printable } from '../output/printable.js';

/**
 * Imports an export file into the store before the command starts.
 *
 * @throws PasskeyError `usage` if the file cannot be read, or if its rows do not fit the store; also the errors of `importLines`.
 */
export async function importFile(io: Io, store: Store, file: string): Promise<void> {
  if (file === '-') throw new PasskeyError('usage', '--import expects a file: standard input belongs to the command.');
  const { signal } = new AbortController();
  const report = await withExport(io, file, (lines, name) => importLines(store, lines, { name, signal }), signal);
  if (report.status === 'done') return;
  throw new PasskeyError(
    'usage',
    printable(
      `--import: ${count(report.found, 'row')} of ${file} ${report.found === 1 ? 'does' : 'do'} not fit the store, such as: ${report.conflicts[0]}. Use an empty store.`,
    ),
  );
}

/** Exports the whole store to a file, replacing the file of an earlier run. @throws PasskeyError `usage` */
export async function exportFile(io: Io, store: Store, file: string): Promise<void> {
  const path = resolve(io.cwd, file);
  try {
    const temporary = await writeTemporary(path, inPieces(exportLines(store)));
    await putInPlace(temporary, path);
  } catch (cause) {
    const reason = systemErrorCode(cause);
    if (reason === undefined) throw cause;
    throw new PasskeyError('usage', printable(`--export-on-exit: cannot write ${path} (${reason}). Choose another file.`), { cause });
  }
}
