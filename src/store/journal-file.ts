import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, statSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { FileDamage, NewerVersion } from './file-damage.js';
import { type FileNames, JOURNAL_ENDING, openRegularFile, systemErrorCode } from './file-system.js';
import {
  type FileMark,
  isEntry,
  isSpoiltLine,
  JOURNAL_VERSION,
  type JournalEntry,
  type JournalHeader,
  readEntry,
  readHeader,
  SPOILT_END,
} from './journal-text.js';

const ON_WINDOWS = process.platform === 'win32';
const NEWLINE = 0x0a;
/** Bytes at the beginning of a line that hold its checksum. */
const HEAD_BYTES = 24;
const NAMES: FileNames = { noun: 'journal', flag: undefined };

const writeAt = promisify(write);
const flush = promisify(fdatasync);

export function journalPath(target: string): string {
  return `${target}${JOURNAL_ENDING}`;
}

/** A line was written, and perhaps read by others, but the system could not say that it is on the disk. */
export class NotFlushed extends Error {
  constructor(cause: unknown) {
    super('not flushed', { cause });
  }
}

/** A line of the journal whose number is that of an editor. */
export interface NumberedEntry {
  readonly line: number;
  readonly entry: JournalEntry;
}

/**
 * The journal of a store, read up to some line. Reading is synchronous, as the data is mostly in the system's memory: nothing can happen
 * between reading and use. On POSIX the file stays open, so that no other file gets its inode number.
 */
export class Journal {
  readonly path: string;
  readonly header: JournalHeader;
  /** The end of the lines read so far. */
  offset: number;
  /** The end of the first line. */
  readonly start: number;
  /** How the file of the store is to look, by the last note. */
  noted: FileMark | undefined;
  #lines = 1;
  /** The beginning of the last line read, and its checksum. */
  #last: { readonly at: number; readonly head: string } | undefined;
  #fd: number | undefined;
  readonly #ino: bigint;
  readonly #dev: bigint;

  private constructor(path: string, fd: number, { header, start }: { readonly header: JournalHeader; readonly start: number }) {
    this.path = path;
    this.header = header;
    this.start = start;
    this.offset = start;
    ({ ino: this.#ino, dev: this.#dev } = fstatSync(fd, { bigint: true }));
    if (ON_WINDOWS) closeSync(fd);
    else this.#fd = fd;
  }

  /** Undefined when there is none. @throws FileDamage · NewerVersion · the error of the system. */
  static open(path: string): Journal | undefined {
    let fd: number;
    try {
      fd = openRegularFile(path, 'read', NAMES);
    } catch (error) {
      // A name that is too long for a journal has none.
      if (['ENOENT', 'ENAMETOOLONG'].includes(systemErrorCode(error) ?? '')) return undefined;
      throw error;
    }
    try {
      return new Journal(path, fd, readFirstLine(path, fd));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** How the file has changed since it was last read: `other` when it was replaced, or is shorter. */
  look(): 'same' | 'longer' | 'other' {
    const stats = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (stats?.ino !== this.#ino || stats.dev !== this.#dev || stats.size < this.offset) return 'other';
    return Number(stats.size) === this.offset ? 'same' : 'longer';
  }

  /**
   * The entries of the lines that follow. A last line that is cut off, as by a crash, or that is being written at this moment, is
   * left alone.
   *
   * @throws FileDamage for a line that does not fit its checksum, and others.
   */
  readOn(): NumberedEntry[] {
    const bytes = this.bytes(this.offset);
    const entries: NumberedEntry[] = [];
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      const found = this.#read(bytes, at, end);
      if (found === undefined) break;
      this.#lines += 1;
      this.#last = { at: this.offset + at, head: bytes.toString('latin1', at, Math.min(end, at + HEAD_BYTES)) };
      if ('snapshot' in found) this.noted = found.snapshot;
      else entries.push({ line: this.#lines, entry: found });
      at = end + 1;
    }
    if (isSpoiltLine(bytes.subarray(at))) throw new FileDamage(String(this.#lines + 1), SPOILT_END, undefined, this.path);
    this.offset += at;
    return entries;
  }

  /**
   * Whether the last line read is still there. A line that could not be flushed is removed, and another process may have written one of the
   * same length in its place. Always true on Windows, where the file is not kept open.
   */
  isAsRead(): boolean {
    if (this.#last === undefined || this.#fd === undefined) return true;
    const { at, head } = this.#last;
    return this.bytes(at, at + head.length).toString('latin1') === head;
  }

  /** The entries added before another process replaced the file. None on Windows, where the file is not kept open. */
  readLast(): NumberedEntry[] {
    return this.#fd === undefined ? [] : this.readOn();
  }

  /** Undefined for the remains of unflushed lines after a power failure: blocks that were never written, and nothing after them. */
  #read(bytes: Buffer, at: number, end: number): ReturnType<typeof readEntry> | undefined {
    try {
      return readEntry(bytes.subarray(at, end));
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      if (bytes.indexOf(0, at) !== -1 && !holdsEntry(bytes.subarray(end + 1))) return undefined;
      throw error.at(String(this.#lines + 1), this.path);
    }
  }

  bytes(from: number, to?: number): Buffer {
    return this.#using((fd) => {
      const bytes = Buffer.alloc(Math.max(0, (to ?? fstatSync(fd).size) - from));
      let filled = 0;
      while (filled < bytes.length) {
        const read = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
        if (read === 0) break;
        filled += read;
      }
      return bytes.subarray(0, filled);
    });
  }

  /**
   * Adds a line. Call it only under the lock, after reading all lines; cuts the remains of a torn one. Resolves when the line is on the
   * disk; if `flushed` is false, when other processes can read it. Call `passLine` next.
   *
   * @throws NotFlushed if it may or may not be on the disk · the error of the system if it is not.
   */
  async append(line: string, { flushed = true }: { readonly flushed?: boolean } = {}): Promise<void> {
    const fd = openRegularFile(this.path, 'change', NAMES);
    try {
      const bytes = Buffer.from(line);
      if (fstatSync(fd).size > this.offset) ftruncateSync(fd, this.offset);
      try {
        for (let done = 0; done < bytes.length; ) {
          done += (await writeAt(fd, bytes, done, bytes.length - done, this.offset + done)).bytesWritten;
        }
      } catch (error) {
        // Without its newline it is no line, so it was not read.
        ftruncateSync(fd, this.offset);
        throw error;
      }
      if (flushed) {
        await flush(fd).catch((cause: unknown) => {
          ftruncateSync(fd, this.offset);
          throw new NotFlushed(cause);
        });
      }
    } finally {
      closeSync(fd);
    }
  }

  /** Counts a line that was added as read. */
  passLine(line: string): void {
    this.#last = { at: this.offset, head: line.slice(0, Math.min(HEAD_BYTES, line.length - 1)) };
    this.offset += Buffer.byteLength(line);
    this.#lines += 1;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #using<T>(work: (fd: number) => T): T {
    if (this.#fd !== undefined) return work(this.#fd);
    const fd = openSync(this.path, 'r');
    try {
      return work(fd);
    } finally {
      closeSync(fd);
    }
  }
}

/** The head of a journal is a few hundred bytes long. */
const HEADER_BYTES = 4096;

function readFirstLine(path: string, fd: number): { readonly header: JournalHeader; readonly start: number } {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const end = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).indexOf(NEWLINE);
  try {
    if (end === -1) throw new FileDamage('', 'expected the head of a journal');
    const header = readHeader(bytes.subarray(0, end));
    if (header.journal > JOURNAL_VERSION) throw new NewerVersion(header.journal, JOURNAL_VERSION, path);
    return { header, start: end + 1 };
  } catch (error) {
    throw error instanceof FileDamage ? error.at('1', path) : error;
  }
}

function holdsEntry(bytes: Buffer): boolean {
  for (let at = 0, end = bytes.indexOf(NEWLINE); end !== -1; at = end + 1, end = bytes.indexOf(NEWLINE, at)) {
    if (isEntry(bytes.subarray(at, end))) return true;
  }
  return false;
}
