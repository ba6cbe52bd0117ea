import { scriptedUser } from '../authenticator/user-verifier.js';
import { knownValue, listNames } from '../webauthn/enumerations.js';
import type { SoftwareOptions } from './credentials/software.js';

type PrfUserOptions = Pick<SoftwareOptions, 'persona' | 'traits' | 'user'>;

/** By name; a script begins anew with each user. */
const PRF_USERS = {
  /** Their passkeys have no PRF. */
  'no-prf': () => ({ traits: { extensions: [] } }),
  /** A security key: a registration says that there is a PRF, and only logins give its results. */
  'results-at-login': () => ({ persona: 'yubikey-5' }),
  /** A registration denies the PRF that logins have. */
  'only-at-login': () => ({ traits: { extensions: ['prf'], prfAtCreation: false } }),
  /** Has a passkey of another provider, and so another secret. */
  'another-provider': () => ({ persona: 'google-password-manager' }),
  /** Is verified at the registration, and never again: without verification, a passkey has another secret. */
  'unverified-at-login': () => ({ traits: { extensions: ['prf'] }, user: scriptedUser('verified', 'present') }),
} as const satisfies Readonly<Record<string, () => PrfUserOptions>>;

export type PrfUserName = keyof typeof PRF_USERS;

/**
 * Makes a user whose passkeys treat the extension `prf` in a way that applications rarely expect: options for `createCeremonies`.
 *
 * @throws TypeError for a name that there is not.
 */
export function prfUser(name: PrfUserName): PrfUserOptions {
  const names = listNames(PRF_USERS);
  const known = knownValue(name, names);
  if (known === undefined) throw new TypeError(`Expected the name of a PRF user (${names.join(', ')}); got ${JSON.stringify(name)}.`);
  return PRF_USERS[known]();
}
