import type { Authenticator } from '../authenticator/ports.js';
import { checkOrigin } from './caller.js';
import { type CreateOptions, create } from './create.js';
import type { Assertion, CreatedCredential } from './dictionaries.js';
import { type GetOptions, get } from './get.js';
import type { Timer } from './lifetime.js';
import type { CredentialPicker, Platform } from './platform.js';

export interface ClientOptions {
  /** Any `{ makeCredential, getAssertion }`. */
  readonly authenticator: Authenticator;
  /** Serialized origin of the page, e.g. `https://example.com` or `http://localhost:7277`. */
  readonly origin: string;
  /** Origin of the top-level page, for a page in a cross-origin iframe. */
  readonly topOrigin?: string;
  /** Whether the page is not same-origin with all its ancestors; default: whether a `topOrigin` is given. */
  readonly crossOrigin?: boolean;
  /** Ends a ceremony after its timeout. Default: none, so that the client waits for the authenticator as long as it takes. */
  readonly timer?: Timer;
  /** The user's choice from the autofill list of conditional mediation. Default: the newest. */
  readonly pickCredential?: CredentialPicker;
}

/** The browser's part of WebAuthn, on the JSON dictionaries of the standard. */
export interface Client {
  /**
   * `navigator.credentials.create()` between `parseCreationOptionsFromJSON()` and `toJSON()`.
   *
   * @throws TypeError naming the member of the options that is missing or wrong.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.3 requires, or the abort reason of `signal`.
   */
  create(options: CreateOptions): Promise<CreatedCredential>;
  /**
   * `navigator.credentials.get()` between `parseRequestOptionsFromJSON()` and `toJSON()`.
   *
   * @throws TypeError naming the member of the options that is missing or wrong.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.4 requires, or the abort reason of `signal`.
   */
  get(options: GetOptions): Promise<Assertion>;
}

/** @throws TypeError for an `origin` or `topOrigin` that is not a serialized origin, and for a `topOrigin` without cross-origin ancestors. */
export function createClient({ authenticator, origin, topOrigin, crossOrigin, timer, pickCredential }: ClientOptions): Client {
  if (crossOrigin === false && topOrigin !== undefined) {
    throw new TypeError('Expected no topOrigin while crossOrigin is false: only a page in a cross-origin iframe has one (§5.8.1).');
  }
  const platform: Platform = {
    authenticator,
    caller: {
      origin: checkOrigin(origin, 'origin'),
      crossOrigin: crossOrigin ?? topOrigin !== undefined,
      topOrigin: topOrigin === undefined ? undefined : checkOrigin(topOrigin, 'topOrigin'),
    },
    timer,
    pickCredential: pickCredential ?? (([newest]) => newest),
  };
  return {
    create: (options) => create(platform, options),
    get: (options) => get(platform, options),
  };
}
