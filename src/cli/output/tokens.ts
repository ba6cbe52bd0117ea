import type { Access, AccessSortKey } from '../../accounts/ports.js';
import { formatMinute, formatTimestamp } from '../../kernel/wording.js';
import { TOKEN_COLUMNS, TOKEN_SORT_COLUMNS, type TokenColumn } from '../definitions/columns.js';
import { type Emails, userName, withEmail } from '../emails.js';
import type { TokenRow } from '../schemas/users.js';
import type { ListColumn, Listing } from './listing.js';

/** A token in a list. */
export interface ListedToken {
  readonly token: Access;
  readonly emails: Emails;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** As `--json` has it: never the secret, nor its hash. */
export function toTokenRow(access: Access): TokenRow {
  const time = (at: number | undefined) => (at === undefined ? null : formatTimestamp(at));
  return {
    id: access.id,
    label: access.label ?? null,
    user_id: access.owner.id,
    user_type: access.owner.type,
    passkey_id: access.passkeyId ?? null,
    created_at: formatTimestamp(access.createdAt),
    expires_at: time(access.expiresAt),
    revoked_at: time(access.revokedAt),
  };
}

const member = (
  title: string,
  name: keyof TokenRow,
  how: Omit<ListColumn<ListedToken>, 'title' | 'value'> = {},
): ListColumn<ListedToken> => ({
  title,
  value: ({ token }) => toTokenRow(token)[name],
  ...how,
});

const minute = (at: number | undefined, otherwise = '') => (at === undefined ? otherwise : formatMinute(at));

const COLUMNS: Readonly<Record<TokenColumn, ListColumn<ListedToken>>> = {
  id: member('ID', 'id', { align: 'right' }),
  label: member('LABEL', 'label', { yields: 3, max: 40, least: 10 }),
  user_id: member('USER ID', 'user_id', { align: 'right' }),
  user_type: member('USER TYPE', 'user_type', { yields: 1, max: 40 }),
  passkey_id: member('PASSKEY', 'passkey_id', { align: 'right' }),
  created_at: member('CREATED (UTC)', 'created_at', { cell: ({ token }) => minute(token.createdAt) }),
  expires_at: member('EXPIRES (UTC)', 'expires_at', { cell: ({ token }) => minute(token.expiresAt, 'never') }),
  revoked_at: member('REVOKED (UTC)', 'revoked_at', { cell: ({ token }) => minute(token.revokedAt) }),
  user: {
    title: 'USER',
    yields: 2,
    max: 60,
    value: ({ token }) => userName(token.owner),
    cell: ({ token, emails }) => withEmail(token.owner, emails),
  },
  email: { title: 'E-MAIL', yields: 2, value: ({ token, emails }) => emails.get(userName(token.owner)) ?? null },
  state: { title: 'STATE', value: ({ token, now }) => readState(token, now) },
};

function readState({ revokedAt, expiresAt }: Access, now: number): 'live' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'live';
}

export const TOKEN_LISTING: Listing<ListedToken, TokenColumn, (typeof TOKEN_SORT_COLUMNS)[number], AccessSortKey> = {
  noun: 'token',
  columns: COLUMNS,
  names: TOKEN_COLUMNS,
  standard: ['id', 'label', 'user_id', 'user_type', 'passkey_id', 'created_at', 'expires_at', 'revoked_at'],
  sorts: {
    id: 'id',
    label: 'label',
    user_id: 'ownerId',
    user_type: 'ownerType',
    passkey_id: 'passkeyId',
    created_at: 'createdAt',
    expires_at: 'expiresAt',
    revoked_at: 'revokedAt',
    email: 'email',
  },
  sortNames: TOKEN_SORT_COLUMNS,
};

export const TOKEN_TABLE: readonly ListColumn<ListedToken>[] = [
  COLUMNS.id,
  COLUMNS.user,
  COLUMNS.label,
  COLUMNS.created_at,
  COLUMNS.expires_at,
  COLUMNS.state,
];
