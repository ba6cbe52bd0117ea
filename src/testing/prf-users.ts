import { scriptedUser } from '../authenticator/user-verifier.js';
import { knownValue, listNames } from '../webauthn/enumerations.js';
import type { SoftwareOptions } from './credentials/software.js';

type PrfUserOptions = Pick<SoftwareOptions, 'persona' | 'traits' | 'user'>;

/**
 * Functions that make the options of each user, by the user's name. Each use calls the function again, because a scripted user must start
 * anew.
 */
const PRF_USERS = {
  /** A user whose passkeys do not support PRF. */
  'no-prf': () => ({ traits: { extensions: [] } }),
  /** A user with a security key: a registration reports support for PRF, but only logins return its results. */
  'results-at-login': () => ({ persona: 'yubikey-5' }),
  /** A user whose passkeys report no PRF support at registration, but return results at login. */
  'only-at-login': () => ({ traits: { extensions: ['prf'], prfAtCreation: false } }),
  /** A user with a passkey of another provider, and therefore with another secret. */
  'another-provider': () => ({ persona: 'google-password-manager' }),
  /** A user who is verified at registration and never again. Without user verification, a passkey has another secret. */
  'unverified-at-login': () => ({ traits: { extensions: ['prf'] }, user: scriptedUser('verified', 'present') }),
} as const satisfies Readonly<Record<string, () => PrfUserOptions>>;

export type PrfUserName = keyof typeof PRF_USERS;

/**
 * Makes a user whose passkeys handle the extension `prf` in a way that applications rarely expect. Pass the result to `createCeremonies`.
 *
 * @throws TypeError for an unknown name.
 */
export function prfUser(name: PrfUserName): PrfUserOptions {
  const names = listNames(PRF_USERS);
  const known = knownValue(name, names);
  if (known === undefined) throw new TypeError(`Expected the name of a PRF user (${names.join(', ')}); got ${JSON.stringify(name)}.`);
  return PRF_USERS[known]();
}
