import type { AuthenticatorOptions, AuthenticatorTraits } from '../settings.js';

/** The community's list, by which relying parties name passkeys. */
export const AAGUID_LIST = 'https://github.com/passkeydeveloper/passkey-authenticator-aaguids';

/** Options for `createAuthenticator`: traits, and a user limited to the abilities of the device. */
export type PersonaOptions = AuthenticatorTraits & Pick<AuthenticatorOptions, 'userVerifier'>;

/**
 * How we know. `recorded`: from a ceremony of the device, which a test compares with the persona. `documentation`: from documents about it,
 * by the vendor or by others.
 */
export interface Evidence {
  readonly kind: 'recorded' | 'documentation';
  /** Addresses or, of recordings, their files. */
  readonly sources: readonly string[];
  /** Date of the newest source, ISO 8601: a day, or a month if the day is unknown. */
  readonly date: string;
  /** Traits that no source mentions: guesses. */
  readonly assumed?: readonly (keyof PersonaOptions)[];
}

/** A well-known kind of authenticator, as a relying party sees it. */
export interface Persona {
  /** Its usual name. */
  readonly title: string;
  /** One line for a table. */
  readonly about: string;
  /** Habits that relying parties trip over. */
  readonly quirks: readonly string[];
  readonly options: PersonaOptions;
  readonly evidence: Evidence;
}
