import type { AccessesChange, AccountStore, Owner, OwnerRemoval, OwnersChange, Removal } from '../../accounts/ports.js';
import { type Access, findEnd } from '../../kernel/access.js';
import { type BulkOptions, inSteps } from '../../kernel/bulk-change.js';
import { nameOwner, type OwnerRef } from '../../kernel/owner.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyStore, PasskeysChange, Purge, PurgeOutcome, RestoreOptions, Revocation } from '../../relying-party/ports.js';
import { isLive, restoredPasskey, revokedPasskey } from '../passkeys.js';
import { notRestorable } from '../refusals.js';
import { type Query, timeValue } from './database.js';
import { type AccessRow, type OwnerRow, type PasskeyRow, readAccessRow, readOwnerRow, readPasskeyRow } from './rows.js';

// Changes of many records, each in one transaction, which PostgreSQL undoes if anything fails. All records are locked and read first, in
// ascending order, so that two such changes wait for each other instead of blocking each other. Then they are changed.

export function revokePasskeys(query: Query, ids: readonly number[], revocation: BulkOptions & Revocation): Promise<PasskeysChange> {
  return changePasskeys(query, ids, revocation, {
    differs: isLive,
    changed: (passkey) => revokedPasskey(passkey, revocation),
    async change(live) {
      const at = timeValue(revocation.at);
      await markRevoked(query, live, revocation);
      await query('UPDATE passkey_accesses SET revoked_at = $2 WHERE passkey_id = ANY($1) AND revoked_at IS NULL', [live, at]);
    },
  });
}

function markRevoked(query: Query, ids: readonly number[], { at, reason, change }: Revocation) {
  const sql = 'UPDATE passkeys SET revoked_at = $2, revoked_reason = $3, revoked_change = $4 WHERE id = ANY($1)';
  return query(sql, [ids, timeValue(at), reason ?? null, change ?? null]);
}

export function restorePasskeys(query: Query, ids: readonly number[], options: RestoreOptions = {}): Promise<PasskeysChange> {
  const { skipRemovedOwners = false } = options;
  return changePasskeys(query, ids, options, {
    differs: (passkey) => !isLive(passkey),
    changed: restoredPasskey,
    async stay(revoked) {
      const removed = await ofRemovedOwners(query, revoked, options);
      if (removed.length > 0 && !skipRemovedOwners) throw notRestorable(removed, ids.length);
      return removed.map(({ id }) => id);
    },
    async change(revoked) {
      await query('UPDATE passkeys SET revoked_at = NULL, revoked_reason = NULL, revoked_change = NULL WHERE id = ANY($1)', [revoked]);
    },
  });
}

interface Change {
  readonly differs: (passkey: Passkey) => boolean;
  /** Selects passkeys that must stay unchanged, even though the change would affect them. Default: none. */
  readonly stay?: (ids: readonly number[]) => Promise<readonly number[]>;
  /** Changes the passkeys with these ids in the database. */
  readonly change: (ids: readonly number[]) => Promise<void>;
  /** Makes the same change to a passkey in memory, and returns the changed passkey. */
  readonly changed: (passkey: Passkey) => Passkey;
}

async function changePasskeys(query: Query, ids: readonly number[], options: BulkOptions, o: Change): Promise<PasskeysChange> {
  const found = await lockPasskeys(query, ids, options);
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) return { status: 'missing', ids: missing };
  const different = [...found.values()].filter(o.differs);
  const staying = new Set(await o.stay?.(different.map(({ id }) => id)));
  const differing = different.filter(({ id }) => !staying.has(id));
  const changed = new Map(differing.map(({ id, revokedReason }) => [id, revokedReason]));
  for (const step of inSteps([...found.keys()], options)) await o.change(step.filter((id) => changed.has(id)));
  for (const passkey of differing) found.set(passkey.id, o.changed(passkey));
  return { status: 'done', passkeys: ids.flatMap((id) => found.get(id) ?? []), changed };
}

/** Locks and reads passkeys. The locks end with the transaction. */
async function lockPasskeys(query: Query, ids: readonly number[], { signal }: BulkOptions): Promise<Map<number, Passkey>> {
  const passkeys = new Map<number, Passkey>();
  for (const step of inSteps(ids.toSorted(ascending), { signal })) {
    const rows = await query<PasskeyRow>('SELECT * FROM passkeys WHERE id = ANY($1) ORDER BY id FOR UPDATE', [step]);
    for (const row of rows) passkeys.set(row.id, readPasskeyRow(row));
  }
  return passkeys;
}

async function ofRemovedOwners(query: Query, ids: readonly number[], { signal }: BulkOptions) {
  // A removal of one of the owners waits, and then finds the passkeys live.
  const sql = `SELECT p.id, p.owner_type, p.owner_id, r.removed
    FROM passkeys p JOIN passkey_owner_refs r ON r.type = p.owner_type AND r.id = p.owner_id
    WHERE p.id = ANY($1) ORDER BY p.id FOR SHARE OF r`;
  const found: { readonly id: number; readonly owner: OwnerRef }[] = [];
  for (const step of inSteps(ids, { signal })) {
    for (const row of await query<Pick<PasskeyRow, 'id' | 'owner_type' | 'owner_id'> & { readonly removed: boolean }>(sql, [step])) {
      if (row.removed) found.push({ id: row.id, owner: { type: row.owner_type, id: row.owner_id } });
    }
  }
  return found;
}

const ascending = (a: number, b: number): number => a - b;

/** SQL for a table of owners, made from an array of types and an array of ids. */
const OWNERS = 'unnest($1::text[], $2::bigint[]) AS whose (type, id)';

export async function removeOwner(
  query: Query,
  ref: OwnerRef,
  change: Parameters<AccountStore['removeOwner']>[1],
): Promise<OwnerRemoval | undefined> {
  const done = await removeOwners(query, [ref], change);
  return done.status === 'done' ? done.removed[0] : undefined;
}

export async function removeOwners(
  query: Query,
  refs: readonly OwnerRef[],
  { at, reason, change, ...options }: BulkOptions & Removal,
): Promise<OwnersChange> {
  const owners = await lockOwners(query, refs, options);
  const missing = refs.filter((ref) => !owners.has(nameOwner(ref)));
  if (missing.length > 0) return { status: 'missing', owners: missing };
  const revoked = new Map<string, number[]>();
  for (const step of inSteps([...owners.values()], options)) {
    const whose = [step.map(({ type }) => type), step.map(({ id }) => id)];
    const live = await query<{ type: string; owner_id: number; id: number }>(
      `SELECT p.owner_type AS type, p.owner_id, p.id FROM passkeys p JOIN ${OWNERS} ON p.owner_type = whose.type AND p.owner_id = whose.id
       WHERE p.revoked_at IS NULL ORDER BY p.id FOR UPDATE OF p`,
      whose,
    );
    for (const { type, owner_id: id, id: passkey } of live) {
      const name = nameOwner({ type, id });
      revoked.set(name, [...(revoked.get(name) ?? []), passkey]);
    }
    const done = timeValue(at);
    await markRevoked(
      query,
      live.map(({ id }) => id),
      { at, reason, change },
    );
    await query(
      `UPDATE passkey_accesses a SET revoked_at = $3 FROM ${OWNERS}
       WHERE a.owner_type = whose.type AND a.owner_id = whose.id AND a.revoked_at IS NULL`,
      [...whose, done],
    );
    await query(`DELETE FROM passkey_owners o USING ${OWNERS} WHERE o.type = whose.type AND o.id = whose.id`, whose);
    await query(`UPDATE passkey_owner_refs r SET removed = true FROM ${OWNERS} WHERE r.type = whose.type AND r.id = whose.id`, whose);
  }
  const removed = refs.flatMap((ref) => owners.get(nameOwner(ref)) ?? []);
  return { status: 'done', removed: removed.map((owner) => ({ owner, revokedPasskeys: revoked.get(nameOwner(owner)) ?? [] })) };
}

/** Locks and reads owners. Returns those that exist, keyed by `TYPE:ID`. */
async function lockOwners(query: Query, refs: readonly OwnerRef[], { signal }: BulkOptions): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>();
  const sorted = refs.toSorted((a, b) => (a.type === b.type ? a.id - b.id : a.type < b.type ? -1 : 1));
  for (const step of inSteps(sorted, { signal })) {
    const whose = [step.map(({ type }) => type), step.map(({ id }) => id)];
    await query(
      `SELECT 1 FROM passkey_owner_refs r JOIN ${OWNERS} ON r.type = whose.type AND r.id = whose.id
       ORDER BY r.type COLLATE "C", r.id FOR UPDATE OF r`,
      whose,
    );
    const rows = await query<OwnerRow>(`SELECT o.* FROM passkey_owners o JOIN ${OWNERS} ON o.type = whose.type AND o.id = whose.id`, whose);
    for (const row of rows) owners.set(nameOwner(row), readOwnerRow(row));
  }
  return owners;
}

export async function revokeAccesses(
  query: Query,
  ids: readonly number[],
  { at, kind, ...options }: Parameters<AccountStore['revokeAccesses']>[1],
): Promise<AccessesChange> {
  const rows = await lockAccesses(query, ids, options);
  const missing = ids.filter((id) => rows.get(id)?.kind !== kind);
  if (missing.length > 0) return { status: 'missing', ids: missing };
  const changed = new Set([...rows.values()].filter(({ revokedAt }) => revokedAt === undefined).map(({ id }) => id));
  for (const step of inSteps([...changed], options)) {
    const sql = 'UPDATE passkey_accesses SET revoked_at = $2 WHERE id = ANY($1) RETURNING *';
    for (const row of await query<AccessRow>(sql, [step, timeValue(at)])) rows.set(row.id, readAccessRow(row));
  }
  return { status: 'done', accesses: ids.flatMap((id) => rows.get(id) ?? []), changed };
}

async function lockAccesses(query: Query, ids: readonly number[], { signal }: BulkOptions): Promise<Map<number, Access>> {
  const accesses = new Map<number, Access>();
  for (const step of inSteps(ids.toSorted(ascending), { signal })) {
    const rows = await query<AccessRow>('SELECT * FROM passkey_accesses WHERE id = ANY($1) ORDER BY id FOR UPDATE', [step]);
    for (const row of rows) accesses.set(row.id, readAccessRow(row));
  }
  return accesses;
}

export async function purge(
  query: Query,
  what: Purge,
  { endedBefore, ...options }: Parameters<PasskeyStore['purge']>[1],
): Promise<PurgeOutcome> {
  const passkeys = await lockPasskeys(query, what.passkeys, options);
  const accesses = [...(await lockAccesses(query, what.accesses, options)).values()];
  const kept = {
    passkeys: what.passkeys.filter((id) => (passkeys.get(id)?.revokedAt ?? Infinity) >= endedBefore),
    accesses: accesses.filter((access) => findEnd(access) >= endedBefore).map(({ id }) => id),
  };
  if (kept.passkeys.length + kept.accesses.length > 0) return { status: 'kept', ...kept };
  for (const step of inSteps(what.passkeys, options)) await query('DELETE FROM passkeys WHERE id = ANY($1)', [step]);
  const ids = accesses.map(({ id }) => id);
  for (const step of inSteps(ids, { signal: options.signal })) await query('DELETE FROM passkey_accesses WHERE id = ANY($1)', [step]);
  return { status: 'done', passkeys: what.passkeys.flatMap((id) => passkeys.get(id) ?? []), accesses: ids };
}
