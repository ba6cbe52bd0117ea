/** The entry point `passkey-cli/authenticator`: a software authenticator, CTAP-shaped. Nothing inside the package imports it. */
export { SIGNING_ALGORITHMS, type SigningAlgorithm } from './algorithms.js';
export type { AttestationFormat, AttestationInput } from './attestation/format.js';
export { createAuthenticator, type SoftwareAuthenticator } from './authenticator.js';
export {
  type CredentialSource,
  type CredentialSourceJSON,
  checkCredentialSource,
  credentialSourceFromJson,
  credentialSourceToJson,
} from './credential-source.js';
export { type CredentialSourceStore, createCredentialSourceStore } from './credential-store.js';
export type { ExtensionId } from './extensions.js';
export { type KeyPairSource, keyPairsFrom, type RandomSource, reusingRsaKey } from './key-pair.js';
export { PERSONAS, type PersonaName } from './personas.js';
export type {
  Authenticator,
  AuthenticatorAnswer,
  AuthenticatorExtensionInputs,
  AuthenticatorFailure,
  AuthenticatorInfo,
  AuthenticatorStatus,
  CredentialDescriptor,
  CredentialParameters,
  DiscoverableCredential,
  GetAssertionRequest,
  GetAssertionResponse,
  MakeCredentialRequest,
  MakeCredentialResponse,
  PrfSalts,
  UnsignedExtensionOutputs,
} from './ports.js';
export type { AccountChooser, AuthenticatorOptions, AuthenticatorTraits } from './settings.js';
export type { SignCounting } from './sign-counter.js';
export { cooperativeUser, scriptedUser, type UserOutcome, type UserPrompt, type UserVerifier } from './user-verifier.js';
