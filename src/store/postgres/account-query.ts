import type {
  AccessFilter,
  AccessQuery,
  AccessSortKey,
  Owner,
  OwnerFilter,
  OwnerQuery,
  OwnerSortKey,
  PasskeyTraits,
} from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import type { Access } from '../../kernel/access.js';
import type { OwnerRef } from '../../kernel/owner.js';
import { grouped } from '../../kernel/wording.js';
import type { FilterTable } from '../queries.js';
import { foldText } from '../state.js';
import { type Query, timeValue } from './database.js';
import {
  type Condition,
  contains,
  findAll,
  findPasskeyConditions,
  SqlValues,
  selectRows,
  selectThings,
  whereClause,
} from './passkey-query.js';
import { type AccessRow, type OwnerRow, readAccessRow, readOwnerRow } from './rows.js';

const PASSKEYS_OF_OWNER = 'FROM passkeys p WHERE p.owner_type = o.type AND p.owner_id = o.id';

export async function listOwners(query: Query, o: OwnerQuery = {}): Promise<Owner[]> {
  const { sort, after, offset, limit, ...filter } = o;
  const sql = new SqlValues();
  const conditions = await findAll(filter, ownerTable(query, sql));
  const expression = sort && OWNER_EXPRESSIONS[sort.by];
  if (sort?.by === 'passkeys') await requireFew(query, conditions, sql);
  const [type, id] = after === undefined ? [] : [sql.given(after.type), sql.given(after.id)];
  const one = `SELECT ${expression ?? 'o.id'} FROM passkey_owners o WHERE o.type = ${type} AND o.id = ${id}`;
  const rows = await selectRows(query<OwnerRow>, {
    columns: 'o.*',
    from: 'passkey_owners o',
    conditions,
    sql,
    expression,
    descending: sort?.descending,
    tie: 'o.type COLLATE "C", o.id',
    after: after && { tie: `${type}, ${id}`, value: one },
    offset,
    limit,
  });
  return rows.map(readOwnerRow);
}

/** Maximum number of users to sort by their number of passkeys. Counting the passkeys of one user takes about 10 µs. */
const MOST_COUNTED = 100_000;

/** Checks that the number of matching owners is small enough to sort them by passkeys. @throws PasskeyError `usage` if it is not. */
async function requireFew(query: Query, conditions: readonly string[], { values }: SqlValues): Promise<void> {
  const more = `SELECT FROM passkey_owners o ${whereClause(conditions)} OFFSET ${MOST_COUNTED} LIMIT 1`;
  if ((await query(more, values)).length === 0) return;
  throw new PasskeyError(
    'usage',
    `Expected at most ${grouped(MOST_COUNTED)} users to sort by their number of passkeys; more match. Add filters, or sort by another column.`,
  );
}

const OWNER_EXPRESSIONS: Readonly<Record<OwnerSortKey, string>> = {
  id: 'o.id',
  type: 'o.type COLLATE "C"',
  email: 'o.email_key',
  name: 'o.name COLLATE "C"',
  createdAt: 'o.created_at',
  passkeys: `(SELECT count(*) ${PASSKEYS_OF_OWNER} AND p.revoked_at IS NULL)`,
};

export async function countOwners(query: Query, filter: OwnerFilter = {}): Promise<number> {
  const sql = new SqlValues();
  const where = whereClause(await findAll(filter, ownerTable(query, sql)));
  const [row] = await query<{ found: number }>(`SELECT count(*)::int AS found FROM passkey_owners o ${where}`, sql.values);
  return row?.found ?? 0;
}

export async function countOwnersPasskeys(query: Query, owners: readonly OwnerRef[]): Promise<number[]> {
  const rows = await query<{ place: number; live: number }>(
    `SELECT o.place::int AS place, (SELECT count(*)::int ${PASSKEYS_OF_OWNER} AND p.revoked_at IS NULL) AS live
     FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS o (type, id, place) ORDER BY o.place`,
    [owners.map(({ type }) => type), owners.map(({ id }) => id)],
  );
  return rows.map(({ live }) => live);
}

function ownerTable(query: Query, sql: SqlValues): FilterTable<OwnerFilter, Condition> {
  const lastUse = `coalesce((SELECT max(p.last_used_at) ${PASSKEYS_OF_OWNER}), o.created_at)`;
  const anyOwned = async (traits: PasskeyTraits): Promise<string> =>
    `EXISTS (SELECT 1 ${[PASSKEYS_OF_OWNER, ...(await findPasskeyConditions(query, traits, sql))].join(' AND ')})`;
  return {
    owner: ({ type, id }) => `o.type = ${sql.given(type)} AND o.id = ${sql.given(id)}`,
    owners: (refs) =>
      `(o.type, o.id) IN (SELECT * FROM unnest(${sql.given(refs.map(({ type }) => type))}::text[], ${sql.given(refs.map(({ id }) => id))}::bigint[]))`,
    type: (type) => `o.type = ${sql.given(type)}`,
    email: (email) => `o.email_key = ${sql.given(foldText(email))}`,
    userHandle: (handle) => `o.user_handle = ${sql.given(handle)}`,
    label: (part) => () => named(query, part, sql),
    createdBefore: (time) => `o.created_at < ${sql.given(timeValue(time))}`,
    unusedSince: (time) => `${lastUse} < ${sql.given(timeValue(time))}`,
    owning: (traits) => () => anyOwned(traits),
    lacking: (traits) => async () => `NOT ${await anyOwned(traits)}`,
  };
}

/** Builds the SQL condition for owners whose e-mail or name contains `part`. The column `email_key` has the e-mail in lower case. */
async function named(query: Query, part: string, sql: SqlValues): Promise<string> {
  const byEmail = `strpos(o.email_key, ${sql.given(foldText(part))}) > 0`;
  return `(${byEmail} OR ${await contains(query, { table: 'passkey_owners o', column: 'o.name', part }, sql)})`;
}

export async function listAccess(query: Query, o: AccessQuery = {}): Promise<Access[]> {
  const { sort, after, offset, limit, ...filter } = o;
  const sql = new SqlValues();
  const conditions = await findAll(filter, accessTable(query, sql));
  const things = { columns: 'a.*', table: 'passkey_accesses a', conditions, sql, sort, expressions: ACCESS_EXPRESSIONS } as const;
  return (await selectThings(query<AccessRow>, { ...things, after, offset, limit })).map(readAccessRow);
}

const ACCESS_EXPRESSIONS: Readonly<Record<Exclude<AccessSortKey, 'id' | 'email'>, string>> = {
  label: 'a.label COLLATE "C"',
  ownerId: 'a.owner_id',
  ownerType: 'a.owner_type COLLATE "C"',
  passkeyId: 'a.passkey_id',
  createdAt: 'a.created_at',
  expiresAt: 'a.expires_at',
  lastUsedAt: 'a.last_used_at',
  revokedAt: 'a.revoked_at',
};

export async function countAccess(query: Query, filter: AccessFilter = {}): Promise<number> {
  const sql = new SqlValues();
  const where = whereClause(await findAll(filter, accessTable(query, sql)));
  const [row] = await query<{ found: number }>(`SELECT count(*)::int AS found FROM passkey_accesses a ${where}`, sql.values);
  return row?.found ?? 0;
}

function accessTable(query: Query, sql: SqlValues): FilterTable<AccessFilter, Condition> {
  return {
    ids: (ids) => `a.id = ANY(${sql.given(ids)})`,
    firstId: (id) => `a.id >= ${sql.given(id)}`,
    lastId: (id) => `a.id <= ${sql.given(id)}`,
    kind: (kind) => `a.kind = ${sql.given(kind)}`,
    owner: ({ type, id }) => `a.owner_type = ${sql.given(type)} AND a.owner_id = ${sql.given(id)}`,
    type: (type) => `a.owner_type = ${sql.given(type)}`,
    label: (part) => () => contains(query, { table: 'passkey_accesses a', column: 'a.label', part }, sql),
    revoked: (revoked) => (revoked === true ? undefined : `a.revoked_at IS ${revoked === 'only' ? 'NOT ' : ''}NULL`),
    liveAt: (time) => `a.revoked_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > ${sql.given(timeValue(time))})`,
    endedBefore: (time) => `least(a.revoked_at, a.expires_at) < ${sql.given(timeValue(time))}`,
    createdBefore: (time) => `a.created_at < ${sql.given(timeValue(time))}`,
    unusedSince: (time) => `coalesce(a.last_used_at, a.created_at) < ${sql.given(timeValue(time))}`,
    passkeyId: (id) => `a.passkey_id = ${sql.given(id)}`,
    openedWith: (traits) => async () =>
      `EXISTS (SELECT 1 FROM passkeys p WHERE ${['p.id = a.passkey_id', ...(await findPasskeyConditions(query, traits, sql))].join(' AND ')})`,
  };
}
