import type { Access, Owner } from '../../accounts/ports.js';
import { formatTimestamp } from '../../webauthn/wording.js';
import type { TokenRow, UserRow } from '../schemas/users.js';

export function userRowOf(owner: Owner, livePasskeys: number): UserRow {
  return {
    id: owner.id,
    type: owner.type,
    email: owner.email,
    name: owner.name,
    created_at: formatTimestamp(owner.createdAt),
    passkeys: livePasskeys,
  };
}

/** Never the secret, nor its hash. */
export function tokenRowOf(access: Access): TokenRow {
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
