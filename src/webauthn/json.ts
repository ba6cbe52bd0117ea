/**
 * The JSON dictionaries of W3C WebAuthn Level 3, §5.1.8 to §5.1.10, §5.4.8 and the sections after it. Every `Base64URLString` is base64url
 * without padding. Members are optional where the standard says so. A member without a value is left out, never `undefined`.
 */

type Base64URLString = string;

/** Extension inputs or outputs by extension identifier, with bytes as base64url. */
export type ExtensionsJSON = Readonly<Record<string, unknown>>;

/** Descriptor of one credential, in JSON (§5.8.3). */
export interface PublicKeyCredentialDescriptorJSON {
  readonly type: string;
  readonly id: Base64URLString;
  readonly transports?: readonly string[];
}

/** A key type and algorithm that the relying party accepts (§5.3). */
export interface PublicKeyCredentialParameters {
  readonly type: string;
  /** COSEAlgorithmIdentifier, e.g. -7 for ES256. */
  readonly alg: number;
}

/** The relying party: its ID and name (§5.4.2). */
export interface PublicKeyCredentialRpEntity {
  readonly id?: string;
  readonly name: string;
}

/** The user account: its handle and names, in JSON (§5.4.3). */
export interface PublicKeyCredentialUserEntityJSON {
  readonly id: Base64URLString;
  readonly name: string;
  readonly displayName: string;
}

/** Requirements on the authenticator at registration (§5.4.4). */
export interface AuthenticatorSelectionCriteria {
  readonly authenticatorAttachment?: string;
  readonly residentKey?: string;
  readonly requireResidentKey?: boolean;
  readonly userVerification?: string;
}

/** Creation options in JSON (§5.1.9), the argument of `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export interface PublicKeyCredentialCreationOptionsJSON {
  readonly rp: PublicKeyCredentialRpEntity;
  readonly user: PublicKeyCredentialUserEntityJSON;
  readonly challenge: Base64URLString;
  readonly pubKeyCredParams: readonly PublicKeyCredentialParameters[];
  /** Time that the client should wait for the user, in milliseconds. */
  readonly timeout?: number;
  readonly excludeCredentials?: readonly PublicKeyCredentialDescriptorJSON[];
  readonly authenticatorSelection?: AuthenticatorSelectionCriteria;
  readonly hints?: readonly string[];
  readonly attestation?: string;
  readonly attestationFormats?: readonly string[];
  readonly extensions?: ExtensionsJSON;
}

/** Names of the members of creation options. */
export const CREATION_MEMBERS = [
  'rp',
  'user',
  'challenge',
  'pubKeyCredParams',
  'timeout',
  'excludeCredentials',
  'authenticatorSelection',
  'hints',
  'attestation',
  'attestationFormats',
  'extensions',
] as const satisfies readonly (keyof PublicKeyCredentialCreationOptionsJSON)[];

/** Request options in JSON (§5.1.10), the argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export interface PublicKeyCredentialRequestOptionsJSON {
  readonly challenge: Base64URLString;
  /** Time that the client should wait for the user, in milliseconds. */
  readonly timeout?: number;
  readonly rpId?: string;
  readonly allowCredentials?: readonly PublicKeyCredentialDescriptorJSON[];
  readonly userVerification?: string;
  readonly hints?: readonly string[];
  readonly extensions?: ExtensionsJSON;
}

/** Names of the members of request options. */
export const REQUEST_MEMBERS = [
  'challenge',
  'timeout',
  'rpId',
  'allowCredentials',
  'userVerification',
  'hints',
  'extensions',
] as const satisfies readonly (keyof PublicKeyCredentialRequestOptionsJSON)[];

interface PublicKeyCredentialJSON {
  readonly id: Base64URLString;
  readonly rawId: Base64URLString;
  readonly type: string;
  readonly authenticatorAttachment?: string;
  readonly clientExtensionResults: ExtensionsJSON;
}

export interface AuthenticatorAttestationResponseJSON {
  readonly clientDataJSON: Base64URLString;
  readonly attestationObject: Base64URLString;
  /**
   * Copy of the authenticator data. Do not rely on this member or the ones below: they are unsigned copies of data in the attestation
   * object.
   */
  readonly authenticatorData?: Base64URLString;
  readonly transports?: readonly string[];
  /** Public key as SubjectPublicKeyInfo in DER; absent if the client does not know the algorithm. */
  readonly publicKey?: Base64URLString;
  readonly publicKeyAlgorithm?: number;
}

export interface AuthenticatorAssertionResponseJSON {
  readonly clientDataJSON: Base64URLString;
  readonly authenticatorData: Base64URLString;
  readonly signature: Base64URLString;
  /** User handle. Some serializers send null instead of leaving it out. */
  readonly userHandle?: Base64URLString | null;
}

/** Result of `PublicKeyCredential.toJSON()` after `create()` (§5.1.8). */
export interface RegistrationResponseJSON extends PublicKeyCredentialJSON {
  readonly response: AuthenticatorAttestationResponseJSON;
}

/** Result of `PublicKeyCredential.toJSON()` after `get()` (§5.1.8). */
export interface AuthenticationResponseJSON extends PublicKeyCredentialJSON {
  readonly response: AuthenticatorAssertionResponseJSON;
}
