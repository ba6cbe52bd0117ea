import type { AccountsEvent, AccountsListener } from '../../accounts/events.js';
import type { OperationContext, Stamped } from '../../kernel/events.js';
import { nameOwner } from '../../kernel/owner.js';
import { formatTimestamp } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { CeremonyFinished, PasskeyChanged, RelyingPartyEvent, RelyingPartyListener } from '../../relying-party/events.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { countsDocument, type RowCounts } from '../transfer-port.js';
import type { AuditAction, AuditEntry, AuditLog } from './entry.js';

interface AuditSources {
  readonly relyingParty: { on(listener: RelyingPartyListener): () => void };
  readonly accounts: { on(listener: AccountsListener): () => void };
  /** Finds the operating system's user, who runs commands. Called for the first event. */
  readonly systemUser: () => string | undefined;
}

/** Logs every event of the relying party and the accounts. Returns a function that stops the logging. */
export function recordAudit(log: AuditLog, { relyingParty, accounts, systemUser }: AuditSources): () => void {
  let user: { readonly name: string | undefined } | undefined;
  const note = (event: RelyingPartyEvent | AccountsEvent): void => {
    user ??= { name: systemUser() };
    const entry = entryOfEvent(event, user.name);
    if (entry !== undefined) log.append(entry);
  };
  const stops = [relyingParty.on(note), accounts.on(note)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Maximum number of characters to keep of a string that comes from outside. */
const LONGEST = 200;

const CHANGES = {
  'passkey-renamed': 'rename',
  'passkey-revoked': 'revoke',
  'passkey-restored': 'restore',
  'passkey-purged': 'purge',
} as const satisfies Record<PasskeyChanged['type'], AuditAction>;

const ACCOUNT_CHANGES = {
  'owner-added': 'user-add',
  'owner-edited': 'user-edit',
  'owner-removed': 'user-remove',
  'token-created': 'token-create',
  'token-revoked': 'token-revoke',
  'session-opened': 'session-open',
  'session-ended': 'session-end',
} as const satisfies Record<AccountsEvent['type'], AuditAction>;

type What = Pick<AuditEntry, 'action'> & Partial<Omit<AuditEntry, 'at' | 'via' | 'source'>>;

/**
 * Describes an event for the audit log. Undefined for events that are not logged: the start of a ceremony, which changes nothing, and the
 * session of a login, which the login's own event mentions.
 *
 * @param systemUser operating system user of this process, who runs a command.
 */
function entryOfEvent(event: RelyingPartyEvent | AccountsEvent, systemUser: string | undefined): AuditEntry | undefined {
  const what = describeEvent(event);
  return what && entryWith(what, event, systemUser);
}

/**
 * Describes a bulk move or deletion of rows for the audit log, as one entry with the numbers of rows. One entry for each row would push all
 * others out of the log.
 */
export function entryOfRows(
  {
    action,
    counts,
    reason = null,
  }: { readonly action: 'import' | 'copy' | 'purge'; readonly counts: RowCounts; readonly reason?: string | null },
  happened: Pick<Stamped, 'at' | 'context'>,
  systemUser: string | undefined,
): AuditEntry {
  return entryWith({ action, counts: countsDocument(counts), reason }, happened, systemUser);
}

function entryWith(what: What, { at, context }: Pick<Stamped, 'at' | 'context'>, systemUser: string | undefined): AuditEntry {
  const { via, user, address, userAgent, requestId, page, change } = context;
  const isCommand = via?.startsWith('passkey ') === true;
  return {
    at: formatTimestamp(at),
    action: what.action,
    outcome: what.outcome ?? 'done',
    code: what.code ?? null,
    via: isCommand ? 'command' : page === true ? 'page' : 'api',
    source: via ?? null,
    actor: what.actor ?? nameOwner(user),
    os_user: isCommand ? short(systemUser) : null,
    address: address ?? null,
    user_agent: short(userAgent),
    request_id: requestId ?? null,
    subject: what.subject ?? null,
    email: what.email ?? findEmail(context, what.subject),
    passkey_id: what.passkey_id ?? null,
    credential_id: what.credential_id ?? null,
    rp_id: what.rp_id ?? null,
    label: short(what.label),
    token_id: what.token_id ?? null,
    revoked_passkeys: what.revoked_passkeys ?? null,
    counts: what.counts ?? null,
    reason: short(what.reason),
    revoked_reason: short(what.revoked_reason),
    change: change ?? null,
  };
}

function describeEvent(event: RelyingPartyEvent | AccountsEvent): What | undefined {
  switch (event.type) {
    case 'ceremony-begun':
      return undefined;
    case 'ceremony-finished':
      return ceremony(event);
    case 'passkey-renamed':
    case 'passkey-revoked':
    case 'passkey-restored':
    case 'passkey-purged': {
      const { passkey, reason = null, revokedReason = null } = event;
      return { action: CHANGES[event.type], ...passkeyMembers(passkey), reason, revoked_reason: revokedReason };
    }
    case 'owner-added':
    case 'owner-edited':
      return { action: ACCOUNT_CHANGES[event.type], subject: nameOwner(event.owner), email: event.owner.email };
    case 'owner-removed': {
      const { owner, revokedPasskeys, reason } = event;
      return { action: 'user-remove', subject: nameOwner(owner), email: owner.email, revoked_passkeys: [...revokedPasskeys], reason };
    }
    case 'token-created':
    case 'token-revoked':
    case 'session-opened':
    case 'session-ended': {
      const { id, owner, passkeyId, label = null } = event.access;
      if (event.type === 'session-opened' && passkeyId !== undefined) return undefined;
      // Whose passkey has just logged in.
      const actor = event.type === 'token-created' && passkeyId !== undefined ? { actor: nameOwner(owner) } : {};
      const { reason = null } = event;
      return {
        action: ACCOUNT_CHANGES[event.type],
        subject: nameOwner(owner),
        passkey_id: passkeyId ?? null,
        label,
        token_id: id,
        reason,
        ...actor,
      };
    }
  }
}

function ceremony({ kind, outcome, ceremony: begun, passkey, owner, error }: CeremonyFinished): What {
  const whose = passkey?.owner ?? owner;
  return {
    action: kind === 'registration' ? 'register' : 'authenticate',
    outcome: outcome === 'verified' ? 'done' : 'refused',
    code: error?.code ?? null,
    subject: nameOwner(whose),
    rp_id: begun?.rpId ?? null,
    ...(passkey && passkeyMembers(passkey)),
    ...(outcome === 'verified' && { actor: nameOwner(whose) }),
  };
}

function passkeyMembers({ id, owner, credential, rpId, label }: Passkey) {
  return { subject: nameOwner(owner), passkey_id: id, credential_id: encodeBase64url(credential.id), rp_id: rpId, label };
}

function findEmail({ user }: OperationContext, subject: string | null | undefined): string | null {
  return user !== undefined && nameOwner(user) === subject ? user.email : null;
}

/** Shortens a string without leaving half of a surrogate pair at the end, which a database would refuse. */
function short(text: string | null | undefined): string | null {
  if (text === undefined || text === null) return null;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
