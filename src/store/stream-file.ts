import { closeSync, existsSync, fchmodSync, fstatSync, ftruncateSync, lstatSync, read, statSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { appendLines, BatchQueue, keepOwner, openAppendedFile } from './appended-file.js';
import { acquireFileLock } from './file-lock.js';
import { type FileNames, makeStoreFolder, storeFailure, systemErrorCode, whileBusy } from './file-system.js';

interface StreamFileOptions {
  /** Told once why something is not kept, or not to be read. */
  readonly onFailure?: (reason: string) => void;
  /** Bytes after which the older half goes. Default 5 MB. */
  readonly size?: number;
}

/** Lines in a file, of which the oldest go. */
export interface StreamFile {
  append(lines: readonly string[]): void;
  /** Whole lines, the oldest first; none where they cannot be read. */
  read(): Promise<readonly string[]>;
  /** @throws PasskeyError `store_unavailable` when lines are left. */
  clear(): Promise<void>;
  settled(): Promise<void>;
}

const readFrom = promisify(read);

const DEFAULT_SIZE = 5_000_000;
/** Bytes of a file that is read, as many times as it may be long: one of an earlier version may be longer. */
const MOST_READ = 2;
/** Milliseconds. What cannot be put aside now is put aside after a later line. */
const PATIENCE = 2_000;
const NEWLINE = 0x0a;
const PRIVATE = 0o600;
const STREAM = 'the stream of the test page';
const WHAT = 'stream of the test page';
const NAMES: FileNames = { noun: 'stream file', flag: undefined };

/**
 * The stream of development servers in a file (0600) beside their store, in one write for all lines of a moment. Any number of processes
 * append to it. When it has half of the bytes it is put aside under a lock, and replaces what was put aside before: nothing is copied, so
 * no line is lost that is not among the oldest, and none comes twice. Lines survive the process; they are not flushed, so a power
 * failure may take the last ones.
 *
 * @param path made when the first line is written, its folder too; it ends in `.jsonl`.
 */
export function createStreamFile(path: string, { onFailure = () => {}, size = DEFAULT_SIZE }: StreamFileOptions = {}): StreamFile {
  const half = size / 2;
  let told = false;
  const tell = (what: string, error?: unknown): void => {
    if (told) return;
    told = true;
    onFailure(error === undefined ? what : `${what}; nothing else is affected. ${error instanceof Error ? error.message : String(error)}`);
  };
  const queue = new BatchQueue<string>(
    async (lines) => {
      let bytes = 0;
      try {
        bytes = await appendTo(path, lines);
      } catch (error) {
        tell(`What cannot be written of ${STREAM} ends with this start of the server`, storeFailure('write', path, error, NAMES));
      }
      if (bytes <= half) return;
      try {
        await putAside(path, half);
      } catch (error) {
        tell(`The older half of ${STREAM} cannot be put aside`, storeFailure('write', path, error, NAMES));
      }
    },
    STREAM,
    tell,
  );
  return {
    append(lines) {
      for (const line of lines) queue.append(line);
    },
    async read() {
      await queue.settled();
      const leaveOut = (file: string, error: unknown): void =>
        tell(`What ${STREAM} had before this start of the server is left out`, storeFailure('read', file, error, NAMES));
      try {
        return await allLines(path, MOST_READ * size, leaveOut);
      } catch (error) {
        leaveOut(path, error);
        return [];
      }
    },
    async clear() {
      await queue.settled();
      // The one in use first: meanwhile another process may put it aside.
      for (const file of [path, asidePath(path)]) {
        try {
          await remove(file);
        } catch (error) {
          throw storeFailure('empty', file, error, NAMES);
        }
      }
    },
    settled: () => queue.settled(),
  };
}

/** `stream.1.jsonl` */
function asidePath(path: string): string {
  return path.replace(/\.jsonl$/, '.1.jsonl');
}

/** @returns how large the file is then. */
async function appendTo(path: string, lines: readonly string[]): Promise<number> {
  for (;;) {
    const fd = await openOrMake(path);
    try {
      keepOwner(fd, dirname(path));
      keepPrivate(fd);
      const bytes = appendLines(fd, lines);
      // Another process may have removed it meanwhile.
      if (fstatSync(fd).nlink > 0 || isAt(path, fd)) return bytes;
    } finally {
      closeSync(fd);
    }
  }
}

/** A file that was there already may be readable for others. @throws the error of the system when it is another's. */
function keepPrivate(fd: number): void {
  if (process.platform !== 'win32' && (fstatSync(fd).mode & 0o777) !== PRIVATE) fchmodSync(fd, PRIVATE);
}

async function openOrMake(path: string): Promise<number> {
  try {
    return openAppendedFile(path, 'append', WHAT);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    await makeStoreFolder(path);
    return openAppendedFile(path, 'append', WHAT);
  }
}

async function putAside(path: string, half: number): Promise<void> {
  const lock = await acquireFileLock(`${path}.lock`, { waitFor: PATIENCE, names: NAMES });
  try {
    // Another process may have done it meanwhile.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= half) return;
    lock.assertHeld();
    await whileBusy(() => rename(path, asidePath(path)));
  } catch (error) {
    // Another process has emptied the stream.
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  } finally {
    await lock.release();
  }
}

async function remove(path: string): Promise<void> {
  try {
    await whileBusy(() => unlink(path));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || !isFile(path)) return;
    try {
      const fd = openAppendedFile(path, 'append', WHAT);
      try {
        ftruncateSync(fd);
      } finally {
        closeSync(fd);
      }
    } catch {
      throw error;
    }
  }
}

/** Whether the path leads to a file; a folder of that name holds no lines. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return true;
  }
}

const MAX_TRIES = 20;

type LeaveOut = (file: string, error: unknown) => void;

/** Lines of the file that was put aside, then of the one in use: both as they were at one moment. One that cannot be opened is left out. */
async function allLines(path: string, most: number, leaveOut: LeaveOut): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    const opened: number[] = [];
    try {
      const current = openIfThere(path, leaveOut);
      if (current !== undefined) opened.push(current);
      const aside = openIfThere(asidePath(path), leaveOut);
      if (aside !== undefined) opened.unshift(aside);
      // Another process may have put it aside between the two.
      const same = current === undefined ? !existsSync(path) : isAt(path, current);
      if (!same && tries < MAX_TRIES) continue;
      let lines: string[] = [];
      for (const fd of opened) lines = lines.concat(await lastLines(fd, most));
      return lines;
    } finally {
      for (const fd of opened) closeSync(fd);
    }
  }
}

/** Whether a file that is open has this path: no other gets its number meanwhile. */
function isAt(path: string, fd: number): boolean {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === fstatSync(fd, { bigint: true }).ino;
}

function openIfThere(path: string, leaveOut: LeaveOut): number | undefined {
  try {
    return openAppendedFile(path, 'read', WHAT);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') leaveOut(path, error);
    return undefined;
  }
}

/** The whole lines of the last `most` bytes. What follows the last line end was being written when its process was killed. */
async function lastLines(fd: number, most: number): Promise<string[]> {
  const { size } = fstatSync(fd);
  const start = Math.max(0, size - Math.floor(most));
  const bytes = Buffer.alloc(size - start);
  const { bytesRead } = await readFrom(fd, bytes, 0, bytes.length, start);
  const found = bytes.subarray(0, bytesRead);
  const begin = start === 0 ? 0 : found.indexOf(NEWLINE) + 1;
  return found
    .toString('utf8', begin, Math.max(begin, found.lastIndexOf(NEWLINE)))
    .split('\n')
    .filter((line) => line !== '');
}
