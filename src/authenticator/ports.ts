/**
 * The interface between a client and an authenticator, modelled on CTAP 2 and W3C WebAuthn L3 §6.3: the authenticator receives the hash of
 * the client data and the RP ID, never an origin. A client depends on an authenticator only through these types.
 */

import type { AuthenticatorAttachment, PublicKeyCredentialType } from '../webauthn/enumerations.js';
import type { CredentialProtectionLevel, LARGE_BLOB_SUPPORT } from '../webauthn/extensions.js';

/** CTAP 2 status codes that a client distinguishes. Each leads to a certain `DOMException`. */
export type AuthenticatorStatus =
  | 'CTAP1_ERR_INVALID_PARAMETER'
  | 'CTAP1_ERR_INVALID_LENGTH'
  | 'CTAP2_ERR_CREDENTIAL_EXCLUDED'
  | 'CTAP2_ERR_UNSUPPORTED_ALGORITHM'
  | 'CTAP2_ERR_OPERATION_DENIED'
  | 'CTAP2_ERR_KEY_STORE_FULL'
  | 'CTAP2_ERR_UNSUPPORTED_OPTION'
  | 'CTAP2_ERR_KEEPALIVE_CANCEL'
  | 'CTAP2_ERR_NO_CREDENTIALS'
  | 'CTAP2_ERR_USER_ACTION_TIMEOUT'
  | 'CTAP2_ERR_PIN_INVALID'
  | 'CTAP2_ERR_PIN_BLOCKED'
  | 'CTAP2_ERR_PIN_AUTH_INVALID'
  | 'CTAP2_ERR_PIN_NOT_SET'
  | 'CTAP2_ERR_UV_BLOCKED'
  | 'CTAP2_ERR_UV_INVALID';

export interface AuthenticatorFailure {
  readonly ok: false;
  readonly status: AuthenticatorStatus;
  /** Description of the request and of the reason for the refusal. Never contains a key. */
  readonly message: string;
}

export type AuthenticatorAnswer<T> = ({ readonly ok: true } & T) | AuthenticatorFailure;

export interface CredentialParameters {
  readonly type: PublicKeyCredentialType;
  /** COSEAlgorithmIdentifier, e.g. -7 for ES256. */
  readonly alg: number;
}

export interface CredentialDescriptor {
  readonly type: PublicKeyCredentialType;
  readonly id: Uint8Array;
  readonly transports?: readonly string[];
}

/** One or two PRF inputs of 32 bytes each, which the client has already hashed (§10.1.4). */
export interface PrfSalts {
  readonly first: Uint8Array;
  readonly second?: Uint8Array;
}

/** Numbers of the PIN/UV auth protocols (CTAP 2.3 §6.5.6, §6.5.7). */
export type PinUvAuthProtocolId = 1 | 2;

/** A public key on P-256 for a key agreement, with coordinates of 32 bytes. */
export interface KeyAgreementKey {
  readonly x: Uint8Array;
  readonly y: Uint8Array;
}

/** Input of the extensions hmac-secret (CTAP 2.3 §12.7) and hmac-secret-mc (CTAP 2.3 §12.8). */
export interface HmacSecretInput {
  readonly pinUvAuthProtocol: PinUvAuthProtocolId;
  /** Public key of the platform. */
  readonly keyAgreement: KeyAgreementKey;
  /** One or two salts of 32 bytes, encrypted. */
  readonly saltEnc: Uint8Array;
  readonly saltAuth: Uint8Array;
}

/** Authenticator extension inputs. Unknown extensions are ignored. */
export interface AuthenticatorExtensionInputs {
  /**
   * credProtect level for a new credential (CTAP 2.3 §12.1). User verification is 1 optional, 2 optional with a credential ID list, 3
   * required.
   */
  readonly credProtect?: CredentialProtectionLevel;
  /** Unencrypted inputs of the PRF. `evalByCredential` is keyed by base64url credential IDs and applies only to assertions. */
  readonly prf?: { readonly eval?: PrfSalts; readonly evalByCredential?: Readonly<Record<string, PrfSalts>> };
  readonly largeBlob?: { readonly support?: (typeof LARGE_BLOB_SUPPORT)[number]; readonly read?: boolean; readonly write?: Uint8Array };
  /** At registration, the blob to store with the new credential; at an assertion, `true` to read the blob (CTAP 2.3 §12.2). */
  readonly credBlob?: Uint8Array | true;
  /** Requests the minimum PIN length (CTAP 2.3 §12.5). */
  readonly minPinLength?: boolean;
  /**
   * At registration, `true` to enable hmac-secret, or salts if the extension is hmac-secret-mc; at an assertion, salts (CTAP 2.3 §12.7).
   */
  readonly hmacSecret?: true | HmacSecretInput;
}

/** Extension outputs outside the signed authenticator data. */
export interface UnsignedExtensionOutputs {
  readonly prf?: { readonly enabled?: boolean; readonly results?: PrfSalts };
  readonly largeBlob?: { readonly supported?: boolean; readonly blob?: Uint8Array; readonly written?: boolean };
}

/** Parameters of authenticatorMakeCredential (§6.3.2). */
export interface MakeCredentialRequest {
  /** SHA-256 of the serialized client data, 32 bytes. */
  readonly clientDataHash: Uint8Array;
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: Uint8Array; readonly name: string; readonly displayName: string };
  /** Accepted kinds of credentials, most preferred first. */
  readonly pubKeyCredParams: readonly CredentialParameters[];
  readonly excludeCredentials: readonly CredentialDescriptor[];
  readonly requireResidentKey: boolean;
  /** True, except for a conditional create. */
  readonly requireUserPresence: boolean;
  readonly requireUserVerification: boolean;
  readonly enterpriseAttestationPossible: boolean;
  /** Attestation statement format identifiers, most preferred first. If empty, the authenticator chooses. */
  readonly attestationFormats: readonly string[];
  readonly extensions: AuthenticatorExtensionInputs;
  /** Signal that is aborted when the client gives up: authenticatorCancel (§6.3.4). */
  readonly signal?: AbortSignal;
}

/** Information on how far a seeded authenticator repeats its response on every run. */
interface Repeatability {
  /**
   * Parts of the response that may differ from run to run in spite of the seed, with the reasons. Empty if every byte repeats. Absent
   * without a seed.
   */
  readonly undetermined?: readonly string[];
}

export interface MakeCredentialResponse extends Repeatability {
  /** Attestation object in CBOR (§6.5.4). */
  readonly attestationObject: Uint8Array;
  /** True if the credential is discoverable. If absent, a client assumes the value of `requireResidentKey`. */
  readonly discoverable?: boolean;
  readonly unsignedExtensionOutputs?: UnsignedExtensionOutputs;
}

/** Parameters of authenticatorGetAssertion (§6.3.3). */
export interface GetAssertionRequest {
  readonly rpId: string;
  /** SHA-256 of the serialized client data, 32 bytes. */
  readonly clientDataHash: Uint8Array;
  /** Credentials that may be used; undefined allows any discoverable credential of the RP. */
  readonly allowCredentials?: readonly CredentialDescriptor[];
  readonly requireUserPresence: boolean;
  readonly requireUserVerification: boolean;
  readonly extensions: AuthenticatorExtensionInputs;
  readonly signal?: AbortSignal;
}

export interface GetAssertionResponse extends Repeatability {
  readonly credentialId: Uint8Array;
  readonly authenticatorData: Uint8Array;
  /** Signature over authenticatorData followed by clientDataHash. */
  readonly signature: Uint8Array;
  /** User handle of the credential; present if the credential is discoverable. */
  readonly userHandle?: Uint8Array;
  readonly unsignedExtensionOutputs?: UnsignedExtensionOutputs;
}

/** Facts that a client may know about an authenticator in advance (CTAP authenticatorGetInfo). */
export interface AuthenticatorInfo {
  readonly attachment: AuthenticatorAttachment;
  readonly transports: readonly string[];
  /** True if the authenticator can store discoverable credentials. */
  readonly residentKey: boolean;
  /** True if the authenticator can verify its user now. */
  readonly userVerification: boolean;
  /** True if the authenticator could verify its user after the user set a PIN; default: false. */
  readonly pinNotSet?: boolean;
  /** Identifiers of the supported authenticator extensions, e.g. `credProtect`; undefined if unknown. */
  readonly extensions?: readonly string[];
  /** Supported PIN/UV auth protocols, most preferred first. If empty or absent, there are none. */
  readonly pinUvAuthProtocols?: readonly PinUvAuthProtocolId[];
}

/** A relying party's statement about the credentials of one user (W3C WebAuthn L3 §5.1.10). */
export type CredentialSignal =
  | { readonly type: 'unknownCredential'; readonly rpId: string; readonly credentialId: Uint8Array }
  | {
      readonly type: 'allAcceptedCredentials';
      readonly rpId: string;
      readonly userId: Uint8Array;
      readonly allAcceptedCredentialIds: readonly Uint8Array[];
    }
  | {
      readonly type: 'currentUserDetails';
      readonly rpId: string;
      readonly userId: Uint8Array;
      readonly name: string;
      readonly displayName: string;
    };

/** Description of a discoverable credential, DiscoverableCredentialMetadata (§4). */
export interface DiscoverableCredential {
  readonly id: Uint8Array;
  readonly rpId: string;
  readonly userHandle: Uint8Array;
  readonly name: string;
  readonly displayName: string;
}

/**
 * An authenticator: the one of this package, or your own. Its methods return failures. They reject only because of a fault in the
 * authenticator itself.
 */
export interface Authenticator {
  /** Abilities of the authenticator. If absent, a client assumes that it can do everything. */
  readonly info?: AuthenticatorInfo;
  makeCredential(request: MakeCredentialRequest): Promise<AuthenticatorAnswer<MakeCredentialResponse>>;
  getAssertion(request: GetAssertionRequest): Promise<AuthenticatorAnswer<GetAssertionResponse>>;
  /**
   * Lists discoverable credentials, newest first (silentCredentialDiscovery, §6.3.5). Needed for conditional mediation if the request lists
   * credentials.
   */
  discover?(rpId: string): Promise<readonly DiscoverableCredential[]>;
  /**
   * Returns the authenticator's public key for key agreements, which never changes (authenticatorClientPIN with getKeyAgreement, CTAP 2.3
   * §6.5.5.4). Needed for hmac-secret.
   */
  getKeyAgreement?(protocol: PinUvAuthProtocolId): Promise<KeyAgreementKey>;
  /** Receives a signal of a relying party (§5.1.10). Returns no result, so that a page learns nothing. */
  signal?(signal: CredentialSignal): Promise<void>;
}
