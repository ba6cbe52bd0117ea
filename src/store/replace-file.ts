import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode, whileBusy } from './file-system.js';

const ON_WINDOWS = process.platform === 'win32';

/**
 * Replaces a file so that a crash at any moment leaves either the old or the new content, complete and on the disk: writes a
 * temporary file beside it, flushes it, renames it, flushes the folder. `beforeRename` may throw to stop it.
 *
 * @param mode of the file, less what the umask takes away; default 0600.
 * @returns the new file, open; undefined on Windows, where an open file cannot be renamed.
 */
export async function replaceFile(
  target: string,
  content: string,
  beforeRename: () => Promise<void>,
  mode = 0o600,
): Promise<FileHandle | undefined> {
  const temporary = join(dirname(target), `${temporaryPrefix(target)}${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(content);
    await keepOwner(file, target);
    await file.sync();
    if (ON_WINDOWS) await file.close();
    await beforeRename();
    await whileBusy(() => rename(temporary, target));
    await flushFolder(dirname(target));
    return ON_WINDOWS ? undefined : file;
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Removes the temporary files that a crash left behind. Only for the holder of the lock: nobody else is writing then. */
export async function removeTemporaries(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    if (name.startsWith(temporaryPrefix(target)) && name.endsWith('.tmp')) await unlink(join(folder, name)).catch(() => {});
  }
}

function temporaryPrefix(target: string): string {
  return `.${basename(target)}.`;
}

/** A command run as root (sudo) must not lock the store's owner out. */
async function keepOwner(file: FileHandle, target: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const previous = await stat(target).catch(() => undefined);
  if (previous && previous.uid !== 0) await file.chown(previous.uid, previous.gid);
}

/** Without it a power failure may undo the rename. Windows and some file systems cannot do it. */
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
