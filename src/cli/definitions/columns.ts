/** Columns of the three lists, by the names that `--columns` and `--sort` take. Those of `--json` and `--csv` come first. */
export const PASSKEY_COLUMNS = [
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

export const PASSKEY_SORT_COLUMNS = [
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
  'email',
  'backup_state',
] as const satisfies readonly PasskeyColumn[];

export const USER_COLUMNS = ['id', 'type', 'email', 'name', 'created_at', 'passkeys', 'user'] as const;
export type UserColumn = (typeof USER_COLUMNS)[number];

export const USER_SORT_COLUMNS = ['id', 'type', 'email', 'name', 'created_at', 'passkeys'] as const satisfies readonly UserColumn[];

export const TOKEN_COLUMNS = [
  'id',
  'label',
  'user_id',
  'user_type',
  'passkey_id',
  'created_at',
  'expires_at',
  'revoked_at',
  'user',
  'email',
  'state',
] as const;
export type TokenColumn = (typeof TOKEN_COLUMNS)[number];

export const TOKEN_SORT_COLUMNS = [
  'id',
  'label',
  'user_id',
  'user_type',
  'passkey_id',
  'created_at',
  'expires_at',
  'revoked_at',
  'email',
] as const satisfies readonly TokenColumn[];
