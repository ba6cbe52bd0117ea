import type { Passkey } from '../../relying-party/credential-record.js';
import { encodeBase64 } from '../../webauthn/base64url.js';
import { formatMinute, formatTimestamp } from '../../webauthn/wording.js';
import type { Io } from '../io.js';
import type { PasskeyRow } from '../schemas/passkeys.js';
import { renderTable } from './table.js';

/** One stored passkey as every command shows it; neither challenge nor public key. */
export function passkeyRowOf(passkey: Passkey): PasskeyRow {
  return {
    id: passkey.id,
    label: passkey.label,
    credential_id: encodeBase64(passkey.credential.id),
    created_at: formatTimestamp(passkey.createdAt),
    passkeeable_id: passkey.owner.id,
    passkeeable_type: passkey.owner.type,
    rp_id: passkey.rpId,
    aaguid: passkey.aaguid,
    sign_count: passkey.credential.signCount,
    last_used_at: passkey.lastUsedAt === undefined ? null : formatTimestamp(passkey.lastUsedAt),
    revoked_at: passkey.revokedAt === undefined ? null : formatTimestamp(passkey.revokedAt),
  };
}

const COLUMNS = [
  { title: 'ID', align: 'right' as const },
  { title: 'LABEL', yields: 3, max: 40 },
  { title: 'USER', yields: 2, max: 40 },
  { title: 'RP ID', yields: 1, max: 40 },
  { title: 'CREATED (UTC)' },
];

/** Readable at 80 columns: the revocation takes the last use's place where there is one. */
export function passkeyTable(io: Io, passkeys: readonly Passkey[]): string {
  const anyRevoked = passkeys.some(({ revokedAt }) => revokedAt !== undefined);
  const last = anyRevoked ? 'REVOKED (UTC)' : 'LAST USED (UTC)';
  const rows = passkeys.map((passkey) => {
    const at = anyRevoked ? passkey.revokedAt : passkey.lastUsedAt;
    return [
      String(passkey.id),
      passkey.label,
      `${passkey.owner.type}:${passkey.owner.id}`,
      passkey.rpId,
      formatMinute(passkey.createdAt),
      at === undefined ? (anyRevoked ? '' : 'never') : formatMinute(at),
    ];
  });
  return renderTable(io, [...COLUMNS, { title: last }], rows);
}
