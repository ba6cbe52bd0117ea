/** The entry point `passkey-cli/client`: the browser's part of a ceremony. Nothing inside the package imports it. */
export { type Client, type ClientOptions, createClient } from './client.js';
export type { CreateOptions } from './create.js';
export type {
  Assertion,
  CreatedCredential,
  CreationOptionsInput,
  ExtensionOutputs,
  ExtensionResults,
  NamedTransport,
  RequestOptionsInput,
} from './dictionaries.js';
export type { GetOptions } from './get.js';
export type { Timer } from './lifetime.js';
export type { DomExceptionName } from './members.js';
export type { CredentialPicker, PolicyFeature } from './platform.js';
export type { ReadingMode, Remark } from './reading.js';
export { type AssertionWithNull, type CredentialWithKey, withNullUserHandle, withPublicKey } from './shapes.js';
export type { AllAcceptedCredentialsInput, CurrentUserDetailsInput, UnknownCredentialInput } from './signals.js';
export type { FetchedResponse, FetchPort } from './well-known.js';
