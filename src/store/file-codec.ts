import type { Static } from 'typebox';
import * as Type from 'typebox';
import { locateJsonError, locateUtf8Error } from '../kernel/json-location.js';
import { makeShape } from '../kernel/shape.js';
import { addRow, type Contents, emptyContents, findUnknownMembers } from './file-rows.js';
import { Count, Id, ROWS, TABLES, type Table } from './records.js';
import { FileDamage, NewerVersion, requireShape } from './store-failures.js';

export const FILE_VERSION = 2;

export const StoreFile = Type.Object({
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

export type StoreFile = Static<typeof StoreFile>;
const FILE_SHAPE = makeShape(StoreFile);

/** @throws FileDamage · NewerVersion */
export function decodeFile(bytes: Uint8Array): Contents {
  const file = validate(parse(bytes));
  const contents = emptyContents();
  readHead(contents, file);
  for (const table of TABLES) {
    for (const [index, row] of sortRows(file[table])) addRow(contents, table, row, { at: `/${table}/${index}` });
  }
  const unknown = findUnknownMembers(file, StoreFile.properties, '');
  if (unknown) contents.extra.set('', unknown);
  return contents;
}

/** The members of a file that are no rows. */
export function readHead(contents: Contents, file: Omit<StoreFile, Table>): void {
  contents.store = file.store;
  contents.sequence = file.sequence;
  contents.state.nextPasskeyId = file.next_passkey_id;
  contents.state.nextAccessId = file.next_access_id;
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
export function validate(value: unknown): StoreFile {
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

/** Rows with their index, in ascending order of id. */
function sortRows(rows: readonly { readonly id: number }[]): [number, object][] {
  return [...rows.entries()].sort(([, a], [, b]) => a.id - b.id);
}
