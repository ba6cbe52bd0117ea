import type { Access, NewAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OwnerRef } from '../kernel/owner.js';

/** A user account that owns passkeys. Times are milliseconds since the epoch. */
export interface Owner extends OwnerRef {
  readonly email: string;
  readonly name: string;
  /** The user handle. Set when the owner is added or begins the first registration, and never changed afterwards. */
  readonly userHandle: Uint8Array | undefined;
  readonly createdAt: number;
}

/** Conditions on a passkey of an owner. The passkey must meet all conditions that are given. */
export interface PasskeyTraits {
  readonly rpId?: string;
  /** AAGUIDs in lower case. The passkey must have one of them. */
  readonly aaguids?: readonly string[];
  /** Whether the passkey was backed up at its last use. */
  readonly backedUp?: boolean;
  /** Whether to include revoked passkeys. `only` excludes live ones. Default: false. */
  readonly revoked?: boolean | 'only';
}

/** Conditions on owners. An owner must meet all conditions that are given. Times are milliseconds since the epoch. */
export interface OwnerFilter {
  readonly owner?: OwnerRef;
  /** The owner must be one of these. */
  readonly owners?: readonly OwnerRef[];
  readonly type?: string;
  /** The complete e-mail address, ignoring case. */
  readonly email?: string;
  readonly userHandle?: Uint8Array;
  /** Text that the name or the e-mail address contains, ignoring case. */
  readonly label?: string;
  readonly createdBefore?: number;
  /**
   * The owner used no passkey at or after this time, not even one that is now revoked. For an owner that never used a passkey, the time of
   * creation counts.
   */
  readonly unusedSince?: number;
  /** The owner has a passkey with all of these traits. */
  readonly owning?: PasskeyTraits;
  /** The owner has no passkey with all of these traits. */
  readonly lacking?: PasskeyTraits;
}

/** Keys by which owners can be sorted. `passkeys` is the number of live passkeys. */
export type OwnerSortKey = 'id' | 'type' | 'email' | 'name' | 'createdAt' | 'passkeys';

interface Sort<Key> {
  readonly by: Key;
  readonly descending?: boolean;
}

/** Selects the order of the results, and the part of them to return. */
interface Page<Key, After> {
  /**
   * The sort order. Text sorts by code point, e-mail addresses without case, and missing values last in both directions. Rows with equal
   * values keep the order that they have without `sort`.
   */
  readonly sort?: Sort<Key>;
  /** Return only results that follow this one in the order. It need not exist. */
  readonly after?: After | undefined;
  /** Number of results to skip. Default 0. Skipping takes time for each result; to read page after page, use `after`. */
  readonly offset?: number;
  /** Maximum number of results. */
  readonly limit?: number;
}

/** A query for owners. Without `sort`, the results are ordered by type, then by id. */
export interface OwnerQuery extends OwnerFilter, Page<OwnerSortKey, OwnerRef> {}

/** Conditions on tokens and sessions, which must meet all that are given. Times are milliseconds since the epoch. */
export interface AccessFilter {
  readonly ids?: readonly number[];
  /** Lowest and highest id. */
  readonly firstId?: number;
  readonly lastId?: number;
  readonly kind?: Access['kind'];
  readonly owner?: OwnerRef;
  /** Type of the owner. */
  readonly type?: string;
  /** Text that the label contains, ignoring case. */
  readonly label?: string;
  /** Whether to include revoked tokens and sessions; `only` excludes all others. Default: true. */
  readonly revoked?: boolean | 'only';
  /** The token or session is neither revoked nor expired at this time. */
  readonly liveAt?: number;
  /** Revoked or expired before this time. */
  readonly endedBefore?: number;
  readonly createdBefore?: number;
  /** The session was not used at or after this time. For a token, and for a session that was never used, the time of creation counts. */
  readonly unusedSince?: number;
  /** Id of the passkey whose login opened the token or session. */
  readonly passkeyId?: number;
  /** A passkey with all of these traits opened the token or session. */
  readonly openedWith?: PasskeyTraits;
}

/** Keys by which tokens and sessions can be sorted. `email` is the owner's e-mail address. */
export type AccessSortKey =
  | 'id'
  | 'label'
  | 'ownerId'
  | 'ownerType'
  | 'email'
  | 'passkeyId'
  | 'createdAt'
  | 'expiresAt'
  | 'lastUsedAt'
  | 'revokedAt';

/** A query for tokens and sessions. Without `sort`, the results are in ascending order of id. */
export interface AccessQuery extends AccessFilter, Page<AccessSortKey, number> {}

/** When and why owners are removed. */
export interface Removal {
  readonly at: number;
  readonly reason: string;
  /** Id of the bulk change, which is kept with each passkey that the change revokes. */
  readonly change?: string | undefined;
}

export interface AccountStore {
  /**
   * Adds an owner. Without `id`, the owner gets the next free id of its type; ids of removed owners are never used again. Without
   * `userHandle`, `fixUserHandle` sets it later.
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
  listOwners(query?: OwnerQuery): Promise<Owner[]>;
  countOwners(filter?: OwnerFilter): Promise<number>;
  /** Counts the live passkeys of each owner, in the order of `owners`. */
  countPasskeysOf(owners: readonly OwnerRef[]): Promise<number[]>;
  /**
   * Changes the given members of an owner. Returns the changed owner, or undefined if the owner does not exist.
   *
   * @throws PasskeyError `owner_already_exists` when another owner of the type has the e-mail (in any case).
   */
  editOwner(ref: OwnerRef, change: { readonly email?: string; readonly name?: string }): Promise<Owner | undefined>;
  /**
   * Stores `userHandle` if the owner has none yet. Returns the owner with the handle that is now stored, or undefined if the owner does not
   * exist.
   */
  fixUserHandle(ref: OwnerRef, userHandle: Uint8Array): Promise<Owner | undefined>;
  /**
   * Removes an owner, revokes its passkeys with `reason`, and ends its tokens and sessions, all in one change. Undefined if the owner does
   * not exist.
   */
  removeOwner(ref: OwnerRef, removal: Removal): Promise<OwnerRemoval | undefined>;
  /** Removes all of these owners in one change, or none of them. @throws the reason of `signal`; then nothing is changed. */
  removeOwners(refs: readonly OwnerRef[], removal: BulkOptions & Removal): Promise<OwnersChange>;
  /**
   * Stores a new token or session. May delete accesses that have ended, and all but the latest 500 that one passkey opened, so that the
   * table does not grow with every login.
   */
  insertAccess(access: NewAccess): Promise<Access>;
  /** Finds a token or session by the hash of its secret, even if it has ended. The caller checks `expiresAt` and `revokedAt`. */
  findAccess(kind: Access['kind'], hash: Uint8Array): Promise<Access | undefined>;
  listAccess(query?: AccessQuery): Promise<Access[]>;
  countAccess(filter?: AccessFilter): Promise<number>;
  /**
   * Records a use at `at`, unless a later use is already recorded. Returns the current access, or undefined if the access was deleted or
   * revoked; a use never undoes a revocation.
   */
  touchAccess(id: number, at: number): Promise<Access | undefined>;
  revokeAccess(id: number, at: number): Promise<Access | undefined>;
  /**
   * Revokes all of these accesses in one change, or none of them. Ids of another kind of access count as unknown. Accesses that were
   * revoked earlier stay unchanged.
   *
   * @throws the reason of `signal`; then nothing is changed.
   */
  revokeAccesses(
    ids: readonly number[],
    change: BulkOptions & { readonly at: number; readonly kind: Access['kind'] },
  ): Promise<AccessesChange>;
}

export interface OwnerRemoval {
  readonly owner: Owner;
  /** Ids of the passkeys that were revoked together with the owner. */
  readonly revokedPasskeys: readonly number[];
}

export type OwnersChange =
  /** The removed owners are in the order of the given references. */
  | { readonly status: 'done'; readonly removed: readonly OwnerRemoval[] }
  | { readonly status: 'missing'; readonly owners: readonly OwnerRef[] };

export type AccessesChange =
  | {
      readonly status: 'done';
      /** The accesses in their new state, in order of id. */
      readonly accesses: readonly Access[];
      /** Ids of the accesses that this change revoked; the others were revoked earlier. */
      readonly changed: ReadonlySet<number>;
    }
  | { readonly status: 'missing'; readonly ids: readonly number[] };
