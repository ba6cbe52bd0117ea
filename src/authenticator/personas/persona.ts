import type { AuthenticatorOptions, AuthenticatorTraits } from '../settings.js';

/** Address of the community's AAGUID list, which relying parties use to name passkeys. */
export const AAGUID_LIST = 'https://github.com/passkeydeveloper/passkey-authenticator-aaguids';

/** Options for `createAuthenticator`: traits of the device, and a user who can do no more than the device allows. */
export type PersonaOptions = AuthenticatorTraits & Pick<AuthenticatorOptions, 'userVerifier'>;

/**
 * Source of the facts about a persona. `recorded`: a ceremony of the device, which a test compares with the persona. `documentation`:
 * documents about the device, by its vendor or others.
 */
export interface Evidence {
  readonly kind: 'recorded' | 'documentation';
  /** Addresses of the sources, or files of the recordings. */
  readonly sources: readonly string[];
  /** Date of the newest source, ISO 8601: a day, or a month if the day is unknown. */
  readonly date: string;
  /** Traits that no source mentions, so that they are guesses. */
  readonly assumed?: readonly (keyof PersonaOptions)[];
}

/** A well-known kind of authenticator, as a relying party sees it. */
export interface Persona {
  /** Usual name of the device or provider. */
  readonly title: string;
  /** Description of the persona in one line, for a table. */
  readonly about: string;
  /** Behaviours that often surprise relying parties. */
  readonly quirks: readonly string[];
  readonly options: PersonaOptions;
  readonly evidence: Evidence;
}
