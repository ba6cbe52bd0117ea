import type { Authenticator, DiscoverableCredential } from '../authenticator/ports.js';
import type { Caller } from './caller.js';
import { domException } from './dom-exception.js';
import type { Timer } from './lifetime.js';
import { describe, readable } from './members.js';

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

/** CredentialCreationOptions or CredentialRequestOptions with a public key. */
interface CredentialOptions<T> {
  readonly publicKey: T;
  readonly signal?: AbortSignal;
  readonly mediation?: Mediation;
}

/**
 * @throws TypeError naming the member that is missing or wrong; `mediation` also for a value outside the enumeration.
 * @throws DOMException `NotAllowedError` for `silent`: without mediation there is no passkey, and browsers answer null.
 */
export function readCredentialOptions<T>(options: CredentialOptions<T>): {
  readonly publicKey: T;
  readonly signal: AbortSignal | undefined;
  readonly conditional: boolean;
} {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`Expected an object with the member publicKey; got ${describe(options)}.`);
  }
  const publicKey = readable('publicKey', () => options.publicKey);
  const signal = readable('signal', () => options.signal);
  const mediation = readable('mediation', () => options.mediation);
  if (mediation !== undefined && !MEDIATIONS.includes(mediation)) {
    throw new TypeError(`Expected mediation to be one of ${MEDIATIONS.join(', ')}; got ${describe(mediation)}.`);
  }
  if (signal !== undefined && !readable('signal', () => isAbortSignal(signal))) {
    throw new TypeError(`Expected signal to be an AbortSignal; got ${describe(signal)}.`);
  }
  if (mediation === 'silent') throw domException('NotAllowedError', 'Expected user mediation; "silent" rules it out.');
  return { publicKey, signal, conditional: mediation === 'conditional' };
}

/** Also one of another realm or library, which is no instance of the global's. */
function isAbortSignal(value: object): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const methods = ['throwIfAborted', 'addEventListener'].map((name): unknown => Reflect.get(value, name));
  return 'aborted' in value && methods.every((method) => typeof method === 'function');
}
