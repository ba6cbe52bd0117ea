import type { UserVerificationRequirement } from '../../relying-party/policy.js';
import type { ChallengeState } from '../../relying-party/steps/context.js';
import type { JsonObject } from '../../webauthn/json-value.js';

/** What is known of a ceremony. What is undefined was not given: the steps that need it are skipped. */
export interface KnownCeremony {
  readonly rpId: string | undefined;
  readonly origins: readonly string[] | undefined;
  readonly challenge: Extract<ChallengeState, { readonly challenge: Uint8Array }> | undefined;
  /** Empty: a cross-origin iframe is not expected. */
  readonly topOrigins: readonly string[];
  readonly userVerification: UserVerificationRequirement;
  /** The options that were sent, for advice only. */
  readonly options: JsonObject | undefined;
  /** Milliseconds since the epoch: certificates are judged as of then. */
  readonly at: number;
}

export interface KnownRegistration extends KnownCeremony {
  /** COSEAlgorithmIdentifiers offered; undefined: every one that is known. */
  readonly algorithms: readonly number[] | undefined;
  /** PEM or DER; empty: trust is not assessed. */
  readonly attestationRoots: readonly (string | Uint8Array)[];
  readonly credentialKnown: boolean | undefined;
}

/** The credential record as far as it is known. */
export interface KnownCredential {
  /** COSE_Key. */
  readonly publicKey: Uint8Array | undefined;
  readonly signCount: number | undefined;
  readonly backupEligible: boolean | undefined;
  readonly backupState: boolean | undefined;
  readonly userHandle: Uint8Array | undefined;
}

export interface KnownAuthentication extends KnownCeremony {
  /** `unregistered`: there is no such credential, or not any more. */
  readonly credential: KnownCredential | 'unregistered' | undefined;
  /** Credential IDs; empty: the user was not identified before. */
  readonly allowCredentials: readonly Uint8Array[];
}
