import type { Static } from 'typebox';
import * as Type from 'typebox';
import { AAGUID_PATTERN, orNull } from '../kernel/schema-kit.js';

// The JSON file. Bytes are base64url without padding, times UTC with six fraction digits, absent values null.
// Unknown members are kept when the file is rewritten. docs/store.md describes it.

/** Version 1 had no journal beside it: every change wrote the whole file. */
export const FILE_VERSION = 2;

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]*$' });
export const Time = Type.String({ pattern: '^(?:\\d{4}|[+-]\\d{6})-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$' });

const OwnerRow = Type.Object({
  type: Type.String(),
  id: Id,
  email: Type.String(),
  name: Type.String(),
  user_handle: orNull(Bytes),
  created_at: Time,
});

const RemovedOwnerRow = Type.Object({ type: Type.String(), id: Id });

const PasskeyRow = Type.Object({
  id: Id,
  label: Type.String(),
  owner_type: Type.String(),
  owner_id: Id,
  user_handle: Bytes,
  rp_id: Type.String(),
  rp_name: Type.String(),
  origin: Type.String(),
  credential_id: Bytes,
  public_key: Bytes,
  sign_count: Count,
  uv_initialized: Type.Boolean(),
  transports: Type.Array(Type.String()),
  backup_eligible: Type.Boolean(),
  backup_state: Type.Boolean(),
  aaguid: Type.String({ pattern: AAGUID_PATTERN }),
  attestation_format: Type.String(),
  attestation_trust: Type.Union([Type.Literal('none'), Type.Literal('untrusted'), Type.Literal('trusted')]),
  attestation_object: Bytes,
  attestation_client_data_json: Bytes,
  authenticator_attachment: orNull(Type.String()),
  client_extension_results: Type.Record(Type.String(), Type.Unknown()),
  challenge: Bytes,
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull(Time),
  revoked_reason: orNull(Type.String()),
  /** Only of passkeys that a bulk change revoked. */
  revoked_change: Type.Optional(Type.String()),
  counter_regressions: Count,
  counter_regressed_at: orNull(Time),
});

const AccessRow = Type.Object({
  id: Id,
  kind: Type.Union([Type.Literal('token'), Type.Literal('session')]),
  owner_type: Type.String(),
  owner_id: Id,
  hash: Bytes,
  passkey_id: orNull(Id),
  label: orNull(Type.String()),
  created_at: Time,
  expires_at: orNull(Time),
  /** Only of sessions that have been used; earlier versions did not know it. */
  last_used_at: Type.Optional(Time),
  revoked_at: orNull(Time),
});

export const StoreFile = Type.Object({
  version: Type.Integer({ minimum: 1, maximum: FILE_VERSION }),
  /** Ties the file to its journal. From version 2 on. */
  store: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })),
  /** Number of the last change of the journal that is in the file. From version 2 on. */
  sequence: Type.Optional(Count),
  next_passkey_id: Id,
  next_access_id: Id,
  owners: Type.Array(OwnerRow),
  removed_owners: Type.Array(RemovedOwnerRow),
  passkeys: Type.Array(PasskeyRow),
  accesses: Type.Array(AccessRow),
});

export type StoreFile = Static<typeof StoreFile>;
export type OwnerRow = Static<typeof OwnerRow>;
export type PasskeyRow = Static<typeof PasskeyRow>;
export type AccessRow = Static<typeof AccessRow>;

/** The tables of the file: its members that are arrays of rows. */
export const TABLES = ['owners', 'removed_owners', 'passkeys', 'accesses'] as const;
export type Table = (typeof TABLES)[number];

/** The schema of one row of each table. */
export const ROWS = { owners: OwnerRow, removed_owners: RemovedOwnerRow, passkeys: PasskeyRow, accesses: AccessRow } as const;
