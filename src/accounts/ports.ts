import type { Access, NewAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OwnerRef } from '../kernel/owner.js';

/** A user account that owns passkeys. Times are milliseconds since the epoch. */
export interface Owner extends OwnerRef {
  readonly email: string;
  readonly name: string;
  /** Set when the owner is added or first begins a registration, and never recomputed. */
  readonly userHandle: Uint8Array | undefined;
  readonly createdAt: number;
}

/** Conditions on an owner's passkeys; all that are given must hold. */
export interface PasskeyTraits {
  readonly rpId?: string;
  /** One of these, in lower case. */
  readonly aaguids?: readonly string[];
  /** The backup state of its last use. */
  readonly backedUp?: boolean;
  /** Default false: only live passkeys. */
  readonly revoked?: boolean | 'only';
}

/** Owners for whom everything holds that is given. Times are milliseconds since the epoch. */
export interface OwnerFilter {
  readonly owner?: OwnerRef;
  /** One of these. */
  readonly owners?: readonly OwnerRef[];
  readonly type?: string;
  /** The whole address, in any case. */
  readonly email?: string;
  readonly userHandle?: Uint8Array;
  /** Contained in the name or the e-mail, in any case. */
  readonly label?: string;
  readonly createdBefore?: number;
  /** Used no passkey, revoked ones included, at or after this time; an owner who never used one counts from when it was added. */
  readonly unusedSince?: number;
  /** Has a passkey with all of these traits. */
  readonly owning?: PasskeyTraits;
  /** Has no passkey with all of these traits. */
  readonly lacking?: PasskeyTraits;
}

/** Sort keys of owners. `passkeys` is the number of live ones. */
export type OwnerSortKey = 'id' | 'type' | 'email' | 'name' | 'createdAt' | 'passkeys';

interface Sort<Key> {
  readonly by: Key;
  readonly descending?: boolean;
}

/** A page of the results of a filter, and their order. */
interface Page<Key, After> {
  /**
   * Texts by code point, e-mails without case. Missing values come last either way; equal values stay in the order they have without
   * `sort`.
   */
  readonly sort?: Sort<Key>;
  /** Only what comes behind this one, whether or not that one is found. */
  readonly after?: After | undefined;
  /** How many of the first to leave out. Default 0. It takes time for each: go on with `after`. */
  readonly offset?: number;
  /** Maximum number. */
  readonly limit?: number;
}

/** Without `sort` by type, then by id. */
export interface OwnerQuery extends OwnerFilter, Page<OwnerSortKey, OwnerRef> {}

/** Tokens and sessions that match every given condition. Times are milliseconds since the epoch. */
export interface AccessFilter {
  readonly ids?: readonly number[];
  readonly kind?: Access['kind'];
  readonly owner?: OwnerRef;
  /** The owner's. */
  readonly type?: string;
  /** Contained in the label, in any case. */
  readonly label?: string;
  /** Default true: revoked ones too. */
  readonly revoked?: boolean | 'only';
  /** Neither revoked nor expired at this time. */
  readonly liveAt?: number;
  readonly createdBefore?: number;
  /** Sessions not used at or after this time. One that was never used, and every token, counts from when it was made. */
  readonly unusedSince?: number;
  /** The passkey whose login opened it. */
  readonly passkeyId?: number;
  /** Opened with a passkey that has all of these traits. */
  readonly openedWith?: PasskeyTraits;
}

/** Sort keys of tokens and sessions. `email` is that of the owner. */
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

/** Without `sort` in ascending order of id. */
export interface AccessQuery extends AccessFilter, Page<AccessSortKey, number> {}

/** When and why owners are removed. */
export interface Removal {
  readonly at: number;
  readonly reason: string;
  /** Id of the bulk change; kept with each passkey that it revokes. */
  readonly change?: string | undefined;
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
  listOwners(query?: OwnerQuery): Promise<Owner[]>;
  countOwners(filter?: OwnerFilter): Promise<number>;
  /** How many live passkeys each of them has, in their order. */
  countPasskeysOf(owners: readonly OwnerRef[]): Promise<number[]>;
  /**
   * Changes the given members. Returns the changed owner; undefined when there is none.
   *
   * @throws PasskeyError `owner_already_exists` when another owner of the type has the e-mail (in any case).
   */
  editOwner(ref: OwnerRef, change: { readonly email?: string; readonly name?: string }): Promise<Owner | undefined>;
  /** Stores `userHandle` if the owner has none yet. Returns the owner as it then is; undefined when there is none. */
  fixUserHandle(ref: OwnerRef, userHandle: Uint8Array): Promise<Owner | undefined>;
  /** In one change, removes the owner, revokes its passkeys with `reason` and ends its tokens and sessions. Undefined when there is no such owner. */
  removeOwner(ref: OwnerRef, removal: Removal): Promise<OwnerRemoval | undefined>;
  /** Removes all of these owners or none, in one change. @throws the reason of `signal`; then nothing is changed. */
  removeOwners(refs: readonly OwnerRef[], removal: BulkOptions & Removal): Promise<OwnersChange>;
  /**
   * May forget accesses that have ended, and all but the latest 500 that one passkey opened, so that the table does not grow with
   * every login.
   */
  insertAccess(access: NewAccess): Promise<Access>;
  /** In any state; the caller checks `expiresAt` and `revokedAt`. */
  findAccess(kind: Access['kind'], hash: Uint8Array): Promise<Access | undefined>;
  listAccess(query?: AccessQuery): Promise<Access[]>;
  countAccess(filter?: AccessFilter): Promise<number>;
  /**
   * Records a use, unless a later one is recorded already. Returns the current access; undefined if it is gone or revoked, which no use
   * undoes.
   */
  touchAccess(id: number, at: number): Promise<Access | undefined>;
  revokeAccess(id: number, at: number): Promise<Access | undefined>;
  /**
   * All of them or none, in one change. Ids of another kind of access count as unknown; accesses revoked before stay as they are.
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
  /** Ids of the passkeys that were revoked with it. */
  readonly revokedPasskeys: readonly number[];
}

export type OwnersChange =
  /** `removed` is in the order of the references. */
  | { readonly status: 'done'; readonly removed: readonly OwnerRemoval[] }
  | { readonly status: 'missing'; readonly owners: readonly OwnerRef[] };

export type AccessesChange =
  | {
      readonly status: 'done';
      /** As they are now, in order of id. */
      readonly accesses: readonly Access[];
      /** The ids that were not revoked before. */
      readonly changed: ReadonlySet<number>;
    }
  | { readonly status: 'missing'; readonly ids: readonly number[] };
