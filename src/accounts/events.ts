import type { Access } from '../kernel/access.js';
import type { Stamped } from '../kernel/events.js';
import type { Owner } from './ports.js';

export interface OwnerChanged extends Stamped {
  readonly type: 'owner-added' | 'owner-edited';
  /** The owner in its new state. */
  readonly owner: Owner;
}

export interface OwnerGone extends Stamped {
  readonly type: 'owner-removed';
  readonly owner: Owner;
  /** Ids of the passkeys that were revoked together with the user. These revocations emit no events of their own. */
  readonly revokedPasskeys: readonly number[];
  readonly reason: string;
}

/** A change of one token or session. No such event is emitted for a token or session that ends because its passkey or owner ends. */
export interface AccessChanged extends Stamped {
  readonly type: 'token-created' | 'token-revoked' | 'session-opened' | 'session-ended';
  /** The token or session in its new state. */
  readonly access: Access;
  /** Why a token was revoked, if a reason was given. */
  readonly reason?: string | undefined;
}

export type AccountsEvent = OwnerChanged | OwnerGone | AccessChanged;

/** A listener for account events. Its return value and its exceptions are ignored. */
export type AccountsListener = (event: AccountsEvent) => void;
