import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { PasskeyError } from '../errors.js';
import { formatForFileName, isDeviceName } from '../kernel/wording.js';
import { DEFAULT_FOLDER, makeFolder, makeStoreFolder, resolveTarget, whileBusy } from './file-system.js';
import { isPostgresUrl, openStore } from './open-store.js';
import { writeNewFile } from './replace-file.js';
import { newFileFailure } from './store-failures.js';
import { type ExportOptions, exportLines, inPieces } from './transfer/export-lines.js';
import { splitLines } from './transfer/export-reader.js';
import { readExport } from './transfer/import-lines.js';
import type { RowCounts } from './transfer-port.js';

interface BackupOptions extends Pick<ExportOptions, 'onProgress' | 'signal'> {
  /** Path of the file to write, or of a folder for it. It counts as a folder if that folder exists or the path ends with a separator. */
  readonly out: string;
  /** Time of the backup in milliseconds since the epoch. */
  readonly now: number;
  /** Number of backups of the store to keep in the folder, including the new one; default: all. */
  readonly keep?: number | undefined;
}

interface BackupReport {
  /** Location of the store that was backed up, without a password. */
  readonly location: string;
  readonly path: string;
  readonly bytes: number;
  readonly counts: RowCounts;
  /** Older backups that were removed because of `keep`. */
  readonly removed: readonly string[];
}

/**
 * Writes an export of the whole store, as of one moment, into a new file (mode 0600), then reads the file back and compares it. Other
 * processes may change the store at the same time.
 *
 * @throws PasskeyError `usage` if the file exists or `keep` is given without a folder; `store_absent`, `store_damaged` or
 * `store_unavailable` if the store cannot be read or the file cannot be written; the abort reason of `signal` if it is aborted.
 */
export async function backupStore(url: string, options: BackupOptions): Promise<BackupReport> {
  const store = await openStore(url, { create: false });
  try {
    const location = isPostgresUrl(url) ? store.location : await resolveTarget(url);
    const place = await placeFor(location, options);
    const digest = createHash('sha256');
    try {
      const pieces = digested(inPieces(exportLines(store, options)), digest);
      await writeNewFile(place.path, pieces, isPostgresUrl(url) ? {} : { ownerOf: location });
    } catch (cause) {
      throw newFileFailure(place.path, cause);
    }
    await readBack(place.path, digest.digest('hex'));
    const { path } = place;
    const counts = await readExport(() => splitLines(createReadStream(path)), { name: path, signal: options.signal });
    const removed = options.keep === undefined ? [] : await prune(place, options.keep);
    return { location, path, bytes: (await stat(path)).size, counts, removed };
  } finally {
    await store.close();
  }
}

async function* digested(pieces: AsyncIterable<string>, digest: { update(text: string): unknown }): AsyncGenerator<string> {
  for await (const piece of pieces) {
    digest.update(piece);
    yield piece;
  }
}

/**
 * Reads the new backup and compares it with the data written.
 *
 * @throws PasskeyError `store_unavailable` if the disk returns other data than was written.
 */
async function readBack(path: string, wanted: string): Promise<void> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk);
  if (digest.digest('hex') !== wanted) throw notAsWritten(path);
}

function notAsWritten(path: string): PasskeyError {
  return new PasskeyError(
    'store_unavailable',
    `The backup ${path} does not hold what was written. Do not use it: check the disk, and make another one elsewhere.`,
  );
}

interface Place {
  readonly path: string;
  readonly folder: string;
  /**
   * Reads the time of a backup from its file name, as a string that sorts by age; undefined if the file is not a backup of the same store.
   */
  readonly ageOf: (name: string) => string | undefined;
}

async function placeFor(location: string, { out, keep, now }: BackupOptions): Promise<Place> {
  const inFolder = out.endsWith('/') || out.endsWith(sep) || (await stat(out).catch(() => undefined))?.isDirectory() === true;
  if (!inFolder) {
    if (keep !== undefined) {
      throw new PasskeyError('usage', `--keep expects --out to name a folder, with a "/" at its end where it is to be made; got ${out}.`);
    }
    return { path: out, folder: dirname(out), ageOf: () => undefined };
  }
  const ending = '.jsonl';
  // Two stores may have the same name, and their backups one folder.
  const mark = createHash('sha256').update(location).digest('hex').slice(0, 8);
  const stem = basename(location)
    .replace(/\.jsonl$/, '')
    .replaceAll(/[^\w.-]/g, '_');
  // A database may be called `aux.old`.
  const name = `${isDeviceName(stem) ? '_' : ''}${stem}-${mark}-`;
  const stamp = formatForFileName(now);
  try {
    await makeFolder(out, 0o700);
    const taken = new Set(await readdir(out));
    let file = `${name}${stamp}${ending}`;
    for (let number = 2; taken.has(file); number += 1) file = `${name}${stamp}-${number}${ending}`;
    const ageOf = (other: string): string | undefined => {
      if (!other.startsWith(name) || !other.endsWith(ending)) return undefined;
      const [, time, number = '1'] = /^(\d{8}T\d{6}Z)(?:-(\d{1,9}))?$/.exec(other.slice(name.length, -ending.length)) ?? [];
      return time && `${time} ${number.padStart(9, '0')}`;
    };
    return { path: join(out, file), folder: out, ageOf };
  } catch (cause) {
    throw newFileFailure(out, cause);
  }
}

/** Finds the default folder for backups, which is next to the file of the store. */
export async function defaultBackupFolder(location: string, cwd: string): Promise<string> {
  if (!isPostgresUrl(location)) return join(dirname(await resolveTarget(location)), `backups${sep}`);
  const folder = join(cwd, DEFAULT_FOLDER);
  await makeStoreFolder(join(folder, 'backups')).catch((cause: unknown) => {
    throw newFileFailure(folder, cause);
  });
  return join(folder, `backups${sep}`);
}

/** Removes the oldest backups of the store that exceed `keep`, but never the new backup. */
async function prune({ path, folder, ageOf }: Place, keep: number): Promise<string[]> {
  const others = (await readdir(folder, { withFileTypes: true })).flatMap((entry) => {
    const { name } = entry;
    // A folder or link is none of ours, whatever it is called.
    const age = name === basename(path) || !entry.isFile() ? undefined : ageOf(name);
    return age === undefined ? [] : { age, file: join(folder, name) };
  });
  others.sort((a, b) => (a.age < b.age ? -1 : 1));
  const old = others.slice(0, Math.max(0, others.length - (keep - 1))).map(({ file }) => file);
  for (const file of old) {
    await whileBusy(() => unlink(file)).catch((cause: unknown) => {
      throw newFileFailure(file, cause);
    });
  }
  return old;
}
