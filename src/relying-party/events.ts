import type { PasskeyError } from '../errors.js';
import type { Stamped } from '../kernel/events.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { Passkey } from './credential-record.js';
import type { Policy } from './policy.js';
import type { Ceremony } from './ports.js';
import type { ChallengeState } from './steps/context.js';

export interface CeremonyBegun extends Stamped {
  readonly type: 'ceremony-begun';
  readonly ceremony: Ceremony;
  /** Options of the relying party's own policy, without those that bind the ceremony: the default options of a ceremony. */
  readonly standing: Readonly<Record<string, unknown>>;
}

export interface CeremonyFinished extends Stamped {
  readonly type: 'ceremony-finished';
  readonly kind: CeremonyKind;
  readonly outcome: 'verified' | 'rejected';
  /** Undefined when the challenge named none. */
  readonly ceremony: Ceremony | undefined;
  /** State of the challenge in the client data; undefined if it was never checked. */
  readonly challenge: ChallengeState | undefined;
  /** Registration: whether the credential ID was registered already; undefined if the ceremony ended before that check. */
  readonly credentialKnown: boolean | undefined;
  /** The response as it came: the standard's JSON dictionary. */
  readonly response: Readonly<Record<string, unknown>>;
  /** Registration: the new passkey. Authentication: the passkey before the assertion. */
  readonly passkey: Passkey | undefined;
  /** Registration: whose it is or would be. */
  readonly owner: OwnerRef | undefined;
  readonly error: PasskeyError | undefined;
  /** The source of the decisive finding: our steps, the verification library, or both; undefined if the ceremony ended before the steps. */
  readonly decidedBy: 'steps' | 'library' | 'both' | undefined;
  /** Why the library disagrees with the steps; undefined if it agrees, or was not asked. */
  readonly difference: string | undefined;
  readonly policy: Policy;
  /**
   * Registration: bytes of `clientExtensionResults` that were dropped, as they were too many, or not every store can keep them; then none
   * of the results are kept.
   */
  readonly droppedExtensionBytes?: number;
}

export interface PasskeyChanged extends Stamped {
  /** `purged`: a revoked passkey was removed for good. */
  readonly type: 'passkey-renamed' | 'passkey-revoked' | 'passkey-restored' | 'passkey-purged';
  /** After the change; a purged passkey as it was. */
  readonly passkey: Passkey;
  /** The reason that was given for the change. */
  readonly reason?: string | undefined;
  /** Why a restored one had been revoked. */
  readonly revokedReason?: string | undefined;
}

export type RelyingPartyEvent = CeremonyBegun | CeremonyFinished | PasskeyChanged;

/** A listener; whatever it throws or returns changes no outcome. */
export type RelyingPartyListener = (event: RelyingPartyEvent) => void;
