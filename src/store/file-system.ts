import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PasskeyError } from '../errors.js';

// What a store needs to know of the file system it lives in: its errors, its folders, its links, and how Windows differs.

/** Name of a file in messages, and the flag with which the user can choose another file; `flag` is undefined if the user cannot. */
export interface FileNames {
  readonly noun: string;
  readonly flag: string | undefined;
}
export const STORE_NAMES: FileNames = { noun: 'store', flag: '--store' };

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space.',
  EDQUOT: 'The disk quota is used up: free some space.',
  EROFS: 'The file system is read-only: name a FILE elsewhere with FLAG.',
  EACCES: 'Permission denied: check who owns the file and its folder, or name a FILE elsewhere with FLAG.',
  EPERM: 'Permission denied: check who owns the file and its folder, or name a FILE elsewhere with FLAG.',
  EISDIR: 'It is a folder: name a file with FLAG.',
  ENOTDIR: 'A part of its path is not a folder: correct FLAG.',
  ELOOP: 'Its symbolic links form a loop: correct them.',
  EMFILE: 'Too many files are open: raise the limit, or close some.',
  ENFILE: 'Too many files are open: raise the limit, or close some.',
};

/** Advice, by error code, for files whose location the user does not choose, because it follows from that of another file. */
const WHAT_TO_DO_THERE: Readonly<Record<string, string>> = {
  EROFS: 'The file system is read-only.',
  EACCES: 'Permission denied: check who owns the file and its folder.',
  EPERM: 'Permission denied: check who owns the file and its folder.',
  EISDIR: 'It is a folder: move it away.',
  ENOTDIR: 'A part of its path is not a folder: move that away.',
};

/** Reads the `code` of a system error (`ENOENT`, `EACCES` …); undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Converts an error of the file system to a PasskeyError `store_unavailable`; returns any other error unchanged. */
export function storeFailure(
  doing: 'read' | 'write' | 'empty',
  path: string,
  cause: unknown,
  { noun, flag }: FileNames = STORE_NAMES,
): unknown {
  const code = systemErrorCode(cause);
  if (code === undefined || cause instanceof PasskeyError) return cause;
  const advice = flag === undefined ? adviceThere(code) : adviceElsewhere(code, { noun, flag });
  return new PasskeyError('store_unavailable', `Could not ${doing} the ${noun} ${path} (${code}). ${advice}`, { cause });
}

function adviceThere(code: string): string {
  return WHAT_TO_DO_THERE[code] ?? WHAT_TO_DO[code] ?? 'Make sure that it can be read and written.';
}

function adviceElsewhere(code: string, { noun, flag }: { readonly noun: string; readonly flag: string }): string {
  const what = WHAT_TO_DO[code] ?? 'Make sure that it can be read and written, or name a FILE elsewhere with FLAG.';
  return what.replace('FILE', noun).replace('FLAG', flag);
}

// A FIFO opened without it would wait for a process at its other end. Windows does not know it.
const NOT_WAITING = constants.O_NONBLOCK ?? 0;
const FLAGS = { read: constants.O_RDONLY, append: constants.O_RDWR | constants.O_APPEND } as const;

/**
 * Opens an existing file, which must be a regular file, because reading a FIFO or a device might never end.
 *
 * @throws PasskeyError `store_unavailable` naming the kind of file if it is not regular; the system's error if it cannot be opened.
 */
export function openRegularFile(path: string, use: keyof typeof FLAGS, { noun, flag }: FileNames = STORE_NAMES): number {
  let kind = 'socket';
  try {
    const fd = openSync(path, FLAGS[use] | NOT_WAITING);
    const stats = fstatSync(fd);
    if (stats.isFile()) return fd;
    closeSync(fd);
    kind = stats.isDirectory() ? 'folder' : stats.isFIFO() ? 'FIFO (a named pipe)' : 'device';
  } catch (error) {
    if (systemErrorCode(error) !== 'ENXIO') throw error;
  }
  const advice = flag === undefined ? 'Move it away.' : `Name a file with ${flag}.`;
  throw new PasskeyError('store_unavailable', `Expected the ${noun} ${path} to be a file; it is a ${kind}. ${advice}`);
}

const TRIES = 50;
/** Milliseconds between two attempts. */
const PAUSE = 20;

/**
 * Tests whether an error means that a file is busy. Windows refuses to rename or remove a file while a reader, an indexer or a virus
 * scanner has it open, usually for a moment.
 */
export function isBusy(error: unknown, platform = process.platform): boolean {
  return platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(systemErrorCode(error) ?? '');
}

/** Runs an operation, and repeats it for about a second while a file is busy. */
export async function whileBusy(operation: () => Promise<void>, platform = process.platform): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await operation();
    } catch (error) {
      if (!isBusy(error, platform) || tries === TRIES) throw error;
      await sleep(PAUSE);
    }
  }
}

/**
 * Creates a folder and its missing parents. Returns the topmost new folder, or undefined if all existed. Does not use the option
 * `recursive` of `mkdir`, which on Node.js 20 never returns if a parent exists but cannot contain folders, as in /proc.
 *
 * @throws the error of the system if a folder cannot be created.
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

/** Default folder, in the working directory, for all files whose location the user does not choose. */
export const DEFAULT_FOLDER = '.passkey';

/**
 * Resolves symbolic links, so that the program replaces their target and keeps the links. The file need not exist yet, but a link must lead
 * to an existing file, because writing through a broken link would create a file wherever it points.
 *
 * @throws PasskeyError `store_unavailable` for a broken link; the system's error if the path cannot be read.
 */
export async function resolveTarget(path: string, { noun }: Pick<FileNames, 'noun'> = STORE_NAMES): Promise<string> {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  refuseBrokenLink(path, noun);
  return resolve(path);
}

/** Refuses a broken link. @throws PasskeyError `store_unavailable` for a symbolic link to a file that does not exist. */
export function refuseBrokenLink(path: string, noun = STORE_NAMES.noun): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new PasskeyError(
    'store_unavailable',
    `The ${noun} ${path} is a symbolic link to a file that does not exist. Nothing was made. Remove the link, or put that file there.`,
  );
}

/**
 * Creates the folder of a store (mode 0700). If it creates the default folder, also adds a `.gitignore` that keeps the folder out of git.
 */
export async function makeStoreFolder(target: string): Promise<void> {
  const folder = dirname(target);
  const firstMade = await makeFolder(folder, 0o700);
  const made = firstMade !== undefined && `${folder}${sep}`.startsWith(`${resolve(firstMade)}${sep}`);
  if (!made || basename(folder) !== DEFAULT_FOLDER) return;
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  });
}
