/** The entry point `passkey-cli/relying-party` of the package. */
export type { AuthenticateInput, AuthenticateResult } from './authenticate.js';
export type { BeginAuthenticationInput } from './begin-authentication.js';
export type { BeginRegistrationInput } from './begin-registration.js';
export type { AttestationTrust, CredentialRecord, NewPasskey, Passkey } from './credential-record.js';
export type { CeremonyBegun, CeremonyFinished, PasskeyChanged, RelyingPartyEvent, RelyingPartyListener } from './events.js';
export { DEFAULT_POLICY, type Policy } from './policy.js';
export type {
  AnsweredChallenge,
  Ceremony,
  CeremonyStore,
  Login,
  LoginOutcome,
  PasskeyFilter,
  PasskeyQuery,
  PasskeySortKey,
  PasskeyStore,
  PasskeysChange,
  PasskeyUse,
  Purge,
  Purged,
  PurgeOutcome,
  TakenCeremony,
} from './ports.js';
export type { RegisterInput } from './register.js';
export { createRelyingParty, type RelyingParty, type RelyingPartyOptions } from './relying-party.js';
export type { ReceivedAuthentication, ReceivedRegistration } from './response.js';
export { AUTHENTICATION_TITLES, type AuthenticationSlug, REGISTRATION_TITLES, type RegistrationSlug } from './steps/procedure.js';
export type { StepIdentity, StepReport, StepResult } from './steps/step.js';
