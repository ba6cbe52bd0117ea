import type { OwnerRef } from '../../kernel/owner.js';
import type { StreamChangeType } from '../schemas/stream.js';

/** A change that another process made to the store, for example a command. */
export interface ForeignChange {
  /** Id of the change, with at most 64 characters. Every process that reads the change gets the same id. */
  readonly id: string;
  /** When the change was made, in milliseconds since the epoch. */
  readonly at: number;
  readonly type: StreamChangeType;
  /** The command that made the change, such as `passkey revoke`. */
  readonly via: string | undefined;
  /** Name of the operating system user who ran the command. */
  readonly by: string | undefined;
  /** The owner whose user account, passkey or token was changed. */
  readonly owner: OwnerRef | undefined;
  readonly email: string | undefined;
  /** The passkey or token that was changed. */
  readonly subject: { readonly kind: 'passkey' | 'token'; readonly id: number; readonly label: string | null } | undefined;
  readonly rpId: string | undefined;
  /** Ids of the passkeys that were revoked because their user was removed. */
  readonly revokedPasskeys: readonly number[];
  readonly reason: string | undefined;
}

/** Port to the changes that other processes make to the same store. The command line implements this port. */
export interface OtherProcesses {
  /**
   * Resolves with the changes since the last call. Rejects if the changes cannot be read. The caller never makes two calls at the same
   * time.
   */
  readonly changes?: (() => Promise<readonly ForeignChange[]>) | undefined;
  /** Finds which of these challenges were spent. This function is only present if several processes share the ceremonies of a store. */
  readonly spentChallenges?: ((challenges: readonly Uint8Array[]) => Promise<readonly Uint8Array[]>) | undefined;
}
