/**
 * The JSON shapes of other libraries, as their declarations give them: @github/webauthn-json 2.1.1 and @passwordless-id/webauthn 2.4.0, with
 * the unions of TypeScript's DOM library (of 7.0) that they stand on.
 */

type DomTransport = 'ble' | 'hybrid' | 'internal' | 'nfc' | 'usb';
type DomAttachment = 'cross-platform' | 'platform';

interface DomExtensionOutputs {
  appid?: boolean;
  credProps?: { rk?: boolean };
  hmacCreateSecret?: boolean;
}

interface DomEntity {
  name: string;
}

interface GitHubCredential {
  id: string;
  type: 'public-key';
  rawId: string;
  authenticatorAttachment?: DomAttachment | null;
}

interface GitHubExtensionResults {
  appid?: boolean;
  appidExclude?: boolean;
  credProps?: { rk: boolean };
}

interface GitHubDescriptor {
  type: 'public-key';
  id: string;
  transports?: DomTransport[];
}

export interface GitHubCreationOptions {
  rp: DomEntity & { id?: string };
  user: DomEntity & { displayName: string; id: string };
  challenge: string;
  pubKeyCredParams: { alg: number; type: 'public-key' }[];
  timeout?: number;
  excludeCredentials?: GitHubDescriptor[];
  authenticatorSelection?: {
    residentKey?: 'discouraged' | 'preferred' | 'required';
    userVerification?: 'discouraged' | 'preferred' | 'required';
  };
  attestation?: 'direct' | 'enterprise' | 'indirect' | 'none';
  extensions?: { appid?: string; appidExclude?: string; credProps?: boolean };
}

export interface GitHubRequestOptions {
  challenge: string;
  timeout?: number;
  rpId?: string;
  allowCredentials?: GitHubDescriptor[];
  userVerification?: 'discouraged' | 'preferred' | 'required';
  extensions?: { appid?: string; appidExclude?: string; credProps?: boolean };
}

/** PublicKeyCredentialWithAttestationJSON. */
export interface GitHubAttestation extends GitHubCredential {
  response: { clientDataJSON: string; attestationObject: string; transports: DomTransport[] };
  clientExtensionResults: GitHubExtensionResults;
}

/** PublicKeyCredentialWithAssertionJSON. */
export interface GitHubAssertion extends GitHubCredential {
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string | null };
  clientExtensionResults: GitHubExtensionResults;
}

interface PasswordlessResponse {
  attestationObject: string;
  authenticatorData: string;
  clientDataJSON: string;
  transports: (DomTransport | 'smart-card')[];
  publicKey: string;
  publicKeyAlgorithm: number;
}

/** RegistrationJSON. */
export interface PasswordlessRegistration {
  id: string;
  rawId: string;
  response: PasswordlessResponse;
  authenticatorAttachment?: DomAttachment;
  clientExtensionResults: DomExtensionOutputs;
  type: 'public-key';
  user: { id?: string; name: string; displayName?: string };
}

/** AuthenticationJSON. */
export interface PasswordlessAuthentication {
  id: string;
  rawId: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
  authenticatorAttachment?: DomAttachment;
  clientExtensionResults: DomExtensionOutputs;
  type: 'public-key';
}
