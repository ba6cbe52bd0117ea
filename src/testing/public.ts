/** The entry point `passkey-cli/testing`, for using passkeys in the tests of other programs. No other module of the package imports it. */

export {
  type Authentication,
  type Ceremonies,
  type CeremoniesOptions,
  createCeremonies,
  type Expected,
  type Registration,
  type StoredCredential,
} from './ceremonies.js';
export type { AutofillOptions } from './credentials/autofill.js';
export type { BrowserCredentials, BrowserOptions, CeremonyCall } from './credentials/host.js';
export { type InstalledCredentials, type InstallOptions, installCredentials } from './credentials/install-credentials.js';
export type { CeremonyOutcome } from './credentials/outcomes.js';
export type { HeldCredentials } from './credentials/software.js';
export { matchers } from './matchers.js';
export { type PrfUserName, prfUser } from './prf-users.js';
export { startServer, type TestServer, type TestServerOptions, type TestUser } from './start-server.js';
export { mutations, type TamperableResponse, type TamperOptions, tamper } from './tamper.js';
export { toWebauthnJson, type WebauthnJsonAuthentication, type WebauthnJsonRegistration } from './webauthn-json.js';
