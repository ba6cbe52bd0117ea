import { closeSync, constants, fchownSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { PasskeyError } from '../errors.js';
import { systemErrorCode } from './file-system.js';

// Files to which lines are appended: one entry each, as JSON.

const NEWLINE = 0x0a;

// No link is followed and no FIFO waited for. Windows knows neither flag.
const AS_FILE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FLAGS = {
  read: constants.O_RDONLY | AS_FILE,
  // Reading as well: the last byte tells whether the last line is whole.
  append: constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | AS_FILE,
} as const;

/**
 * The descriptor of such a file, which is made (0600) to be appended to.
 *
 * @param what it is, for messages.
 * @throws the error of the system · PasskeyError `store_unavailable` when it is no file.
 */
export function openAppendedFile(path: string, use: keyof typeof FLAGS, what: string): number {
  let fd: number;
  try {
    fd = openSync(path, FLAGS[use], 0o600);
  } catch (error) {
    throw systemErrorCode(error) === 'ELOOP' ? notAFile(path, what, error) : error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notAFile(path, what);
}

/** A new file belongs to the owner of another, also where root has made it. */
export function keepOwnerOf(fd: number, other: string): void {
  if (process.getuid?.() !== 0 || fstatSync(fd).size > 0) return;
  const found = statSync(other, { throwIfNoEntry: false });
  if (found !== undefined && found.uid !== 0) fchownSync(fd, found.uid, found.gid);
}

/**
 * Synchronously: it goes into memory, which takes microseconds, and a turn of the thread pool for each login would take longer.
 *
 * @param lines without their ends.
 * @returns how large the file is then.
 */
export function appendLines(fd: number, lines: readonly string[]): number {
  const { size } = fstatSync(fd);
  // What a killed process left of a line must not swallow the next one.
  const begin = size > 0 && lastByte(fd, size) !== NEWLINE ? '\n' : '';
  const bytes = Buffer.from(begin + lines.map((line) => `${line}\n`).join(''));
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return fstatSync(fd).size;
}

function lastByte(fd: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readSync(fd, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}

function notAFile(path: string, what: string, cause?: unknown): PasskeyError {
  const message = `Expected a file as ${what}; ${path} is something else, such as a symbolic link. Move it away.`;
  return new PasskeyError('store_unavailable', message, cause === undefined ? {} : { cause });
}
