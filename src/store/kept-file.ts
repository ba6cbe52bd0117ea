import { readFile, stat } from 'node:fs/promises';
import { PasskeyError } from '../errors.js';
import { acquireFileLock, removeGuards } from './file-lock.js';
import { type FileNames, makeStoreFolder, resolveTarget, storeFailure, systemErrorCode } from './file-system.js';
import { removeTemporaries, replaceFile } from './replace-file.js';

/** A text file that any number of processes may read and change, kept as the store is: 0600, locked, replaced whole. */
export interface KeptFile {
  /** Undefined when there is none. @throws PasskeyError `store_unavailable` */
  read(): Promise<string | undefined>;
  /**
   * Replaces the text by what `change` answers, while no other process changes it; leaves the file alone where that is undefined. The
   * folder is made when there is none.
   *
   * @throws PasskeyError `store_unavailable`, and what `change` throws; then nothing is changed.
   */
  change<T>(change: (text: string | undefined) => Promise<{ readonly text?: string; readonly result: T }>): Promise<T>;
}

export function keptFile(path: string, names: FileNames): KeptFile {
  const read = async (): Promise<string | undefined> => {
    try {
      if (!(await stat(path)).isFile()) {
        throw new PasskeyError('store_unavailable', `Expected the ${names.noun} ${path} to be a file. Name a file with ${names.flag}.`);
      }
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readFile(path));
    } catch (cause) {
      if (systemErrorCode(cause) === 'ENOENT') return undefined;
      throw storeFailure('read', path, cause, names);
    }
  };
  return {
    read,
    async change(change) {
      const target = await resolveTarget(path, names)
        .then(async (found) => {
          await makeStoreFolder(found);
          return found;
        })
        .catch((cause: unknown) => {
          throw storeFailure('write', path, cause, names);
        });
      const lock = await acquireFileLock(`${target}.lock`, { names });
      try {
        if (lock.broken) {
          await removeGuards(`${target}.lock`).catch(() => {});
          await removeTemporaries(target).catch(() => {});
        }
        const { text, result } = await change(await read());
        if (text !== undefined) await replaceFile(target, text, { beforeRename: () => lock.assertHeld() });
        return result;
      } catch (cause) {
        throw storeFailure('write', path, cause, names);
      } finally {
        await lock.release();
      }
    },
  };
}
