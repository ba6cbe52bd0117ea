import type { Accounts } from '../../accounts/accounts.js';
import { parseOwnerRef } from '../../accounts/owners.js';
import type { AuditEntry } from '../../store/audit/entry.js';
import { countsInWords, readRowCounts } from '../../store/transfer-port.js';
import { type Emails, findEmails } from '../emails.js';
import type { Io } from '../io.js';
import { type Column, tableLines } from '../output/table.js';

/**
 * Columns of the table. `wide` is the fixed width of a column with `--follow`: entries then arrive a few at a time, and the columns must
 * not move.
 */
const COLUMNS: readonly (Column & { readonly wide: number })[] = [
  { title: 'TIME (UTC)', wide: 19 },
  { title: 'WHO', wide: 20, yields: 3, max: 40 },
  { title: 'VIA', wide: 20, yields: 2, max: 30 },
  { title: 'ACTION', wide: 12 },
  { title: 'OUTCOME', wide: 16, yields: 1, max: 30 },
  { title: 'ABOUT', wide: 30, yields: 4, max: 50, least: 'passkey 1234'.length },
  { title: 'REASON', wide: 0, yields: 5, max: 60 },
];

/** Renders audit log entries as the lines of a table. With `follow`, later batches of entries are rendered without the header. */
export function auditTable(
  io: Io,
  accounts: Accounts,
  { follow }: { readonly follow: boolean },
): (entries: readonly AuditEntry[]) => Promise<Iterable<string>> {
  const known = new Map<string, string>();
  let isFirst = true;
  const padded = (cell: string, index: number) => (follow ? cell.padEnd(COLUMNS[index]?.wide ?? 0) : cell);
  return async (entries) => {
    if (entries.length === 0) return [];
    for (const [name, email] of await findEmails(accounts, findUnknownUsers(entries, known))) known.set(name, email);
    const lines = tableLines(io, COLUMNS, entries, (entry) => toCells(entry, known).map(padded));
    if (!isFirst) lines.next();
    isFirst = false;
    return lines;
  };
}

/** Finds the users in these entries whose e-mail addresses are not loaded yet. */
function findUnknownUsers(entries: readonly AuditEntry[], known: Emails) {
  const names = new Set(entries.flatMap(({ actor, subject }) => [actor, subject]).filter((name) => name !== null && !known.has(name)));
  return [...names].flatMap((name) => (name === null ? [] : [parseOwnerRef(name, '')]));
}

function toCells(entry: AuditEntry, emails: Emails): readonly string[] {
  const named = (name: string) => emails.get(name) ?? (name === entry.subject ? entry.email : null) ?? name;
  const {
    at,
    actor,
    os_user: osUser,
    address,
    via,
    source,
    action,
    code,
    outcome,
    reason,
    revoked_reason: revokedReason,
    change = null,
  } = entry;
  return [
    at.slice(0, 19).replace('T', ' '),
    actor === null ? (osUser ?? address ?? '') : named(actor),
    via === 'command' ? (source ?? via) : via,
    action,
    code ?? outcome,
    describeSubject(entry, named),
    [reason, revokedReason && `(was revoked: ${revokedReason})`, change && `(change ${change})`].filter((text) => text !== null).join(' '),
  ];
}

function describeSubject(
  { subject, passkey_id: passkey, token_id: access, action, rp_id: rpId, counts }: AuditEntry,
  named: (name: string) => string,
): string {
  if (counts !== null) return countsInWords(readRowCounts(counts));
  const whose = subject === null ? '' : named(subject);
  const thing =
    access !== null ? `${action.startsWith('session') ? 'session' : 'token'} ${access}` : passkey !== null ? `passkey ${passkey}` : '';
  if (thing === '') return whose === '' ? (rpId ?? '') : whose;
  return whose === '' ? thing : `${thing} of ${whose}`;
}
