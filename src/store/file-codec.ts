import type { Static } from 'typebox';
import * as Type from 'typebox';
import { locateJsonError, locateUtf8Error } from '../kernel/json-location.js';
import { makeShape } from '../kernel/shape.js';
import { FileDamage, NewerVersion, requireShape } from './file-damage.js';
import { addRow, type Contents, emptyContents, findUnknownMembers } from './file-rows.js';
import { Count, Id, type Records, ROWS, type Rows, TABLES, type Table } from './records.js';
import { encodeRow, type UnknownMembers } from './row-text.js';

const FILE_VERSION = 2;

const StoreFile = Type.Object({
  version: Type.Literal(FILE_VERSION),
  /** Ties the file to its journal. */
  store: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  /** Number of the last change of the journal that is in the file. */
  sequence: Count,
  next_passkey_id: Id,
  next_access_id: Id,
  owners: Type.Array(ROWS.owners),
  removed_owners: Type.Array(ROWS.removed_owners),
  passkeys: Type.Array(ROWS.passkeys),
  accesses: Type.Array(ROWS.accesses),
});

type StoreFile = Static<typeof StoreFile>;
const FILE_SHAPE = makeShape(StoreFile);

/** @throws FileDamage · NewerVersion */
export function decodeFile(bytes: Uint8Array): Contents {
  const file = validate(parse(bytes));
  const contents = emptyContents();
  contents.store = file.store;
  contents.sequence = file.sequence;
  contents.state.nextPasskeyId = file.next_passkey_id;
  contents.state.nextAccessId = file.next_access_id;
  for (const table of TABLES) addRows(contents, table, file[table]);
  const unknown = findUnknownMembers(file, StoreFile.properties, '');
  if (unknown) contents.extra.set('', unknown);
  return contents;
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new FileDamage('1:1', 'the file is empty');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const wrong = locateUtf8Error(bytes);
    throw new FileDamage(wrong ? `${wrong.line}:${wrong.column}` : '', `expected UTF-8, got ${wrong?.received ?? 'something else'}`, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const found = locateJsonError(text);
    if (found === undefined) throw new FileDamage('', 'expected JSON', cause);
    throw new FileDamage(`${found.line}:${found.column}`, `expected ${found.expected}, got ${found.received}`, cause);
  }
}

/** @throws FileDamage · NewerVersion */
function validate(value: unknown): StoreFile {
  if (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    Number.isInteger(value.version) &&
    Number(value.version) > FILE_VERSION
  ) {
    throw new NewerVersion(Number(value.version), FILE_VERSION);
  }
  return requireShape(FILE_SHAPE, value);
}

/** Adds rows in ascending order of id. */
function addRows<T extends Table>(contents: Contents, table: T, rows: readonly Rows[T][]): void {
  const sorted = [...rows.entries()].sort(([, a], [, b]) => a.id - b.id);
  for (const [index, row] of sorted) addRow(contents, table, row, `/${table}/${index}`);
}

/** Characters that are written at once. */
const PIECE = 64 * 1024;

/**
 * The text of a file with its contents at the time of the call, made piece by piece on demand: later changes are not in it. One row a line,
 * so that a diff of two stores is readable.
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
