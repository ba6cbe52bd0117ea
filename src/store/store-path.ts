import { readlink, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { makeFolder } from './make-folder.js';
import { systemErrorCode } from './store-failure.js';

const DEFAULT_FOLDER = '.passkey';
const MAX_LINKS = 40;

/** The file that a path means: symbolic links stay, what they point at is replaced. Works for one that points at nothing yet. */
export async function resolveTarget(path: string): Promise<string> {
  let target = resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    try {
      return await realpath(target);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) break;
    target = resolve(dirname(target), link);
  }
  return target;
}

/** Makes the folder of a store (0700). A default folder that is made here also keeps itself out of git. */
export async function makeStoreFolder(target: string): Promise<void> {
  const folder = dirname(target);
  const firstMade = await makeFolder(folder, 0o700);
  const made = firstMade !== undefined && `${folder}${sep}`.startsWith(`${resolve(firstMade)}${sep}`);
  if (!made || basename(folder) !== DEFAULT_FOLDER) return;
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  });
}
