import * as Type from 'typebox';
import { formatMinute } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow, readAlgorithm } from '../../relying-party/passkey-document.js';
import type { PasskeySortKey } from '../../relying-party/ports.js';
import { providerName } from '../../webauthn/aaguid.js';
import { type Emails, userName, withEmail } from '../emails.js';

import type { Io } from '../io.js';
import { defineListing, type Listing, tableRows } from '../listing.js';
import { type Rows, tableLines } from '../output/table.js';

/** Help text for arguments that name passkeys. */
export const IDS_HELP =
  'ID is a number, a range such as 3-17 (which skips absent ids), or a credential ID in base64url, base64 or hexadecimal, with or without colons. Up to 15 digits are a number; a credential ID that begins with - must follow --.';

/** The data of one passkey in a list. */
export interface ListedPasskey {
  readonly passkey: Passkey;
  /** The `--json` row of the passkey. It is made only for JSON and CSV output, which shows most of its members. */
  readonly row?: PasskeyRow | undefined;
  readonly emails: Emails;
}

const minute = (at: number | undefined, otherwise = '') => (at === undefined ? otherwise : formatMinute(at));

export const PASSKEYS: Listing<ListedPasskey, PasskeySortKey> = defineListing<ListedPasskey, PasskeySortKey, PasskeyRow>({
  noun: 'passkey',
  toRow: ({ passkey, row = passkeyRow(passkey) }) => row,
  members: {
    id: { title: 'ID', align: 'right', sort: 'id', cell: ({ passkey }) => String(passkey.id) },
    label: { title: 'LABEL', yields: 4, max: 40, least: 10, sort: 'label', cell: ({ passkey }) => passkey.label },
    credential_id: { title: 'CREDENTIAL ID', yields: 5, sort: 'credentialId' },
    created_at: { title: 'CREATED (UTC)', spare: true, sort: 'createdAt', cell: ({ passkey }) => minute(passkey.createdAt) },
    passkeeable_id: { title: 'USER ID', align: 'right', sort: 'ownerId' },
    passkeeable_type: { title: 'USER TYPE', yields: 1, max: 40, sort: 'ownerType' },
    rp_id: { title: 'RP ID', yields: 3, max: 40, least: 8, sort: 'rpId', cell: ({ passkey }) => passkey.rpId },
    aaguid: { title: 'AAGUID', yields: 1, sort: 'aaguid' },
    sign_count: { title: 'SIGN COUNT', align: 'right', sort: 'signCount' },
    last_used_at: { title: 'LAST USED (UTC)', sort: 'lastUsedAt', cell: ({ passkey }) => minute(passkey.lastUsedAt, 'never') },
    revoked_at: { title: 'REVOKED (UTC)', sort: 'revokedAt', cell: ({ passkey }) => minute(passkey.revokedAt) },
  },
  more: {
    user: {
      title: 'USER',
      yields: 2,
      max: 60,
      least: 16,
      value: ({ passkey }) => userName(passkey.owner),
      cell: ({ passkey, emails }) => withEmail(passkey.owner, emails),
    },
    email: { title: 'E-MAIL', yields: 3, sort: 'email', value: ({ passkey, emails }) => emails.get(userName(passkey.owner)) ?? null },
    provider: { title: 'PROVIDER', yields: 2, max: 40, value: ({ passkey }) => providerName(passkey.aaguid) ?? null },
    backup_eligible: { title: 'BACKUP ELIGIBLE', value: ({ passkey }) => passkey.credential.backupEligible },
    backup_state: { title: 'BACKED UP', sort: 'backupState', value: ({ passkey }) => passkey.credential.backupState },
    uv_initialized: { title: 'USER VERIFIED', value: ({ passkey }) => passkey.credential.uvInitialized },
    transports: { title: 'TRANSPORTS', yields: 2, value: ({ passkey }) => passkey.credential.transports },
    authenticator_attachment: { title: 'ATTACHMENT', value: ({ passkey }) => passkey.authenticatorAttachment ?? null },
    algorithm: { title: 'ALGORITHM', value: ({ passkey }) => readAlgorithm(passkey.credential.publicKey) },
    attestation_format: { title: 'ATTESTATION', value: ({ passkey }) => passkey.attestation.format },
    attestation_trust: { title: 'TRUST', value: ({ passkey }) => passkey.attestation.trust },
    origin: { title: 'ORIGIN', yields: 2, value: ({ passkey }) => passkey.origin },
    revoked_reason: { title: 'REASON', yields: 3, max: 40, value: ({ passkey }) => passkey.revokedReason ?? null },
  },
  // Readable at 80 columns: the revocation takes the last use's place where there is one.
  mark: ({ passkey }) => String(passkey.id),
  table: (rows) => {
    const last = rows.some(({ passkey }) => passkey.revokedAt !== undefined) ? 'revoked_at' : 'last_used_at';
    return ['id', 'label', 'user', 'rp_id', 'created_at', last];
  },
});

export const passkeyList = Type.Array(PasskeyRow, { title: 'passkey list --json' });

/** Converts passkeys to a table that can be printed, or from which the user can pick rows. @param emails the owners' e-mail addresses. */
export function passkeyTableRows(passkeys: readonly Passkey[], emails: Emails = new Map()): Rows<Passkey> {
  const { columns, toCells } = tableRows(
    PASSKEYS,
    passkeys.map((passkey) => ({ passkey, emails })),
  );
  return { columns, rows: passkeys, toCells: (passkey) => toCells({ passkey, emails }) };
}

export function passkeyTable(io: Io, passkeys: readonly Passkey[], emails?: Emails): Iterable<string> {
  const { columns, rows, toCells } = passkeyTableRows(passkeys, emails);
  return tableLines(io, columns, rows, toCells);
}
