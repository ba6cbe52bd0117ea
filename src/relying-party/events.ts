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
  /** The default options of a ceremony, from the relying party's policy, without the members that are specific to one ceremony. */
  readonly standing: Readonly<Record<string, unknown>>;
}

export interface CeremonyFinished extends Stamped {
  readonly type: 'ceremony-finished';
  readonly kind: CeremonyKind;
  readonly outcome: 'verified' | 'rejected';
  /** The ceremony that the challenge identifies; undefined if there is none. */
  readonly ceremony: Ceremony | undefined;
  /** State of the challenge in the client data; undefined if it was never checked. */
  readonly challenge: ChallengeState | undefined;
  /** Registration: whether the credential ID was already registered; undefined if the ceremony ended before that check. */
  readonly credentialKnown: boolean | undefined;
  /** The response as received: the standard's JSON dictionary. */
  readonly response: Readonly<Record<string, unknown>>;
  /** Registration: the new passkey. Authentication: the passkey before the assertion. */
  readonly passkey: Passkey | undefined;
  /** Registration: owner of the passkey, even if the registration was refused. */
  readonly owner: OwnerRef | undefined;
  readonly error: PasskeyError | undefined;
  /** The source of the decisive finding: our steps, the verification library, or both; undefined if the ceremony ended before the steps. */
  readonly decidedBy: 'steps' | 'library' | 'both' | undefined;
  /** Why the library disagrees with the steps; undefined if it agrees, or was not called. */
  readonly difference: string | undefined;
  readonly policy: Policy;
  /**
   * Registration: number of bytes of `clientExtensionResults` that were dropped because they were too many, or contained text that some
   * stores cannot keep. Then none of the results are stored.
   */
  readonly droppedExtensionBytes?: number;
}

export interface PasskeyChanged extends Stamped {
  /** `purged`: a revoked passkey was removed for good. */
  readonly type: 'passkey-renamed' | 'passkey-revoked' | 'passkey-restored' | 'passkey-purged';
  /** The passkey after the change; a purged passkey as it was before. */
  readonly passkey: Passkey;
  /** The reason that the caller gave for the change. */
  readonly reason?: string | undefined;
  /** For a restored passkey: the reason of its earlier revocation. */
  readonly revokedReason?: string | undefined;
}

export type RelyingPartyEvent = CeremonyBegun | CeremonyFinished | PasskeyChanged;

/** A listener. Its return value is ignored, and an exception changes no outcome. */
export type RelyingPartyListener = (event: RelyingPartyEvent) => void;
