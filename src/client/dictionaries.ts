import type { AuthenticatorAttachment, AuthenticatorTransport } from '../webauthn/enumerations.js';
import type {
  AuthenticationResponseJSON,
  AuthenticatorAssertionResponseJSON,
  AuthenticatorAttestationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../webauthn/json.js';

/**
 * The dictionaries that this client takes and returns. Input is as wide and output as narrow as the standard allows, so that both fit
 * the types of TypeScript's DOM library and of other WebAuthn libraries without a cast.
 */

type WithExtensions<T> = Omit<T, 'extensions'> & {
  /** Extension inputs by their identifier, bytes as base64url. Unknown ones are ignored. */
  readonly extensions?: object | undefined;
};

/** PublicKeyCredentialCreationOptionsJSON (§5.1.9). */
export type CreationOptionsInput = WithExtensions<PublicKeyCredentialCreationOptionsJSON>;

/** PublicKeyCredentialRequestOptionsJSON (§5.1.10). */
export type RequestOptionsInput = WithExtensions<PublicKeyCredentialRequestOptionsJSON>;

/**
 * The extension outputs on which the types of all libraries agree. Those of `prf` and `largeBlob` are there too when requested: read
 * them as {@link ExtensionOutputs}.
 */
export type ExtensionResults = {
  /** §10.1.3. */
  readonly credProps?: { readonly rk: boolean };
};

/** Outputs of every extension that this client knows; bytes as base64url. */
export type ExtensionOutputs = ExtensionResults & {
  /** §10.1.4. */
  readonly prf?: { readonly enabled?: boolean; readonly results?: { readonly first: string; readonly second?: string } };
  /** §10.1.5. */
  readonly largeBlob?: { readonly supported?: boolean; readonly blob?: string; readonly written?: boolean };
  /** CTAP 2.3 §12.2: at registration, whether the blob is stored; at login, the blob. */
  readonly credBlob?: boolean;
  readonly getCredBlob?: string;
  /** CTAP 2.3 §12.7. */
  readonly hmacCreateSecret?: boolean;
  /** §10.1.1: whether the AppID was used in place of the RP ID. */
  readonly appid?: boolean;
  /** §10.1.2. */
  readonly appidExclude?: boolean;
};

/** The transports in the types of every library. `smart-card`, which some omit, may still occur at run time. */
export type NamedTransport = Exclude<AuthenticatorTransport, 'smart-card'>;

/** RegistrationResponseJSON (§5.1.8) with every member that this client sets. */
export interface CreatedCredential extends RegistrationResponseJSON {
  readonly type: 'public-key';
  readonly authenticatorAttachment?: AuthenticatorAttachment;
  readonly response: AuthenticatorAttestationResponseJSON & {
    readonly authenticatorData: string;
    readonly transports: NamedTransport[];
    readonly publicKeyAlgorithm: number;
  };
  readonly clientExtensionResults: ExtensionResults;
}

/** AuthenticationResponseJSON (§5.1.8); `userHandle` may be absent. */
export interface Assertion extends AuthenticationResponseJSON {
  readonly type: 'public-key';
  readonly authenticatorAttachment?: AuthenticatorAttachment;
  readonly response: AuthenticatorAssertionResponseJSON & { readonly userHandle?: string };
  readonly clientExtensionResults: ExtensionResults;
}
