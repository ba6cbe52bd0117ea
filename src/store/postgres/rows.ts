import type { Access, Owner } from '../../accounts/ports.js';
import type { AttestationTrust, Passkey } from '../../relying-party/credential-record.js';

// Rows as pg reads them, with the type parsers of database.ts: bytes are Buffers, bigint and timestamptz are numbers.

export interface OwnerRow {
  readonly type: string;
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly user_handle: Uint8Array | null;
  readonly created_at: number;
}

export interface PasskeyRow {
  readonly id: number;
  readonly owner_type: string;
  readonly owner_id: number;
  readonly user_handle: Uint8Array;
  readonly rp_id: string;
  readonly rp_name: string;
  readonly origin: string;
  readonly label: string;
  readonly credential_id: Uint8Array;
  readonly public_key: Uint8Array;
  readonly sign_count: number;
  readonly uv_initialized: boolean;
  readonly transports: readonly string[];
  readonly backup_eligible: boolean;
  readonly backup_state: boolean;
  readonly aaguid: string;
  readonly attestation_format: string;
  readonly attestation_trust: AttestationTrust;
  readonly attestation_object: Uint8Array;
  readonly attestation_client_data_json: Uint8Array;
  readonly authenticator_attachment: string | null;
  readonly client_extension_results: Readonly<Record<string, unknown>>;
  readonly challenge: Uint8Array;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
  readonly revoked_reason: string | null;
  readonly revoked_change: string | null;
  readonly counter_regressions: number;
  readonly counter_regressed_at: number | null;
}

export interface AccessRow {
  readonly id: number;
  readonly kind: Access['kind'];
  readonly owner_type: string;
  readonly owner_id: number;
  readonly hash: Uint8Array;
  readonly passkey_id: number | null;
  readonly label: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

export function readOwner(row: OwnerRow): Owner {
  const { type, id, email, name } = row;
  return {
    type,
    id,
    email,
    name,
    userHandle: row.user_handle === null ? undefined : copyBytes(row.user_handle),
    createdAt: row.created_at,
  };
}

export function readPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    owner: { type: row.owner_type, id: row.owner_id },
    userHandle: copyBytes(row.user_handle),
    rpId: row.rp_id,
    rpName: row.rp_name,
    origin: row.origin,
    label: row.label,
    credential: {
      id: copyBytes(row.credential_id),
      publicKey: copyBytes(row.public_key),
      signCount: row.sign_count,
      uvInitialized: row.uv_initialized,
      transports: row.transports,
      backupEligible: row.backup_eligible,
      backupState: row.backup_state,
      attestationObject: copyBytes(row.attestation_object),
      attestationClientDataJSON: copyBytes(row.attestation_client_data_json),
    },
    aaguid: row.aaguid,
    attestation: { format: row.attestation_format, trust: row.attestation_trust },
    authenticatorAttachment: row.authenticator_attachment ?? undefined,
    clientExtensionResults: row.client_extension_results,
    challenge: copyBytes(row.challenge),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    revokedReason: row.revoked_reason ?? undefined,
    revokedChange: row.revoked_change ?? undefined,
    counterRegressions: row.counter_regressions,
    counterRegressedAt: row.counter_regressed_at ?? undefined,
  };
}

export function readAccess(row: AccessRow): Access {
  return {
    id: row.id,
    kind: row.kind,
    owner: { type: row.owner_type, id: row.owner_id },
    hash: copyBytes(row.hash),
    passkeyId: row.passkey_id ?? undefined,
    label: row.label ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}

/** A Buffer of pg is a part of the packet that it came in. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
