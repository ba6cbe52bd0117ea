import type { Access, LoginAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { CeremonyKind, RequirementLevel } from '../webauthn/enumerations.js';
import type { NewPasskey, Passkey } from './credential-record.js';

/** A registration or authentication that was begun: everything that its response is checked against. */
export interface Ceremony {
  readonly kind: CeremonyKind;
  readonly challenge: Uint8Array;
  readonly rpId: string;
  /** Accepted origins; the client data must name one of them. */
  readonly origins: readonly string[];
  readonly topOrigins: readonly string[];
  /** Registration: the owner for whom the ceremony was begun. */
  readonly owner: OwnerRef | undefined;
  /** Registration: the user handle in the options. */
  readonly userHandle: Uint8Array | undefined;
  /** Registration: `rp.name` in the options. */
  readonly rpName: string | undefined;
  /**
   * Registration: `conditional` if the page calls `create()` with this `mediation`, which does not prompt the user and may leave UP unset.
   */
  readonly mediation?: 'conditional' | undefined;
  /** Authentication: the requested credential; undefined for a discoverable credential. */
  readonly credentialId: Uint8Array | undefined;
  readonly userVerification: RequirementLevel;
  /** COSEAlgorithmIdentifiers that the options offer. */
  readonly algorithms: readonly number[];
  /** The options as sent, for listeners. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Time at which the challenge was issued, in milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The caller's address or owner. When ceremonies run out of room, the client with the most loses its oldest. */
  readonly client: string;
}

/**
 * The state of a challenge and its ceremony. Used and expired ones are remembered until `challengeForgottenAt` (`kernel/challenge-life`).
 */
export type TakenCeremony = { readonly status: 'open' | 'used' | 'expired'; readonly ceremony: Ceremony } | { readonly status: 'unknown' };

/** The credential ID and the challenge in a response. */
export interface AnsweredChallenge {
  readonly challenge: Uint8Array;
  readonly credentialId: Uint8Array;
  /** Current time, in milliseconds since the epoch. */
  readonly now: number;
}

export interface TakenAuthentication {
  /** The passkey of the credential, even if revoked: the caller checks `revokedAt`. */
  readonly passkey: Passkey | undefined;
  /** The ceremony that was taken. If the passkey is not live, its status is `unknown` and the challenge is not spent. */
  readonly taken: TakenCeremony;
}

/**
 * Stores ceremonies that were begun, in bounded memory: an adapter limits their number over all clients together. When room runs out, the
 * client with the most ceremonies loses its oldest. If several processes share the ceremonies (in a database), one limit covers them all,
 * and the adapter removes those that need no longer be remembered.
 */
export interface CeremonyStore {
  saveCeremony(ceremony: Ceremony): Promise<void>;
  /** Looks up a ceremony and marks its challenge as spent in one step: of two racing calls, exactly one sees `open`. */
  takeCeremony(challenge: Uint8Array, now: number): Promise<TakenCeremony>;
  /** Looks up the passkey of a response and, if it is live, takes the ceremony, in one operation. */
  takeAuthentication(response: AnsweredChallenge): Promise<TakenAuthentication>;
  /** Returns those challenges that any process has taken. Only for a store whose ceremonies several processes share. */
  readonly spentChallenges?: (challenges: readonly Uint8Array[]) => Promise<readonly Uint8Array[]>;
}

/** Conditions on passkeys; a passkey must meet all that are given. */
export interface PasskeyFilter {
  readonly ids?: readonly number[];
  /** Lowest id; `lastId` is the highest. Both are included. */
  readonly firstId?: number;
  readonly lastId?: number;
  readonly owner?: OwnerRef;
  /** Type of the owner, such as `User`. */
  readonly type?: string;
  readonly rpId?: string;
  /** Text that the label contains, in any case. */
  readonly label?: string;
  /** Accepted AAGUIDs, in lower case. */
  readonly aaguids?: readonly string[];
  /** `true` includes revoked passkeys, `only` lists nothing else. Default false: only live passkeys. */
  readonly revoked?: boolean | 'only';
  /** Matches passkeys revoked at or after this time, in milliseconds since the epoch. */
  readonly revokedSince?: number;
  /** Revoked before this time. Milliseconds since the epoch. */
  readonly revokedBefore?: number;
  /** Text that the reason of the revocation contains, in any case. */
  readonly revokedReason?: string;
  /** Id of the bulk change that revoked the passkey. */
  readonly revokedChange?: string;
  /**
   * Matches passkeys not used at or after this time, in milliseconds since the epoch. A passkey that was never used counts from its
   * registration.
   */
  readonly unusedSince?: number;
  /** Matches passkeys registered before this time, in milliseconds since the epoch. */
  readonly createdBefore?: number;
  /** Backup state at the last use of the passkey. */
  readonly backedUp?: boolean;
}

/** Sort keys of passkeys. `email` is the e-mail address of the owner. */
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

/** A filter, with the page and order of its results. */
export interface PasskeyQuery extends PasskeyFilter {
  /**
   * Order of the results. Default: by id, ascending. Strings are compared by code point, e-mail addresses regardless of case. Missing
   * values come last in both directions; equal values are in ascending order of id.
   */
  readonly sort?: { readonly by: PasskeySortKey; readonly descending?: boolean };
  /** Id of a passkey: only results after it in the order are listed, even if the filter does not match that passkey itself. */
  readonly after?: number | undefined;
  /** Number of results to skip. Default 0. Each takes time, so continue a long list with `after`. */
  readonly offset?: number;
  /** Maximum number of results. */
  readonly limit?: number;
}

/** Statistics of the passkeys that a filter matches. */
export interface PasskeySummary {
  readonly passkeys: number;
  readonly backupEligible: number;
  readonly backedUp: number;
  /** Number of passkeys that have verified their user. */
  readonly uvInitialized: number;
  readonly neverUsed: number;
  /** Numbers of passkeys not used since each of the given times, in their order. */
  readonly unused: readonly number[];
  /** Number of stored users who own at least one of the passkeys. */
  readonly owners: number;
  readonly rpIds: Counts;
  readonly aaguids: Counts;
  readonly attestationFormats: Counts;
  /** Number of registrations by month in UTC: `2026-01`. */
  readonly registrations: Counts;
  readonly lastUses: Counts;
  /** One sample public key for each kind of key, with the number of passkeys. Keys of one algorithm may be of different kinds. */
  readonly publicKeys: readonly { readonly publicKey: Uint8Array; readonly count: number }[];
}

export type Counts = ReadonlyMap<string, number>;

/** Changes to the credential record after an accepted assertion. */
export interface PasskeyUse {
  /** The stored sign count with which the assertion was compared. */
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
  /** Nothing was recorded, because the record has changed. `passkey` is the current record; undefined if it was deleted. */
  | { readonly status: 'changed'; readonly passkey: Passkey | undefined };

/** Result of a change to several passkeys: either all were changed, or none. */
export type PasskeysChange =
  | {
      readonly status: 'done';
      /** The passkeys after the change, in order of id. */
      readonly passkeys: readonly Passkey[];
      /** Ids of the passkeys that changed, each with the reason of its earlier revocation. */
      readonly changed: ReadonlyMap<number, string | undefined>;
    }
  | { readonly status: 'missing'; readonly ids: readonly number[] };

export interface RestoreOptions extends BulkOptions {
  /** Keeps passkeys revoked whose owner has been removed, instead of refusing the whole change. Default false. */
  readonly skipRemovedOwners?: boolean | undefined;
}

/** Time, reason and bulk change of a revocation. */
export interface Revocation {
  readonly at: number;
  readonly reason: string | undefined;
  /** Id of the bulk change; stored with each passkey that it revokes. */
  readonly change?: string | undefined;
}

export interface PasskeyStore {
  /**
   * Stores a new passkey. `maxLive` limits the owner's live passkeys, including this one, even for simultaneous insertions.
   *
   * @throws PasskeyError `credential_already_registered` when the credential ID is known, revoked ones included · `too_many_passkeys`
   */
  insertPasskey(passkey: NewPasskey, limit?: { readonly maxLive?: number }): Promise<Passkey>;
  findPasskey(id: number): Promise<Passkey | undefined>;
  /** Finds the passkey of a credential ID, even if revoked: the caller checks `revokedAt`. */
  findPasskeyByCredentialId(credentialId: Uint8Array): Promise<Passkey | undefined>;
  listPasskeys(query?: PasskeyQuery): Promise<Passkey[]>;
  /** Lists the ids of the passkeys that `listPasskeys` would return, in its order, so that the caller can read a long list in parts. */
  listPasskeyIds(query?: PasskeyQuery): Promise<number[]>;
  countPasskeys(filter?: PasskeyFilter): Promise<number>;
  /**
   * Counts the passkeys that match a filter.
   *
   * @param unusedSince times as in the filter; `unused` counts the passkeys not used since each of them.
   */
  summarizePasskeys(filter: PasskeyFilter, unusedSince: readonly number[]): Promise<PasskeySummary>;
  /**
   * Records the use of a passkey and opens the token or session of the login, both or neither. Does nothing and returns `changed` if the
   * passkey is not live or its sign count is no longer `expectedSignCount`.
   *
   * @throws PasskeyError `passkey_not_found` when the owner of the access does not exist.
   */
  recordLogin(login: Login): Promise<LoginOutcome>;
  recordCounterRegression(id: number, at: number): Promise<void>;
  renamePasskey(id: number, label: string): Promise<Passkey | undefined>;
  /**
   * Revokes passkeys, and ends every session and token that they opened, in the same change. Passkeys revoked before do not change.
   *
   * @throws the reason of `signal`; then nothing is changed.
   */
  revokePasskeys(ids: readonly number[], revocation: BulkOptions & Revocation): Promise<PasskeysChange>;
  /**
   * Restores revoked passkeys. Ended sessions and tokens stay ended; live passkeys do not change.
   *
   * @throws PasskeyError `passkey_not_restorable` if the owner of one has been removed; the reason of `signal` as above.
   */
  restorePasskeys(ids: readonly number[], options?: RestoreOptions): Promise<PasskeysChange>;
  /**
   * Deletes revoked passkeys, and tokens and sessions that have ended, for good. Their ids are never used again; the credential IDs may be
   * registered anew. Tokens and sessions that no longer exist are skipped.
   *
   * @throws the reason of `signal`; then nothing is changed.
   */
  purge(what: Purge, change: BulkOptions & { readonly endedBefore: number }): Promise<PurgeOutcome>;
}

/** Ids of the passkeys, tokens and sessions to delete for good. */
export interface Purge {
  readonly passkeys: readonly number[];
  /** Ids of tokens and sessions. */
  readonly accesses: readonly number[];
}

export interface Purged {
  /** The deleted passkeys as they were. */
  readonly passkeys: readonly Passkey[];
  /** Ids of the deleted tokens and sessions. */
  readonly accesses: readonly number[];
}

/** Result of a purge: everything was deleted, or nothing. `kept` lists the ids that no longer exist, are live, or had not ended in time. */
export type PurgeOutcome = ({ readonly status: 'done' } & Purged) | ({ readonly status: 'kept' } & Purge);
