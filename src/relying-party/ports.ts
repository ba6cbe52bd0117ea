import type { Access, LoginAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { CeremonyKind, RequirementLevel } from '../webauthn/enumerations.js';
import type { NewPasskey, Passkey } from './credential-record.js';

/** One begun registration or authentication: everything that its end is checked against. Stored and taken back whole. */
export interface Ceremony {
  readonly kind: CeremonyKind;
  readonly challenge: Uint8Array;
  readonly rpId: string;
  /** Origins, of which the client data must name one. */
  readonly origins: readonly string[];
  readonly topOrigins: readonly string[];
  /** Registration: the owner it was begun for. */
  readonly owner: OwnerRef | undefined;
  /** Registration: the user handle given in the options. */
  readonly userHandle: Uint8Array | undefined;
  /** Registration: `rp.name`. */
  readonly rpName: string | undefined;
  /** Registration: `conditional` if the page calls `create()` that way, which asks no user and may leave UP unset. */
  readonly mediation?: 'conditional' | undefined;
  /** Authentication: the credential that was asked for; undefined for a discoverable credential. */
  readonly credentialId: Uint8Array | undefined;
  readonly userVerification: RequirementLevel;
  /** COSEAlgorithmIdentifiers offered. */
  readonly algorithms: readonly number[];
  /** The options as sent, for listeners. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Who asked (an address or an owner): when room runs out, the oldest of one client go first. */
  readonly client: string;
}

/** Fate of a challenge. Spent and expired ones are remembered until `challengeForgottenAt` (`kernel/challenge-life`). */
export type TakenCeremony = { readonly status: 'open' | 'used' | 'expired'; readonly ceremony: Ceremony } | { readonly status: 'unknown' };

/** The credential that a response names, and the challenge that it answers. */
export interface AnsweredChallenge {
  readonly challenge: Uint8Array;
  readonly credentialId: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface TakenAuthentication {
  /** Revoked ones included; the caller looks at `revokedAt`. */
  readonly passkey: Passkey | undefined;
  /** The taken ceremony. If the passkey is not live, `unknown`, and nothing is spent. */
  readonly taken: TakenCeremony;
}

/**
 * Begun ceremonies, in bounded memory: an adapter bounds their number, over all clients together. When room runs out, the client with the
 * most ceremonies loses its oldest first, not every client. An adapter whose ceremonies several processes share (a database) has one bound
 * for all of them, and removes those that need no longer be remembered.
 */
export interface CeremonyStore {
  saveCeremony(ceremony: Ceremony): Promise<void>;
  /** Looks up and marks as spent in one step: of two racing calls exactly one sees `open`. */
  takeCeremony(challenge: Uint8Array, now: number): Promise<TakenCeremony>;
  /** Looks up the passkey of a response and, if it is live, takes the ceremony, in one operation. */
  takeAuthentication(response: AnsweredChallenge): Promise<TakenAuthentication>;
  /** The challenges that were taken, by any process. Only for a store whose ceremonies several processes share. */
  readonly spentChallenges?: (challenges: readonly Uint8Array[]) => Promise<readonly Uint8Array[]>;
}

/** Passkeys that match every given condition. */
export interface PasskeyFilter {
  readonly ids?: readonly number[];
  /** Lowest and highest id. */
  readonly firstId?: number;
  readonly lastId?: number;
  readonly owner?: OwnerRef;
  /** Type of the owner. */
  readonly type?: string;
  readonly rpId?: string;
  /** Contained in the label, in any case. */
  readonly label?: string;
  /** One of these, in lower case. */
  readonly aaguids?: readonly string[];
  /** Default false: only live passkeys. */
  readonly revoked?: boolean | 'only';
  /** Revoked at or after this time. Milliseconds since the epoch. */
  readonly revokedSince?: number;
  /** Contained in the reason of the revocation, in any case. */
  readonly revokedReason?: string;
  /** Revoked by the bulk change with this id. */
  readonly revokedChange?: string;
  /** Not used at or after this time; one that was never used counts from its registration. Milliseconds since the epoch. */
  readonly unusedSince?: number;
  /** Milliseconds since the epoch. */
  readonly createdBefore?: number;
  /** The backup state of its last use. */
  readonly backedUp?: boolean;
}

/** Sort keys of passkeys. `email` is that of the owner. */
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

/** A filter, and the page and order of its results. */
export interface PasskeyQuery extends PasskeyFilter {
  /**
   * Default: by id, ascending. Texts by code point, e-mails without case. Missing values come last either way; equal values are in
   * ascending order of id.
   */
  readonly sort?: { readonly by: PasskeySortKey; readonly descending?: boolean };
  /** Only what comes behind the passkey with this id, whether or not that one is found. */
  readonly after?: number | undefined;
  /** How many of the first to leave out. Default 0. It takes time for each: go on with `after`. */
  readonly offset?: number;
  /** Maximum number. */
  readonly limit?: number;
}

/** Counts of passkeys that a filter finds. */
export interface PasskeySummary {
  readonly passkeys: number;
  readonly backupEligible: number;
  readonly backedUp: number;
  /** Those that have verified their user. */
  readonly uvInitialized: number;
  readonly neverUsed: number;
  /** Not used since each of the times, in their order. */
  readonly unused: readonly number[];
  /** Users who are stored and own one of them. */
  readonly owners: number;
  readonly rpIds: Counts;
  readonly aaguids: Counts;
  readonly attestationFormats: Counts;
  /** By month in UTC: `2026-01`. */
  readonly registrations: Counts;
  readonly lastUses: Counts;
  /** A public key of each kind; kinds of one algorithm may differ. */
  readonly publicKeys: readonly { readonly publicKey: Uint8Array; readonly count: number }[];
}

export type Counts = ReadonlyMap<string, number>;

/** Change of the credential record after an accepted assertion. */
export interface PasskeyUse {
  /** The sign count that the assertion was judged against. */
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
  /** The token or session that the assertion opens for the owner of the passkey. */
  readonly opens?: LoginAccess | undefined;
}

export type LoginOutcome =
  | {
      readonly status: 'recorded';
      /** After the use. */
      readonly passkey: Passkey;
      readonly opened: Access | undefined;
    }
  /** Nothing was recorded: `passkey` is the current record, undefined if it is gone. */
  | { readonly status: 'changed'; readonly passkey: Passkey | undefined };

/** Result of a change of many passkeys at once: all were changed, or none. */
export type PasskeysChange =
  | {
      readonly status: 'done';
      /** As they are now, in order of id. */
      readonly passkeys: readonly Passkey[];
      /** The changed ids, with the reason for which each passkey had been revoked before. */
      readonly changed: ReadonlyMap<number, string | undefined>;
    }
  | { readonly status: 'missing'; readonly ids: readonly number[] };

export interface RestoreOptions extends BulkOptions {
  /** Leave passkeys whose owner has been removed revoked, instead of refusing all. Default false. */
  readonly skipRemovedOwners?: boolean | undefined;
}

/** When and why passkeys are revoked. */
export interface Revocation {
  readonly at: number;
  readonly reason: string | undefined;
  /** Id of the bulk change; kept with each passkey that it revokes. */
  readonly change?: string | undefined;
}

export interface PasskeyStore {
  /**
   * `maxLive` limits the live passkeys of the owner, including this one, even for simultaneous insertions.
   *
   * @throws PasskeyError `credential_already_registered` when the credential ID is known, revoked ones included · `too_many_passkeys`
   */
  insertPasskey(passkey: NewPasskey, limit?: { readonly maxLive?: number }): Promise<Passkey>;
  findPasskey(id: number): Promise<Passkey | undefined>;
  /** Revoked ones included; the caller looks at `revokedAt`. */
  findPasskeyByCredentialId(credentialId: Uint8Array): Promise<Passkey | undefined>;
  listPasskeys(query?: PasskeyQuery): Promise<Passkey[]>;
  /** The ids of what `listPasskeys` lists, in its order: a long list is read by them, some passkeys at a time. */
  listPasskeyIds(query?: PasskeyQuery): Promise<number[]>;
  countPasskeys(filter?: PasskeyFilter): Promise<number>;
  /** @param unusedSince times as of the filter; the answer counts those that were not used since each. */
  summarizePasskeys(filter: PasskeyFilter, unusedSince: readonly number[]): Promise<PasskeySummary>;
  /**
   * Records the use of a passkey and opens what the login opens, both or neither, if the passkey is live and its sign count is still
   * `expectedSignCount`; otherwise answers `changed`.
   *
   * @throws PasskeyError `passkey_not_found` when the owner of the access does not exist.
   */
  recordLogin(login: Login): Promise<LoginOutcome>;
  recordCounterRegression(id: number, at: number): Promise<void>;
  renamePasskey(id: number, label: string): Promise<Passkey | undefined>;
  /**
   * Also ends every session and token that the passkeys opened, in the same change. Passkeys revoked before stay as they are.
   *
   * @throws the reason of `signal`; then nothing is changed.
   */
  revokePasskeys(ids: readonly number[], revocation: BulkOptions & Revocation): Promise<PasskeysChange>;
  /**
   * Ended sessions and tokens stay ended. Live passkeys stay as they are.
   *
   * @throws PasskeyError `passkey_not_restorable` if the owner of one has been removed; the reason of `signal` as above.
   */
  restorePasskeys(ids: readonly number[], options?: RestoreOptions): Promise<PasskeysChange>;
  /**
   * Deletes revoked passkeys, and tokens and sessions that have ended, for good. Their ids are never used again; the credential IDs may be
   * registered anew. Accesses that no longer exist are skipped.
   *
   * @throws the reason of `signal`; then nothing is changed.
   */
  purge(what: Purge, change: BulkOptions & { readonly endedBefore: number }): Promise<PurgeOutcome>;
}

/** Passkeys to delete for good, by id. */
export interface Purge {
  readonly passkeys: readonly number[];
  /** Tokens and sessions. */
  readonly accesses: readonly number[];
}

export interface Purged {
  /** As they were. */
  readonly passkeys: readonly Passkey[];
  /** Ids of the tokens and sessions that were there. */
  readonly accesses: readonly number[];
}

/** Everything was deleted, or nothing: `kept` are those that no longer exist, are live, or had not ended by then. */
export type PurgeOutcome = ({ readonly status: 'done' } & Purged) | ({ readonly status: 'kept' } & Purge);
