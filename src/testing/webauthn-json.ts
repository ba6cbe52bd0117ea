import type { Assertion, CreatedCredential, ExtensionResults } from '../client/dictionaries.js';
import type { AuthenticatorAttachment, AuthenticatorTransport } from '../webauthn/enumerations.js';

/** Transports that both @github/webauthn-json and TypeScript's DOM library know. */
type KnownTransport = Exclude<AuthenticatorTransport, 'smart-card'>;

interface Common {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly authenticatorAttachment?: AuthenticatorAttachment | null;
  readonly clientExtensionResults: ExtensionResults;
}

/** Registration response as typed by @github/webauthn-json (PublicKeyCredentialWithAttestationJSON). */
export interface WebauthnJsonRegistration extends Common {
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string; readonly transports: KnownTransport[] };
}

/** Login response as typed by @github/webauthn-json (PublicKeyCredentialWithAssertionJSON). */
export interface WebauthnJsonAuthentication extends Common {
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string | null;
  };
}

/**
 * Converts a response to the form that @github/webauthn-json sends: `userHandle: null` without a user handle, no copies of parts of the
 * attestation object, and only the transports that the library knows.
 */
export function toWebauthnJson(response: CreatedCredential): WebauthnJsonRegistration;
export function toWebauthnJson(response: Assertion): WebauthnJsonAuthentication;
export function toWebauthnJson({
  response,
  ...common
}: CreatedCredential | Assertion): WebauthnJsonRegistration | WebauthnJsonAuthentication {
  const { clientDataJSON } = response;
  if ('attestationObject' in response) {
    const { attestationObject, transports } = response;
    return { ...common, response: { clientDataJSON, attestationObject, transports: transports.filter(isKnown) } };
  }
  const { authenticatorData, signature, userHandle = null } = response;
  return { ...common, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}

function isKnown(transport: AuthenticatorTransport): transport is KnownTransport {
  return transport !== 'smart-card';
}
