/**
 * The JSON dictionaries of W3C WebAuthn Level 3, §5.1.8 to §5.1.10, §5.4.8 and following. Every `Base64URLString` is base64url without padding.
 * Optional members follow the standard; a member that is left out is absent, never `undefined`.
 */

type Base64URLString = string;

/** Extension inputs or outputs by their identifier, bytes as base64url. */
export type ExtensionsJSON = Readonly<Record<string, unknown>>;

/** §5.8.3 as JSON. */
export interface PublicKeyCredentialDescriptorJSON {
  readonly type: string;
  readonly id: Base64URLString;
  readonly transports?: readonly string[];
}

/** §5.3. */
export interface PublicKeyCredentialParameters {
  readonly type: string;
  /** COSEAlgorithmIdentifier. */
  readonly alg: number;
}

/** §5.4.2. */
export interface PublicKeyCredentialRpEntity {
  readonly id?: string;
  readonly name: string;
}

/** §5.4.3 as JSON. */
export interface PublicKeyCredentialUserEntityJSON {
  readonly id: Base64URLString;
  readonly name: string;
  readonly displayName: string;
}

/** §5.4.4. */
export interface AuthenticatorSelectionCriteria {
  readonly authenticatorAttachment?: string;
  readonly residentKey?: string;
  readonly requireResidentKey?: boolean;
  readonly userVerification?: string;
}

/** §5.1.9: what `PublicKeyCredential.parseCreationOptionsFromJSON()` takes. */
export interface PublicKeyCredentialCreationOptionsJSON {
  readonly rp: PublicKeyCredentialRpEntity;
  readonly user: PublicKeyCredentialUserEntityJSON;
  readonly challenge: Base64URLString;
  readonly pubKeyCredParams: readonly PublicKeyCredentialParameters[];
  /** Milliseconds. */
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

/** §5.1.10: what `PublicKeyCredential.parseRequestOptionsFromJSON()` takes. */
export interface PublicKeyCredentialRequestOptionsJSON {
  readonly challenge: Base64URLString;
  /** Milliseconds. */
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
  /** The members below repeat the attestation object, unsigned; do not rely on them. */
  readonly authenticatorData?: Base64URLString;
  readonly transports?: readonly string[];
  /** DER SubjectPublicKeyInfo; absent where the client does not know the algorithm. */
  readonly publicKey?: Base64URLString;
  readonly publicKeyAlgorithm?: number;
}

export interface AuthenticatorAssertionResponseJSON {
  readonly clientDataJSON: Base64URLString;
  readonly authenticatorData: Base64URLString;
  readonly signature: Base64URLString;
  /** Some serializers send null instead of leaving it out. */
  readonly userHandle?: Base64URLString | null;
}

/** §5.1.8: `PublicKeyCredential.toJSON()` after `create()`. */
export interface RegistrationResponseJSON extends PublicKeyCredentialJSON {
  readonly response: AuthenticatorAttestationResponseJSON;
}

/** §5.1.8: `PublicKeyCredential.toJSON()` after `get()`. */
export interface AuthenticationResponseJSON extends PublicKeyCredentialJSON {
  readonly response: AuthenticatorAssertionResponseJSON;
}
