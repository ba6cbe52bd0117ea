import { type BigIntStats, closeSync, fstatSync, read, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { isObject } from '../../kernel/json-value.js';
import { makeShape } from '../../kernel/shape.js';
import { keepOwner, openAppendedFile } from '../appended-file.js';
import { type FileNames, resolveTarget, storeFailure, systemErrorCode } from '../file-system.js';
import { type AuditDamage, AuditEntry, type AuditReader } from './entry.js';

// The files of an audit log beside those of its store, by the path of the store, its symbolic links resolved.

export const AUDIT_NAMES: FileNames = { noun: 'log file', flag: undefined };

/** Builds the path of the audit log file in use: `passkeys.json.audit.jsonl`. */
export function auditPath(target: string): string {
  return `${target}.audit.jsonl`;
}

/** Builds the path of the archived audit log file with number `n`, counted from 1: `passkeys.json.audit.1.jsonl`. */
export function asidePath(target: string, n: number): string {
  return `${target}.audit.${n}.jsonl`;
}

/** Lists the numbers of the archived audit log files, in ascending order. @throws the error of the system. */
export async function asideNumbers(target: string): Promise<number[]> {
  const prefix = `${basename(target)}.audit.`;
  const numbers = (await readdir(dirname(target))).flatMap((name) => {
    const digits = name.startsWith(prefix) ? /^([1-9]\d{0,14})\.jsonl$/.exec(name.slice(prefix.length))?.[1] : undefined;
    return digits === undefined ? [] : [Number(digits)];
  });
  return numbers.sort((a, b) => a - b);
}

/** Builds the path of the lock under which only one process at a time archives the audit log file in use. */
export function auditLockPath(target: string): string {
  return `${auditPath(target)}.lock`;
}

/** Name of the audit log in messages. */
export const AUDIT_LOG = 'the audit log';

/**
 * Opens a file of the audit log and returns its descriptor.
 *
 * @throws the system's error if the file cannot be opened; PasskeyError `store_unavailable` if it is not a regular file.
 */
function openAuditFile(path: string, use: 'read' | 'append'): number {
  return openAppendedFile(path, use, 'audit log');
}

/**
 * Opens the audit log file in use and returns its descriptor. If the file is absent, creates it so that only the owner of the store can use
 * it, even if root runs the command.
 */
export function openForAppending(target: string): number {
  const fd = openAuditFile(auditPath(target), 'append');
  keepOwner(fd, target);
  return fd;
}

/** Converts an error of the system to a PasskeyError `store_unavailable`; returns any other error unchanged. */
export function auditFailure(doing: 'read' | 'write', target: string, error: unknown): unknown {
  return storeFailure(doing, auditPath(target), error, AUDIT_NAMES);
}

const NEWLINE = 0x0a;
const PORTION = 256 * 1024;

const readFrom = promisify(read);
const ENTRY = makeShape(AuditEntry);

/** Position up to which a file of the audit log has been read. */
interface Progress {
  /** Identity of the file. Distinguishes it from a later file of the same name, which may get the same inode number. */
  readonly file: string;
  bytes: number;
  lines: number;
}

type OnDamage = ((damage: AuditDamage) => void) | undefined;

/**
 * Reads the files of an audit log, oldest first. The file in use has the number that it will have when archived: one more than the last
 * archived file. Therefore, reading continues where it stopped even if the file has been renamed. It also finds a late entry of a process
 * that was about to write when another process archived the file.
 */
export class AuditFileReader implements AuditReader {
  readonly #path: string;
  readonly #via: AuditEntry['via'] | undefined;
  /** Text that every line with the wanted `via` contains; empty if all entries are wanted. */
  readonly #mark: string;
  readonly #progress = new Map<number, Progress>();

  /**
   * Creates the reader.
   *
   * @param path of the store.
   */
  constructor(path: string, via?: AuditEntry['via']) {
    this.#path = path;
    this.#via = via;
    this.#mark = via === undefined ? '' : `"via":${JSON.stringify(via)}`;
  }

  /**
   * Skips all entries written so far.
   *
   * @throws PasskeyError `store_unavailable` if a file cannot be read.
   */
  async skip(): Promise<void> {
    const target = await resolveTarget(this.#path);
    try {
      const { aside, current } = await look(target);
      if (current !== undefined) {
        this.#skip((aside.at(-1) ?? 0) + 1, fstatSync(current, { bigint: true }));
        closeSync(current);
      }
      for (const n of aside) {
        this.#skip(n, statSync(asidePath(target, n), { bigint: true, throwIfNoEntry: false }));
      }
    } catch (error) {
      throw auditFailure('read', target, error);
    }
  }

  /**
   * Reads the entries added since the last call.
   *
   * @throws PasskeyError `store_unavailable` if a file cannot be read.
   */
  async *readOn(onDamage?: OnDamage): AsyncGenerator<AuditEntry> {
    const target = await resolveTarget(this.#path);
    try {
      const { aside, current } = await look(target);
      try {
        for (const n of aside) {
          const path = asidePath(target, n);
          const fd = openIfThere(path);
          if (fd === undefined) continue;
          try {
            yield* this.#readFile(fd, { path, n, onDamage });
          } finally {
            closeSync(fd);
          }
        }
        if (current !== undefined) yield* this.#readFile(current, { path: auditPath(target), n: (aside.at(-1) ?? 0) + 1, onDamage });
      } finally {
        if (current !== undefined) closeSync(current);
      }
    } catch (error) {
      throw auditFailure('read', target, error);
    }
  }

  #skip(n: number, stats: BigIntStats | undefined): void {
    if (stats !== undefined) this.#progress.set(n, { file: fileMark(stats), bytes: Number(stats.size), lines: 0 });
  }

  /** Reads the complete lines of a file. An incomplete last line is still being written, or its process was killed while writing it. */
  async *#readFile(fd: number, o: { readonly path: string; readonly n: number; readonly onDamage: OnDamage }): AsyncGenerator<AuditEntry> {
    const known = this.#progress.get(o.n);
    const stats = fstatSync(fd, { bigint: true });
    const file = fileMark(stats);
    // It may have been emptied, or removed and begun anew.
    const progress = known?.file === file && known.bytes <= stats.size ? known : { file, bytes: 0, lines: 0 };
    this.#progress.set(o.n, progress);
    // The beginning of a line, in portions that have no end of one: a long one is put together once.
    let begun: Buffer[] = [];
    let length = 0;
    for (;;) {
      const portion = Buffer.alloc(PORTION);
      const { bytesRead } = await readFrom(fd, portion, 0, PORTION, progress.bytes + length);
      if (bytesRead === 0) return;
      const found = portion.subarray(0, bytesRead);
      begun.push(found);
      length += bytesRead;
      if (!found.includes(NEWLINE)) continue;
      const rest = Buffer.concat(begun);
      let at = 0;
      let marked = rest.indexOf(this.#mark);
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, at)) {
        const begin = at;
        progress.bytes += end + 1 - begin;
        progress.lines += 1;
        at = end + 1;
        if (marked !== -1 && marked < begin) marked = rest.indexOf(this.#mark, begin);
        if (marked === -1 || marked >= end) continue;
        const text = rest.toString('utf8', begin, end);
        if (text === '') continue;
        const entry = readEntry(text);
        if (entry === undefined) o.onDamage?.({ file: o.path, line: progress.lines });
        else if (this.#via === undefined || entry.via === this.#via) yield entry;
      }
      begun = [rest.subarray(at)];
      length -= at;
    }
  }
}

const fileMark = ({ ino, birthtimeNs }: BigIntStats): string => `${ino} ${birthtimeNs}`;

const MAX_TRIES = 20;

/** Finds the numbers of the archived files and opens the file in use, both as of the same moment. */
async function look(target: string): Promise<{ readonly aside: readonly number[]; readonly current: number | undefined }> {
  const path = auditPath(target);
  for (let tries = 1; ; tries += 1) {
    const current = openIfThere(path);
    try {
      const aside = await asideNumbers(target);
      const now = statSync(path, { bigint: true, throwIfNoEntry: false });
      // While it is open no other file gets its number.
      const same = current === undefined ? now === undefined : now?.ino === fstatSync(current, { bigint: true }).ino;
      if (same || tries === MAX_TRIES) return { aside, current };
    } catch (error) {
      if (current !== undefined) closeSync(current);
      throw error;
    }
    if (current !== undefined) closeSync(current);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openAuditFile(path, 'read');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readEntry(text: string): AuditEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    // Entries of earlier versions have no counts.
    const entry = { ...value, counts: value.counts ?? null };
    return ENTRY.fits(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}
