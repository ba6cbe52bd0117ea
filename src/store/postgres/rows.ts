import type { QueryResultRow } from 'pg';
import type { Owner } from '../../accounts/ports.js';
import type { Access } from '../../kernel/access.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import {
  type AccessRow as AccessRecord,
  isBytesColumn,
  type OwnerRow as OwnerRecord,
  type PasskeyRow as PasskeyRecord,
  ROWS,
  type RowAs,
  type RowReader,
  readAccess,
  readOwner,
  readPasskey,
} from '../records.js';
import type { Query } from './database.js';

// Rows as pg reads them, with the type parsers of database.ts: bytes are Buffers, bigint and timestamptz are numbers.

export type OwnerRow = RowAs<OwnerRecord, Uint8Array, number>;
export type PasskeyRow = RowAs<PasskeyRecord, Uint8Array, number>;
export type AccessRow = RowAs<AccessRecord, Uint8Array, number>;

const IN_TABLE: RowReader<Uint8Array, number> = {
  // A Buffer of pg is a part of the packet that it came in.
  bytes: (value) => new Uint8Array(value),
  time: (ms) => ms,
};

/** Column names of the table of owners, for named statements, which must not use `*`. */
export const OWNER_COLUMNS = Object.keys(ROWS.owners.properties).join(', ');
export const PASSKEY_COLUMNS = Object.keys(ROWS.passkeys.properties).join(', ');
export const ACCESS_COLUMNS = Object.keys(ROWS.accesses.properties).join(', ');

export const readOwnerRow = (row: OwnerRow): Owner => readOwner(row, IN_TABLE);
export const readPasskeyRow = (row: PasskeyRow): Passkey => readPasskey(row, IN_TABLE);
export const readAccessRow = (row: AccessRow): Access => readAccess(row, IN_TABLE);

/**
 * Inserts rows that have the form of the JSON file. Columns that are absent in all rows get their default.
 *
 * @param ending SQL at the end of the statement, such as `ON CONFLICT`.
 */
export async function insertInto<Row extends QueryResultRow>(
  query: Query,
  table: string,
  rows: readonly object[],
  ending = '',
): Promise<readonly Row[]> {
  if (rows.length === 0) return [];
  const columns = [...new Set(rows.flatMap(Object.keys))].join(', ');
  return query<Row>(
    `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1) ${ending}`,
    [JSON.stringify(rows.map(withByteLiterals))],
  );
}

function withByteLiterals(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      isBytesColumn(name) && typeof value === 'string' ? `\\x${Buffer.from(value, 'base64url').toString('hex')}` : value,
    ]),
  );
}
