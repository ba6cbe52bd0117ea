import type { OwnerRef } from '../../kernel/owner.js';
import type { StreamChangeType } from '../schemas/stream.js';

/** A change by another process, such as a command. */
export interface ForeignChange {
  /** The same in every process that hears of it: at most 64 characters. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: StreamChangeType;
  /** The command, such as `passkey revoke`. */
  readonly via: string | undefined;
  /** Who ran it: a user of the operating system. */
  readonly by: string | undefined;
  /** Whom it is about. */
  readonly owner: OwnerRef | undefined;
  readonly email: string | undefined;
  /** A passkey, or a token. */
  readonly subject: { readonly kind: 'passkey' | 'token'; readonly id: number; readonly label: string | null } | undefined;
  readonly rpId: string | undefined;
  /** Ids of passkeys that were revoked with a user. */
  readonly revokedPasskeys: readonly number[];
  readonly reason: string | undefined;
}

/** Follows the changes by other processes on the same store. The command line gives it. */
export interface OtherProcesses {
  /** Resolves with the changes since the last call; there is never more than one call at a time. Rejects when they cannot be read. */
  readonly changes?: (() => Promise<readonly ForeignChange[]>) | undefined;
  /** The challenges that were taken. Only for a store whose ceremonies are shared. */
  readonly spentChallenges?: ((challenges: readonly Uint8Array[]) => Promise<readonly Uint8Array[]>) | undefined;
}
