import type { AuthenticatorFlags } from '../webauthn/authenticator-data.js';
import type { AuthenticatorAttachment } from '../webauthn/enumerations.js';
import type { SigningAlgorithm } from './algorithms.js';
import type { AttestationAuthority } from './attestation/authority.js';
import type { AttestationFormat } from './attestation/format.js';
import type { AttestationChoice } from './attestation/named-formats.js';
import type { EnterpriseAttestation } from './attestation/packed.js';
import type { CredentialSource } from './credential-source.js';
import type { CredentialSourceStore } from './credential-store.js';
import type { ExtensionId, ExtensionSettings } from './extensions.js';
import type { SourceOptions, Sources } from './operation-sources.js';
import type { AuthenticatorInfo, DiscoverableCredential, PinUvAuthProtocolId } from './ports.js';
import type { SignCounter, SignCounting } from './sign-counter.js';
import type { SignalledFate } from './signals.js';
import type { UserVerifier } from './user-verifier.js';

/** Picks the account to use when several fit; undefined when the user closes the dialog. Candidates come newest first. */
export type AccountChooser = (
  candidates: readonly [DiscoverableCredential, ...DiscoverableCredential[]],
) => DiscoverableCredential | undefined | Promise<DiscoverableCredential | undefined>;

/** Takes the newest account without asking, so that no other is read. */
export const chooseNewest: AccountChooser = ([newest]) => newest;

/** The flags of authenticator data that an authenticator sets (§6.1). */
export type CeremonyFlags = Pick<AuthenticatorFlags, 'up' | 'uv' | 'be' | 'bs'>;

/** Changes the flags of one ceremony before they are signed. */
export type FlagChange = (
  flags: CeremonyFlags,
  ceremony: { readonly operation: 'create' | 'get'; readonly rpId: string; readonly credentialId: Uint8Array },
) => CeremonyFlags;

/** `empty` breaks the standard but occurs: zero bytes instead of none. `given` is that of the credential. */
export type ServerSideUserHandle = 'absent' | 'empty' | 'given';

/** Traits of an authenticator. No combination violates the standard, but for what `flags`, `signCount` and an empty `serverSideUserHandle` do. */
export interface AuthenticatorTraits {
  /** 16 bytes; default zeros. */
  readonly aaguid?: Uint8Array;
  /** COSEAlgorithmIdentifiers; default ES256, EdDSA, RS256. The client's order decides among them. */
  readonly algorithms?: readonly number[];
  /**
   * One way to attest, or several, most preferred first; default `none`. The client's `attestationFormats` decides among them, and one that
   * asks for `none` gets `none`. `packed` is self attestation, `packed-x5c` has a certificate.
   */
  readonly attestation?: AttestationChoice | readonly AttestationChoice[];
  /** Default `platform`. */
  readonly attachment?: AuthenticatorAttachment;
  /** Default `internal`. */
  readonly transports?: readonly string[];
  /** Whether it can store discoverable credentials; default true. */
  readonly residentKey?: boolean;
  /** Makes every credential discoverable, even when not asked to; default false. */
  readonly alwaysDiscoverable?: boolean;
  /** User handle in an assertion by a credential that is not discoverable. Default `absent`, as §6.3.3 step 13 has it. */
  readonly serverSideUserHandle?: ServerSideUserHandle;
  /** BE of new credentials; default false. */
  readonly backupEligible?: boolean;
  /** BS of new credentials; default false. Change it later through the store. */
  readonly backupState?: boolean;
  /** Default: zero. */
  readonly signCount?: SignCounting;
  /** Bytes of a new credential ID, 16 to 1023; default 32. The ID is random: it wraps nothing. */
  readonly credentialIdLength?: number;
  /** Default: all. */
  readonly extensions?: readonly ExtensionId[];
  /**
   * Whether a registration reports that `prf` is enabled; default true. If false, new credentials report that it is not, but evaluate it at
   * logins.
   */
  readonly prfAtCreation?: boolean;
  /** For `hmac-secret`, most preferred first; default 2, 1. */
  readonly pinUvAuthProtocols?: readonly PinUvAuthProtocolId[];
  /** Code points, 4 to 63; default 4. Only the RPs of `minPinLengthRpIds` learn it. */
  readonly minPinLength?: number;
  /** Default: none. */
  readonly minPinLengthRpIds?: readonly string[];
  /** How many discoverable credentials fit; default: any number. */
  readonly maxDiscoverableCredentials?: number;
  /** Effect of a signal on a credential that the relying party no longer accepts; default `hide`. */
  readonly signalled?: SignalledFate;
}

export interface AuthenticatorOptions extends AuthenticatorTraits, SourceOptions {
  /** Issues the certificates of attestations; default: one that is public and for tests only, see {@link createAttestationAuthority}. */
  readonly attestationAuthority?: AttestationAuthority;
  /** Lets `packed-x5c` name this one device to RPs that ask for enterprise attestation; default: it never does. */
  readonly enterprise?: EnterpriseAttestation;
  /** Default: a user who consents to every request. */
  readonly userVerifier?: UserVerifier;
  /** Overrides flags, even against the standard: UV without verification, or a BE that changes. Default: the true flags. */
  readonly flags?: FlagChange;
  /** Default: the newest account. */
  readonly chooseAccount?: AccountChooser;
  /** Default: memory. Holds discoverable and server-side credentials. */
  readonly store?: CredentialSourceStore;
}

/** Everything that the two operations need: the options of `createAuthenticator` with their defaults filled in. */
export interface AuthenticatorSettings extends ExtensionSettings {
  readonly aaguid: Uint8Array;
  readonly algorithms: readonly SigningAlgorithm[];
  /** Most preferred first, never empty. */
  readonly attestation: readonly [AttestationFormat, ...AttestationFormat[]];
  readonly attachment: AuthenticatorInfo['attachment'];
  readonly transports: readonly string[];
  readonly residentKey: boolean;
  readonly alwaysDiscoverable: boolean;
  readonly serverSideUserHandle: ServerSideUserHandle;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  readonly credentialIdLength: number;
  readonly pinUvAuthProtocols: readonly PinUvAuthProtocolId[];
  readonly maxDiscoverableCredentials: number | undefined;
  readonly signalled: SignalledFate;
  readonly flags: FlagChange;
  readonly counter: SignCounter;
  readonly sources: Sources;
  readonly userVerifier: UserVerifier;
  readonly chooseAccount: AccountChooser;
  readonly store: CredentialSourceStore;
}

export function toDiscoverable({ id, rpId, user }: CredentialSource): DiscoverableCredential {
  return { id, rpId, userHandle: user.id, name: user.name, displayName: user.displayName };
}
