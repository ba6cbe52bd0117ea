import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemErrorCode } from '../store/file-system.js';

interface Place {
  readonly parent?: string;
  /** Id of the user whose leftover folders are removed. Null on Windows, where every user has a separate temporary folder. */
  readonly userId?: number | null;
}

/**
 * Creates a private folder (mode 0700) in the system's temporary folder. First removes folders that killed runs of the same command left
 * behind.
 *
 * @throws the error of the system when the folder cannot be made.
 */
export async function makeTemporaryFolder(
  command: 'exec' | 'browse',
  { parent = tmpdir(), userId = process.getuid?.() ?? null }: Place = {},
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  // Containers may share a folder, but no process numbers; each has a name of its own.
  const family = `passkey-${command}-${hostname().replaceAll(/[^\w.]/g, '_')}-`;
  await sweep(family, parent, userId);
  const path = await mkdtemp(join(parent, `${family}${process.pid}-`));
  return { path, remove: () => remove(path) };
}

/** Removes the folders of runs that have ended. Folders that cannot be read or removed stay until the next run. */
async function sweep(family: string, parent: string, userId: number | null): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(family) ? Number(/^(\d+)-/.exec(name.slice(family.length))?.[1]) : Number.NaN;
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() && (userId === null || found.uid === userId)) await remove(folder).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** Removes a folder. Windows briefly refuses this while a scanner has a file open. */
function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
