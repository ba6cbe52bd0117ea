import type { OwnerRef } from '../webauthn/user-handle.js';

/** A user account that owns passkeys. Times are milliseconds since the epoch. */
export interface Owner extends OwnerRef {
  readonly email: string;
  readonly name: string;
  /** Set when the owner is added or first begins a registration, and never recomputed. */
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
  /** Of a session: when it was last used, to within a sixtieth of the time after which an idle session ends. */
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** An access that is not stored yet. */
export type NewAccess = Omit<Access, 'id' | 'lastUsedAt' | 'revokedAt'>;

/** The use of a passkey that opens an access. Applied only if the stored sign count is still `expectedSignCount` and the passkey is live. */
export interface OpeningUse {
  readonly expectedSignCount: number;
  readonly signCount: number;
  readonly backupState: boolean;
  readonly uvInitialized: boolean;
  readonly lastUsedAt: number;
}

export interface OwnerFilter {
  readonly type?: string;
  readonly email?: string;
}

export interface AccountStore {
  /**
   * Without `id`, takes the next free one of the type. Ids of removed owners are never used again. Without `userHandle`,
   * `fixUserHandle` sets it later.
   * @throws PasskeyError `owner_already_exists` when the type has, or had, an owner with the id, or has one with the e-mail (in any case).
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
  listOwners(filter?: OwnerFilter): Promise<Owner[]>;
  /** Stores `userHandle` if the owner has none yet. Returns the owner as it then is; undefined when there is none. */
  fixUserHandle(ref: OwnerRef, userHandle: Uint8Array): Promise<Owner | undefined>;
  /** In one change, removes the owner, revokes its passkeys with `reason` and ends its tokens and sessions. Undefined when there is no such owner. */
  removeOwner(ref: OwnerRef, change: { at: number; reason: string }): Promise<{ owner: Owner; revokedPasskeys: number[] } | undefined>;
  /**
   * May forget accesses that have ended, and all but the latest 500 that one passkey opened, so that the table does not grow with
   * every login.
   */
  insertAccess(access: NewAccess): Promise<Access>;
  /**
   * As `insertAccess`, and notes the use of the passkey that opens it, in one change. Undefined, and nothing is changed, when the passkey
   * is gone, revoked, or its sign count is not `expectedSignCount` any more.
   */
  insertLogin(access: NewAccess & { readonly passkeyId: number }, use: OpeningUse): Promise<Access | undefined>;
  /** In any state; the caller checks `expiresAt` and `revokedAt`. */
  findAccess(kind: Access['kind'], hash: Uint8Array): Promise<Access | undefined>;
  listAccess(filter?: { kind?: Access['kind']; owner?: OwnerRef }): Promise<Access[]>;
  /**
   * Notes a use, unless a later one is noted already. Returns the access as it then is; undefined when it is gone or revoked, which
   * no use undoes.
   */
  touchAccess(id: number, at: number): Promise<Access | undefined>;
  revokeAccess(id: number, at: number): Promise<Access | undefined>;
}
