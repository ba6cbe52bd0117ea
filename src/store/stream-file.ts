import { closeSync, fstatSync, read } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { appendLines, keepOwnerOf, openAppendedFile } from './appended-file.js';
import { BatchQueue } from './batch-queue.js';
import { type FileNames, makeStoreFolder, storeFailure, systemErrorCode, whileBusy } from './file-system.js';
import { replaceFile } from './replace-file.js';

export interface StreamFileOptions {
  /** Told once why lines are lost. */
  readonly onFailure?: (reason: string) => void;
  /** Bytes after which the older half goes. Default 5 MB. */
  readonly size?: number;
}

/** Lines in a file, of which the oldest go. */
export interface StreamFile {
  append(lines: readonly string[]): void;
  /** Those that are whole, the oldest first. @throws PasskeyError `store_unavailable` */
  read(): Promise<readonly string[]>;
  /** @throws PasskeyError `store_unavailable` */
  clear(): Promise<void>;
  settled(): Promise<void>;
}

const readFrom = promisify(read);

const DEFAULT_SIZE = 5_000_000;
const NEWLINE = 0x0a;
const WHAT = 'stream of the test page';
const NAMES: FileNames = { noun: 'stream file', flag: '--store' };

/**
 * The stream of a development server in a file (0600) beside its store, in one write for all lines of a moment. A full file is replaced by
 * its newer half. Lines survive the process; they are not flushed, so a power failure may take the last ones.
 *
 * @param path made when the first line is written, its folder too.
 */
export function createStreamFile(path: string, { onFailure = () => {}, size = DEFAULT_SIZE }: StreamFileOptions = {}): StreamFile {
  const queue = new BatchQueue<string>(
    async (lines) => {
      try {
        if ((await appendTo(path, lines)) > size) await replaceFile(path, asText(await lastLines(path, size / 2)));
      } catch (error) {
        throw storeFailure('write', path, error, NAMES);
      }
    },
    'the stream of the test page',
    onFailure,
  );
  return {
    append(lines) {
      for (const line of lines) queue.append(line);
    },
    async read() {
      await queue.settled();
      try {
        return await lastLines(path, 2 * size);
      } catch (error) {
        throw storeFailure('read', path, error, NAMES);
      }
    },
    async clear() {
      await queue.settled();
      try {
        await whileBusy(() => unlink(path));
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOENT') throw storeFailure('write', path, error, NAMES);
      }
    },
    settled: () => queue.settled(),
  };
}

/** @returns how large the file is then. */
async function appendTo(path: string, lines: readonly string[]): Promise<number> {
  const fd = await openOrMake(path);
  try {
    keepOwnerOf(fd, dirname(path));
    return appendLines(fd, lines);
  } finally {
    closeSync(fd);
  }
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

/** The whole lines of the last `most` bytes. What follows the last line end was being written when its process was killed. */
async function lastLines(path: string, most: number): Promise<string[]> {
  let fd: number;
  try {
    fd = openAppendedFile(path, 'read', WHAT);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - Math.floor(most));
    const bytes = Buffer.alloc(size - start);
    const { bytesRead } = await readFrom(fd, bytes, 0, bytes.length, start);
    const read = bytes.subarray(0, bytesRead);
    const begin = start === 0 ? 0 : read.indexOf(NEWLINE) + 1;
    return read
      .toString('utf8', begin, Math.max(begin, read.lastIndexOf(NEWLINE)))
      .split('\n')
      .filter((line) => line !== '');
  } finally {
    closeSync(fd);
  }
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
