import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { copyFile, type FileHandle, link, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode, whileBusy } from './file-system.js';
import { hostMark, isRunning } from './process-identity.js';

const ON_WINDOWS = process.platform === 'win32';

/**
 * Number of bytes after which a long file is flushed while it is being written. Concurrent flushes of other files then never wait for the
 * whole file.
 */
const FLUSH_EVERY = 1024 * 1024;
/**
 * Age in milliseconds from which a temporary file of another host counts as left behind, because that host's processes cannot be checked.
 */
const FOREIGN_AGE = 3_600_000;

interface Temporary {
  readonly path: string;
  /** Handle of the flushed file. Undefined on Windows, where an open file cannot be renamed. */
  readonly file: FileHandle | undefined;
  readonly stats: BigIntStats;
}

/**
 * Writes a file next to the one that it will replace, and flushes it.
 *
 * @param pieces parts of the text, each made only when needed.
 * @param mode mode of the file, minus the bits of the umask; default: 0600.
 * @param ownerOf the file whose owner the new file gets if root writes it; default: the target.
 */
export async function writeTemporary(
  target: string,
  pieces: Iterable<string> | AsyncIterable<string>,
  { mode = 0o600, ownerOf = target }: { readonly mode?: number; readonly ownerOf?: string } = {},
): Promise<Temporary> {
  const name = `${temporaryPrefix(target)}${hostMark()}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  const path = join(dirname(target), name);
  const file = await open(path, 'wx', mode);
  try {
    let unflushed = 0;
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      await file.writeFile(bytes);
      unflushed += bytes.length;
      if (unflushed < FLUSH_EVERY) continue;
      await file.datasync();
      unflushed = 0;
    }
    await keepOwner(file, ownerOf);
    await file.sync();
    const stats = await file.stat({ bigint: true });
    if (ON_WINDOWS) await file.close();
    return { path, file: ON_WINDOWS ? undefined : file, stats };
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(path).catch(() => {});
    throw error;
  }
}

export async function removeTemporary({ path, file }: Temporary): Promise<void> {
  await file?.close().catch(() => {});
  await unlink(path).catch(() => {});
}

/** Renames the temporary file to its target. A crash at any moment leaves either the old or the new file, complete and on the disk. */
export async function putInPlace(temporary: Temporary, target: string): Promise<void> {
  await whileBusy(() => rename(temporary.path, target));
  await temporary.file?.close();
  await flushFolder(dirname(target));
}

/**
 * Replaces a file so that a crash at any moment leaves either the old or the new content, complete and on the disk. Writes a temporary file
 * next to it, flushes and renames that file, then flushes the folder. `beforeRename` may throw to prevent the replacement.
 *
 * @returns the identity of the new file.
 */
export async function replaceFile(
  target: string,
  content: string,
  { beforeRename = () => {}, ...options }: { readonly beforeRename?: () => void; readonly mode?: number; readonly ownerOf?: string } = {},
): Promise<BigIntStats> {
  const temporary = await writeTemporary(target, [content], options);
  try {
    beforeRename();
    await putInPlace(temporary, target);
    return temporary.stats;
  } catch (error) {
    await removeTemporary(temporary);
    throw error;
  }
}

/**
 * Writes a new file so that it is either complete and on the disk, or absent.
 *
 * @throws the error of the system; `EEXIST` if the file exists.
 */
export async function writeNewFile(
  target: string,
  pieces: Iterable<string> | AsyncIterable<string>,
  options: { readonly mode?: number; readonly ownerOf?: string } = {},
): Promise<void> {
  // Before all the work; that it is still so shows at the end.
  if (await stat(target).catch(() => undefined)) throw Object.assign(new Error(`${target} exists`), { code: 'EEXIST' });
  await removeTemporaries(target);
  const temporary = await writeTemporary(target, pieces, options);
  try {
    await link(temporary.path, target).catch(async (error: unknown) => {
      if (systemErrorCode(error) === 'EEXIST') throw error;
      // A file system without hard links.
      await copyFile(temporary.path, target, constants.COPYFILE_EXCL);
    });
    await flushFolder(dirname(target));
  } finally {
    await removeTemporary(temporary);
  }
}

const TEMPORARY = /^(?:([0-9a-f]{8})\.)?(\d+)\.[0-9a-f]{12}\.tmp$/;

/** Removes temporary files of `target` that crashes left behind. Keeps those of living processes and of other files. */
export async function removeTemporaries(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = temporaryPrefix(target);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const [found, host = hostMark(), pid = ''] = TEMPORARY.exec(name.slice(prefix.length)) ?? [];
    if (found === undefined) continue;
    const path = join(folder, name);
    const isLeft = host === hostMark() ? !isRunning(Number(pid)) : Date.now() - (await stat(path)).mtimeMs > FOREIGN_AGE;
    if (isLeft) await unlink(path).catch(() => {});
  }
}

function temporaryPrefix(target: string): string {
  return `.${basename(target)}.`;
}

/** Gives the new file the owner of the old one, because a command run as root (sudo) must not lock out the store's owner. */
async function keepOwner(file: FileHandle, target: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const previous = await stat(target).catch(() => undefined);
  if (previous && previous.uid !== 0) await file.chown(previous.uid, previous.gid);
}

/**
 * Flushes a folder, because otherwise a power failure may undo the renaming of a file in it. Windows and some file systems cannot do this.
 */
async function flushFolder(folder: string): Promise<void> {
  if (ON_WINDOWS) return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS', 'EISDIR'].includes(systemErrorCode(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
