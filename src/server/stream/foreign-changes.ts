import { nameOwner } from '../../kernel/owner.js';
import { formatTimestamp } from '../../kernel/wording.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { changeMessage, newEntry } from './entry.js';
import { type Kept, NOTHING_KEPT } from './kept.js';
import type { ForeignChange, OtherProcesses } from './port.js';

/**
 * Follows the changes that other processes make to the same store. If the changes cannot be read, it returns none, and logs the failure
 * once.
 */
export class Others {
  readonly #others: OtherProcesses;
  readonly #onDamage: (reason: string) => void;
  #warned = false;

  constructor(others: OtherProcesses, onDamage: (reason: string) => void) {
    this.#others = others;
    this.#onDamage = onDamage;
  }

  /** Returns the changes that other processes made since the last call. */
  async changes(): Promise<readonly ForeignChange[]> {
    return await this.#ask(async () => (await this.#others.changes?.()) ?? [], 'Changes by other processes');
  }

  /** Finds which of these challenges got a response in another process. The result is in base64url. */
  async answered(challenges: readonly Uint8Array[]): Promise<ReadonlySet<string>> {
    if (challenges.length === 0) return new Set();
    const ask = async () => (await this.#others.spentChallenges?.(challenges)) ?? [];
    return new Set((await this.#ask(ask, 'Responses at other processes')).map(encodeBase64url));
  }

  async #ask<T>(ask: () => Promise<readonly T[]>, what: string): Promise<readonly T[]> {
    try {
      return await ask();
    } catch (error) {
      if (!this.#warned) {
        this.#warned = true;
        this.#onDamage(`${what} cannot be listed now. ${error instanceof Error ? error.message : String(error)}`);
      }
      return [];
    }
  }
}

/** Makes the stream entry for a change that another process made. The caller adds the owner. */
export function foreignEntry(change: ForeignChange): { readonly given: Parameters<typeof newEntry>[0]; readonly kept: Kept } {
  const { id, at, via = null, type, subject, rpId = null, reason = null } = change;
  const passkey = subject?.kind === 'passkey' ? { id: subject.id, label: subject.label } : null;
  return {
    given: {
      id,
      at,
      finished_at: formatTimestamp(at),
      kind: 'change',
      state: 'changed',
      via,
      rp_id: rpId,
      passkey,
      message: writeMessage(change),
    },
    kept: { ...NOTHING_KEPT, change: { type, reason } },
  };
}

/** Verbs for each type of change. */
const DONE = {
  'user-added': 'added',
  'user-edited': 'edited',
  'user-removed': 'removed',
  'token-created': 'created',
  'token-revoked': 'revoked',
  'session-opened': 'opened',
  'session-ended': 'ended',
} as const;

/** Describes a change in one sentence: `User ada@example.com was removed by root, and passkey 3 was revoked: left the company.` */
function writeMessage({ type, subject, by, owner, email, revokedPasskeys, reason }: ForeignChange): string {
  if (type === 'registered' || type === 'renamed' || type === 'revoked' || type === 'restored' || type === 'purged') {
    return changeMessage({ id: subject?.id ?? 0, label: subject?.label ?? null }, { type, reason: reason ?? null }, by);
  }
  const who = email ?? nameOwner(owner) ?? 'unknown';
  const label = (subject?.label ?? null) === null ? '' : ` ${JSON.stringify(subject?.label)}`;
  const what = type.startsWith('user-')
    ? `User ${who}`
    : `${type.startsWith('token-') ? 'Token' : 'Session'} ${subject?.id ?? ''}${label} of ${who}`;
  const [one] = revokedPasskeys;
  const more = revokedPasskeys.length > 1 ? `, and passkeys ${revokedPasskeys.join(', ')} were revoked` : '';
  const also = revokedPasskeys.length === 1 ? `, and passkey ${one} was revoked` : more;
  return `${what} was ${DONE[type]}${by === undefined ? '' : ` by ${by}`}${also}${reason === undefined ? '' : `: ${reason}`}.`;
}
