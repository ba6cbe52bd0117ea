import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode } from './store-failure.js';

/**
 * Makes a folder and those above it that are missing; answers the topmost that was made, or undefined when all were there.
 * `mkdir` with `recursive` never returns on Node.js 20 where a parent is there and takes no folders, as in /proc.
 *
 * @throws the error of the system when a folder cannot be made.
 */
export async function makeFolder(folder: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(folder, { mode });
    return folder;
  } catch (error) {
    if (await isFolder(folder)) return undefined;
    if (systemErrorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
  }
  const above = await makeFolder(dirname(folder), mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (!(await isFolder(folder))) throw error;
  }
  return above ?? folder;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
