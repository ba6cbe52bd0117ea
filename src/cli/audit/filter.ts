import type { Accounts } from '../../accounts/accounts.js';
import { parseOwnerRef } from '../../accounts/owners.js';
import { ERRORS } from '../../errors.js';
import { formatTimestamp } from '../../kernel/wording.js';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, AUDIT_WAYS, type AuditEntry } from '../../store/audit/entry.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { list, moment, oneOf, parsed, text } from '../config/values.js';
import { userName } from '../emails.js';
import type { Io } from '../io.js';

/** Decides whether an entry of the audit log matches the filters. */
export type AuditFilter = (entry: AuditEntry) => boolean;

/**
 * Reads the filter flags of `passkey audit`. An entry must match all of them.
 *
 * @throws PasskeyError `usage` for a value that cannot be read; `owner_not_found` if the value of `--user` has none of the forms that name
 * a user.
 */
export async function readAuditFilter(io: Io, flags: Flags, accounts: Accounts): Promise<AuditFilter> {
  const filters: AuditFilter[] = [];
  const among = <T extends string>(given: readonly T[], member: (entry: AuditEntry) => T | string | null) => {
    const wanted = new Set<string | null>(given);
    filters.push((entry) => wanted.has(member(entry)));
  };
  if (flags.since !== undefined) {
    // Times are written so that they sort as texts.
    const since = formatTimestamp(readFlag(io, moment(io.now), '--since', flags.since));
    filters.push(({ at }) => at >= since);
  }
  if (flags.until !== undefined) {
    const until = formatTimestamp(readFlag(io, moment(io.now), '--until', flags.until));
    filters.push(({ at }) => at < until);
  }
  if (flags.user !== undefined) filters.push(await isAbout(readFlag(io, text({ placeholder: 'user' }), '--user', flags.user), accounts));
  if (flags.passkey !== undefined) filters.push(readFlag(io, passkey, '--passkey', flags.passkey));
  if (flags.action !== undefined) among(readFlag(io, list(oneOf(AUDIT_ACTIONS)), '--action', flags.action), ({ action }) => action);
  if (flags.outcome !== undefined) among([readFlag(io, oneOf(AUDIT_OUTCOMES), '--outcome', flags.outcome)], ({ outcome }) => outcome);
  if (flags.code !== undefined) among(readFlag(io, list(code), '--code', flags.code), (entry) => entry.code);
  if (flags.via !== undefined) among(readFlag(io, list(oneOf(AUDIT_WAYS)), '--via', flags.via), ({ via }) => via);
  if (flags.change !== undefined) {
    const id = readFlag(io, text({ placeholder: 'id' }), '--change', flags.change);
    filters.push(({ change }) => change === id);
  }
  return (entry) => filters.every((fits) => fits(entry));
}

/** Makes a filter for entries about one user. The user need not exist, since the log also has entries about removed users. */
async function isAbout(user: string, accounts: Accounts): Promise<AuditFilter> {
  const names = new Set<string | null>();
  const owners = user.includes('@') ? await accounts.listOwners({ email: user }) : [];
  for (const owner of owners) names.add(userName(owner));
  if (!user.includes('@')) names.add(userName(parseOwnerRef(user, accounts.ownerType)));
  const email = user.toLowerCase();
  return (entry) => names.has(entry.actor) || names.has(entry.subject) || entry.email?.toLowerCase() === email;
}

const passkey = parsed<AuditFilter>({
  placeholder: 'id',
  expects: 'the id of a passkey, or its credential ID in base64 or base64url',
  parse(raw) {
    const written = String(raw).trim();
    if (/^[1-9]\d{0,15}$/.test(written)) {
      const id = Number(written);
      return (entry) => entry.passkey_id === id || entry.revoked_passkeys?.includes(id) === true;
    }
    const bytes = decodeBase64(written)?.bytes;
    const credentialId = bytes === undefined || bytes.length === 0 ? undefined : encodeBase64url(bytes);
    return credentialId === undefined ? undefined : (entry) => entry.credential_id === credentialId;
  },
});

const code = parsed({
  placeholder: 'code',
  expects: 'an error code such as challenge_expired',
  parse: (raw) => Object.keys(ERRORS).find((known) => known === raw),
});
