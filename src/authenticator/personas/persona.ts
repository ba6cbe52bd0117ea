import type { AuthenticatorOptions, AuthenticatorTraits } from '../settings.js';

/** Address of the community's list of AAGUIDs, which many relying parties use to show the name of a passkey's provider. */
export const AAGUID_LIST = 'https://github.com/passkeydeveloper/passkey-authenticator-aaguids';

/** Options for `createAuthenticator`: the traits of the device, and a user who can do no more than the device allows. */
export type PersonaOptions = AuthenticatorTraits & Pick<AuthenticatorOptions, 'userVerifier'>;

/**
 * Source of the facts about a persona. `recorded`: a recorded ceremony of the device, with which a test compares the persona.
 * `documentation`: documents about the device, by its vendor or others.
 */
export interface Evidence {
  readonly kind: 'recorded' | 'documentation';
  /** Web addresses of the sources, or file names of the recordings. */
  readonly sources: readonly string[];
  /** Date of the newest source in ISO 8601: a day, or only the month if the day is unknown. */
  readonly date: string;
  /** Traits that no source mentions and that are therefore assumptions. */
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
