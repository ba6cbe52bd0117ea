import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { AccessSortKey } from '../../accounts/ports.js';
import type { Access } from '../../kernel/access.js';
import { id, orNull, strict, timestamp } from '../../kernel/schema-kit.js';
import { formatMinute, formatTimestamp } from '../../kernel/wording.js';
import { type Emails, userName, withEmail } from '../emails.js';
import { defineListing, type Listing } from '../listing.js';

/** Schema of a token in `--json`. It contains neither the secret nor its hash. */
export const tokenRow = Type.Object(
  {
    id,
    label: orNull(Type.String()),
    user_id: id,
    user_type: Type.String(),
    passkey_id: orNull(Type.Integer({ minimum: 1, description: 'Id of the passkey whose login opened the token.' })),
    created_at: timestamp,
    expires_at: orNull(timestamp),
    revoked_at: orNull(timestamp),
  },
  strict,
);
type TokenRow = Static<typeof tokenRow>;

/** The data of one token in a list. */
export interface ListedToken {
  readonly token: Access;
  readonly emails: Emails;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
}

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

const minute = (at: number | undefined, otherwise = '') => (at === undefined ? otherwise : formatMinute(at));

export const TOKENS: Listing<ListedToken, AccessSortKey> = defineListing<ListedToken, AccessSortKey, TokenRow>({
  noun: 'token',
  toRow: ({ token }) => toTokenRow(token),
  members: {
    id: { title: 'ID', align: 'right', sort: 'id' },
    label: { title: 'LABEL', yields: 3, max: 40, least: 10, sort: 'label' },
    user_id: { title: 'USER ID', align: 'right', sort: 'ownerId' },
    user_type: { title: 'USER TYPE', yields: 1, max: 40, sort: 'ownerType' },
    passkey_id: { title: 'PASSKEY', align: 'right', sort: 'passkeyId' },
    created_at: { title: 'CREATED (UTC)', sort: 'createdAt', cell: ({ token }) => minute(token.createdAt) },
    expires_at: { title: 'EXPIRES (UTC)', sort: 'expiresAt', cell: ({ token }) => minute(token.expiresAt, 'never') },
    revoked_at: { title: 'REVOKED (UTC)', sort: 'revokedAt', cell: ({ token }) => minute(token.revokedAt) },
  },
  more: {
    user: {
      title: 'USER',
      yields: 2,
      max: 60,
      value: ({ token }) => userName(token.owner),
      cell: ({ token, emails }) => withEmail(token.owner, emails),
    },
    email: { title: 'E-MAIL', yields: 2, sort: 'email', value: ({ token, emails }) => emails.get(userName(token.owner)) ?? null },
    state: { title: 'STATE', value: ({ token, now }) => readState(token, now) },
  },
  mark: ({ token }) => String(token.id),
  table: () => ['id', 'user', 'label', 'created_at', 'expires_at', 'state'],
});

function readState({ revokedAt, expiresAt }: Access, now: number): 'live' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'live';
}
