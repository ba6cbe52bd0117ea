import type { Access, Owner } from '../accounts/ports.js';
import { formatTimestamp } from '../kernel/wording.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { decodeBase64url, encodeBase64url, endsAsEncoded } from '../webauthn/base64url.js';
import type { AccessRow, OwnerRow, PasskeyRow } from './file-schema.js';
import type { PasskeyFacts } from './state.js';

/** A file is not that of a valid store. `place` is a line, `line:column`, a JSON Pointer, or empty for the whole file. */
export class FileDamage extends Error {
  readonly place: string;
  /** Which one, where it is not that of the store itself. */
  readonly file: string | undefined;

  constructor(place: string, detail: string, cause?: unknown, file?: string) {
    super(detail, cause === undefined ? undefined : { cause });
    this.place = place;
    this.file = file;
  }

  /** The same damage, once its place is known. */
  at(place: string, file?: string): FileDamage {
    return new FileDamage(place, this.message, this.cause, file);
  }
}

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

export function ownerFromRow(row: OwnerRow, at: string): Owner {
  return {
    type: row.type,
    id: row.id,
    email: row.email,
    name: row.name,
    userHandle: row.user_handle === null ? undefined : decodeBytes(row.user_handle, `${at}/user_handle`),
    createdAt: decodeTime(row.created_at, `${at}/created_at`),
  };
}

export function passkeyToRow(passkey: Passkey): PasskeyRow {
  const { credential } = passkey;
  return {
    id: passkey.id,
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
    last_used_at: encodeOptionalTime(passkey.lastUsedAt),
    revoked_at: encodeOptionalTime(passkey.revokedAt),
    revoked_reason: passkey.revokedReason ?? null,
    ...(passkey.revokedChange !== undefined && { revoked_change: passkey.revokedChange }),
    counter_regressions: passkey.counterRegressions,
    counter_regressed_at: encodeOptionalTime(passkey.counterRegressedAt),
  };
}

export function passkeyFromRow(row: PasskeyRow, at: string): Passkey {
  return {
    id: row.id,
    owner: { type: row.owner_type, id: row.owner_id },
    userHandle: decodeBytes(row.user_handle, `${at}/user_handle`),
    rpId: row.rp_id,
    rpName: row.rp_name,
    origin: row.origin,
    label: row.label,
    credential: {
      id: decodeBytes(row.credential_id, `${at}/credential_id`),
      publicKey: decodeBytes(row.public_key, `${at}/public_key`),
      signCount: row.sign_count,
      uvInitialized: row.uv_initialized,
      transports: row.transports,
      backupEligible: row.backup_eligible,
      backupState: row.backup_state,
      attestationObject: decodeBytes(row.attestation_object, `${at}/attestation_object`),
      attestationClientDataJSON: decodeBytes(row.attestation_client_data_json, `${at}/attestation_client_data_json`),
    },
    aaguid: row.aaguid,
    attestation: { format: row.attestation_format, trust: row.attestation_trust },
    authenticatorAttachment: row.authenticator_attachment ?? undefined,
    clientExtensionResults: row.client_extension_results,
    challenge: decodeBytes(row.challenge, `${at}/challenge`),
    createdAt: decodeTime(row.created_at, `${at}/created_at`),
    lastUsedAt: decodeOptionalTime(row.last_used_at, `${at}/last_used_at`),
    revokedAt: decodeOptionalTime(row.revoked_at, `${at}/revoked_at`),
    revokedReason: row.revoked_reason ?? undefined,
    revokedChange: row.revoked_change,
    counterRegressions: row.counter_regressions,
    counterRegressedAt: decodeOptionalTime(row.counter_regressed_at, `${at}/counter_regressed_at`),
  };
}

/** What filters ask for, decoded when they do: most of a row is never looked at. */
export function passkeyFactsFromRow(row: PasskeyRow): PasskeyFacts {
  return {
    owner: { type: row.owner_type, id: row.owner_id },
    rpId: row.rp_id,
    label: row.label,
    aaguid: row.aaguid,
    credential: {
      get id() {
        return decodeBytes(row.credential_id, '/credential_id');
      },
      signCount: row.sign_count,
      backupState: row.backup_state,
    },
    get createdAt() {
      return decodeTime(row.created_at, '/created_at');
    },
    get lastUsedAt() {
      return decodeOptionalTime(row.last_used_at, '/last_used_at');
    },
    get revokedAt() {
      return decodeOptionalTime(row.revoked_at, '/revoked_at');
    },
    revokedReason: row.revoked_reason ?? undefined,
    revokedChange: row.revoked_change,
  };
}

const BYTES = ['user_handle', 'credential_id', 'public_key', 'attestation_object', 'attestation_client_data_json', 'challenge'] as const;
const TIMES = ['created_at', 'last_used_at', 'revoked_at', 'counter_regressed_at'] as const;

/** Looks for what `passkeyFromRow` would refuse, and decodes nothing. @throws FileDamage */
export function checkPasskeyRow(row: PasskeyRow, at: string): void {
  for (const name of BYTES) if (!endsAsEncoded(row[name])) throw new FileDamage(`${at}/${name}`, 'is not base64url');
  for (const name of TIMES) decodeOptionalTime(row[name], `${at}/${name}`);
}

export function accessToRow(access: Access): AccessRow {
  return {
    id: access.id,
    kind: access.kind,
    owner_type: access.owner.type,
    owner_id: access.owner.id,
    hash: encodeBase64url(access.hash),
    passkey_id: access.passkeyId ?? null,
    label: access.label ?? null,
    created_at: formatTimestamp(access.createdAt),
    expires_at: encodeOptionalTime(access.expiresAt),
    ...(access.lastUsedAt !== undefined && { last_used_at: formatTimestamp(access.lastUsedAt) }),
    revoked_at: encodeOptionalTime(access.revokedAt),
  };
}

export function accessFromRow(row: AccessRow, at: string): Access {
  return {
    id: row.id,
    kind: row.kind,
    owner: { type: row.owner_type, id: row.owner_id },
    hash: decodeBytes(row.hash, `${at}/hash`),
    passkeyId: row.passkey_id ?? undefined,
    label: row.label ?? undefined,
    createdAt: decodeTime(row.created_at, `${at}/created_at`),
    expiresAt: decodeOptionalTime(row.expires_at, `${at}/expires_at`),
    lastUsedAt: decodeOptionalTime(row.last_used_at ?? null, `${at}/last_used_at`),
    revokedAt: decodeOptionalTime(row.revoked_at, `${at}/revoked_at`),
  };
}

function decodeBytes(text: string, at: string): Uint8Array {
  // Node's own decoder, which is quick from the first call on; it skips over what is wrong.
  if (/^[\w-]*$/.test(text) && endsAsEncoded(text)) return new Uint8Array(Buffer.from(text, 'base64url'));
  try {
    return decodeBase64url(text);
  } catch (cause) {
    throw new FileDamage(at, 'is not base64url', cause);
  }
}

function decodeTime(text: string, at: string): number {
  const ms = Date.parse(`${text.slice(0, -4)}Z`);
  if (Number.isNaN(ms)) throw new FileDamage(at, 'is not a time');
  return ms + Number(text.slice(-4, -1)) / 1000;
}

function encodeOptionalTime(ms: number | undefined): string | null {
  return ms === undefined ? null : formatTimestamp(ms);
}

function decodeOptionalTime(text: string | null, at: string): number | undefined {
  return text === null ? undefined : decodeTime(text, at);
}
