import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, fdatasync, fstatSync, ftruncateSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { applyChange, type Contents, countRows, emptyContents, type ReadLine } from './contents.js';
import { FileDamage } from './file-damage.js';
import { decodeUtf8, eachLine, readBytes } from './file-lines.js';
import type { FileLock } from './file-lock.js';
import type { FileSizeLimit } from './file-size.js';
import { openRegularFile } from './file-system.js';
import { type HeadLine, readHead, readLine } from './log-lines.js';

const ON_WINDOWS = process.platform === 'win32';
const LINE_FEED = 0x0a;
/** Number of bytes to read for the head of a file, which has only about 150 bytes. */
const HEAD_BYTES = 4096;

const flush = promisify(fdatasync);

export const SPOILT = 'expected a line feed at the end of the line, got another byte';
const CUT_OFF = 'the export is cut off: its end mark is missing';
export const OTHER_DIGEST = 'the digest is not that of the lines above: one of them was changed';

/** Error for a change that was written, but for which the system could not confirm that it is on the disk. */
export class NotFlushed extends Error {
  constructor(cause: unknown) {
    super('not flushed', { cause });
  }
}

/** Error for a file that was written by a build from before the first release. */
export class UnreleasedFormat extends Error {}

/** Identity, size and time of a file, from which a later change can be noticed. */
type Mark = Pick<BigIntStats, 'ino' | 'dev' | 'size' | 'mtimeNs'>;

const isSameFile = (stats: Mark, mark: Mark): boolean => stats.ino === mark.ino && stats.dev === mark.dev;

/**
 * The file of a store, read up to its last complete change. Reading is synchronous, so that nothing can happen between reading and use; it
 * is fast because the data are mostly in the system's memory. On POSIX systems the file stays open, so that no other file gets its inode
 * number.
 */
export class LogFile {
  readonly contents: Contents = emptyContents();
  readonly #path: string;
  readonly #limit: FileSizeLimit;
  #fd: number | undefined;
  #mark: Mark;
  #head: HeadLine;
  #headText: string;
  /** Number of lines read so far, without the head. */
  #lines = 0;
  #offset: number;
  /** The last line that was read, with its line feed, and its offset. */
  #last: { readonly at: number; readonly text: string };
  /** Digest of the lines read so far, if the file is an export; undefined after its end mark. */
  #digest: ReturnType<typeof createHash> | undefined;

  private constructor(path: string, fd: number, limit: FileSizeLimit) {
    this.#path = path;
    this.#limit = limit;
    this.#mark = fstatSync(fd, { bigint: true });
    ({ head: this.#head, text: this.#headText } = readFirstLine(fd));
    this.#offset = Buffer.byteLength(this.#headText);
    this.#last = { at: 0, text: this.#headText };
    const { state } = this.contents;
    state.nextPasskeyId = this.#head.next_passkey_id;
    state.nextAccessId = this.#head.next_access_id;
    if (this.#head.file === undefined) this.#digest = createHash('sha256').update(this.#headText);
    this.#readOn(fd);
    if (ON_WINDOWS) closeSync(fd);
    else this.#fd = fd;
  }

  /**
   * Opens the file and reads its complete changes.
   *
   * @throws FileDamage, NewerVersion or UnreleasedFormat if the contents cannot be read; PasskeyError if the file is too large or not a
   * regular file; otherwise the error of the system.
   */
  static open(path: string, limit: FileSizeLimit): LogFile {
    const fd = openRegularFile(path, 'read');
    try {
      return new LogFile(path, fd, limit);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /**
   * Id of the file, which changes whenever the file is rewritten. Undefined for an export, which must be rewritten before its first change.
   */
  get id(): string | undefined {
    return this.#head.file;
  }

  /** Number of lines that a rewrite would leave out. */
  get superseded(): number {
    return this.#lines - countRows(this.contents.state);
  }

  /** Number of lines that were added since the last rewrite. */
  get added(): number {
    return this.#lines - this.#head.rows;
  }

  /** Offset in bytes at which the complete changes end. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Reads the lines that other processes have added.
   *
   * @returns false if the file was replaced, or changed in any other way. Then open it again.
   * @throws the same errors as `open`.
   */
  catchUp(): boolean {
    const stats = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !isSameFile(stats, this.#mark) || stats.size < this.#offset) return false;
    return this.#using((fd) => {
      // A change that could not be flushed was cut off, and another process may have written one of the same length in its place.
      if (!hasText(fd, this.#last)) return false;
      if (stats.size === this.#mark.size && stats.mtimeNs === this.#mark.mtimeNs) return true;
      if (stats.size <= this.#mark.size || !hasText(fd, { at: 0, text: this.#headText })) return false;
      this.#mark = stats;
      this.#readOn(fd);
      return true;
    });
  }

  /**
   * Adds the lines of a change, after cutting off the remains of a torn change. Call this only under the lock and after reading all lines.
   * Resolves when the change is on the disk. Call `pass` next.
   *
   * @throws NotFlushed if the change may have reached the disk; PasskeyError if the lock was lost; otherwise the error of the system.
   */
  async append(text: string, lock: FileLock): Promise<void> {
    const fd = openRegularFile(this.#path, 'append');
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (!isSameFile(stats, this.#mark)) throw Object.assign(new Error(`${this.#path} was replaced`), { code: 'ESTALE' });
      // From here to the end of the write nothing else can happen in this process.
      lock.assertHeld();
      if (stats.size > this.#offset) ftruncateSync(fd, this.#offset);
      const bytes = Buffer.from(text);
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      } catch (error) {
        this.#cutBack(fd, lock);
        throw error;
      }
      await flush(fd).catch((cause: unknown) => {
        this.#cutBack(fd, lock);
        throw new NotFlushed(cause);
      });
      lock.assertHeld();
      this.#mark = fstatSync(fd, { bigint: true });
    } finally {
      closeSync(fd);
    }
  }

  /** Marks the lines of a change that this process added as read. */
  pass(text: string, lines: number): void {
    const at = text.lastIndexOf('\n', text.length - 2) + 1;
    this.#last = { at: this.#offset + at, text: text.slice(at) };
    this.#offset += text.length;
    this.#lines += lines;
  }

  /** Reads the text of the complete changes from an offset on. */
  textFrom(from: number): string {
    return this.#using((fd) => readBytes(fd, from, this.#offset)).toString('utf8');
  }

  /**
   * Switches to a new file that has replaced this one and has the same rows.
   *
   * @param added number of lines in the new file after its initial rows.
   */
  follow(added: number): void {
    const fd = openRegularFile(this.#path, 'read');
    this.close();
    this.#mark = fstatSync(fd, { bigint: true });
    ({ head: this.#head, text: this.#headText } = readFirstLine(fd));
    this.#lines = this.#head.rows + added;
    this.#offset = Number(this.#mark.size);
    this.#last = added === 0 && this.#head.rows === 0 ? { at: 0, text: this.#headText } : findLastLine(fd, this.#offset);
    this.#digest = undefined;
    if (ON_WINDOWS) closeSync(fd);
    else this.#fd = fd;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #cutBack(fd: number, lock: FileLock): void {
    if (!lock.isHeld()) return;
    ftruncateSync(fd, this.#offset);
    this.#mark = fstatSync(fd, { bigint: true });
  }

  /** Reads and applies the complete changes after the present offset. */
  #readOn(fd: number): void {
    const change: ReadLine[] = [];
    // The number of the line that is being read, as an editor shows it: the head is line 1.
    let number = this.#lines + 2;
    try {
      const tail = eachLine(fd, this.#offset, (bytes, end) => {
        const goesOn = this.#take(fd, { bytes, end, change });
        number += 1;
        return goesOn;
      });
      if (isSpoilt(tail)) throw new FileDamage('', SPOILT);
      if (this.#lines < this.#head.rows) {
        throw new FileDamage('', `the file is cut off: its head says that ${this.#head.rows} rows follow, and there are ${this.#lines}`);
      }
      if (this.#digest !== undefined) throw new FileDamage('', CUT_OFF);
    } catch (error) {
      throw error instanceof FileDamage ? error.inLine(number) : error;
    }
  }

  /** Processes one line, and applies the change if the line ends it. Returns false for the first line of a torn change. */
  #take(fd: number, { bytes, end, change }: { readonly bytes: Buffer; readonly end: number; readonly change: ReadLine[] }): boolean {
    const read = this.#read(fd, bytes, end);
    if (read === undefined) return false;
    if (read.line.kind === 'end' && this.#digest !== undefined) {
      this.#end(read.line.sha256);
      this.#pass(bytes, end, read.text, 0);
      return true;
    }
    if (this.id === undefined) this.#note(bytes);
    change.push(read);
    if (read.line.more) return true;
    applyChange(this.contents, change);
    this.#pass(bytes, end, read.text, change.length);
    change.length = 0;
    this.#limit.requireReadable(this.contents.bytes);
    return true;
  }

  #pass(bytes: Buffer, end: number, text: string, lines: number): void {
    this.#last = { at: end - bytes.length - 1, text: `${text}\n` };
    this.#offset = end;
    this.#lines += lines;
  }

  /**
   * Parses one line. Undefined for the remains of a change that was never acknowledged, as after a power failure: blocks that were never
   * written, with no line after them. The rows of a rewrite cannot be affected, because they were all flushed.
   */
  #read(fd: number, bytes: Buffer, end: number): ReadLine | undefined {
    try {
      const text = decodeUtf8(bytes);
      return { line: readLine(text), text };
    } catch (error) {
      const isTorn = this.#lines >= this.#head.rows && bytes.includes(0) && !holdsLine(fd, end);
      if (isTorn && this.id !== undefined && error instanceof FileDamage) return undefined;
      throw error;
    }
  }

  /** Adds a line of an export to the digest. */
  #note(bytes: Buffer): void {
    if (this.#digest === undefined) throw new FileDamage('', 'expected nothing after the end mark');
    this.#digest.update(bytes).update('\n');
  }

  #end(sha256: string): void {
    const { rows } = this.#head;
    if (this.#lines !== rows) throw new FileDamage('', `expected ${rows} rows above, got ${this.#lines}`);
    if (sha256 !== this.#digest?.digest('hex')) throw new FileDamage('', OTHER_DIGEST);
    this.#digest = undefined;
  }

  #using<T>(work: (fd: number) => T): T {
    if (this.#fd !== undefined) return work(this.#fd);
    const fd = openRegularFile(this.#path, 'read');
    try {
      return work(fd);
    } finally {
      closeSync(fd);
    }
  }
}

/**
 * Reads the head in the first line of a file.
 *
 * @throws FileDamage, NewerVersion or UnreleasedFormat if the first line is not a head of this version.
 */
export function readFirstLine(fd: number): { readonly head: HeadLine; readonly text: string } {
  const bytes = readBytes(fd, 0, HEAD_BYTES);
  const end = bytes.indexOf(LINE_FEED);
  const text = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
  // The formats of builds before the first release: a JSON document with rows in lists, and an export.
  if (/^\{\s*"(?:version|passkey_export)"\s*:/.test(bytes.toString('latin1'))) throw new UnreleasedFormat();
  try {
    if (bytes.length === 0) throw new FileDamage('', 'the file is empty');
    const head = readHead(text);
    if (end === -1) throw new FileDamage('', 'the line is cut off');
    return { head, text: `${text}\n` };
  } catch (error) {
    throw error instanceof FileDamage ? error.inLine(1) : error;
  }
}

function hasText(fd: number, { at, text }: { readonly at: number; readonly text: string }): boolean {
  return readBytes(fd, at, at + Buffer.byteLength(text)).toString('utf8') === text;
}

function findLastLine(fd: number, end: number): { readonly at: number; readonly text: string } {
  for (let length = 64 * 1024; ; length *= 2) {
    const from = Math.max(0, end - length);
    const bytes = readBytes(fd, from, end);
    const before = bytes.lastIndexOf(LINE_FEED, bytes.length - 2);
    if (before !== -1 || from === 0) return { at: from + before + 1, text: bytes.toString('utf8', before + 1) };
  }
}

/** Tests whether the file has a valid line of a store after an offset. */
function holdsLine(fd: number, from: number): boolean {
  let found = false;
  eachLine(fd, from, (bytes) => {
    found = isLine(bytes);
    return !found;
  });
  return found;
}

function isLine(bytes: Buffer): boolean {
  try {
    readLine(decodeUtf8(bytes));
    return true;
  } catch (error) {
    if (!(error instanceof FileDamage)) throw error;
    return false;
  }
}

/**
 * Tests whether the line feed of an acknowledged line has been overwritten by another byte. The test works because a line that is being
 * written, or was cut off, is never complete before its last byte.
 */
export function isSpoilt(tail: Buffer): boolean {
  return tail.length > 1 && tail.at(-1) !== 0 && isLine(tail.subarray(0, -1));
}
