import type { OwnerRef } from '../../kernel/owner.js';
import type { NewPasskey, Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyStore, PasskeyUse } from '../../relying-party/ports.js';
import { alreadyRegistered, ownerRemoved, tooManyPasskeys } from '../refusals.js';
import { purge, restorePasskeys, revokePasskeys } from './bulk.js';
import { type Database, type Query, type SqlValue, timeValue } from './database.js';
import { lockOwner } from './owner-lock.js';
import { countPasskeys, listPasskeys } from './passkey-query.js';
import { type PasskeyRow, readPasskey } from './rows.js';

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

    revokePasskeys: (ids, change) => database.transaction((query) => revokePasskeys(query, ids, change)),
    restorePasskeys: (ids, options) => database.transaction((query) => restorePasskeys(query, ids, options)),
    purge: (what, change) => database.transaction((query) => purge(query, what, change)),
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
  return row && readPasskey(row);
}

async function insertPasskey(query: Query, passkey: NewPasskey, { maxLive = Infinity }: { maxLive?: number } = {}): Promise<Passkey> {
  const { owner, credential } = passkey;
  // Of several registrations of an owner at once each waits for the one before.
  const { removed } = await lockOwner(query, owner);
  const [known] = await query('SELECT 1 FROM passkeys WHERE credential_id = $1', [credential.id]);
  if (known !== undefined) throw alreadyRegistered();
  // The owner may have been removed while the registration was verified.
  if (removed) throw ownerRemoved(owner);
  if (maxLive !== Infinity && (await countLive(query, owner)) >= maxLive) throw tooManyPasskeys(owner, maxLive);
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

async function countLive(query: Query, { type, id }: OwnerRef): Promise<number> {
  const sql = 'SELECT count(*)::int AS live FROM passkeys WHERE owner_type = $1 AND owner_id = $2 AND revoked_at IS NULL';
  const [row] = await query<{ live: number }>(sql, [type, id]);
  return row?.live ?? 0;
}
