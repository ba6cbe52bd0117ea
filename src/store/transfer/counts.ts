import type { Static } from 'typebox';
import * as Type from 'typebox';
import { strict } from '../../webauthn/schema-kit.js';
import { grouped, groupedCount } from '../../webauthn/wording.js';
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

/** `3 users, 4 passkeys` and so on, without those that there are none of. */
export function countsInWords({ users, removed_users: removed, passkeys, accesses }: RowCountsDocument): string {
  const parts = [
    users > 0 && groupedCount(users, 'user'),
    removed > 0 && groupedCount(removed, 'removed user'),
    passkeys > 0 && groupedCount(passkeys, 'passkey'),
    accesses > 0 && (accesses === 1 ? '1 session or token' : `${grouped(accesses)} sessions and tokens`),
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
