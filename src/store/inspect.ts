import { randomBytes } from 'node:crypto';
import { closeSync, readFileSync } from 'node:fs';
import { PasskeyError } from '../errors.js';
import { isObject, parseJson } from '../kernel/json-value.js';
import { decodeFile, encodeFile } from './file-codec.js';
import { FileDamage } from './file-damage.js';
import { addRow, type Contents, emptyContents } from './file-rows.js';
import { FileSizeLimit } from './file-size.js';
import { openRegularFile, resolveTarget, systemErrorCode } from './file-system.js';
import { journalPath } from './journal-file.js';
import { isSpoiltLine, type JournalEntry, type JournalHeader, readEntry, readHeader, SPOILT_END } from './journal-text.js';
import { applyEntry, readStore } from './opened-store.js';
import { TABLES, type Table } from './records.js';
import { writeNewFile } from './replace-file.js';
import { ROW_SHAPES } from './row-text.js';
import { newFileFailure, readFailure } from './store-failures.js';

/** Counts of a store, as far as it can be read. */
export interface StoreReport {
  /** Symbolic links resolved. */
  readonly path: string;
  readonly owners: number;
  readonly passkeys: number;
  /** Revoked passkeys. */
  readonly revoked: number;
  /** Sessions and tokens, ended ones included. */
  readonly accesses: number;
  /** Changes that are in the journal and not in the file yet. */
  readonly pending: number;
  readonly damages: readonly Damage[];
}

/**
 * Looks at the JSON file of a store and at its journal, and changes neither.
 *
 * @throws PasskeyError `store_absent` · `store_unavailable`; damage is in the report.
 */
export async function checkStore(path: string): Promise<StoreReport> {
  return (await inspect(path)).report;
}

/**
 * Writes the readable part of a store into a new file of any name; the store stays as it is.
 *
 * @throws PasskeyError `usage` if the new file exists · as above.
 */
export async function repairStore(path: string, out: string): Promise<StoreReport> {
  const { contents, report } = await inspect(path);
  try {
    const target = await resolveTarget(out, { noun: 'file' });
    await writeNewFile(target, encodeFile({ ...contents, store: randomBytes(16).toString('hex'), sequence: 0 }), { ownerOf: report.path });
  } catch (cause) {
    throw newFileFailure(out, cause);
  }
  return report;
}

async function inspect(path: string): Promise<{ readonly contents: Contents; readonly report: StoreReport }> {
  try {
    const target = await resolveTarget(path);
    const opened = await readStore(path, new FileSizeLimit(path, {})).catch((error: unknown) => {
      if (error instanceof FileDamage || (error instanceof PasskeyError && error.code === 'store_damaged')) return undefined;
      throw error;
    });
    opened?.journal?.close();
    const inFile = opened?.inFile;
    const { contents, damages } = opened ? { contents: opened.contents, damages: [] } : await salvageStore(target);
    const { state } = contents;
    const report = {
      path: target,
      owners: state.owners.size,
      passkeys: state.passkeys.size,
      revoked: state.revokedPasskeys.size,
      accesses: state.accesses.size,
      pending: inFile === undefined ? 0 : contents.sequence - inFile,
      damages,
    };
    return { contents, report };
  } catch (cause) {
    throw readFailure(path, cause);
  }
}

/** A part of a store that cannot be read. */
interface Damage {
  readonly file: string;
  /** A line, `line:column`, a JSON Pointer, or empty. */
  readonly place: string;
  readonly reason: string;
}

/** The readable part of a store. */
interface Salvage {
  readonly contents: Contents;
  readonly damages: readonly Damage[];
}

/**
 * Reads a store row by row and line by line, and leaves out rows that are damaged or contradict earlier ones. Reads the file and its
 * journal as they are; changes nothing.
 *
 * @throws NewerVersion · the error of the system.
 */
async function salvageStore(target: string): Promise<Salvage> {
  const salvager = new Salvager(target);
  salvager.readFile(readBytes(target));
  const path = journalPath(target);
  try {
    salvager.readJournal(path, readBytes(path));
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  salvager.raiseNextIds();
  return { contents: salvager.contents, damages: salvager.damages };
}

class Salvager {
  contents: Contents = emptyContents();
  readonly damages: Damage[] = [];
  readonly #target: string;
  /** Next ids from the file; its rows may have higher ones. */
  #next = { passkey: 1, access: 1 };

  constructor(target: string) {
    this.#target = target;
  }

  readFile(bytes: Buffer): void {
    try {
      this.contents = decodeFile(bytes);
      const { nextPasskeyId, nextAccessId } = this.contents.state;
      this.#next = { passkey: nextPasskeyId, access: nextAccessId };
      return;
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      this.contents = emptyContents();
      // Any id may come; the next one is found at the end.
      Object.assign(this.contents.state, { nextPasskeyId: Number.MAX_SAFE_INTEGER, nextAccessId: Number.MAX_SAFE_INTEGER });
      const text = bytes.toString('utf8');
      const file = parseJson(text);
      // Where the rows show what is wrong, the whole need not say it again.
      if (isObject(file)) this.#readTables(new Map(Object.entries(file)));
      else this.#readLines(text);
      if (this.damages.length === 0) this.damages.push({ file: this.#target, place: error.place, reason: error.message });
    }
  }

  #readTables(file: ReadonlyMap<string, unknown>): void {
    this.#readHead(file);
    for (const table of TABLES) {
      const rows = file.get(table);
      if (!Array.isArray(rows)) this.#note(`/${table}`, 'expected a list of rows');
      else for (const [index, row] of rows.entries()) this.#add(table, row, `/${table}/${index}`);
    }
  }

  /** Reads a file that is no longer JSON: its rows are still in lines of their own. */
  #readLines(text: string): void {
    const head = new Map<string, unknown>();
    let table: Table | undefined;
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const place = String(index + 1);
      const member = /^\s*"(\w+)": ?(.*?),?$/.exec(line);
      if (member) {
        table = TABLES.find((each) => each === member[1]);
        if (table === undefined) head.set(String(member[1]), parseJson(String(member[2])));
        continue;
      }
      const row = line.trim().replace(/,$/, '');
      if (row.length <= 2) continue;
      const value = parseJson(row);
      if (value === undefined) this.#note(place, 'expected a row, as JSON');
      else if (table === undefined) this.#note(place, 'expected the name of a table before its rows');
      else this.#add(table, value, place);
    }
    this.#readHead(head);
  }

  #readHead(head: ReadonlyMap<string, unknown>): void {
    const readNumber = (name: string): number => {
      const value = head.get(name);
      return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
    };
    const store = head.get('store');
    this.contents.store = typeof store === 'string' ? store : '';
    this.contents.sequence = readNumber('sequence');
    this.#next.passkey = Math.max(this.#next.passkey, readNumber('next_passkey_id'));
    this.#next.access = Math.max(this.#next.access, readNumber('next_access_id'));
  }

  #add(table: Table, row: unknown, at: string): void {
    this.#noteIds(table, row);
    try {
      if (ROW_SHAPES[table].fits(row)) return addRow(this.contents, table, row, at);
      const [misfit] = ROW_SHAPES[table].findMisfits(row);
      if (misfit) this.#note(at.startsWith('/') ? `${at}${misfit.place}` : at, misfit.message);
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      this.#note(error.place, error.message);
    }
  }

  readJournal(path: string, bytes: Buffer): void {
    const lines = [...linesOf(bytes)];
    const tail = bytes.subarray(bytes.lastIndexOf(0x0a) + 1);
    if (isSpoiltLine(tail)) {
      lines.push(tail.subarray(0, -1));
      this.#note(String(lines.length), SPOILT_END, path);
    }
    const header = this.#readHeader(path, lines[0]);
    // What is in the file already is in the journal as well only where the file says so.
    const from = header === undefined || header.store === this.contents.store ? this.contents.sequence : 0;
    if (header && header.store !== this.contents.store && this.contents.store !== '' && lines.length > 1) {
      this.#note('1', 'the journal belongs to another store', path);
    }
    for (const [index, line] of lines.entries()) {
      if (index === 0 && header) continue;
      const place = String(index + 1);
      try {
        const entry = readEntry(line);
        if (!('snapshot' in entry) && entry.n > from) this.#apply(entry, { place, path });
      } catch (error) {
        if (!(error instanceof FileDamage)) throw error;
        this.#note(place, error.message, path);
      }
    }
  }

  #readHeader(path: string, line: Buffer | undefined): JournalHeader | undefined {
    try {
      return readHeader(line ?? Buffer.alloc(0));
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error;
      this.#note('1', error.message, path);
      return undefined;
    }
  }

  #apply(entry: JournalEntry, { place, path }: { readonly place: string; readonly path: string }): void {
    const { contents } = this;
    if (entry.n > contents.sequence + 1) this.#note(place, `expected change ${contents.sequence + 1}, got ${entry.n}`, path);
    contents.sequence = Math.max(contents.sequence, entry.n);
    this.#next.passkey = Math.max(this.#next.passkey, entry.next_passkey_id);
    this.#next.access = Math.max(this.#next.access, entry.next_access_id);
    applyEntry(contents, entry);
  }

  raiseNextIds(): void {
    const { state } = this.contents;
    for (const id of state.passkeys.keys()) this.#next.passkey = Math.max(this.#next.passkey, id + 1);
    for (const id of state.accesses.keys()) this.#next.access = Math.max(this.#next.access, id + 1);
    state.nextPasskeyId = this.#next.passkey;
    state.nextAccessId = this.#next.access;
  }

  /** A row that is left out keeps its id from being given again, and a login that of its passkey. */
  #noteIds(table: Table, row: unknown): void {
    if (!isObject(row)) return;
    const after = (id: unknown): number => (typeof id === 'number' && Number.isSafeInteger(id) ? id + 1 : 1);
    if (table === 'passkeys') this.#next.passkey = Math.max(this.#next.passkey, after(row.id));
    if (table !== 'accesses') return;
    this.#next.access = Math.max(this.#next.access, after(row.id));
    this.#next.passkey = Math.max(this.#next.passkey, after(row.passkey_id));
  }

  #note(place: string, reason: string, file = this.#target): void {
    this.damages.push({ file, place, reason });
  }
}

function readBytes(path: string): Buffer {
  const fd = openRegularFile(path, 'read');
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The lines of a journal, without a last one that was cut off. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0, end = bytes.indexOf(0x0a); end !== -1; at = end + 1, end = bytes.indexOf(0x0a, at)) yield bytes.subarray(at, end);
}
