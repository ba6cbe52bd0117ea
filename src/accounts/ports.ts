import type { Access, NewAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OwnerRef } from '../kernel/owner.js';

/** A user account that owns passkeys. Times are milliseconds since the epoch. */
export interface Owner extends OwnerRef {
  readonly email: string;
  readonly name: string;
  /** The user handle. It is set when the owner is added or starts the first registration, and never changes afterwards. */
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
   * The owner used no passkey at or after this time. Uses of passkeys that are now revoked count too. For an owner that never used a
   * passkey, the time of creation counts.
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

/** The order of the results of a query, and the part of the results to return. */
interface Page<Key, After> {
  /**
   * The sort order. Strings are sorted by code point, e-mail addresses ignoring case. Missing values are last in both directions. Rows with
   * equal values keep the order that they have without `sort`.
   */
  readonly sort?: Sort<Key>;
  /** Return only results that follow this one in the order. A result with this key need not exist. */
  readonly after?: After | undefined;
  /** Number of results to skip. Default: 0. Skipping takes time for each skipped result. To read page after page, use `after`. */
  readonly offset?: number;
  /** Maximum number of results. */
  readonly limit?: number;
}

/** A query for owners. Without `sort`, the results are ordered by type, then by id. */
export interface OwnerQuery extends OwnerFilter, Page<OwnerSortKey, OwnerRef> {}

/**
 * Conditions on tokens and sessions. A token or session must meet all conditions that are given. Times are milliseconds since the epoch.
 */
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
  /** The token or session was revoked or expired before this time. */
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
   * `userHandle`, `fixUserHandle` sets the user handle later.
   * @throws PasskeyError `owner_already_exists` if the type has, or had, an owner with this id, or has one with this e-mail address
   * (ignoring case).
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
  /** Counts the live passkeys of each owner. The counts are in the order of `owners`. */
  countPasskeysOf(owners: readonly OwnerRef[]): Promise<number[]>;
  /**
   * Changes the given members of an owner. Returns the changed owner, or undefined if the owner does not exist.
   *
   * @throws PasskeyError `owner_already_exists` if another owner of the same type has the e-mail address (ignoring case).
   */
  editOwner(ref: OwnerRef, change: { readonly email?: string; readonly name?: string }): Promise<Owner | undefined>;
  /**
   * Stores `userHandle` if the owner has none yet. Returns the owner with the handle that is now stored, or undefined if the owner does not
   * exist.
   */
  fixUserHandle(ref: OwnerRef, userHandle: Uint8Array): Promise<Owner | undefined>;
  /**
   * Removes an owner, revokes the owner's passkeys with `reason`, and ends the owner's tokens and sessions, all in one change. Returns
   * undefined if the owner does not exist.
   */
  removeOwner(ref: OwnerRef, removal: Removal): Promise<OwnerRemoval | undefined>;
  /**
   * Removes all of these owners in one change, or none of them. @throws the abort reason of `signal` if it is aborted; then nothing is
   * changed.
   */
  removeOwners(refs: readonly OwnerRef[], removal: BulkOptions & Removal): Promise<OwnersChange>;
  /**
   * Stores a new token or session. To keep the table from growing with every login, it may delete tokens and sessions that have ended, and
   * all but the latest 500 that the same passkey opened.
   */
  insertAccess(access: NewAccess): Promise<Access>;
  /** Finds a token or session by the hash of its secret, even if it has ended. The caller must check `expiresAt` and `revokedAt`. */
  findAccess(kind: Access['kind'], hash: Uint8Array): Promise<Access | undefined>;
  listAccess(query?: AccessQuery): Promise<Access[]>;
  countAccess(filter?: AccessFilter): Promise<number>;
  /**
   * Records that the token or session was used at the time `at`, unless a later use is already recorded. Returns the stored token or
   * session, or undefined if it was deleted or revoked. A use never undoes a revocation.
   */
  touchAccess(id: number, at: number): Promise<Access | undefined>;
  revokeAccess(id: number, at: number): Promise<Access | undefined>;
  /**
   * Revokes all of these tokens or sessions in one change, or none of them. An id of the other kind counts as unknown. Tokens and sessions
   * that were revoked earlier stay unchanged.
   *
   * @throws the abort reason of `signal` if it is aborted; then nothing is changed.
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
  /** The change was made. The removed owners are in the order of the given references. */
  | { readonly status: 'done'; readonly removed: readonly OwnerRemoval[] }
  | { readonly status: 'missing'; readonly owners: readonly OwnerRef[] };

export type AccessesChange =
  | {
      readonly status: 'done';
      /** The tokens or sessions in their new state, in order of id. */
      readonly accesses: readonly Access[];
      /** Ids of the tokens or sessions that this change revoked; the others were revoked earlier. */
      readonly changed: ReadonlySet<number>;
    }
  | { readonly status: 'missing'; readonly ids: readonly number[] };
