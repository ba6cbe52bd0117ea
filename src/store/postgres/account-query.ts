import type {
  Access,
  AccessFilter,
  AccessQuery,
  AccessSortKey,
  Owner,
  OwnerFilter,
  OwnerQuery,
  OwnerSortKey,
} from '../../accounts/ports.js';
import type { OwnerRef } from '../../kernel/owner.js';
import { foldText } from '../state.js';
import { type Query, timeValue } from './database.js';
import { contains, orderOf, pageOf, SqlValues, traitConditions, whereOf } from './passkey-query.js';
import { type AccessRow, accessOf, type OwnerRow, ownerOf } from './rows.js';

const PASSKEYS_OF_OWNER = 'FROM passkeys p WHERE p.owner_type = o.type AND p.owner_id = o.id';

export async function listOwners(query: Query, o: OwnerQuery = {}): Promise<Owner[]> {
  const sql = new SqlValues();
  const where = whereOf(await ownerConditions(query, o, sql));
  const order = orderOf(o.sort && OWNER_EXPRESSIONS[o.sort.by], o.sort?.descending, ['o.type COLLATE "C"', 'o.id']);
  return (await query<OwnerRow>(`SELECT o.* FROM passkey_owners o ${where} ${order} ${pageOf(o, sql)}`, sql.values)).map(ownerOf);
}

const OWNER_EXPRESSIONS: Readonly<Record<OwnerSortKey, string>> = {
  id: 'o.id',
  type: 'o.type COLLATE "C"',
  email: 'o.email_key COLLATE "C"',
  name: 'o.name COLLATE "C"',
  createdAt: 'o.created_at',
  passkeys: `(SELECT count(*) ${PASSKEYS_OF_OWNER} AND p.revoked_at IS NULL)`,
};

export async function countOwners(query: Query, filter: OwnerFilter = {}): Promise<number> {
  const sql = new SqlValues();
  const where = whereOf(await ownerConditions(query, filter, sql));
  const [row] = await query<{ found: number }>(`SELECT count(*)::int AS found FROM passkey_owners o ${where}`, sql.values);
  return row?.found ?? 0;
}

export async function countPasskeysOf(query: Query, owners: readonly OwnerRef[]): Promise<number[]> {
  const rows = await query<{ place: number; live: number }>(
    `SELECT o.place::int AS place, (SELECT count(*)::int ${PASSKEYS_OF_OWNER} AND p.revoked_at IS NULL) AS live
     FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS o (type, id, place) ORDER BY o.place`,
    [owners.map(({ type }) => type), owners.map(({ id }) => id)],
  );
  return rows.map(({ live }) => live);
}

async function ownerConditions(query: Query, filter: OwnerFilter, sql: SqlValues): Promise<readonly string[]> {
  const { owner, type, email, label, createdBefore, unusedSince, owning } = filter;
  const lastUse = `coalesce((SELECT max(p.last_used_at) ${PASSKEYS_OF_OWNER}), o.created_at)`;
  return [
    ...(owner === undefined ? [] : [`o.type = ${sql.given(owner.type)} AND o.id = ${sql.given(owner.id)}`]),
    ...(type === undefined ? [] : [`o.type = ${sql.given(type)}`]),
    ...(email === undefined ? [] : [`o.email_key = ${sql.given(foldText(email))}`]),
    ...(label === undefined ? [] : [await named(query, label, sql)]),
    ...(createdBefore === undefined ? [] : [`o.created_at < ${sql.given(timeValue(createdBefore))}`]),
    ...(unusedSince === undefined ? [] : [`${lastUse} < ${sql.given(timeValue(unusedSince))}`]),
    ...(owning === undefined ? [] : [`EXISTS (SELECT 1 ${[PASSKEYS_OF_OWNER, ...traitConditions(owning, sql)].join(' AND ')})`]),
  ];
}

/** E-mails are stored as they are compared, too. */
async function named(query: Query, part: string, sql: SqlValues): Promise<string> {
  const byEmail = `strpos(o.email_key COLLATE "C", ${sql.given(foldText(part))}) > 0`;
  return `(${byEmail} OR ${await contains(query, { table: 'passkey_owners o', column: 'o.name', part }, sql)})`;
}

export async function listAccess(query: Query, o: AccessQuery = {}): Promise<Access[]> {
  const sql = new SqlValues();
  const where = whereOf(await accessConditions(query, o, sql));
  const order = orderOf(o.sort && ACCESS_EXPRESSIONS[o.sort.by], o.sort?.descending, ['a.id']);
  const owners = o.sort?.by === 'email' ? 'LEFT JOIN passkey_owners o ON o.type = a.owner_type AND o.id = a.owner_id' : '';
  const text = `SELECT a.* FROM passkey_accesses a ${owners} ${where} ${order} ${pageOf(o, sql)}`;
  return (await query<AccessRow>(text, sql.values)).map(accessOf);
}

const ACCESS_EXPRESSIONS: Readonly<Record<AccessSortKey, string>> = {
  id: 'a.id',
  label: 'a.label COLLATE "C"',
  ownerId: 'a.owner_id',
  ownerType: 'a.owner_type COLLATE "C"',
  email: 'o.email_key COLLATE "C"',
  passkeyId: 'a.passkey_id',
  createdAt: 'a.created_at',
  expiresAt: 'a.expires_at',
  lastUsedAt: 'a.last_used_at',
  revokedAt: 'a.revoked_at',
};

export async function countAccess(query: Query, filter: AccessFilter = {}): Promise<number> {
  const sql = new SqlValues();
  const where = whereOf(await accessConditions(query, filter, sql));
  const [row] = await query<{ found: number }>(`SELECT count(*)::int AS found FROM passkey_accesses a ${where}`, sql.values);
  return row?.found ?? 0;
}

async function accessConditions(query: Query, filter: AccessFilter, sql: SqlValues): Promise<readonly string[]> {
  const { ids, kind, owner, type, label, revoked = true, liveAt, createdBefore, unusedSince, passkeyId, openedWith } = filter;
  return [
    ...(ids === undefined ? [] : [`a.id = ANY(${sql.given(ids)})`]),
    ...(kind === undefined ? [] : [`a.kind = ${sql.given(kind)}`]),
    ...(owner === undefined ? [] : [`a.owner_type = ${sql.given(owner.type)} AND a.owner_id = ${sql.given(owner.id)}`]),
    ...(type === undefined ? [] : [`a.owner_type = ${sql.given(type)}`]),
    ...(label === undefined ? [] : [await contains(query, { table: 'passkey_accesses a', column: 'a.label', part: label }, sql)]),
    ...(revoked === true ? [] : [`a.revoked_at IS ${revoked === 'only' ? 'NOT ' : ''}NULL`]),
    ...(liveAt === undefined ? [] : [`a.revoked_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > ${sql.given(timeValue(liveAt))})`]),
    ...(createdBefore === undefined ? [] : [`a.created_at < ${sql.given(timeValue(createdBefore))}`]),
    ...(unusedSince === undefined ? [] : [`coalesce(a.last_used_at, a.created_at) < ${sql.given(timeValue(unusedSince))}`]),
    ...(passkeyId === undefined ? [] : [`a.passkey_id = ${sql.given(passkeyId)}`]),
    ...(openedWith === undefined
      ? []
      : [`EXISTS (SELECT 1 FROM passkeys p WHERE ${['p.id = a.passkey_id', ...traitConditions(openedWith, sql)].join(' AND ')})`]),
  ];
}
