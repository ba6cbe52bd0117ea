import type { Authenticator, DiscoverableCredential } from '../authenticator/ports.js';
import { type CredentialMediation, knownValue, MEDIATIONS } from '../webauthn/enumerations.js';
import type { Caller } from './caller.js';
import type { Timer } from './lifetime.js';
import { describe, domException } from './members.js';

/** The user's choice from the autofill list; undefined for none. */
export type CredentialPicker = (
  credentials: readonly [DiscoverableCredential, ...DiscoverableCredential[]],
) => DiscoverableCredential | undefined | Promise<DiscoverableCredential | undefined>;

/** What both operations need. */
export interface Platform {
  readonly authenticator: Authenticator;
  readonly caller: Caller;
  readonly timer: Timer | undefined;
  readonly pickCredential: CredentialPicker;
}

/** CredentialCreationOptions or CredentialRequestOptions with a public key. */
interface CredentialOptions<T> {
  readonly publicKey: T;
  readonly signal?: AbortSignal;
  readonly mediation?: CredentialMediation;
}

/**
 * @throws TypeError for a `mediation` outside the enumeration.
 * @throws DOMException `NotAllowedError` for `silent`: there is no passkey without mediation. Browsers answer null.
 */
export function readCredentialOptions<T>({ publicKey, signal, mediation }: CredentialOptions<T>): {
  readonly publicKey: T;
  readonly signal: AbortSignal | undefined;
  readonly conditional: boolean;
} {
  if (mediation !== undefined && knownValue(mediation, MEDIATIONS) === undefined) {
    throw new TypeError(`Expected mediation to be one of ${MEDIATIONS.join(', ')}; got ${describe(mediation)}.`);
  }
  if (mediation === 'silent') throw domException('NotAllowedError', 'Expected user mediation; "silent" rules it out.');
  return { publicKey, signal, conditional: mediation === 'conditional' };
}
