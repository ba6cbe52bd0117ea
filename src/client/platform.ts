import type { Authenticator, DiscoverableCredential } from '../authenticator/ports.js';
import type { Caller } from './caller.js';
import { domException } from './dom-exception.js';
import type { Timer } from './lifetime.js';

/** CredentialMediationRequirement. */
export type Mediation = 'silent' | 'optional' | 'conditional' | 'required';

/** Which of the discovered credentials the user picks from the autofill list; undefined for none. */
export type CredentialPicker = (
  credentials: readonly [DiscoverableCredential, ...DiscoverableCredential[]],
) => DiscoverableCredential | undefined | Promise<DiscoverableCredential | undefined>;

/** What both operations work with. */
export interface Platform {
  readonly authenticator: Authenticator;
  readonly caller: Caller;
  readonly timer: Timer | undefined;
  readonly pickCredential: CredentialPicker;
}

const MEDIATIONS: readonly string[] = ['silent', 'optional', 'conditional', 'required'] satisfies readonly Mediation[];

/**
 * @throws TypeError for a value outside the enumeration.
 * @throws DOMException `NotAllowedError` for `silent`: without mediation there is no passkey, and browsers answer null.
 */
export function checkMediation(mediation: Mediation | undefined): Mediation {
  if (mediation === undefined) return 'optional';
  if (!MEDIATIONS.includes(mediation)) {
    throw new TypeError(`Expected mediation to be one of ${MEDIATIONS.join(', ')}; got ${JSON.stringify(mediation)}.`);
  }
  if (mediation === 'silent') throw domException('NotAllowedError', 'Expected user mediation; "silent" rules it out.');
  return mediation;
}
