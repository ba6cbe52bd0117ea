import type { OwnerRef } from '../../kernel/owner.js';
import type { NewPasskey, Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyStore } from '../../relying-party/ports.js';
import { newPasskeyToRow } from '../records.js';
import { alreadyRegistered, ownerRemoved, tooManyPasskeys } from '../refusals.js';
import { purge, restorePasskeys, revokePasskeys } from './bulk.js';
import { type Database, type NamedStatement, named, type Query, type SqlValue, timeValue } from './database.js';
import { countPasskeys, listPasskeyIds, listPasskeys } from './passkey-query.js';
import { insertInto, PASSKEY_COLUMNS, type PasskeyRow, readPasskeyRow } from './rows.js';
import { summarizePasskeys } from './summary.js';

/**
 * Locks an owner until the transaction ends. Meanwhile, other transactions cannot remove the owner or add a passkey or access of the owner.
 */
export async function lockOwner(query: Query, { type, id }: OwnerRef): Promise<{ readonly removed: boolean }> {
  await query('INSERT INTO passkey_owner_refs (type, id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [type, id]);
  const sql = 'SELECT removed FROM passkey_owner_refs WHERE type = $1 AND id = $2 FOR UPDATE';
  const [row] = await query<{ removed: boolean }>(sql, [type, id]);
  return { removed: row?.removed === true };
}

export function passkeyStore(database: Database): Omit<PasskeyStore, 'recordLogin'> {
  return {
    insertPasskey: (passkey, limit) => database.transaction((query) => insertPasskey(query, passkey, limit)),
    findPasskey: (id) => one(database.read, FIND, [id]),
    findPasskeyByCredentialId: (id) => one(database.read, FIND_BY_CREDENTIAL, [id]),
    listPasskeys: (query) => listPasskeys(database.read, query),
    listPasskeyIds: (query) => listPasskeyIds(database.read, query),
    summarizePasskeys: (filter, unusedSince) => summarizePasskeys(database.read, filter, unusedSince),
    countPasskeys: (filter) => countPasskeys(database.read, filter),

    async recordCounterRegression(id, at) {
      const sql = `UPDATE passkeys SET counter_regressions = counter_regressions + 1,
        counter_regressed_at = greatest(counter_regressed_at, $2) WHERE id = $1`;
      await database.change(sql, [id, timeValue(at)]);
    },

    renamePasskey: (id, label) => one(database.change, 'UPDATE passkeys SET label = $2 WHERE id = $1 RETURNING *', [id, label]),

    revokePasskeys: (ids, change) => database.transaction((query) => revokePasskeys(query, ids, change)),
    restorePasskeys: (ids, options) => database.transaction((query) => restorePasskeys(query, ids, options)),
    purge: (what, change) => database.transaction((query) => purge(query, what, change)),
  };
}

export const FIND = named(`SELECT ${PASSKEY_COLUMNS} FROM passkeys WHERE id = $1`);
const FIND_BY_CREDENTIAL = named(`SELECT ${PASSKEY_COLUMNS} FROM passkeys WHERE credential_id = $1`);

async function one(query: Query, statement: string | NamedStatement, values: readonly SqlValue[]): Promise<Passkey | undefined> {
  const [row] = await query<PasskeyRow>(statement, values);
  return row && readPasskeyRow(row);
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
  const [stored] = await insertInto<PasskeyRow>(query, 'passkeys', [newPasskeyToRow(passkey)], 'ON CONFLICT DO NOTHING RETURNING *');
  if (stored === undefined) throw alreadyRegistered();
  return readPasskeyRow(stored);
}

async function countLive(query: Query, { type, id }: OwnerRef): Promise<number> {
  const sql = 'SELECT count(*)::int AS live FROM passkeys WHERE owner_type = $1 AND owner_id = $2 AND revoked_at IS NULL';
  const [row] = await query<{ live: number }>(sql, [type, id]);
  return row?.live ?? 0;
}
