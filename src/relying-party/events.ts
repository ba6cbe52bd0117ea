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
  /**
   * The default options of a ceremony by the relying party's policy, without members such as the challenge that differ for each ceremony.
   */
  readonly standing: Readonly<Record<string, unknown>>;
}

export interface CeremonyFinished extends Stamped {
  readonly type: 'ceremony-finished';
  readonly kind: CeremonyKind;
  readonly outcome: 'verified' | 'rejected';
  /** The ceremony for which the challenge was issued; undefined if there is none. */
  readonly ceremony: Ceremony | undefined;
  /** State of the challenge in the client data; undefined if the ceremony ended before the challenge was checked. */
  readonly challenge: ChallengeState | undefined;
  /** For a registration: whether the credential ID was already registered; undefined if the ceremony ended before that check. */
  readonly credentialKnown: boolean | undefined;
  /** The response as the client sent it: the JSON dictionary that the standard defines. */
  readonly response: Readonly<Record<string, unknown>>;
  /** For a registration: the new passkey. For an authentication: the passkey as it was before the assertion. */
  readonly passkey: Passkey | undefined;
  /** For a registration: owner of the passkey, even if the registration was refused. */
  readonly owner: OwnerRef | undefined;
  readonly error: PasskeyError | undefined;
  /**
   * Whose verdict decided the ceremony: that of the steps, of the verification library, or of both. Undefined if the ceremony ended before
   * the steps ran.
   */
  readonly decidedBy: 'steps' | 'library' | 'both' | undefined;
  /** Why the verification library disagrees with the steps; undefined if it agrees or was not called. */
  readonly difference: string | undefined;
  readonly policy: Policy;
  /**
   * For a registration: number of bytes of `clientExtensionResults` that were dropped, because there were too many or because they contain
   * text that some stores cannot keep. No results are stored in that case.
   */
  readonly droppedExtensionBytes?: number;
}

export interface PasskeyChanged extends Stamped {
  /** Kind of change. `passkey-purged`: a revoked passkey was deleted permanently. */
  readonly type: 'passkey-renamed' | 'passkey-revoked' | 'passkey-restored' | 'passkey-purged';
  /** The passkey after the change. A purged passkey is as it was before. */
  readonly passkey: Passkey;
  /** The reason that the caller gave for the change. */
  readonly reason?: string | undefined;
  /** For a restored passkey: the reason for which it had been revoked. */
  readonly revokedReason?: string | undefined;
}

export type RelyingPartyEvent = CeremonyBegun | CeremonyFinished | PasskeyChanged;

/** A listener for events of the relying party. Its return value is ignored, and an exception in it changes no outcome. */
export type RelyingPartyListener = (event: RelyingPartyEvent) => void;
