import type { AccountStore, Owner } from '../../accounts/ports.js';
import type { Access, NewAccess } from '../../kernel/access.js';
import type { OwnerRef } from '../../kernel/owner.js';
import type { Login, LoginOutcome, PasskeyStore } from '../../relying-party/ports.js';
import { KEPT_ENDED_TOKENS, KEPT_LOGINS } from '../accounts.js';
import { copyAccess } from '../copies.js';
import { newAccessToRow, ownerToRow } from '../records.js';
import { emailTaken, newOwnerId, opensNothing, ownerGone, ownerIdTaken, ownerRemoved, sameSecret } from '../refusals.js';
import { foldText } from '../state.js';
import { countAccess, countOwners, countOwnersPasskeys, listAccess, listOwners } from './account-query.js';
import { removeOwner, removeOwners, revokeAccesses } from './bulk.js';
import { type Database, type NamedStatement, named, type Query, type SqlValue, timeValue } from './database.js';
import { isDuplicate } from './failure.js';
import { FIND, lockOwner } from './passkeys.js';
import {
  ACCESS_COLUMNS,
  type AccessRow,
  insertInto,
  OWNER_COLUMNS,
  type OwnerRow,
  PASSKEY_COLUMNS,
  type PasskeyRow,
  readAccessRow,
  readOwnerRow,
  readPasskeyRow,
} from './rows.js';

export function accountStore(database: Database): AccountStore & Pick<PasskeyStore, 'recordLogin'> {
  return {
    insertOwner: (owner) => database.transaction((query) => insertOwner(query, owner)),
    findOwner: (ref) => findOwner(database.read, ref),
    listOwners: (query) => listOwners(database.read, query),
    countOwners: (filter) => countOwners(database.read, filter),
    countPasskeysOf: (owners) => countOwnersPasskeys(database.read, owners),

    editOwner: (ref, change) => database.transaction((query) => editOwner(query, ref, change)),

    async fixUserHandle(ref, userHandle) {
      const sql = 'UPDATE passkey_owners SET user_handle = coalesce(user_handle, $3) WHERE type = $1 AND id = $2 RETURNING *';
      const [row] = await database.change<OwnerRow>(sql, [ref.type, ref.id, userHandle]);
      return row && readOwnerRow(row);
    },

    removeOwner: (ref, change) => database.transaction((query) => removeOwner(query, ref, change)),
    removeOwners: (refs, change) => database.transaction((query) => removeOwners(query, refs, change)),
    async insertAccess(access) {
      const stored = await database.transaction((query) => insertAccess(query, access));
      await pruneAccesses(database, stored).catch(PRUNED_NEXT_TIME);
      return stored;
    },

    recordLogin: (login) => recordLogin(database, login),

    findAccess: (kind, hash) => oneAccess(database.read, FIND_ACCESS, [kind, hash]),
    listAccess: (query) => listAccess(database.read, query),
    countAccess: (filter) => countAccess(database.read, filter),

    touchAccess: (id, at) => oneAccess(database.change, TOUCH_ACCESS, [id, timeValue(at)]),

    revokeAccess: (id, at) =>
      oneAccess(database.change, 'UPDATE passkey_accesses SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING *', [
        id,
        timeValue(at),
      ]),

    revokeAccesses: (ids, change) => database.transaction((query) => revokeAccesses(query, ids, change)),
  };
}

async function insertOwner(query: Query, owner: Parameters<AccountStore['insertOwner']>[0]): Promise<Owner> {
  const { type, email, name, userHandle, createdAt } = owner;
  await query('INSERT INTO passkey_owner_types (type, highest_id) VALUES ($1, 0) ON CONFLICT DO NOTHING', [type]);
  // Additions of one type wait for each other here, so that what is looked up below holds until the end.
  const [kind] = await query<{ highest_id: number }>('SELECT highest_id FROM passkey_owner_types WHERE type = $1 FOR UPDATE', [type]);
  const id = newOwnerId(type, { asked: owner.id, highest: Math.max(kind?.highest_id ?? 0, await highestOwning(query, type)) });
  const { removed } = await lockOwner(query, { type, id });
  if (removed || (await findOwner(query, { type, id })) !== undefined) throw ownerIdTaken({ type, id }, { removed });
  const emailKey = foldText(email);
  const [holder] = await query<OwnerRow>('SELECT * FROM passkey_owners WHERE type = $1 AND email_key = $2', [type, emailKey]);
  if (holder !== undefined) throw emailTaken(email, holder);
  const added = { ...ownerToRow({ type, id, email, name, userHandle, createdAt }), email_key: emailKey };
  const [row] = await insertInto<OwnerRow>(query, 'passkey_owners', [added], 'RETURNING *');
  await query('UPDATE passkey_owner_types SET highest_id = greatest(highest_id, $2) WHERE type = $1', [type, id]);
  if (row === undefined) throw new TypeError('Expected the row of the owner that was inserted, got none.');
  return readOwnerRow(row);
}

/**
 * Finds the highest owner id that has passkeys or accesses, even if the store has no such user. A new user must get a higher id, because it
 * must not inherit them.
 */
async function highestOwning(query: Query, type: string): Promise<number> {
  const [row] = await query<{ highest: number }>(
    `SELECT greatest((SELECT max(owner_id) FROM passkeys WHERE owner_type = $1),
      (SELECT max(owner_id) FROM passkey_accesses WHERE owner_type = $1), 0) AS highest`,
    [type],
  );
  return row?.highest ?? 0;
}

const FIND_OWNER = named(`SELECT ${OWNER_COLUMNS} FROM passkey_owners WHERE type = $1 AND id = $2`);

async function findOwner(query: Query, { type, id }: OwnerRef): Promise<Owner | undefined> {
  const [row] = await query<OwnerRow>(FIND_OWNER, [type, id]);
  return row && readOwnerRow(row);
}

async function editOwner(query: Query, ref: OwnerRef, change: Parameters<AccountStore['editOwner']>[1]): Promise<Owner | undefined> {
  const { type, id } = ref;
  // As an addition of the type does: what is looked up below holds until the end.
  await query('SELECT 1 FROM passkey_owner_types WHERE type = $1 FOR UPDATE', [type]);
  const owner = await findOwner(query, ref);
  if (owner === undefined || (await lockOwner(query, ref)).removed) return undefined;
  const { email = owner.email, name = owner.name } = change;
  const emailKey = foldText(email);
  const [holder] = await query<OwnerRow>('SELECT * FROM passkey_owners WHERE type = $1 AND email_key = $2 AND id <> $3', [
    type,
    emailKey,
    id,
  ]);
  if (holder !== undefined) throw emailTaken(email, holder);
  const sql = 'UPDATE passkey_owners SET email = $3, email_key = $4, name = $5 WHERE type = $1 AND id = $2 RETURNING *';
  const [row] = await query<OwnerRow>(sql, [type, id, email, emailKey, name]);
  return row && readOwnerRow(row);
}

/** Number of insertions after which ended accesses are removed. */
const PRUNE_EVERY = 128;
/**
 * Error handler for a failed removal of old accesses. It ignores the error, because the new access is already stored, and the next removal
 * will include the old ones.
 */
const PRUNED_NEXT_TIME = () => undefined;

async function insertAccess(query: Query, access: NewAccess): Promise<Access> {
  const { kind, owner, passkeyId } = access;
  if ((await lockOwner(query, owner)).removed) throw ownerRemoved(owner);
  if (passkeyId !== undefined) {
    // A revocation of this passkey waits, and then ends this access too.
    const sql = 'SELECT revoked_at IS NOT NULL AS revoked FROM passkeys WHERE id = $1 FOR SHARE';
    const [passkey] = await query<{ revoked: boolean }>(sql, [passkeyId]);
    if (passkey?.revoked === true) throw opensNothing(passkeyId, kind);
  }
  const [stored] = await insertInto<AccessRow>(query, 'passkey_accesses', [newAccessToRow(access)], 'ON CONFLICT DO NOTHING RETURNING *');
  if (stored === undefined) throw sameSecret(kind);
  return readAccessRow(stored);
}

/**
 * Statement that records a login. It locks only the passkey, so that logins of one user do not wait for each other. Removing the user also
 * revokes the passkey. Therefore, either the removal waits for this login and ends its session, or the login waits for the removal and
 * opens no session.
 */
const RECORD_LOGIN = named(`WITH used AS (
    UPDATE passkeys SET sign_count = $3, backup_state = $4, uv_initialized = $5, last_used_at = $6
    WHERE id = $1 AND revoked_at IS NULL AND sign_count = $2 AND ($7::text IS NULL OR EXISTS (
      SELECT FROM passkey_owners WHERE passkey_owners.type = passkeys.owner_type AND passkey_owners.id = passkeys.owner_id))
    RETURNING ${PASSKEY_COLUMNS}),
  opened AS (
    INSERT INTO passkey_accesses (kind, owner_type, owner_id, hash, passkey_id, label, created_at, expires_at)
    SELECT $7, owner_type, owner_id, $8, id, $9, $10, $11 FROM used WHERE $7::text IS NOT NULL RETURNING id)
  SELECT used.*, opened.id AS access_id FROM used LEFT JOIN opened ON true`);

async function recordLogin(database: Database, { passkeyId, use, opens }: Login): Promise<LoginOutcome> {
  const { expectedSignCount, signCount, backupState, uvInitialized, lastUsedAt } = use;
  const used = [passkeyId, expectedSignCount, signCount, backupState, uvInitialized, timeValue(lastUsedAt)];
  const access = [opens?.kind ?? null, opens?.hash ?? null, opens?.label ?? null, timeValue(opens?.createdAt), timeValue(opens?.expiresAt)];
  const [row] = await database
    .change<PasskeyRow & { access_id: number | null }>(RECORD_LOGIN, [...used, ...access])
    .catch((error: unknown) => {
      throw opens !== undefined && isDuplicate(error) ? sameSecret(opens.kind) : error;
    });
  if (row === undefined) return refuseLogin(database.read, { passkeyId, use, opens });
  const { access_id: id, ...passkeyRow } = row;
  const passkey = readPasskeyRow(passkeyRow);
  if (opens === undefined || id === null) return { status: 'recorded', passkey, opened: undefined };
  const opened: Access = { ...opens, id, owner: passkey.owner, passkeyId, lastUsedAt: undefined, revokedAt: undefined };
  await pruneAccesses(database, opened).catch(PRUNED_NEXT_TIME);
  return { status: 'recorded', passkey, opened: copyAccess(opened) };
}

/**
 * Finds the reason why a login was not recorded. This needs a second statement, because a statement that waited for a lock still sees the
 * data from its start.
 */
async function refuseLogin(query: Query, { passkeyId, use, opens }: Login): Promise<LoginOutcome> {
  const [row] = await query<PasskeyRow>(FIND, [passkeyId]);
  const passkey = row && readPasskeyRow(row);
  const isUsable = passkey !== undefined && passkey.revokedAt === undefined && passkey.credential.signCount === use.expectedSignCount;
  if (opens !== undefined && isUsable && (await findOwner(query, passkey.owner)) === undefined) throw ownerGone();
  return { status: 'changed', passkey };
}

/**
 * Removes ended sessions and, except for the latest ones, ended tokens and logins of the passkey. Otherwise the table would grow with every
 * login.
 */
async function pruneAccesses({ change }: Database, { id, passkeyId, createdAt }: Access): Promise<void> {
  if (id % PRUNE_EVERY !== 0) return;
  const now = timeValue(createdAt);
  const ended = (kind: Access['kind']) => `FROM passkey_accesses WHERE kind = '${kind}' AND least(revoked_at, expires_at) <= $1`;
  await change(`DELETE ${ended('session')}`, [now]);
  await change(`DELETE ${ended('token')} AND id <= (SELECT id ${ended('token')} ORDER BY id DESC OFFSET $2 LIMIT 1)`, [
    now,
    KEPT_ENDED_TOKENS,
  ]);
  if (passkeyId === undefined) return;
  const live = 'FROM passkey_accesses WHERE passkey_id = $1 AND revoked_at IS NULL';
  await change(`DELETE ${live} AND id <= (SELECT id ${live} ORDER BY id DESC OFFSET $2 LIMIT 1)`, [passkeyId, KEPT_LOGINS]);
}

const FIND_ACCESS = named(`SELECT ${ACCESS_COLUMNS} FROM passkey_accesses WHERE kind = $1 AND hash = $2`);
const TOUCH_ACCESS = named(
  `UPDATE passkey_accesses SET last_used_at = greatest(last_used_at, $2) WHERE id = $1 AND revoked_at IS NULL RETURNING ${ACCESS_COLUMNS}`,
);

async function oneAccess(query: Query, statement: string | NamedStatement, values: readonly SqlValue[]): Promise<Access | undefined> {
  const [row] = await query<AccessRow>(statement, values);
  return row && readAccessRow(row);
}
