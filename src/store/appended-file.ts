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
 * The descriptor of a file to append to, which is created (0600) if absent.
 *
 * @param its noun in messages.
 * @throws the error of the system · PasskeyError `store_unavailable` if it is not a file.
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

/** Gives a new file the owner of another, in case root has made it. */
export function keepOwner(fd: number, other: string): void {
  if (process.getuid?.() !== 0 || fstatSync(fd).size > 0) return;
  const found = statSync(other, { throwIfNoEntry: false });
  if (found !== undefined && found.uid !== 0) fchownSync(fd, found.uid, found.gid);
}

/**
 * Appends synchronously: a write into the system's memory takes microseconds, less than a turn of the thread pool for each login.
 *
 * @param lines without line ends.
 * @returns the new size of the file.
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

/** More entries wait only if nothing can be written for a long time; memory is not the place to keep them. */
const MOST_WAITING = 10_000;

/** Entries on their way: those that come while others are being written are written together. */
export class BatchQueue<Entry> {
  readonly #write: (entries: readonly Entry[]) => Promise<void> | void;
  readonly #what: string;
  readonly #onFailure: (reason: string) => void;
  #waiting: Entry[] = [];
  #writing: Promise<void> | undefined;
  #warned = false;

  /**
   * Calls `onFailure` once with the reason why entries of `what` are lost. A `write` that has finished when it returns keeps no caller
   * waiting for the next one.
   */
  constructor(write: (entries: readonly Entry[]) => Promise<void> | void, what: string, onFailure: (reason: string) => void) {
    this.#write = write;
    this.#what = what;
    this.#onFailure = onFailure;
  }

  append(entry: Entry): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#warn(`${MOST_WAITING} entries are waiting already.`);
      return;
    }
    this.#waiting.push(entry);
    this.#writing ??= this.#run();
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  async #run(): Promise<void> {
    // Those of changes that were saved together go together, and before anything that waits for those changes goes on.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        const written = this.#write(entries);
        if (written !== undefined) await written;
      } catch (error) {
        this.failed(error);
      }
    }
    this.#writing = undefined;
  }

  /** For work besides writing. */
  failed(error: unknown): void {
    this.#warn(error instanceof Error ? error.message : String(error));
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#onFailure(`Some entries of ${this.#what} are lost; nothing else is affected. ${reason}`);
  }
}
