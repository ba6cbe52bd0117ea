import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeFailure, systemErrorCode } from '../store/file-system.js';

interface Place {
  readonly parent?: string;
  /** Id of the system user whose leftover folders are removed. Null on Windows, where every user has a separate temporary folder. */
  readonly userId?: number | null;
}

/**
 * Creates a private folder (mode 0700) in the system's temporary folder. First removes the folders of earlier runs of the same command that
 * were killed.
 *
 * @throws PasskeyError `store_unavailable` if the folder cannot be created.
 */
export async function makeTemporaryFolder(
  command: 'exec' | 'browse' | 'import',
  { parent = tmpdir(), userId = process.getuid?.() ?? null }: Place = {},
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  // Containers may share a folder, but no process numbers; each has a name of its own.
  const family = `passkey-${command}-${hostname().replaceAll(/[^\w.]/g, '_')}-`;
  await sweep(family, parent, userId);
  const path = await mkdtemp(join(parent, `${family}${process.pid}-`)).catch((cause: unknown) => {
    throw storeFailure('write', parent, cause, { noun: 'temporary folder', flag: 'TMPDIR' });
  });
  return { path, remove: () => remove(path) };
}

/** Removes the folders of runs that have ended. */
async function sweep(family: string, parent: string, userId: number | null): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(family) ? Number(/^(\d+)-/.exec(name.slice(family.length))?.[1]) : Number.NaN;
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() && (userId === null || found.uid === userId)) await remove(folder);
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

/**
 * Removes a folder. Tries again if a virus scanner on Windows has a file open, or a process that is ending still writes into it. A folder
 * that cannot be removed stays until the next run, and is no reason to fail.
 */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}
