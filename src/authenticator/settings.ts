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

/** Picks the account to use if there are several. Receives the candidates newest first. Returns undefined if the user closes the dialog. */
export type AccountChooser = (
  candidates: readonly [DiscoverableCredential, ...DiscoverableCredential[]],
) => DiscoverableCredential | undefined | Promise<DiscoverableCredential | undefined>;

/** Picks the newest account without reading the others. */
export const chooseNewest: AccountChooser = ([newest]) => newest;

/** Flags of authenticator data that an authenticator sets (§6.1). */
export type CeremonyFlags = Pick<AuthenticatorFlags, 'up' | 'uv' | 'be' | 'bs'>;

/** Changes the flags of one ceremony before they are signed. */
export type FlagChange = (
  flags: CeremonyFlags,
  ceremony: { readonly operation: 'create' | 'get'; readonly rpId: string; readonly credentialId: Uint8Array },
) => CeremonyFlags;

/**
 * Form of the user handle in an assertion of a server-side credential. `given` is the credential's handle. `empty`, a handle of zero bytes,
 * violates the standard but occurs.
 */
export type ServerSideUserHandle = 'absent' | 'empty' | 'given';

/** Traits of an authenticator. Only `flags`, `signCount` and an empty `serverSideUserHandle` can violate the standard. */
export interface AuthenticatorTraits {
  /** AAGUID of the authenticator, 16 bytes; default: all zeros. */
  readonly aaguid?: Uint8Array;
  /**
   * Supported COSEAlgorithmIdentifiers; default: ES256, EdDSA, RS256. Their order does not matter, because the client's preference decides.
   */
  readonly algorithms?: readonly number[];
  /**
   * One attestation, or several, most preferred first; default: `none`. The client's `attestationFormats` chooses among them, and a client
   * that requests `none` gets `none`. `packed` is self attestation; `packed-x5c` has a certificate.
   */
  readonly attestation?: AttestationChoice | readonly AttestationChoice[];
  /** Attachment of the authenticator; default: `platform`. */
  readonly attachment?: AuthenticatorAttachment;
  /** Transports of the authenticator; default: `internal`. */
  readonly transports?: readonly string[];
  /** If false, the authenticator cannot store discoverable credentials; default: true. */
  readonly residentKey?: boolean;
  /** If true, every credential becomes discoverable, even if that was not requested; default: false. */
  readonly alwaysDiscoverable?: boolean;
  /** User handle in an assertion of a credential that is not discoverable; default: `absent`, as in §6.3.3 step 13. */
  readonly serverSideUserHandle?: ServerSideUserHandle;
  /** BE flag (backup eligible) of new credentials; default: false. */
  readonly backupEligible?: boolean;
  /** BS flag (backup state) of new credentials; default: false. Can be changed later through the store. */
  readonly backupState?: boolean;
  /** Way to count signatures; by default the authenticator does not count, and the counter stays zero. */
  readonly signCount?: SignCounting;
  /** Length of new credential IDs in bytes, 16 to 1023; default: 32. The IDs are random and do not contain a wrapped key. */
  readonly credentialIdLength?: number;
  /** Supported authenticator extensions; default: all. */
  readonly extensions?: readonly ExtensionId[];
  /** If false, a registration reports that `prf` is not enabled, although logins with the new credential evaluate it; default: true. */
  readonly prfAtCreation?: boolean;
  /** PIN/UV auth protocols for `hmac-secret`, most preferred first; default: 2, 1. */
  readonly pinUvAuthProtocols?: readonly PinUvAuthProtocolId[];
  /** Minimum PIN length in code points, 4 to 63; default: 4. Only the RPs in `minPinLengthRpIds` learn it. */
  readonly minPinLength?: number;
  /** RP IDs that may learn the minimum PIN length; default: none. */
  readonly minPinLengthRpIds?: readonly string[];
  /** Maximum number of discoverable credentials; default: unlimited. */
  readonly maxDiscoverableCredentials?: number;
  /** Treatment of a credential after the signal that the relying party no longer accepts it; default: `hide`. */
  readonly signalled?: SignalledFate;
}

export interface AuthenticatorOptions extends AuthenticatorTraits, SourceOptions {
  /** Authority that issues attestation certificates; default: a public one for tests only, see {@link createAttestationAuthority}. */
  readonly attestationAuthority?: AttestationAuthority;
  /** Settings that let `packed-x5c` identify the individual device to RPs that request enterprise attestation; default: it never does. */
  readonly enterprise?: EnterpriseAttestation;
  /** User who responds to prompts; default: a user who consents to every request. */
  readonly userVerifier?: UserVerifier;
  /** Overrides flags, even against the standard. Examples are UV without verification, or a BE that changes. Default: the true flags. */
  readonly flags?: FlagChange;
  /** Picks one of several accounts; default: the newest. */
  readonly chooseAccount?: AccountChooser;
  /** Store of discoverable and server-side credentials; default: in memory. */
  readonly store?: CredentialSourceStore;
}

/** Settings for the authenticator's two operations: the options of `createAuthenticator` with defaults filled in. */
export interface AuthenticatorSettings extends ExtensionSettings {
  readonly aaguid: Uint8Array;
  readonly algorithms: readonly SigningAlgorithm[];
  /** Attestation formats, most preferred first, never empty. */
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
