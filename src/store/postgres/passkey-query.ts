import type { Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyFilter, PasskeyQuery, PasskeySortKey } from '../../relying-party/ports.js';
import { containing } from '../passkeys.js';
import { type FilterTable, findConditions } from '../queries.js';
import { type Query, type SqlValue, timeValue } from './database.js';
import { type PasskeyRow, readPasskeyRow } from './rows.js';

/** The values of a statement as it is written. */
export class SqlValues {
  readonly values: SqlValue[] = [];

  /** Adds a value; returns its placeholder in the statement. */
  given(value: SqlValue): string {
    return `$${this.values.push(value)}`;
  }
}

export const whereClause = (conditions: readonly string[]): string => (conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`);

/** `expressions` order rows that are equal by the key. */
export function orderBy(expression: string | undefined, descending: boolean | undefined, expressions: readonly string[]): string {
  const first = expression === undefined ? [] : [`${expression} ${descending ? 'DESC' : 'ASC'} NULLS LAST`];
  return `ORDER BY ${[...first, ...expressions].join(', ')}`;
}

export function takePage(
  { offset, limit }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
  sql: SqlValues,
): string {
  return [
    ...(limit === undefined ? [] : [`LIMIT ${sql.given(limit)}`]),
    ...(offset === undefined || offset === 0 ? [] : [`OFFSET ${sql.given(offset)}`]),
  ].join(' ');
}

/**
 * A condition on the texts of a column that contain a part in any case. The comparison happens here: PostgreSQL's upper and lower case
 * depend on version, locale and build.
 */
export async function contains(
  query: Query,
  { table, column, part }: { table: string; column: string; part: string },
  sql: SqlValues,
): Promise<string> {
  const has = containing(part);
  const rows = await query<{ text: string }>(`SELECT DISTINCT ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`);
  return `${column} = ANY(${sql.given(rows.map(({ text }) => text).filter(has))})`;
}

export async function listPasskeys(query: Query, o: PasskeyQuery = {}): Promise<Passkey[]> {
  return (await select<PasskeyRow>('p.*', query, o)).map(readPasskeyRow);
}

export async function listPasskeyIds(query: Query, o: PasskeyQuery = {}): Promise<number[]> {
  return (await select<Pick<PasskeyRow, 'id'>>('p.id', query, o)).map(({ id }) => Number(id));
}

async function select<Row extends object>(columns: string, query: Query, o: PasskeyQuery): Promise<readonly Row[]> {
  const { sort, offset, limit, ...filter } = o;
  const sql = new SqlValues();
  const where = await findPasskeyWhere(query, filter, sql);
  const order = orderBy(sort && SORT_EXPRESSIONS[sort.by], sort?.descending, ['p.id']);
  const owners = sort?.by === 'email' ? 'LEFT JOIN passkey_owners o ON o.type = p.owner_type AND o.id = p.owner_id' : '';
  const text = `SELECT ${columns} FROM passkeys p ${owners} ${where} ${order} ${takePage({ offset, limit }, sql)}`;
  return query<Row>(text, sql.values);
}

const SORT_EXPRESSIONS: Readonly<Record<PasskeySortKey, string>> = {
  id: 'p.id',
  label: 'p.label COLLATE "C"',
  credentialId: 'p.credential_id',
  ownerId: 'p.owner_id',
  ownerType: 'p.owner_type COLLATE "C"',
  email: 'o.email_key COLLATE "C"',
  rpId: 'p.rp_id COLLATE "C"',
  aaguid: 'p.aaguid',
  signCount: 'p.sign_count',
  backupState: 'p.backup_state',
  createdAt: 'p.created_at',
  lastUsedAt: 'p.last_used_at',
  revokedAt: 'p.revoked_at',
};

export async function countPasskeys(query: Query, filter: PasskeyFilter = {}): Promise<number> {
  const sql = new SqlValues();
  const where = await findPasskeyWhere(query, filter, sql);
  const [row] = await query<{ found: number }>(`SELECT count(*)::int AS found FROM passkeys p ${where}`, sql.values);
  return row?.found ?? 0;
}

/** A condition of a statement, or a function that asks the database for it; undefined: no condition. */
export type Condition = string | (() => Promise<string>) | undefined;

export async function findAll<Filter extends object>(filter: Filter, table: FilterTable<Filter, Condition>): Promise<string[]> {
  const conditions: string[] = [];
  for (const condition of findConditions(filter, table)) {
    const text = typeof condition === 'function' ? await condition() : condition;
    if (text !== undefined) conditions.push(text);
  }
  return conditions;
}

async function findPasskeyWhere(query: Query, filter: PasskeyFilter, sql: SqlValues): Promise<string> {
  return whereClause(await findPasskeyConditions(query, filter, sql));
}

/** Conditions of the table `p`. Revoked passkeys are left out unless the filter asks for them. */
export function findPasskeyConditions(query: Query, filter: PasskeyFilter, sql: SqlValues): Promise<string[]> {
  return findAll({ revoked: false, ...filter }, passkeyTable(query, sql));
}

function passkeyTable(query: Query, sql: SqlValues): FilterTable<PasskeyFilter, Condition> {
  return {
    ids: (ids) => `p.id = ANY(${sql.given(ids)})`,
    firstId: (id) => `p.id >= ${sql.given(id)}`,
    lastId: (id) => `p.id <= ${sql.given(id)}`,
    owner: ({ type, id }) => `p.owner_type = ${sql.given(type)} AND p.owner_id = ${sql.given(id)}`,
    type: (type) => `p.owner_type = ${sql.given(type)}`,
    rpId: (rpId) => `p.rp_id = ${sql.given(rpId)}`,
    label: (part) => () => contains(query, { table: 'passkeys p', column: 'p.label', part }, sql),
    aaguids: (aaguids) => `p.aaguid = ANY(${sql.given(aaguids)})`,
    revoked: (revoked) => (revoked === true ? undefined : `p.revoked_at IS ${revoked === 'only' ? 'NOT ' : ''}NULL`),
    revokedSince: (time) => `p.revoked_at >= ${sql.given(timeValue(time))}`,
    revokedReason: (part) => () => contains(query, { table: 'passkeys p', column: 'p.revoked_reason', part }, sql),
    revokedChange: (id) => `p.revoked_change = ${sql.given(id)}`,
    unusedSince: (time) => `coalesce(p.last_used_at, p.created_at) < ${sql.given(timeValue(time))}`,
    createdBefore: (time) => `p.created_at < ${sql.given(timeValue(time))}`,
    backedUp: (backedUp) => `p.backup_state = ${sql.given(backedUp)}`,
  };
}
