import type { OwnerRef } from '../webauthn/user-handle.js';

/** A user account that owns passkeys. Times are milliseconds since the epoch. */
export interface Owner extends OwnerRef {
  readonly email: string;
  readonly name: string;
  /** Fixed when the owner is made or first begins a registration, never recomputed. */
  readonly userHandle: Uint8Array | undefined;
  readonly createdAt: number;
}

/** Opaque bearer token or session; only the SHA-256 of its secret is stored. */
export interface Access {
  /** Ascending, never used again. */
  readonly id: number;
  readonly kind: 'token' | 'session';
  readonly owner: OwnerRef;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Uint8Array;
  /** The passkey whose login opened it; undefined for one made on the command line or by development sign-in. */
  readonly passkeyId: number | undefined;
  readonly label: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
}

export interface OwnerFilter {
  readonly type?: string;
  readonly email?: string;
}

export interface AccountStore {
  /**
   * Without `id` the next free one of the type. Ids of removed owners are never given again. `userHandle` fixes the user handle
   * at once; without it `fixUserHandle` does.
   * @throws PasskeyError `owner_already_exists` when the id is or was taken within the type, or the e-mail (compared without case) is taken within the type.
   */
  insertOwner(owner: {
    type: string;
    id?: number;
    email: string;
    name: string;
    userHandle?: Uint8Array;
    createdAt: number;
  }): Promise<Owner>;
  findOwner(ref: OwnerRef): Promise<Owner | undefined>;
  /** By a user handle of `Owner.userHandle`. */
  listOwners(filter?: OwnerFilter): Promise<Owner[]>;
  /** Stores `userHandle` if the owner has none yet; answers the owner with the one that holds. Undefined when there is no such owner. */
  fixUserHandle(ref: OwnerRef, userHandle: Uint8Array): Promise<Owner | undefined>;
  /** One change: the owner goes, its passkeys are revoked with `reason`, its tokens and sessions end. Undefined when there is no such owner. */
  removeOwner(ref: OwnerRef, change: { at: number; reason: string }): Promise<{ owner: Owner; revokedPasskeys: number[] } | undefined>;
  /**
   * May forget ended accesses, and of those that one passkey opened all but the latest 500: a table that grows with every login
   * ever made would be in the way of the next.
   */
  insertAccess(access: Omit<Access, 'id' | 'revokedAt'>): Promise<Access>;
  /** Whatever its state; the caller looks at `expiresAt` and `revokedAt`. */
  findAccess(kind: Access['kind'], hash: Uint8Array): Promise<Access | undefined>;
  listAccess(filter?: { kind?: Access['kind']; owner?: OwnerRef }): Promise<Access[]>;
  revokeAccess(id: number, at: number): Promise<Access | undefined>;
}
