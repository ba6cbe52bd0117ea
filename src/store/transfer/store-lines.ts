import { closeSync } from 'node:fs';
import { FileSizeLimit } from '../file-size.js';
import { openRegularFile } from '../file-system.js';
import { LogFile, readFirstLine } from '../log-file.js';
import { stateTransfer } from '../state-transfer.js';
import { readFailure } from '../store-failures.js';
import { exportLines } from './export-lines.js';
import type { LineSource } from './import-lines.js';

/**
 * Reads the file of a store in use, which may have superseded lines, as the lines of an export of its present rows.
 *
 * @returns undefined for any other file, such as an export.
 * @throws PasskeyError `store_damaged` or `store_unavailable` if the file cannot be read.
 */
export function linesOfStore(path: string): LineSource | undefined {
  if (!isStoreInUse(path)) return undefined;
  try {
    const file = LogFile.open(path, new FileSizeLimit(path, {}));
    file.close();
    const { state } = file.contents;
    const transfer = stateTransfer({
      read: async (operation) => operation(state),
      change: () => Promise.reject(new TypeError('A file that is imported is not changed.')),
    });
    return () => exportLines({ transfer });
  } catch (cause) {
    throw readFailure(path, cause);
  }
}

function isStoreInUse(path: string): boolean {
  try {
    const fd = openRegularFile(path, 'read');
    try {
      return readFirstLine(fd).head.file !== undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // What is wrong with it shows when it is read as an export.
    return false;
  }
}
