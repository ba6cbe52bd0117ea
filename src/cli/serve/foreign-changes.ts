import { createHash } from 'node:crypto';
import { parseOwnerRef } from '../../accounts/owners.js';
import type { ForeignChange } from '../../server/stream/port.js';
import type { AuditAction, AuditEntry, AuditLog } from '../../store/audit/entry.js';
import { VIA_EXEC, VIA_SERVE } from './users.js';

/** Types of the changes that a command can make. The key is the action in the audit log. */
const CHANGES: Readonly<Partial<Record<AuditAction, ForeignChange['type']>>> = {
  register: 'registered',
  rename: 'renamed',
  revoke: 'revoked',
  restore: 'restored',
  purge: 'purged',
  'user-add': 'user-added',
  'user-edit': 'user-edited',
  'user-remove': 'user-removed',
  'token-create': 'token-created',
  'token-revoke': 'token-revoked',
  'session-open': 'session-opened',
  'session-end': 'session-ended',
};

/** Values of `via` in the audit log for changes that servers themselves make, such as adding their initial users. */
const OF_SERVERS: readonly (string | null)[] = [VIA_SERVE, VIA_EXEC];

/**
 * Follows the audit log from now on, and reports each change that a command made once. Leaves out changes made through the routes of a
 * server, since that server's own stream shows them.
 *
 * @returns a function that resolves with the changes since its last call.
 */
export function followCommands(log: AuditLog): () => Promise<readonly ForeignChange[]> {
  const reader = log.read({ via: 'command' });
  // A failure shows when the changes are asked for.
  let skipped = reader.skip().then(
    () => true,
    () => false,
  );
  return async () => {
    if (!(await skipped)) {
      await reader.skip();
      skipped = Promise.resolve(true);
    }
    const changes: ForeignChange[] = [];
    for await (const entry of reader.readOn()) {
      const type = entry.outcome === 'done' ? CHANGES[entry.action] : undefined;
      if (type !== undefined && !OF_SERVERS.includes(entry.source)) changes.push(describeChange(entry, type));
    }
    return changes;
  };
}

function describeChange(entry: AuditEntry, type: ForeignChange['type']): ForeignChange {
  const { at, source, os_user: by, subject, email, passkey_id: passkey, token_id: token, label, rp_id: rpId, reason } = entry;
  const about = token === null ? { kind: 'passkey' as const, id: passkey ?? undefined } : { kind: 'token' as const, id: token };
  return {
    id: `command-${createHash('sha256').update(JSON.stringify(entry)).digest('hex').slice(0, 24)}`,
    at: Date.parse(at),
    type,
    via: source ?? undefined,
    by: by ?? undefined,
    owner: subject === null ? undefined : parseOwnerRef(subject, ''),
    email: email ?? undefined,
    subject: about.id === undefined ? undefined : { kind: about.kind, id: about.id, label },
    rpId: rpId ?? undefined,
    revokedPasskeys: entry.revoked_passkeys ?? [],
    reason: reason ?? undefined,
  };
}
