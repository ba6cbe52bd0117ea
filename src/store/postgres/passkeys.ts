import type { NewPasskey, Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyStore, PasskeysChange, PasskeyUse } from '../../relying-party/ports.js';
import type { OwnerRef } from '../../webauthn/user-handle.js';
import { alreadyRegistered, notRestorable, ownerRemoved, tooManyPasskeys } from '../refusals.js';
import { type Database, type Query, type SqlValue, timeValue } from './database.js';
import { lockOwner } from './owner-lock.js';
import { countPasskeys, listPasskeys } from './passkey-query.js';
import { type PasskeyRow, passkeyOf } from './rows.js';

export function passkeyStore(database: Database): PasskeyStore {
  return {
    insertPasskey: (passkey, limit) => database.transaction((query) => insertPasskey(query, passkey, limit)),
    findPasskey: (id) => one(database.read, 'SELECT * FROM passkeys WHERE id = $1', [id]),
    findPasskeyByCredentialId: (id) => one(database.read, 'SELECT * FROM passkeys WHERE credential_id = $1', [id]),
    listPasskeys: (query) => listPasskeys(database.read, query),
    countPasskeys: (filter) => countPasskeys(database.read, filter),
    updatePasskey: (id, use) => database.transaction((query) => noteUse(query, id, use)),

    async recordCounterRegression(id, at) {
      const sql = `UPDATE passkeys SET counter_regressions = counter_regressions + 1,
        counter_regressed_at = greatest(counter_regressed_at, $2) WHERE id = $1`;
      await database.transaction((query) => query(sql, [id, timeValue(at)]));
    },

    renamePasskey: (id, label) =>
      database.transaction((query) => one(query, 'UPDATE passkeys SET label = $2 WHERE id = $1 RETURNING *', [id, label])),

    revokePasskeys: (ids, { at, reason, signal }) =>
      database.transaction(async (query) => {
        signal?.throwIfAborted();
        const changed = await changePasskeys(query, ids, async (found) => {
          const live = found.filter(({ revokedAt }) => revokedAt === undefined).map(({ id }) => id);
          await revoke(query, live, { at, reason });
          return live;
        });
        signal?.throwIfAborted();
        return changed;
      }),

    restorePasskeys: (ids, { signal } = {}) =>
      database.transaction(async (query) => {
        signal?.throwIfAborted();
        const changed = await changePasskeys(query, ids, async (found) => {
          const revoked = found.filter(({ revokedAt }) => revokedAt !== undefined);
          await refuseRemovedOwners(query, revoked);
          const restored = revoked.map(({ id }) => id);
          await query('UPDATE passkeys SET revoked_at = NULL, revoked_reason = NULL WHERE id = ANY($1)', [restored]);
          return restored;
        });
        signal?.throwIfAborted();
        return changed;
      }),
  };
}

/** Undefined when it is gone, revoked, or was used by another assertion meanwhile. */
export async function noteUse(query: Query, id: number, use: PasskeyUse): Promise<Passkey | undefined> {
  const { expectedSignCount, signCount, backupState, uvInitialized, lastUsedAt } = use;
  const sql = `UPDATE passkeys SET sign_count = $3, backup_state = $4, uv_initialized = $5, last_used_at = $6
    WHERE id = $1 AND revoked_at IS NULL AND sign_count = $2 RETURNING *`;
  return one(query, sql, [id, expectedSignCount, signCount, backupState, uvInitialized, timeValue(lastUsedAt)]);
}

async function one(query: Query, text: string, values: readonly SqlValue[]): Promise<Passkey | undefined> {
  const [row] = await query<PasskeyRow>(text, values);
  return row && passkeyOf(row);
}

async function insertPasskey(query: Query, passkey: NewPasskey, { maxLive = Infinity }: { maxLive?: number } = {}): Promise<Passkey> {
  const { owner, credential } = passkey;
  // Of several registrations of an owner at once each waits for the one before.
  const { removed } = await lockOwner(query, owner);
  const [known] = await query('SELECT 1 FROM passkeys WHERE credential_id = $1', [credential.id]);
  if (known !== undefined) throw alreadyRegistered();
  // The owner may have been removed while the registration was verified.
  if (removed) throw ownerRemoved(owner);
  if (maxLive !== Infinity && (await liveOf(query, owner)) >= maxLive) throw tooManyPasskeys(owner, maxLive);
  const stored = await one(
    query,
    `INSERT INTO passkeys (owner_type, owner_id, user_handle, rp_id, rp_name, origin, label, credential_id, public_key, sign_count,
       uv_initialized, transports, backup_eligible, backup_state, aaguid, attestation_format, attestation_trust, attestation_object,
       attestation_client_data_json, authenticator_attachment, client_extension_results, challenge, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
     ON CONFLICT DO NOTHING RETURNING *`,
    [
      owner.type,
      owner.id,
      passkey.userHandle,
      passkey.rpId,
      passkey.rpName,
      passkey.origin,
      passkey.label,
      credential.id,
      credential.publicKey,
      credential.signCount,
      credential.uvInitialized,
      JSON.stringify(credential.transports),
      credential.backupEligible,
      credential.backupState,
      passkey.aaguid,
      passkey.attestation.format,
      passkey.attestation.trust,
      credential.attestationObject,
      credential.attestationClientDataJSON,
      passkey.authenticatorAttachment ?? null,
      JSON.stringify(passkey.clientExtensionResults),
      passkey.challenge,
      timeValue(passkey.createdAt),
    ],
  );
  if (stored === undefined) throw alreadyRegistered();
  return stored;
}

async function liveOf(query: Query, { type, id }: OwnerRef): Promise<number> {
  const sql = 'SELECT count(*)::int AS live FROM passkeys WHERE owner_type = $1 AND owner_id = $2 AND revoked_at IS NULL';
  const [row] = await query<{ live: number }>(sql, [type, id]);
  return row?.live ?? 0;
}

/** Changes many passkeys at once, or none: `change` tells which it has changed. */
async function changePasskeys(
  query: Query,
  ids: readonly number[],
  change: (found: readonly Passkey[]) => Promise<readonly number[]>,
): Promise<PasskeysChange> {
  // In the order of ids, so that two such changes wait for each other instead of blocking each other.
  const found = await query<PasskeyRow>('SELECT * FROM passkeys WHERE id = ANY($1) ORDER BY id FOR UPDATE', [ids]);
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) return { status: 'missing', ids: missing };
  const done = new Set(await change(found.map(passkeyOf)));
  const changed = new Map(found.filter(({ id }) => done.has(id)).map(({ id, revoked_reason }) => [id, revoked_reason ?? undefined]));
  const now = await query<PasskeyRow>('SELECT * FROM passkeys WHERE id = ANY($1)', [ids]);
  const byId = new Map(now.map((row) => [row.id, row]));
  const passkeys = ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
  return { status: 'done', passkeys: passkeys.map(passkeyOf), changed };
}

/** Also ends every session and token that they opened. */
export async function revoke(
  query: Query,
  ids: readonly number[],
  { at, reason }: { readonly at: number; readonly reason: string | undefined },
): Promise<void> {
  await query('UPDATE passkeys SET revoked_at = $2, revoked_reason = $3 WHERE id = ANY($1)', [ids, timeValue(at), reason ?? null]);
  await query('UPDATE passkey_accesses SET revoked_at = $2 WHERE passkey_id = ANY($1) AND revoked_at IS NULL', [ids, timeValue(at)]);
}

async function refuseRemovedOwners(query: Query, passkeys: readonly Passkey[]): Promise<void> {
  const sql = `SELECT p.id, p.owner_type, p.owner_id FROM passkeys p JOIN passkey_owner_refs r ON r.type = p.owner_type AND r.id = p.owner_id
    WHERE r.removed AND p.id = ANY($1) ORDER BY p.id LIMIT 1`;
  const [row] = await query<Pick<PasskeyRow, 'id' | 'owner_type' | 'owner_id'>>(sql, [passkeys.map(({ id }) => id)]);
  if (row !== undefined) throw notRestorable(row.id, { type: row.owner_type, id: row.owner_id });
}
