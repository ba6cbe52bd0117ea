import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import type { Owner, OwnerSortKey } from '../../accounts/ports.js';
import { id, strict, timestamp } from '../../kernel/schema-kit.js';
import { formatMinute, formatTimestamp } from '../../kernel/wording.js';
import { userName } from '../emails.js';

import { defineListing, type Listing } from '../listing.js';

export const WHO = 'USER is an e-mail, TYPE:ID, or the id of a user of the default type.';

/** Schema of a user in `--json`. */
export const userRow = Type.Object(
  {
    id,
    type: Type.String(),
    email: Type.String(),
    name: Type.String(),
    created_at: timestamp,
    passkeys: Type.Integer({ minimum: 0, description: 'Live passkeys.' }),
  },
  strict,
);
type UserRow = Static<typeof userRow>;

/** The data of one user in a list. */
export interface ListedUser {
  readonly owner: Owner;
  readonly livePasskeys: number;
}

export function toUserRow({ owner, livePasskeys }: ListedUser): UserRow {
  return {
    id: owner.id,
    type: owner.type,
    email: owner.email,
    name: owner.name,
    created_at: formatTimestamp(owner.createdAt),
    passkeys: livePasskeys,
  };
}

export const USERS: Listing<ListedUser, OwnerSortKey> = defineListing<ListedUser, OwnerSortKey, UserRow>({
  noun: 'user',
  toRow: toUserRow,
  members: {
    id: { title: 'ID', align: 'right', sort: 'id' },
    type: { title: 'TYPE', yields: 1, max: 40, sort: 'type' },
    email: { title: 'E-MAIL', yields: 2, least: 16, sort: 'email' },
    name: { title: 'NAME', yields: 3, max: 40, sort: 'name' },
    created_at: { title: 'CREATED (UTC)', spare: true, sort: 'createdAt', cell: ({ owner }) => formatMinute(owner.createdAt) },
    passkeys: { title: 'PASSKEYS', align: 'right', sort: 'passkeys' },
  },
  more: { user: { title: 'USER', yields: 1, max: 40, value: ({ owner }) => userName(owner) } },
  mark: ({ owner }) => userName(owner),
  table: () => ['user', 'email', 'name', 'passkeys', 'created_at'],
});

/** Adds the number of live passkeys to each user. */
export async function withPasskeyCounts(accounts: Pick<Accounts, 'countPasskeysOf'>, owners: readonly Owner[]): Promise<ListedUser[]> {
  const counts = await accounts.countPasskeysOf(owners);
  return owners.map((owner, index) => ({ owner, livePasskeys: counts[index] ?? 0 }));
}
