import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PasskeyError } from '../errors.js';
import { openNamedFile, UnusableFile } from '../fixture/named-file.js';
import { storeFailure } from '../store/file-system.js';
import { splitLines } from '../store/transfer/export-reader.js';
import type { LineSource } from '../store/transfer/import-lines.js';
import { linesOfStore } from '../store/transfer/store-lines.js';
import type { Io } from './io.js';
import { printable } from './output/printable.js';
import { standardInput } from './read-text.js';
import { makeTemporaryFolder } from './temporary-folder.js';

/**
 * Opens the export file that the command line names. Standard input (`-`) can be read only once, but an import reads the file twice, so it
 * is copied to a temporary file until `use` ends.
 *
 * @throws PasskeyError `usage` if the file cannot be read; `store_unavailable` if there is no room for the copy of standard input.
 */
export async function withExport<T>(
  io: Io,
  file: string,
  use: (lines: LineSource, name: string) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (file !== '-') {
    const path = resolve(io.cwd, file);
    return await use(linesOfStore(path) ?? (() => readLines(path, file)), file);
  }
  const folder = await makeTemporaryFolder('import');
  const path = join(folder.path, 'export.jsonl');
  try {
    await pipeline(standardInput(io), createWriteStream(path, { mode: 0o600 }), { signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw storeFailure('write', path, cause, { noun: 'temporary file', flag: 'TMPDIR' });
    });
    return await use(linesOfStore(path) ?? (() => readLines(path, path)), 'standard input');
  } finally {
    await folder.remove();
  }
}

async function* readLines(path: string, name: string): AsyncGenerator<string> {
  try {
    const { chunks } = await openNamedFile(path);
    yield* splitLines(chunks());
  } catch (cause) {
    if (!(cause instanceof UnusableFile)) throw cause;
    throw new PasskeyError('usage', printable(`${name} ${cause.message}. Name an export, or - for standard input.`), { cause });
  }
}
