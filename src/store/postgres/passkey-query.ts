import type { PasskeyTraits } from '../../accounts/ports.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyFilter, PasskeyQuery, PasskeySortKey } from '../../relying-party/ports.js';
import { containing } from '../passkey-query.js';
import { type Query, type SqlValue, timeValue } from './database.js';
import { type PasskeyRow, passkeyOf } from './rows.js';

/** The values of a statement as it is written. */
export class SqlValues {
  readonly values: SqlValue[] = [];

  /** Adds a value; answers what stands for it in the statement. */
  given(value: SqlValue): string {
    return `$${this.values.push(value)}`;
  }
}

export const whereOf = (conditions: readonly string[]): string => (conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`);

/** `expressions` are those that tell apart what is equal by the key. */
export function orderOf(expression: string | undefined, descending: boolean | undefined, expressions: readonly string[]): string {
  const first = expression === undefined ? [] : [`${expression} ${descending ? 'DESC' : 'ASC'} NULLS LAST`];
  return `ORDER BY ${[...first, ...expressions].join(', ')}`;
}

export function pageOf({ offset, limit }: { readonly offset?: number; readonly limit?: number }, sql: SqlValues): string {
  return [
    ...(limit === undefined ? [] : [`LIMIT ${sql.given(limit)}`]),
    ...(offset === undefined || offset === 0 ? [] : [`OFFSET ${sql.given(offset)}`]),
  ].join(' ');
}

/**
 * A column is one of its texts that contain a part in any case. They are compared here: what PostgreSQL knows of upper and lower case
 * depends on its version, its locale and how it was built.
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
  const sql = new SqlValues();
  const where = whereOf(await conditionsOf(query, o, sql));
  const order = orderOf(o.sort && SORT_EXPRESSIONS[o.sort.by], o.sort?.descending, ['p.id']);
  const owners = o.sort?.by === 'email' ? 'LEFT JOIN passkey_owners o ON o.type = p.owner_type AND o.id = p.owner_id' : '';
  const text = `SELECT p.* FROM passkeys p ${owners} ${where} ${order} ${pageOf(o, sql)}`;
  return (await query<PasskeyRow>(text, sql.values)).map(passkeyOf);
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
  const where = whereOf(await conditionsOf(query, filter, sql));
  const [row] = await query<{ found: number }>(`SELECT count(*)::int AS found FROM passkeys p ${where}`, sql.values);
  return row?.found ?? 0;
}

async function conditionsOf(query: Query, filter: PasskeyFilter, sql: SqlValues): Promise<readonly string[]> {
  const { ids, firstId, lastId, owner, type, label, unusedSince, createdBefore, revokedSince, revokedReason, revokedChange } = filter;
  return [
    ...(ids === undefined ? [] : [`p.id = ANY(${sql.given(ids)})`]),
    ...(firstId === undefined ? [] : [`p.id >= ${sql.given(firstId)}`]),
    ...(lastId === undefined ? [] : [`p.id <= ${sql.given(lastId)}`]),
    ...(owner === undefined ? [] : [`p.owner_type = ${sql.given(owner.type)} AND p.owner_id = ${sql.given(owner.id)}`]),
    ...(type === undefined ? [] : [`p.owner_type = ${sql.given(type)}`]),
    ...(label === undefined ? [] : [await contains(query, { table: 'passkeys p', column: 'p.label', part: label }, sql)]),
    ...(revokedSince === undefined ? [] : [`p.revoked_at >= ${sql.given(timeValue(revokedSince))}`]),
    ...(revokedReason === undefined
      ? []
      : [await contains(query, { table: 'passkeys p', column: 'p.revoked_reason', part: revokedReason }, sql)]),
    ...(revokedChange === undefined ? [] : [`p.revoked_change = ${sql.given(revokedChange)}`]),
    ...(createdBefore === undefined ? [] : [`p.created_at < ${sql.given(timeValue(createdBefore))}`]),
    ...(unusedSince === undefined ? [] : [`coalesce(p.last_used_at, p.created_at) < ${sql.given(timeValue(unusedSince))}`]),
    ...traitConditions(filter, sql),
  ];
}

/** Of the table `p`. */
export function traitConditions({ rpId, aaguids, backedUp, revoked = false }: PasskeyTraits, sql: SqlValues): readonly string[] {
  return [
    ...(rpId === undefined ? [] : [`p.rp_id = ${sql.given(rpId)}`]),
    ...(aaguids === undefined ? [] : [`p.aaguid = ANY(${sql.given(aaguids)})`]),
    ...(backedUp === undefined ? [] : [`p.backup_state = ${sql.given(backedUp)}`]),
    ...(revoked === true ? [] : [`p.revoked_at IS ${revoked === 'only' ? 'NOT ' : ''}NULL`]),
  ];
}
