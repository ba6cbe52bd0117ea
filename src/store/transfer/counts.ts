import type { Static } from 'typebox';
import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import { grouped, groupedCount } from '../../kernel/wording.js';
import type { RowCounts } from './port.js';

// How many rows were moved, as documents and people are told of it.

const counted = Type.Integer({ minimum: 0 });

export const RowCountsDocument = Type.Object(
  {
    users: counted,
    removed_users: Type.Integer({ minimum: 0, description: 'Ids that are never used again.' }),
    passkeys: counted,
    accesses: Type.Integer({ minimum: 0, description: 'Sessions and tokens, ended ones included.' }),
  },
  strict,
);
export type RowCountsDocument = Static<typeof RowCountsDocument>;

export function countsDocument(rows: RowCounts): RowCountsDocument {
  return { users: rows.owner, removed_users: rows.removed_owner, passkeys: rows.passkey, accesses: rows.access };
}

/** What {@link countsDocument} was made from. */
export function rowCountsOf(counts: RowCountsDocument): RowCounts {
  return { owner: counts.users, removed_owner: counts.removed_users, passkey: counts.passkeys, access: counts.accesses };
}

/** `3 users, 4 passkeys` and so on, without those that there are none of. */
export function countsInWords({ owner, removed_owner, passkey, access }: RowCounts): string {
  const parts = [
    owner > 0 && groupedCount(owner, 'user'),
    removed_owner > 0 && groupedCount(removed_owner, 'removed user'),
    passkey > 0 && groupedCount(passkey, 'passkey'),
    access > 0 && (access === 1 ? '1 session or token' : `${grouped(access)} sessions and tokens`),
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
