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
 * The dictionaries that this client accepts and returns. Input types are as wide, and output types as narrow, as the standard allows.
 * Therefore they fit TypeScript's DOM library and other WebAuthn libraries without a cast.
 */

type WithExtensions<T> = Omit<T, 'extensions'> & {
  /** Extension inputs by their identifier, with bytes as base64url. Unknown extensions are ignored. */
  readonly extensions?: object | undefined;
};

/** Creation options that the client accepts: PublicKeyCredentialCreationOptionsJSON (§5.1.9). */
export type CreationOptionsInput = WithExtensions<PublicKeyCredentialCreationOptionsJSON>;

/** Request options that the client accepts: PublicKeyCredentialRequestOptionsJSON (§5.1.10). */
export type RequestOptionsInput = WithExtensions<PublicKeyCredentialRequestOptionsJSON>;

/**
 * Extension outputs whose types agree in all WebAuthn libraries. At run time, the requested `prf` and `largeBlob` outputs are present too:
 * read them as {@link ExtensionOutputs}.
 */
export type ExtensionResults = {
  /** Output of `credProps` (§10.1.3): whether the credential is discoverable. */
  readonly credProps?: { readonly rk: boolean };
};

/** Outputs of every extension that this client knows, with bytes as base64url. */
export type ExtensionOutputs = ExtensionResults & {
  /** Output of `prf` (§10.1.4). */
  readonly prf?: { readonly enabled?: boolean; readonly results?: { readonly first: string; readonly second?: string } };
  /** Output of `largeBlob` (§10.1.5). */
  readonly largeBlob?: { readonly supported?: boolean; readonly blob?: string; readonly written?: boolean };
  /** Output of credBlob at registration: true if the blob is stored (CTAP 2.3 §12.2). */
  readonly credBlob?: boolean;
  readonly getCredBlob?: string;
  /** True if hmac-secret is enabled for the new credential (CTAP 2.3 §12.7). */
  readonly hmacCreateSecret?: boolean;
  /** True if the AppID was used instead of the RP ID (§10.1.1). */
  readonly appid?: boolean;
  /** True if the client processed `appidExclude` (§10.1.2). */
  readonly appidExclude?: boolean;
};

/** Transports that exist in the types of every WebAuthn library. Some libraries omit `smart-card`, which may still occur at run time. */
export type NamedTransport = Exclude<AuthenticatorTransport, 'smart-card'>;

/** A RegistrationResponseJSON (§5.1.8) with every member that this client sets. */
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

/** An AuthenticationResponseJSON (§5.1.8). `userHandle` may be absent. */
export interface Assertion extends AuthenticationResponseJSON {
  readonly type: 'public-key';
  readonly authenticatorAttachment?: AuthenticatorAttachment;
  readonly response: AuthenticatorAssertionResponseJSON & { readonly userHandle?: string };
  readonly clientExtensionResults: ExtensionResults;
}
