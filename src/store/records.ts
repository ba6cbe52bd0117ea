import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Owner } from '../accounts/ports.js';
import type { Access, NewAccess } from '../kernel/access.js';
import type { OwnerRef } from '../kernel/owner.js';
import { AAGUID_PATTERN, orNull } from '../kernel/schema-kit.js';
import { formatTimestamp, timestampOrNull } from '../kernel/wording.js';
import type { NewPasskey, Passkey } from '../relying-party/credential-record.js';
import { decodeBase64url, encodeBase64url, endsAsEncoded } from '../webauthn/base64url.js';
import { FileDamage } from './file-damage.js';

// The rows of a store's file. Bytes are base64url without padding, times UTC with six fraction digits, absent values null.
// docs/store.md describes it.

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]*$' });
const Time = Type.String({ pattern: '^(?:\\d{4}|[+-]\\d{6})-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$' });

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
  /** Id of the bulk change that revoked the passkey; absent for all other passkeys. */
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
  /** Time of last use; present only in sessions that have been used. Versions before this member was added do not know it. */
  last_used_at: Type.Optional(Time),
  revoked_at: orNull(Time),
});

export type OwnerRow = Static<typeof OwnerRow>;
export type PasskeyRow = Static<typeof PasskeyRow>;
export type AccessRow = Static<typeof AccessRow>;

/** Names of the columns that hold bytes in the table of passkeys. */
export const PASSKEY_BYTES = [
  'user_handle',
  'credential_id',
  'public_key',
  'attestation_object',
  'attestation_client_data_json',
  'challenge',
] as const;
export const PASSKEY_TIMES = ['created_at', 'last_used_at', 'revoked_at', 'counter_regressed_at'] as const;
const BYTES = [...PASSKEY_BYTES, 'hash'] as const;
const TIMES = [...PASSKEY_TIMES, 'expires_at'] as const;

export const isBytesColumn = (name: string): boolean => BYTES.some((each) => each === name);

/** A row whose bytes and times have other types than in the file. */
export type RowAs<Row, Bytes, Time> = {
  readonly [Name in keyof Row]: Name extends (typeof BYTES)[number]
    ? Bytes | Extract<Row[Name], null>
    : Name extends (typeof TIMES)[number]
      ? Time | Extract<Row[Name], null>
      : Row[Name];
};

/** Reader of the bytes and times in a row. `at` is the position of the value, for error messages. */
export interface RowReader<Bytes, Time> {
  bytes(value: Bytes, at: string): Uint8Array;
  /** Reads a time as milliseconds since the epoch. */
  time(value: Time, at: string): number;
}

/** Names of the tables in the file. */
export const TABLES = ['owners', 'removed_owners', 'passkeys', 'accesses'] as const;
export type Table = (typeof TABLES)[number];

/** Schema of a row, by table. */
export const ROWS = { owners: OwnerRow, removed_owners: RemovedOwnerRow, passkeys: PasskeyRow, accesses: AccessRow } as const;
type Rows = { readonly [T in Table]: Static<(typeof ROWS)[T]> };

/** Record type that a row becomes when it is read, by table. */
export interface Records {
  readonly owners: Owner;
  readonly removed_owners: OwnerRef;
  readonly passkeys: Passkey;
  readonly accesses: Access;
}

export const TO_ROW: { readonly [T in Table]: (record: Records[T]) => Rows[T] } = {
  owners: ownerToRow,
  removed_owners: ({ type, id }) => ({ type, id }),
  passkeys: passkeyToRow,
  accesses: accessToRow,
};

export function ownerToRow(owner: Owner): OwnerRow {
  return {
    type: owner.type,
    id: owner.id,
    email: owner.email,
    name: owner.name,
    user_handle: owner.userHandle ? encodeBase64url(owner.userHandle) : null,
    created_at: formatTimestamp(owner.createdAt),
  };
}

export function readOwner<Bytes, Time>(row: RowAs<OwnerRow, Bytes, Time>, reader: RowReader<Bytes, Time>, at = ''): Owner {
  return {
    type: row.type,
    id: row.id,
    email: row.email,
    name: row.name,
    userHandle: row.user_handle === null ? undefined : reader.bytes(row.user_handle, `${at}/user_handle`),
    createdAt: reader.time(row.created_at, `${at}/created_at`),
  };
}

export function passkeyToRow(passkey: Passkey): PasskeyRow {
  return {
    id: passkey.id,
    ...newPasskeyToRow(passkey),
    last_used_at: timestampOrNull(passkey.lastUsedAt),
    revoked_at: timestampOrNull(passkey.revokedAt),
    revoked_reason: passkey.revokedReason ?? null,
    ...(passkey.revokedChange !== undefined && { revoked_change: passkey.revokedChange }),
    counter_regressions: passkey.counterRegressions,
    counter_regressed_at: timestampOrNull(passkey.counterRegressedAt),
  };
}

/** Builds the columns that a passkey has when it is registered. */
export function newPasskeyToRow(passkey: NewPasskey) {
  const { credential } = passkey;
  return {
    label: passkey.label,
    owner_type: passkey.owner.type,
    owner_id: passkey.owner.id,
    user_handle: encodeBase64url(passkey.userHandle),
    rp_id: passkey.rpId,
    rp_name: passkey.rpName,
    origin: passkey.origin,
    credential_id: encodeBase64url(credential.id),
    public_key: encodeBase64url(credential.publicKey),
    sign_count: credential.signCount,
    uv_initialized: credential.uvInitialized,
    transports: [...credential.transports],
    backup_eligible: credential.backupEligible,
    backup_state: credential.backupState,
    aaguid: passkey.aaguid,
    attestation_format: passkey.attestation.format,
    attestation_trust: passkey.attestation.trust,
    attestation_object: encodeBase64url(credential.attestationObject),
    attestation_client_data_json: encodeBase64url(credential.attestationClientDataJSON),
    authenticator_attachment: passkey.authenticatorAttachment ?? null,
    client_extension_results: { ...passkey.clientExtensionResults },
    challenge: encodeBase64url(passkey.challenge),
    created_at: formatTimestamp(passkey.createdAt),
  };
}

export function readPasskey<Bytes, Time>(row: RowAs<PasskeyRow, Bytes, Time>, reader: RowReader<Bytes, Time>, at = ''): Passkey {
  return {
    id: row.id,
    owner: { type: row.owner_type, id: row.owner_id },
    userHandle: reader.bytes(row.user_handle, `${at}/user_handle`),
    rpId: row.rp_id,
    rpName: row.rp_name,
    origin: row.origin,
    label: row.label,
    credential: {
      id: reader.bytes(row.credential_id, `${at}/credential_id`),
      publicKey: reader.bytes(row.public_key, `${at}/public_key`),
      signCount: row.sign_count,
      uvInitialized: row.uv_initialized,
      transports: row.transports,
      backupEligible: row.backup_eligible,
      backupState: row.backup_state,
      attestationObject: reader.bytes(row.attestation_object, `${at}/attestation_object`),
      attestationClientDataJSON: reader.bytes(row.attestation_client_data_json, `${at}/attestation_client_data_json`),
    },
    aaguid: row.aaguid,
    attestation: { format: row.attestation_format, trust: row.attestation_trust },
    authenticatorAttachment: row.authenticator_attachment ?? undefined,
    clientExtensionResults: row.client_extension_results,
    challenge: reader.bytes(row.challenge, `${at}/challenge`),
    createdAt: reader.time(row.created_at, `${at}/created_at`),
    lastUsedAt: readOptional(reader, row.last_used_at, `${at}/last_used_at`),
    revokedAt: readOptional(reader, row.revoked_at, `${at}/revoked_at`),
    revokedReason: row.revoked_reason ?? undefined,
    revokedChange: row.revoked_change ?? undefined,
    counterRegressions: row.counter_regressions,
    counterRegressedAt: readOptional(reader, row.counter_regressed_at, `${at}/counter_regressed_at`),
  };
}

export function accessToRow(access: Access): AccessRow {
  return {
    id: access.id,
    ...newAccessToRow(access),
    ...(access.lastUsedAt !== undefined && { last_used_at: formatTimestamp(access.lastUsedAt) }),
    revoked_at: timestampOrNull(access.revokedAt),
  };
}

export function newAccessToRow(access: NewAccess) {
  return {
    kind: access.kind,
    owner_type: access.owner.type,
    owner_id: access.owner.id,
    hash: encodeBase64url(access.hash),
    passkey_id: access.passkeyId ?? null,
    label: access.label ?? null,
    created_at: formatTimestamp(access.createdAt),
    expires_at: timestampOrNull(access.expiresAt),
  };
}

export function readAccess<Bytes, Time>(row: RowAs<AccessRow, Bytes, Time>, reader: RowReader<Bytes, Time>, at = ''): Access {
  return {
    id: row.id,
    kind: row.kind,
    owner: { type: row.owner_type, id: row.owner_id },
    hash: reader.bytes(row.hash, `${at}/hash`),
    passkeyId: row.passkey_id ?? undefined,
    label: row.label ?? undefined,
    createdAt: reader.time(row.created_at, `${at}/created_at`),
    expiresAt: readOptional(reader, row.expires_at, `${at}/expires_at`),
    lastUsedAt: readOptional(reader, row.last_used_at, `${at}/last_used_at`),
    revokedAt: readOptional(reader, row.revoked_at, `${at}/revoked_at`),
  };
}

/** Reader for rows in the form of the file: bytes in base64url, times in UTC with six fraction digits. */
export const IN_FILE: RowReader<string, string> = {
  bytes(text, at) {
    // Node's own decoder, which is quick from the first call on; it skips over what is wrong.
    if (/^[\w-]*$/.test(text) && endsAsEncoded(text)) return new Uint8Array(Buffer.from(text, 'base64url'));
    try {
      return decodeBase64url(text);
    } catch (cause) {
      throw new FileDamage(at, 'is not base64url', cause);
    }
  },
  time(text, at) {
    const ms = Date.parse(`${text.slice(0, -4)}Z`);
    if (Number.isNaN(ms)) throw new FileDamage(at, 'is not a time');
    return ms + Number(text.slice(-4, -1)) / 1000;
  },
};

export function readOptional<Bytes, Time>(reader: RowReader<Bytes, Time>, value: Time | null | undefined, at: string): number | undefined {
  return value === null || value === undefined ? undefined : reader.time(value, at);
}
