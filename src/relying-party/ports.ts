import type { Access, LoginAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { CeremonyKind, RequirementLevel } from '../webauthn/enumerations.js';
import type { NewPasskey, Passkey } from './credential-record.js';

/** A registration or authentication that has begun, with everything that its response is checked against. */
export interface Ceremony {
  readonly kind: CeremonyKind;
  readonly challenge: Uint8Array;
  readonly rpId: string;
  /** Accepted origins. The client data must contain one of them. */
  readonly origins: readonly string[];
  readonly topOrigins: readonly string[];
  /** For a registration: the owner who will get the new passkey. */
  readonly owner: OwnerRef | undefined;
  /** For a registration: the user handle in the options. */
  readonly userHandle: Uint8Array | undefined;
  /** For a registration: `rp.name` in the options. */
  readonly rpName: string | undefined;
  /**
   * For a registration: `conditional` if the page calls `create()` with this `mediation`. The browser then does not prompt the user, and
   * the flag UP may be unset.
   */
  readonly mediation?: 'conditional' | undefined;
  /** For an authentication: ID of the requested credential; undefined if the user chooses a discoverable credential. */
  readonly credentialId: Uint8Array | undefined;
  readonly userVerification: RequirementLevel;
  /** COSEAlgorithmIdentifiers that the options offer. */
  readonly algorithms: readonly number[];
  /** The options as they were sent, for event listeners. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Time at which the challenge was issued, in milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /**
   * The caller's address or owner. If the store has no room for more ceremonies, the client with the most ceremonies loses its oldest one.
   */
  readonly client: string;
}

/**
 * The state of a challenge, and its ceremony. Used and expired challenges are remembered until `challengeForgottenAt` (see
 * `kernel/challenge-life`).
 */
export type TakenCeremony = { readonly status: 'open' | 'used' | 'expired'; readonly ceremony: Ceremony } | { readonly status: 'unknown' };

/** The credential ID and the challenge that a response contains, and the time. */
export interface AnsweredChallenge {
  readonly challenge: Uint8Array;
  readonly credentialId: Uint8Array;
  /** Current time, in milliseconds since the epoch. */
  readonly now: number;
}

export interface TakenAuthentication {
  /** The passkey with that credential ID, even if it is revoked. The caller must check `revokedAt`. */
  readonly passkey: Passkey | undefined;
  /** The ceremony that was taken from the store. If there is no live passkey, its status is `unknown` and the challenge is not spent. */
  readonly taken: TakenCeremony;
}

/**
 * Stores ceremonies that have begun, in bounded memory: an adapter limits the number of ceremonies of all clients together. If there is no
 * room, the client with the most ceremonies loses its oldest one. If several processes share the ceremonies (in a database), one limit
 * covers all processes, and the adapter deletes ceremonies that need no longer be remembered.
 */
export interface CeremonyStore {
  saveCeremony(ceremony: Ceremony): Promise<void>;
  /**
   * Looks up the ceremony of a challenge and marks the challenge as spent, in one operation. Of two simultaneous calls, exactly one gets
   * `open`.
   */
  takeCeremony(challenge: Uint8Array, now: number): Promise<TakenCeremony>;
  /** Looks up the passkey of a response and, if the passkey is live, takes the ceremony. Both happen in one operation. */
  takeAuthentication(response: AnsweredChallenge): Promise<TakenAuthentication>;
  /**
   * Returns those of the given challenges that any process has already taken. Present only in a store whose ceremonies are shared by
   * several processes.
   */
  readonly spentChallenges?: (challenges: readonly Uint8Array[]) => Promise<readonly Uint8Array[]>;
}

/** Conditions that select passkeys. A passkey must meet all conditions that are given. */
export interface PasskeyFilter {
  readonly ids?: readonly number[];
  /** Lowest id of the passkeys; `lastId` is the highest. Both are included. */
  readonly firstId?: number;
  readonly lastId?: number;
  readonly owner?: OwnerRef;
  /** Type of the owner, such as `User`. */
  readonly type?: string;
  readonly rpId?: string;
  /** Text that the label must contain, in upper or lower case. */
  readonly label?: string;
  /** AAGUIDs that the passkey may have, in lower case. */
  readonly aaguids?: readonly string[];
  /** Whether to include revoked passkeys: `true` includes them, `only` excludes all others. Default false. */
  readonly revoked?: boolean | 'only';
  /** Selects passkeys that were revoked at or after this time, in milliseconds since the epoch. */
  readonly revokedSince?: number;
  /** Selects passkeys that were revoked before this time, in milliseconds since the epoch. */
  readonly revokedBefore?: number;
  /** Text that the reason for the revocation must contain, in upper or lower case. */
  readonly revokedReason?: string;
  /** Id of the bulk change that revoked the passkey. */
  readonly revokedChange?: string;
  /**
   * Selects passkeys that have not been used since this time (inclusive), in milliseconds since the epoch. For a passkey that was never
   * used, the time of its registration counts.
   */
  readonly unusedSince?: number;
  /** Selects passkeys that were registered before this time, in milliseconds since the epoch. */
  readonly createdBefore?: number;
  /** Whether the passkey was backed up when it was last used. */
  readonly backedUp?: boolean;
}

/** Keys by which passkeys can be sorted. `email` is the e-mail address of the owner. */
export type PasskeySortKey =
  | 'id'
  | 'label'
  | 'credentialId'
  | 'ownerId'
  | 'ownerType'
  | 'email'
  | 'rpId'
  | 'aaguid'
  | 'signCount'
  | 'backupState'
  | 'createdAt'
  | 'lastUsedAt'
  | 'revokedAt';

/** A filter for passkeys, with the order and range of the results. */
export interface PasskeyQuery extends PasskeyFilter {
  /**
   * Order of the results. Default: by id, ascending. Strings are compared by code point, but e-mail addresses regardless of case. Missing
   * values come last, in ascending and in descending order. Passkeys with equal values are in ascending order of id.
   */
  readonly sort?: { readonly by: PasskeySortKey; readonly descending?: boolean };
  /** Id of a passkey. Only the passkeys that follow it in the order are listed. The filter need not match that passkey itself. */
  readonly after?: number | undefined;
  /** Number of results to skip. Default 0. Skipping takes time for each result, so use `after` to continue a long list. */
  readonly offset?: number;
  /** Maximum number of results. */
  readonly limit?: number;
}

/** Statistics of the passkeys that a filter matches. */
export interface PasskeySummary {
  readonly passkeys: number;
  readonly backupEligible: number;
  readonly backedUp: number;
  /** Number of passkeys whose authenticator has verified the user at least once. */
  readonly uvInitialized: number;
  readonly neverUsed: number;
  /** Numbers of passkeys that have not been used since each of the given times, in the order of the times. */
  readonly unused: readonly number[];
  /** Number of stored users who own at least one of the passkeys. */
  readonly owners: number;
  readonly rpIds: Counts;
  readonly aaguids: Counts;
  readonly attestationFormats: Counts;
  /** Number of registrations in each month (UTC); the keys are months such as `2026-01`. */
  readonly registrations: Counts;
  readonly lastUses: Counts;
  /**
   * One sample public key for each kind of key, and the number of passkeys with that kind. One algorithm may have several kinds of keys.
   */
  readonly publicKeys: readonly { readonly publicKey: Uint8Array; readonly count: number }[];
}

export type Counts = ReadonlyMap<string, number>;

/** Changes that an accepted assertion makes to a credential record. */
export interface PasskeyUse {
  /** The stored signature counter with which the counter of the assertion was compared. */
  readonly expectedSignCount: number;
  readonly signCount: number;
  readonly backupState: boolean;
  readonly uvInitialized: boolean;
  readonly lastUsedAt: number;
}

/** The values that a store records after an accepted assertion. */
export interface Login {
  readonly passkeyId: number;
  readonly use: PasskeyUse;
  /** The token or session to open for the owner of the passkey. */
  readonly opens?: LoginAccess | undefined;
}

export type LoginOutcome =
  | {
      readonly status: 'recorded';
      /** The passkey after the update. */
      readonly passkey: Passkey;
      readonly opened: Access | undefined;
    }
  /** Nothing was recorded, because the record was changed in the meantime. `passkey` is the current record; undefined if it was deleted. */
  | { readonly status: 'changed'; readonly passkey: Passkey | undefined };

/** Result of a change to several passkeys, which changes all of them or none. */
export type PasskeysChange =
  | {
      readonly status: 'done';
      /** The passkeys after the change, in order of id. */
      readonly passkeys: readonly Passkey[];
      /** Ids of the passkeys that actually changed, each with the reason of its earlier revocation, if any. */
      readonly changed: ReadonlyMap<number, string | undefined>;
    }
  | { readonly status: 'missing'; readonly ids: readonly number[] };

export interface RestoreOptions extends BulkOptions {
  /** Whether to leave passkeys revoked if their owner has been removed, instead of refusing the whole change. Default false. */
  readonly skipRemovedOwners?: boolean | undefined;
}

/** Time and reason of a revocation, and the bulk change that it is part of. */
export interface Revocation {
  readonly at: number;
  readonly reason: string | undefined;
  /** Id of the bulk change. It is stored with each passkey that the change revokes. */
  readonly change?: string | undefined;
}

export interface PasskeyStore {
  /**
   * Stores a new passkey. `maxLive` limits the number of the owner's live passkeys, including the new one, even if several are inserted at
   * the same time.
   *
   * @throws PasskeyError `credential_already_registered` if a passkey, live or revoked, already has the credential ID; `too_many_passkeys`.
   */
  insertPasskey(passkey: NewPasskey, limit?: { readonly maxLive?: number }): Promise<Passkey>;
  findPasskey(id: number): Promise<Passkey | undefined>;
  /** Finds the passkey with a credential ID, even if it is revoked. The caller must check `revokedAt`. */
  findPasskeyByCredentialId(credentialId: Uint8Array): Promise<Passkey | undefined>;
  listPasskeys(query?: PasskeyQuery): Promise<Passkey[]>;
  /** Lists the ids of the passkeys that `listPasskeys` would return, in the same order. The caller can then read a long list in parts. */
  listPasskeyIds(query?: PasskeyQuery): Promise<number[]>;
  countPasskeys(filter?: PasskeyFilter): Promise<number>;
  /**
   * Computes statistics of the passkeys that match a filter.
   *
   * @param unusedSince times as in the filter. For each, `unused` in the result counts the passkeys that have not been used since.
   */
  summarizePasskeys(filter: PasskeyFilter, unusedSince: readonly number[]): Promise<PasskeySummary>;
  /**
   * Records the use of a passkey and opens the token or session of the login, either both or neither. If the passkey is not live or its
   * signature counter is no longer `expectedSignCount`, changes nothing and returns `changed`.
   *
   * @throws PasskeyError `passkey_not_found` if the owner of the token or session does not exist.
   */
  recordLogin(login: Login): Promise<LoginOutcome>;
  recordCounterRegression(id: number, at: number): Promise<void>;
  renamePasskey(id: number, label: string): Promise<Passkey | undefined>;
  /**
   * Revokes passkeys and, in the same change, ends every session and token that they opened. Passkeys that are already revoked do not
   * change.
   *
   * @throws the abort reason of `signal` if it is aborted; then nothing is changed.
   */
  revokePasskeys(ids: readonly number[], revocation: BulkOptions & Revocation): Promise<PasskeysChange>;
  /**
   * Restores revoked passkeys. Sessions and tokens that have ended stay ended; passkeys that are not revoked do not change.
   *
   * @throws PasskeyError `passkey_not_restorable` if the owner of a passkey has been removed; the abort reason of `signal` if it is
   * aborted.
   */
  restorePasskeys(ids: readonly number[], options?: RestoreOptions): Promise<PasskeysChange>;
  /**
   * Deletes revoked passkeys, and tokens and sessions that have ended, permanently. Their ids are never used again, but the credential IDs
   * can be registered anew. Tokens and sessions that no longer exist are skipped.
   *
   * @throws the abort reason of `signal` if it is aborted; then nothing is changed.
   */
  purge(what: Purge, change: BulkOptions & { readonly endedBefore: number }): Promise<PurgeOutcome>;
}

/** Ids of the passkeys, tokens and sessions to delete permanently. */
export interface Purge {
  readonly passkeys: readonly number[];
  /** Ids of tokens and sessions. */
  readonly accesses: readonly number[];
}

export interface Purged {
  /** The deleted passkeys as they were before. */
  readonly passkeys: readonly Passkey[];
  /** Ids of the deleted tokens and sessions. */
  readonly accesses: readonly number[];
}

/**
 * Result of deleting rows permanently: either all were deleted or none. `kept` lists the ids that prevent the deletion, because they do not
 * exist, are live, or had not ended in time.
 */
export type PurgeOutcome = ({ readonly status: 'done' } & Purged) | ({ readonly status: 'kept' } & Purge);
