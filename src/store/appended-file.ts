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
 * Opens a file for appending, creating it (mode 0600) if it is absent, and returns its descriptor.
 *
 * @param what noun for the file in messages.
 * @throws the system's error if the file cannot be opened; PasskeyError `store_unavailable` if it is not a regular file.
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

/** Gives a new file the same owner as another file, in case root created it. */
export function keepOwner(fd: number, other: string): void {
  if (process.getuid?.() !== 0 || fstatSync(fd).size > 0) return;
  const found = statSync(other, { throwIfNoEntry: false });
  if (found !== undefined && found.uid !== 0) fchownSync(fd, found.uid, found.gid);
}

/**
 * Appends lines synchronously. Writing into the system's memory takes only microseconds, less than a task for the thread pool would.
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

/** Maximum number of entries that wait in memory. Only if nothing can be written for a long time would more be waiting. */
const MOST_WAITING = 10_000;

/** Queue of entries to write. Entries that arrive while others are being written are then written together. */
export class BatchQueue<Entry> {
  readonly #write: (entries: readonly Entry[]) => Promise<void> | void;
  readonly #what: string;
  readonly #onFailure: (reason: string) => void;
  #waiting: Entry[] = [];
  #writing: Promise<void> | undefined;
  #warned = false;

  /**
   * Creates the queue. If entries are lost, calls `onFailure` once with the reason; `what` names the log in that message. If `write` is
   * synchronous, the queue never waits before it writes the next entries.
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

  /** Reports a failure other than a failed `write`, such as one in archiving. */
  failed(error: unknown): void {
    this.#warn(error instanceof Error ? error.message : String(error));
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#onFailure(`Some entries of ${this.#what} are lost; nothing else is affected. ${reason}`);
  }
}
