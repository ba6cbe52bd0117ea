// Columns of the three lists, by the names that `--columns` and `--sort` take.

/** Columns of `--json` and `--csv`. */
const PASSKEY_MEMBERS = [
  'id',
  'label',
  'credential_id',
  'created_at',
  'passkeeable_id',
  'passkeeable_type',
  'rp_id',
  'aaguid',
  'sign_count',
  'last_used_at',
  'revoked_at',
] as const;

export const PASSKEY_COLUMNS = [
  ...PASSKEY_MEMBERS,
  'user',
  'email',
  'provider',
  'backup_eligible',
  'backup_state',
  'uv_initialized',
  'transports',
  'authenticator_attachment',
  'algorithm',
  'attestation_format',
  'attestation_trust',
  'origin',
  'revoked_reason',
] as const;
export type PasskeyColumn = (typeof PASSKEY_COLUMNS)[number];

export const PASSKEY_SORT_COLUMNS = [...PASSKEY_MEMBERS, 'email', 'backup_state'] as const satisfies readonly PasskeyColumn[];

const USER_MEMBERS = ['id', 'type', 'email', 'name', 'created_at', 'passkeys'] as const;

export const USER_COLUMNS = [...USER_MEMBERS, 'user'] as const;
export type UserColumn = (typeof USER_COLUMNS)[number];

export const USER_SORT_COLUMNS = USER_MEMBERS satisfies readonly UserColumn[];

const TOKEN_MEMBERS = ['id', 'label', 'user_id', 'user_type', 'passkey_id', 'created_at', 'expires_at', 'revoked_at'] as const;

export const TOKEN_COLUMNS = [...TOKEN_MEMBERS, 'user', 'email', 'state'] as const;
export type TokenColumn = (typeof TOKEN_COLUMNS)[number];

export const TOKEN_SORT_COLUMNS = [...TOKEN_MEMBERS, 'email'] as const satisfies readonly TokenColumn[];
