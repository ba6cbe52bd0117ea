import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemErrorCode } from '../../store/file-system.js';

interface TemporaryStore {
  /** The path of the store's file, which the first change makes. */
  readonly path: string;
  remove(): Promise<void>;
}

const FAMILY = 'passkey-exec-';

/** Containers may share a folder, but no process numbers; each has a name of its own. */
const ours = (): string => `${FAMILY}${hostname().replaceAll(/[^\w.]/g, '_')}-`;

/**
 * A store in a folder of its own (mode 0700) among the temporary files of the system. First removes those of runs that were killed.
 *
 * @param userId whose those are; null on Windows, where every user has such a folder.
 * @throws the error of the system when the folder cannot be made.
 */
export async function makeTemporaryStore(parent: string = tmpdir(), userId = process.getuid?.() ?? null): Promise<TemporaryStore> {
  await sweep(parent, userId);
  const folder = await mkdtemp(join(parent, `${ours()}${process.pid}-`));
  return { path: join(folder, 'passkeys.json'), remove: () => remove(folder) };
}

/** Removes the folders of ended runs; one that cannot be read or removed waits for the next run. */
async function sweep(parent: string, userId: number | null): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(ours()) ? Number(/^(\d+)-/.exec(name.slice(ours().length))?.[1]) : Number.NaN;
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

/** Windows refuses for a moment, while a scanner has a file open. */
function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
