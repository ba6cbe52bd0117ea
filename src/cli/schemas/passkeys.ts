import Type, { type Static } from 'typebox';
import { id, orNull, strict, timestamp } from '../../webauthn/schema-kit.js';

const rowMembers = {
  id,
  label: Type.String(),
  credential_id: Type.String({ contentEncoding: 'base64', description: 'Standard, padded base64.' }),
  created_at: timestamp,
  passkeeable_id: id,
  passkeeable_type: Type.String(),
  rp_id: Type.String(),
  aaguid: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  sign_count: Type.Integer({ minimum: 0 }),
  last_used_at: orNull(timestamp),
  revoked_at: orNull(timestamp),
};

export const passkeyRow = Type.Object(rowMembers, strict);
export type PasskeyRow = Static<typeof passkeyRow>;

export const passkeyList = Type.Array(passkeyRow, { title: 'passkey list --json' });

export const passkeyInFull = Type.Object(
  {
    ...rowMembers,
    passkeeable_email: orNull(Type.String({ description: 'Null when the user was removed.' })),
    provider: orNull(Type.String({ description: 'Name of the authenticator by its AAGUID.' })),
    rp_name: Type.String(),
    origin: Type.String({ description: 'Origin of the registration.' }),
    user_handle: Type.String({ contentEncoding: 'base64url' }),
    public_key: Type.String({ contentEncoding: 'base64', description: 'COSE_Key as it was attested.' }),
    algorithm: orNull(Type.String({ description: 'Name of the COSE algorithm; null when the key cannot be decoded.' })),
    transports: Type.Array(Type.String()),
    authenticator_attachment: orNull(Type.String()),
    user_verification_initialized: Type.Boolean(),
    backup_eligible: Type.Boolean(),
    backup_state: Type.Boolean(),
    attestation: Type.Object({ format: Type.String(), trust: Type.Enum(['none', 'untrusted', 'trusted']) }, strict),
    revoked_reason: orNull(Type.String()),
    counter_regressions: Type.Integer({ minimum: 0 }),
    counter_regressed_at: orNull(timestamp),
  },
  { ...strict, title: 'passkey show --json' },
);
export type PasskeyInFull = Static<typeof passkeyInFull>;

/** `passkey revoke` and `passkey restore`. */
export const passkeyChange = Type.Object(
  {
    dry_run: Type.Boolean(),
    passkeys: Type.Array(passkeyRow, { description: 'As they are after the change; with --dry-run as they are now.' }),
  },
  { ...strict, title: 'passkey revoke --json, passkey restore --json' },
);
