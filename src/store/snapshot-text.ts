import { isUtf8 } from 'node:buffer';
import { fstatSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isObject } from '../kernel/json-value.js';
import { decodeFile, FILE_VERSION, readHead, StoreFile, validate } from './file-codec.js';
import { addRow, type Contents, emptyContents, findUnknownMembers } from './file-rows.js';
import { type Records, TABLES, type Table } from './records.js';
import { encodeRow, type UnknownMembers } from './row-text.js';
import { FileDamage } from './store-failures.js';

/** Characters of a piece of the file: what is written at once, and what is read at once. */
const PIECE = 64 * 1024;

/**
 * The text of a file as its contents are at the time of the call, in pieces that are made when they are asked for: what is changed
 * meanwhile is not in it. One row a line, so that a diff of two stores is readable.
 */
export function encodeFile({ state, passkeys, extra, store, sequence }: Contents): Iterable<string> {
  const rows: Readonly<Record<Table, Iterable<string>>> = {
    owners: encodeEach('owners', [...state.owners.values()], extra),
    removed_owners: encodeEach('removed_owners', [...state.removedOwners.values()], extra),
    passkeys: [...passkeys.texts()],
    accesses: encodeEach('accesses', [...state.accesses.values()], extra),
  };
  const head = {
    version: FILE_VERSION,
    store,
    sequence,
    next_passkey_id: state.nextPasskeyId,
    next_access_id: state.nextAccessId,
  };
  return inPieces(fileText(head, rows, extra.get('') ?? {}));
}

function* encodeEach<T extends Table>(table: T, records: readonly Records[T][], extra: UnknownMembers): Generator<string> {
  for (const record of records) yield encodeRow(table, record, extra);
}

function* fileText(head: object, rows: Readonly<Record<Table, Iterable<string>>>, unknown: object): Generator<string> {
  yield `{\n${Object.entries(head)
    .map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`)
    .join(',\n')}`;
  for (const table of TABLES) {
    yield `,\n  "${table}": [`;
    let first = true;
    for (const row of rows[table]) {
      yield first ? '\n    ' : ',\n    ';
      yield row;
      first = false;
    }
    yield first ? ']' : '\n  ]';
  }
  for (const [name, value] of Object.entries(unknown)) yield `,\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  yield '\n}\n';
}

function* inPieces(texts: Iterable<string>): Generator<string> {
  let parts: string[] = [];
  let length = 0;
  for (const text of texts) {
    parts.push(text);
    length += text.length;
    if (length < PIECE) continue;
    yield parts.join('');
    parts = [];
    length = 0;
  }
  yield parts.join('');
}

/**
 * Reads a file row by row where it stands as `encodeFile` writes it: that takes the memory of the rows and no more. Anything else, such
 * as a file that was edited, is read as a whole, which also finds the place of a fault.
 *
 * @throws FileDamage · NewerVersion · the error of the system.
 */
export async function readSnapshot(fd: number): Promise<Contents> {
  return (await readRows(fd)) ?? decodeFile(readWhole(fd));
}

function readWhole(fd: number): Buffer {
  const bytes = Buffer.allocUnsafe(fstatSync(fd).size);
  let filled = 0;
  for (let read = -1; read !== 0; filled += read) read = readSync(fd, bytes, filled, bytes.length - filled, filled);
  return bytes.subarray(0, filled);
}

async function readRows(fd: number): Promise<Contents | undefined> {
  const reader = new RowReader();
  let buffer = Buffer.allocUnsafe(16 * PIECE);
  let [filled, position] = [0, 0];
  try {
    for (;;) {
      const room = buffer.length - filled;
      const bytesRead = readSync(fd, buffer, filled, room, position);
      // Others get their turn between two pieces; most files have only one.
      if (bytesRead === room) await setImmediate();
      if (bytesRead === 0) return filled === 0 ? reader.finished() : undefined;
      position += bytesRead;
      filled += bytesRead;
      const end = buffer.lastIndexOf(0x0a, filled - 1) + 1;
      if (!isUtf8(buffer.subarray(0, end))) return undefined;
      for (let at = 0; at < end; ) {
        const newline = buffer.indexOf(0x0a, at);
        if (!reader.take(buffer.subarray(at, newline))) return undefined;
        at = newline + 1;
      }
      buffer.copyWithin(0, end, filled);
      filled -= end;
      // A row that is longer than the buffer.
      if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
    }
  } catch (error) {
    if (error instanceof FileDamage || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const BRACE = 0x7b;
const COMMA = 0x2c;
const HEAD_LINE = /^ {2}("(?:[^"\\]|\\.)+"): (.+?)(,?)$/;

/** Takes the lines of a file. Answers false for one that `encodeFile` would not have written there. */
class RowReader {
  readonly #contents = emptyContents();
  readonly #head = new Map<string, unknown>();
  readonly #unknown = new Map<string, unknown>();
  /** The table whose rows come now. */
  #table: Table | undefined;
  #tablesRead = 0;
  #lines = 0;
  #ended = false;
  /** That of the row before; of another table it is 0. */
  #lastId = 0;
  /** Whether the line before ends with a comma, or opens something: then more has to follow. */
  #more = true;

  take(line: Buffer): boolean {
    if (this.#ended) return false;
    this.#lines += 1;
    if (this.#lines === 1) return line.toString('utf8') === '{';
    const expected = this.#more;
    this.#more = line[line.length - 1] === COMMA;
    if (this.#table !== undefined && line[4] === BRACE) return expected && this.#takeRow(this.#table, line);
    const text = line.toString('utf8');
    if (this.#table !== undefined) {
      this.#table = undefined;
      return !expected && (text === '  ]' || text === '  ],');
    }
    if (text === '}') {
      this.#ended = true;
      return !expected;
    }
    return expected && this.#takeMember(text);
  }

  finished(): Contents | undefined {
    if (!this.#ended || this.#tablesRead < TABLES.length) return undefined;
    const unknown = findUnknownMembers(Object.fromEntries(this.#unknown), StoreFile.properties, '');
    if (unknown) this.#contents.extra.set('', unknown);
    return this.#contents;
  }

  #takeMember(text: string): boolean {
    const [, quoted = '', value = ''] = HEAD_LINE.exec(text) ?? [];
    if (quoted === '') return false;
    const name = String(JSON.parse(quoted));
    if (name === TABLES[this.#tablesRead]) {
      if (this.#tablesRead === 0) {
        const empty = { owners: [], removed_owners: [], passkeys: [], accesses: [] };
        readHead(this.#contents, validate({ ...Object.fromEntries(this.#head), ...empty }));
      }
      if (value === '[') {
        this.#table = TABLES[this.#tablesRead];
        this.#more = true;
      }
      this.#tablesRead += 1;
      this.#lastId = 0;
      return value === '[' || value === '[]';
    }
    const members = this.#tablesRead === 0 ? this.#head : this.#unknown;
    if (members.has(name) || (this.#tablesRead > 0 && Object.hasOwn(StoreFile.properties, name))) return false;
    members.set(name, JSON.parse(value));
    if (!Object.hasOwn(StoreFile.properties, name)) this.#unknown.set(name, members.get(name));
    return true;
  }

  #takeRow(table: Table, line: Buffer): boolean {
    const text = line.toString('utf8', 4, line[line.length - 1] === COMMA ? line.length - 1 : line.length);
    const row: unknown = JSON.parse(text);
    if (table === 'passkeys' || table === 'accesses') {
      const id = isObject(row) && typeof row.id === 'number' ? row.id : 0;
      if (id <= this.#lastId) return false;
      this.#lastId = id;
    }
    // A place only says where a fault is; that of this reader is never shown.
    return addRow(this.#contents, table, row, { at: '', text });
  }
}
