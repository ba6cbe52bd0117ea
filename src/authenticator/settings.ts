import type { SigningAlgorithm } from './algorithms.js';
import type { AttestationFormat } from './attestation/format.js';
import type { CredentialSource } from './credential-source.js';
import type { CredentialSourceStore } from './credential-store.js';
import type { ExtensionId } from './extensions.js';
import type { KeyPairSource, RandomSource } from './key-pair.js';
import type { AuthenticatorInfo, DiscoverableCredential } from './ports.js';
import type { SignCounter } from './sign-counter.js';
import type { UserVerifier } from './user-verifier.js';

/** Picks the account to use when several fit; undefined when the user closes the dialog. Candidates come newest first. */
export type AccountChooser = (
  candidates: readonly [DiscoverableCredential, ...DiscoverableCredential[]],
) => DiscoverableCredential | undefined | Promise<DiscoverableCredential | undefined>;

/** Everything that the two operations need: the options of `createAuthenticator` with their defaults filled in. */
export interface AuthenticatorSettings {
  readonly aaguid: Uint8Array;
  readonly algorithms: readonly SigningAlgorithm[];
  /** Most preferred first, never empty. */
  readonly attestation: readonly [AttestationFormat, ...AttestationFormat[]];
  readonly attachment: AuthenticatorInfo['attachment'];
  readonly transports: readonly string[];
  readonly residentKey: boolean;
  readonly alwaysDiscoverable: boolean;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  readonly credentialIdLength: number;
  readonly extensions: readonly ExtensionId[];
  readonly counter: SignCounter;
  readonly random: RandomSource;
  readonly newPrivateKey: KeyPairSource;
  readonly userVerifier: UserVerifier;
  readonly chooseAccount: AccountChooser;
  readonly store: CredentialSourceStore;
}

export function toDiscoverable({ id, rpId, user }: CredentialSource): DiscoverableCredential {
  return { id, rpId, userHandle: user.id, name: user.name, displayName: user.displayName };
}
