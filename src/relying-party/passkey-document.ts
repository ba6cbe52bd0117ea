import type { Static } from 'typebox';
import * as Type from 'typebox';
import { AAGUID_PATTERN, id, orNull, strict, timestamp } from '../kernel/schema-kit.js';
import { formatTimestamp, timestampOrNull } from '../kernel/wording.js';
import { providerName } from '../webauthn/aaguid.js';
import { algorithmName } from '../webauthn/algorithms.js';
import { encodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import { decodeCoseKey } from '../webauthn/cose-key.js';
import type { Passkey } from './credential-record.js';

// A passkey as JSON, in three sizes that share their members: what the API returns, a row of a list, and everything that may be
// shown. What could help an attacker to replay its registration is in none of them: the challenge, the client data, the attestation object.

/** A passkey in the form in which every endpoint under `/api` returns it. */
export const PasskeyBody = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'Id in the store: ascending, never reused.' }),
    label: Type.String(),
    credential_id: Type.String({ contentEncoding: 'base64', description: 'Credential ID in standard base64 with padding.' }),
    created_at: timestamp,
  },
  strict,
);
export type PasskeyBody = Static<typeof PasskeyBody>;

/** A passkey in the form in which `passkey list` prints it. */
export const PasskeyRow = Type.Object(
  {
    ...PasskeyBody.properties,
    credential_id: Type.String({ contentEncoding: 'base64url' }),
    passkeeable_id: id,
    passkeeable_type: Type.String(),
    rp_id: Type.String(),
    aaguid: Type.String({ pattern: AAGUID_PATTERN }),
    sign_count: Type.Integer({ minimum: 0 }),
    last_used_at: orNull(timestamp),
    revoked_at: orNull(timestamp),
  },
  strict,
);
export type PasskeyRow = Static<typeof PasskeyRow>;

/**
 * A passkey in the form in which `GET /dev/passkeys` returns it. `passkey show` prints the same, but writes the credential ID as `passkey
 * list` does.
 */
export const PasskeyDocument = Type.Object(
  {
    ...PasskeyRow.properties,
    credential_id: PasskeyBody.properties.credential_id,
    passkeeable_email: orNull(Type.String({ description: 'E-mail address of the owner; null if the user was removed.' })),
    provider: orNull(Type.String({ description: 'Name of the authenticator by its AAGUID.' })),
    rp_name: Type.String(),
    origin: Type.String({ description: 'Origin of the page that registered the passkey.' }),
    user_handle: Type.String({ contentEncoding: 'base64url' }),
    public_key: Type.String({ contentEncoding: 'base64url', description: 'COSE_Key from the attested credential data.' }),
    algorithm: orNull(Type.String({ description: 'Name of the COSE algorithm; null when the key cannot be decoded.' })),
    transports: Type.Array(Type.String()),
    authenticator_attachment: orNull(Type.String()),
    uv_initialized: Type.Boolean(),
    backup_eligible: Type.Boolean(),
    backup_state: Type.Boolean(),
    attestation_format: Type.String(),
    attestation_trust: Type.Enum(['none', 'untrusted', 'trusted']),
    revoked_reason: orNull(Type.String()),
    counter_regressions: Type.Integer({ minimum: 0 }),
    counter_regressed_at: orNull(timestamp),
  },
  strict,
);
export type PasskeyDocument = Static<typeof PasskeyDocument>;

export function passkeyBody({ id, label, credential, createdAt }: Passkey): PasskeyBody {
  return { id, label, credential_id: encodeBase64(credential.id), created_at: formatTimestamp(createdAt) };
}

export function passkeyRow(passkey: Passkey): PasskeyRow {
  return {
    id: passkey.id,
    label: passkey.label,
    credential_id: encodeBase64url(passkey.credential.id),
    created_at: formatTimestamp(passkey.createdAt),
    passkeeable_id: passkey.owner.id,
    passkeeable_type: passkey.owner.type,
    rp_id: passkey.rpId,
    aaguid: passkey.aaguid,
    sign_count: passkey.credential.signCount,
    last_used_at: timestampOrNull(passkey.lastUsedAt),
    revoked_at: timestampOrNull(passkey.revokedAt),
  };
}

/** Makes the JSON document of a passkey. `email` is the e-mail address of the owner, even if the owner has been removed. */
export function passkeyDocument(passkey: Passkey, email: string | undefined): PasskeyDocument {
  const { credential } = passkey;
  return {
    ...passkeyRow(passkey),
    credential_id: encodeBase64(credential.id),
    passkeeable_email: email ?? null,
    provider: providerName(passkey.aaguid) ?? null,
    rp_name: passkey.rpName,
    origin: passkey.origin,
    user_handle: encodeBase64url(passkey.userHandle),
    public_key: encodeBase64url(credential.publicKey),
    algorithm: readAlgorithm(credential.publicKey),
    transports: [...credential.transports],
    authenticator_attachment: passkey.authenticatorAttachment ?? null,
    uv_initialized: credential.uvInitialized,
    backup_eligible: credential.backupEligible,
    backup_state: credential.backupState,
    attestation_format: passkey.attestation.format,
    attestation_trust: passkey.attestation.trust,
    revoked_reason: passkey.revokedReason ?? null,
    counter_regressions: passkey.counterRegressions,
    counter_regressed_at: timestampOrNull(passkey.counterRegressedAt),
  };
}

/** Finds the name of a COSE_Key's algorithm; null if the key cannot be decoded. */
export function readAlgorithm(publicKey: Uint8Array): string | null {
  try {
    return algorithmName(decodeCoseKey(publicKey).alg) ?? null;
  } catch {
    // A store is shown as it is: a key that no longer decodes must not hide the rest.
    return null;
  }
}
