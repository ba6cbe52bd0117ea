import type { Passkey } from '../../relying-party/credential-record.js';
import { formatMinute } from '../../webauthn/wording.js';
import type { Io } from '../io.js';
import { tableLines } from './table.js';

const COLUMNS = [
  { title: 'ID', align: 'right' as const },
  { title: 'LABEL', yields: 3, max: 40 },
  { title: 'USER', yields: 2, max: 40 },
  { title: 'RP ID', yields: 1, max: 40 },
  { title: 'CREATED (UTC)' },
];

/** Readable at 80 columns: the revocation takes the last use's place where there is one. */
export function passkeyTable(io: Io, passkeys: readonly Passkey[]): Iterable<string> {
  const anyRevoked = passkeys.some(({ revokedAt }) => revokedAt !== undefined);
  const last = anyRevoked ? 'REVOKED (UTC)' : 'LAST USED (UTC)';
  return tableLines(io, [...COLUMNS, { title: last }], passkeys, (passkey) => {
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
}
