import type { OwnerRef } from '../../kernel/owner.js';
import type { Query } from './database.js';

/** Locks an owner until the transaction ends: others that remove it, or add a passkey or an access for it, wait. */
export async function lockOwner(query: Query, { type, id }: OwnerRef): Promise<{ readonly removed: boolean }> {
  await query('INSERT INTO passkey_owner_refs (type, id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [type, id]);
  const sql = 'SELECT removed FROM passkey_owner_refs WHERE type = $1 AND id = $2 FOR UPDATE';
  const [row] = await query<{ removed: boolean }>(sql, [type, id]);
  return { removed: row?.removed === true };
}
