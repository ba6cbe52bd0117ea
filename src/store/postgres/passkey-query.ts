import type { Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyFilter, PasskeyQuery, PasskeySortKey } from '../../relying-party/ports.js';
import { containing } from '../passkeys.js';
import { type FilterTable, findConditions } from '../queries.js';
import { foldText } from '../state.js';
import { type Query, type SqlValue, timeValue } from './database.js';
import { type PasskeyRow, readPasskeyRow } from './rows.js';

/** Collects the parameter values of a statement while the statement is composed. */
export class SqlValues {
  readonly values: SqlValue[];

  constructor(values: readonly SqlValue[] = []) {
    this.values = [...values];
  }

  /** Adds a parameter value. Returns its placeholder, such as `$3`. */
  given(value: SqlValue): string {
    return `$${this.values.push(value)}`;
  }
}

export const whereClause = (conditions: readonly string[]): string => (conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`);

/** The parts of a SELECT statement whose rows are sorted and paged. */
interface Selection {
  readonly columns: string;
  /** The table with its alias, and the tables joined to it. */
  readonly from: string;
  readonly conditions: readonly string[];
  /** Parameters of the conditions. */
  readonly sql: SqlValues;
  /** Expression to sort by; undefined to sort only by `tie`. */
  readonly expression?: string | undefined;
  readonly descending?: boolean | undefined;
  /** Unique expressions that decide the order of rows with equal `expression`. */
  readonly tie: string;
  /**
   * The row after which the page begins. `tie` has its values of the expressions in `tie`; `value` is a query for its value of
   * `expression`.
   */
  readonly after?: { readonly tie: string; readonly value: string } | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Runs a SELECT statement, and returns one value for each row. */
type Read<T> = (statement: string, values: readonly SqlValue[]) => Promise<T[]>;

export function selectRows<T>(read: Read<T>, o: Selection): Promise<T[]> {
  const { columns, from, expression, tie, offset, limit } = o;
  const sql = new SqlValues(o.sql.values);
  const way = o.descending ? 'DESC' : 'ASC';
  const order = expression === undefined ? `${tie} ${way}` : `${expression} ${way} NULLS LAST, ${tie}`;
  const where = whereClause([...o.conditions, ...(o.after === undefined ? [] : [isBehind(o, o.after)])]);
  const page = [limit === undefined ? '' : `LIMIT ${sql.given(limit)}`, offset ? `OFFSET ${sql.given(offset)}` : ''].join(' ');
  return read(`SELECT ${columns} FROM ${from} ${where} ORDER BY ${order} ${page}`, sql.values);
}

function isBehind({ expression, descending, tie }: Selection, last: { readonly tie: string; readonly value: string }): string {
  const further = descending ? '<' : '>';
  if (expression === undefined) return `(${tie}) ${further} (${last.tie})`;
  const value = `(${last.value})`;
  return `(${expression} ${further} ${value} OR (${expression} IS NOT DISTINCT FROM ${value} AND (${tie}) > (${last.tie}))
    OR (${expression} IS NULL AND ${value} IS NOT NULL))`;
}

interface ThingsOfOwners extends Pick<Selection, 'columns' | 'conditions' | 'sql' | 'offset' | 'limit'> {
  readonly table: 'passkeys p' | 'passkey_accesses a';
  readonly sort: { readonly by: string; readonly descending?: boolean } | undefined;
  /** SQL expressions by sort key. The keys `id` and `email` need none. */
  readonly expressions: Readonly<Record<string, string>>;
  /** Id of the passkey or access after which the page begins. */
  readonly after: number | undefined;
}

/**
 * Selects passkeys or accesses. To sort by e-mail, reads the owners in that order until the page is full. Rows without an owner come last.
 */
export async function selectThings<T>(read: Read<T>, o: ThingsOfOwners): Promise<T[]> {
  const { table, sort, expressions, after, offset = 0, limit, ...chosen } = o;
  const alias = table.slice(-1);
  const sql = new SqlValues(o.sql.values);
  const id = after === undefined ? undefined : sql.given(after);
  const all = { ...chosen, sql, from: table, tie: `${alias}.id`, descending: sort?.descending };
  const begin = (value: string, from: string) =>
    id === undefined ? undefined : { tie: id, value: `SELECT ${value} FROM ${from} WHERE ${alias}.id = ${id}` };
  if (sort?.by !== 'email') {
    const expression = sort && expressions[sort.by];
    return selectRows(read, { ...all, expression, after: begin(expression ?? alias, table), offset, limit });
  }
  const isOwner = `o.type = ${alias}.owner_type AND o.id = ${alias}.owner_id`;
  const owned = `passkey_owners o JOIN ${table} ON ${isOwner}`;
  const last = begin('o.email_key', owned);
  const most = limit === undefined ? Infinity : offset + limit;
  const upTo = (rows: number) => ({ limit: most === Infinity ? undefined : rows });
  // PostgreSQL begins to read the index here.
  const from = last === undefined ? [] : [`o.email_key ${sort.descending ? '<=' : '>='} (${last.value})`];
  const conditions = [...all.conditions, ...from];
  const first = await selectRows(read, { ...all, from: owned, conditions, expression: 'o.email_key', after: last, ...upTo(most) });
  if (first.length === most) return first.slice(offset);
  const behind = last === undefined ? [] : [`((${last.value}) IS NOT NULL OR ${alias}.id > ${last.tie})`];
  const alone = [...all.conditions, `NOT EXISTS (SELECT FROM passkey_owners o WHERE ${isOwner})`, ...behind];
  const rest = await selectRows(read, { ...all, conditions: alone, descending: false, ...upTo(most - first.length) });
  return [...first, ...rest].slice(offset);
}

/** Maximum number of strings that are compared in this process at a time. */
const PORTION = 20_000;

/**
 * Builds a condition for strings of a column that contain `part`, ignoring case. PostgreSQL compares only ASCII strings. All others are
 * read and compared in this process, because PostgreSQL's idea of upper and lower case depends on its version, locale and build.
 */
export async function contains(
  query: Query,
  { table, column, part }: { readonly table: string; readonly column: string; readonly part: string },
  sql: SqlValues,
): Promise<string> {
  const isAscii = `octet_length(${column}) = char_length(${column})`;
  const statement = `SELECT DISTINCT ${column} COLLATE "C" AS text FROM ${table}
    WHERE NOT (${isAscii}) AND ${column} COLLATE "C" > $1 ORDER BY text LIMIT ${PORTION}`;
  const has = containing(part);
  const others: string[] = [];
  for (let last: string | undefined = ''; last !== undefined; ) {
    const texts: string[] = (await query<{ text: string }>(statement, [last])).map(({ text }) => text);
    others.push(...texts.filter(has));
    last = texts.length < PORTION ? undefined : texts.at(-1);
  }
  const inAscii = `${isAscii} AND strpos(lower(${column} COLLATE "C"), ${sql.given(foldText(part))}) > 0`;
  return others.length === 0 ? `(${inAscii})` : `(${inAscii} OR ${column} = ANY(${sql.given(others)}))`;
}

export async function listPasskeys(query: Query, o: PasskeyQuery = {}): Promise<Passkey[]> {
  return (await select(query<PasskeyRow>, 'p.*', { query, o })).map(readPasskeyRow);
}

export function listPasskeyIds(query: Query, o: PasskeyQuery = {}): Promise<number[]> {
  // As JSON, because pg makes an object of each row of a result.
  const read = async (statement: string, values: readonly SqlValue[]) => {
    const [row] = await query<{ ids: number[] | null }>(`SELECT json_agg(id) AS ids FROM (${statement}) AS found`, values);
    return row?.ids ?? [];
  };
  return select(read, 'p.id', { query, o });
}

async function select<T>(read: Read<T>, columns: string, { query, o }: { readonly query: Query; readonly o: PasskeyQuery }): Promise<T[]> {
  const { sort, after, offset, limit, ...filter } = o;
  const sql = new SqlValues();
  const conditions = await findPasskeyConditions(query, filter, sql);
  return selectThings(read, { columns, table: 'passkeys p', conditions, sql, sort, expressions: EXPRESSIONS, after, offset, limit });
}

const EXPRESSIONS: Readonly<Record<Exclude<PasskeySortKey, 'id' | 'email'>, string>> = {
  label: 'p.label COLLATE "C"',
  credentialId: 'p.credential_id',
  ownerId: 'p.owner_id',
  ownerType: 'p.owner_type COLLATE "C"',
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

/** SQL of a condition, or a function that queries the database to compose the SQL. Undefined means no condition. */
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

/** Builds the conditions of a filter for the table `passkeys p`. Excludes revoked passkeys unless the filter includes them. */
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
    revokedBefore: (time) => `p.revoked_at < ${sql.given(timeValue(time))}`,
    revokedReason: (part) => () => contains(query, { table: 'passkeys p', column: 'p.revoked_reason', part }, sql),
    revokedChange: (id) => `p.revoked_change = ${sql.given(id)}`,
    unusedSince: (time) => `coalesce(p.last_used_at, p.created_at) < ${sql.given(timeValue(time))}`,
    createdBefore: (time) => `p.created_at < ${sql.given(timeValue(time))}`,
    backedUp: (backedUp) => `p.backup_state = ${sql.given(backedUp)}`,
  };
}
