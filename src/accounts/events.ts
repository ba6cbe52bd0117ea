import type { Access } from '../kernel/access.js';
import type { Stamped } from '../kernel/events.js';
import type { Owner } from './ports.js';

export interface OwnerChanged extends Stamped {
  readonly type: 'owner-added' | 'owner-edited';
  /** After the change. */
  readonly owner: Owner;
}

export interface OwnerGone extends Stamped {
  readonly type: 'owner-removed';
  readonly owner: Owner;
  /** Ids of the passkeys that were revoked with it; none of them has an event of its own. */
  readonly revokedPasskeys: readonly number[];
  readonly reason: string;
}

/** Tokens and sessions that end with their passkey or owner have no event of their own. */
export interface AccessChanged extends Stamped {
  readonly type: 'token-created' | 'token-revoked' | 'session-opened' | 'session-ended';
  /** After the change. */
  readonly access: Access;
  /** Reason for a revoked token, if one was given. */
  readonly reason?: string | undefined;
}

export type AccountsEvent = OwnerChanged | OwnerGone | AccessChanged;

/** A listener; whatever it throws or returns changes no outcome. */
export type AccountsListener = (event: AccountsEvent) => void;
