import type { Owner, OwnerSortKey } from '../../accounts/ports.js';
import { formatMinute, formatTimestamp } from '../../kernel/wording.js';
import { USER_COLUMNS, USER_SORT_COLUMNS, type UserColumn } from '../definitions/columns.js';
import { userName } from '../emails.js';
import type { UserRow } from '../schemas/users.js';
import type { ListColumn, Listing } from './listing.js';

/** A user in a list. */
export interface ListedUser {
  readonly owner: Owner;
  readonly livePasskeys: number;
}

/** As `--json` has it. */
export function toUserRow(owner: Owner, livePasskeys: number): UserRow {
  return {
    id: owner.id,
    type: owner.type,
    email: owner.email,
    name: owner.name,
    created_at: formatTimestamp(owner.createdAt),
    passkeys: livePasskeys,
  };
}

const COLUMNS: Readonly<Record<UserColumn, ListColumn<ListedUser>>> = {
  id: { title: 'ID', align: 'right', value: ({ owner }) => owner.id },
  type: { title: 'TYPE', yields: 1, max: 40, value: ({ owner }) => owner.type },
  email: { title: 'E-MAIL', yields: 2, value: ({ owner }) => owner.email },
  name: { title: 'NAME', yields: 3, max: 40, value: ({ owner }) => owner.name },
  created_at: {
    title: 'CREATED (UTC)',
    value: ({ owner }) => formatTimestamp(owner.createdAt),
    cell: ({ owner }) => formatMinute(owner.createdAt),
  },
  passkeys: { title: 'PASSKEYS', align: 'right', value: ({ livePasskeys }) => livePasskeys },
  user: { title: 'USER', yields: 1, max: 40, value: ({ owner }) => userName(owner) },
};

export const USER_LISTING: Listing<ListedUser, UserColumn, (typeof USER_SORT_COLUMNS)[number], OwnerSortKey> = {
  noun: 'user',
  columns: COLUMNS,
  names: USER_COLUMNS,
  standard: ['id', 'type', 'email', 'name', 'created_at', 'passkeys'],
  sorts: { id: 'id', type: 'type', email: 'email', name: 'name', created_at: 'createdAt', passkeys: 'passkeys' },
  sortNames: USER_SORT_COLUMNS,
};

export const USER_TABLE: readonly ListColumn<ListedUser>[] = [
  COLUMNS.user,
  COLUMNS.email,
  COLUMNS.name,
  COLUMNS.passkeys,
  COLUMNS.created_at,
];
