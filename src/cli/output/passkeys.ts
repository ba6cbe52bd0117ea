import { formatMinute } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { type PasskeyRow, passkeyRow, readAlgorithm } from '../../relying-party/passkey-document.js';
import type { PasskeySortKey } from '../../relying-party/ports.js';
import { providerName } from '../../webauthn/aaguid.js';
import { PASSKEY_COLUMNS, PASSKEY_SORT_COLUMNS, type PasskeyColumn } from '../definitions/columns.js';
import { type Emails, userName, withEmail } from '../emails.js';
import type { Io } from '../io.js';
import { type ListColumn, type Listing, toCell } from './listing.js';
import { type Rows, tableLines } from './table.js';

/** A passkey in a list. */
export interface ListedPasskey {
  readonly passkey: Passkey;
  /** For JSON and CSV, which show most of it. */
  readonly row?: PasskeyRow | undefined;
  readonly emails: Emails;
}

/** A column that a row of `passkey list --json` has. */
const member = (
  title: string,
  name: keyof PasskeyRow,
  how: Omit<ListColumn<ListedPasskey>, 'title' | 'value'> = {},
): ListColumn<ListedPasskey> => ({
  title,
  value: ({ passkey, row = passkeyRow(passkey) }) => row[name],
  ...how,
});

const column = (
  title: string,
  value: (passkey: Passkey) => ReturnType<ListColumn<ListedPasskey>['value']>,
  how: Omit<ListColumn<ListedPasskey>, 'title' | 'value'> = {},
): ListColumn<ListedPasskey> => ({ title, value: ({ passkey }) => value(passkey), ...how });

const minute = (at: number | undefined, otherwise = '') => (at === undefined ? otherwise : formatMinute(at));

const COLUMNS: Readonly<Record<PasskeyColumn, ListColumn<ListedPasskey>>> = {
  id: member('ID', 'id', { align: 'right', cell: ({ passkey }) => String(passkey.id) }),
  label: member('LABEL', 'label', { yields: 4, max: 40, least: 10, cell: ({ passkey }) => passkey.label }),
  credential_id: member('CREDENTIAL ID', 'credential_id', { yields: 5 }),
  created_at: member('CREATED (UTC)', 'created_at', { spare: true, cell: ({ passkey }) => minute(passkey.createdAt) }),
  passkeeable_id: member('USER ID', 'passkeeable_id', { align: 'right' }),
  passkeeable_type: member('USER TYPE', 'passkeeable_type', { yields: 1, max: 40 }),
  rp_id: member('RP ID', 'rp_id', { yields: 3, max: 40, least: 8, cell: ({ passkey }) => passkey.rpId }),
  aaguid: member('AAGUID', 'aaguid', { yields: 1 }),
  sign_count: member('SIGN COUNT', 'sign_count', { align: 'right' }),
  last_used_at: member('LAST USED (UTC)', 'last_used_at', { cell: ({ passkey }) => minute(passkey.lastUsedAt, 'never') }),
  revoked_at: member('REVOKED (UTC)', 'revoked_at', { cell: ({ passkey }) => minute(passkey.revokedAt) }),
  user: {
    title: 'USER',
    yields: 2,
    max: 60,
    value: ({ passkey }) => userName(passkey.owner),
    cell: ({ passkey, emails }) => withEmail(passkey.owner, emails),
  },
  email: { title: 'E-MAIL', yields: 3, value: ({ passkey, emails }) => emails.get(userName(passkey.owner)) ?? null },
  provider: column('PROVIDER', ({ aaguid }) => providerName(aaguid) ?? null, { yields: 2, max: 40 }),
  backup_eligible: column('BACKUP ELIGIBLE', ({ credential }) => credential.backupEligible),
  backup_state: column('BACKED UP', ({ credential }) => credential.backupState),
  uv_initialized: column('USER VERIFIED', ({ credential }) => credential.uvInitialized),
  transports: column('TRANSPORTS', ({ credential }) => credential.transports, { yields: 2 }),
  authenticator_attachment: column('ATTACHMENT', ({ authenticatorAttachment }) => authenticatorAttachment ?? null),
  algorithm: column('ALGORITHM', ({ credential }) => readAlgorithm(credential.publicKey)),
  attestation_format: column('ATTESTATION', ({ attestation }) => attestation.format),
  attestation_trust: column('TRUST', ({ attestation }) => attestation.trust),
  origin: column('ORIGIN', ({ origin }) => origin, { yields: 2 }),
  revoked_reason: column('REASON', ({ revokedReason }) => revokedReason ?? null, { yields: 3, max: 40 }),
};

const SORTS: Readonly<Record<(typeof PASSKEY_SORT_COLUMNS)[number], PasskeySortKey>> = {
  id: 'id',
  label: 'label',
  credential_id: 'credentialId',
  created_at: 'createdAt',
  passkeeable_id: 'ownerId',
  passkeeable_type: 'ownerType',
  rp_id: 'rpId',
  aaguid: 'aaguid',
  sign_count: 'signCount',
  last_used_at: 'lastUsedAt',
  revoked_at: 'revokedAt',
  email: 'email',
  backup_state: 'backupState',
};

export const PASSKEY_LISTING: Listing<ListedPasskey, PasskeyColumn, (typeof PASSKEY_SORT_COLUMNS)[number], PasskeySortKey> = {
  noun: 'passkey',
  columns: COLUMNS,
  names: PASSKEY_COLUMNS,
  standard: PASSKEY_COLUMNS.slice(0, PASSKEY_COLUMNS.indexOf('user')),
  sorts: SORTS,
  sortNames: PASSKEY_SORT_COLUMNS,
};

/** Columns of the table, readable at 80 columns: the revocation takes the last use's place where there is one. */
export function passkeyTableColumns(rows: readonly Pick<ListedPasskey, 'passkey'>[]): readonly ListColumn<ListedPasskey>[] {
  const { id, label, user, rp_id, created_at, revoked_at, last_used_at } = COLUMNS;
  return [id, label, user, rp_id, created_at, rows.some(({ passkey }) => passkey.revokedAt !== undefined) ? revoked_at : last_used_at];
}

/** The table, to be shown or picked from. @param emails of the owners, as far as they are to be shown. */
export function passkeyTableRows(passkeys: readonly Passkey[], emails: Emails = new Map()): Rows<Passkey> {
  const columns = passkeyTableColumns(passkeys.map((passkey) => ({ passkey })));
  const toCells = (passkey: Passkey) => columns.map((column) => toCell(column, { passkey, emails }));
  return { columns, rows: passkeys, toCells };
}

export function passkeyTable(io: Io, passkeys: readonly Passkey[], emails?: Emails): Iterable<string> {
  const { columns, rows, toCells } = passkeyTableRows(passkeys, emails);
  return tableLines(io, columns, rows, toCells);
}
