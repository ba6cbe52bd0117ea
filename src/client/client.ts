import type { Authenticator } from '../authenticator/ports.js';
import { checkOrigin } from './caller.js';
import { type CreateOptions, create } from './create.js';
import type {
  Assertion,
  CreatedCredential,
  CreationOptionsInput,
  ExtensionOutputs,
  RequestOptionsInput,
  Transport,
} from './dictionaries.js';
import { type GetOptions, get } from './get.js';
import type { Timer } from './lifetime.js';
import { readable } from './members.js';
import type { CredentialPicker, Mediation, Platform } from './platform.js';

export type {
  Assertion,
  CreatedCredential,
  CreateOptions,
  CreationOptionsInput,
  CredentialPicker,
  ExtensionOutputs,
  GetOptions,
  Mediation,
  RequestOptionsInput,
  Timer,
  Transport,
};

export interface ClientOptions {
  /** Any `{ makeCredential, getAssertion }`. */
  readonly authenticator: Authenticator;
  /** Serialized origin of the page, e.g. `https://example.com` or `http://localhost:7277`. */
  readonly origin: string;
  /** Origin of the top-level page, for a page in a cross-origin iframe. */
  readonly topOrigin?: string;
  /** Whether the page is not same-origin with all its ancestors; default: whether a `topOrigin` is given. */
  readonly crossOrigin?: boolean;
  /** Ends a ceremony after its timeout. Default: none, the authenticator's answer is awaited however long it takes. */
  readonly timer?: Timer;
  /** The user in front of the autofill list of conditional mediation; default: takes the newest. */
  readonly pickCredential?: CredentialPicker;
}

/** The browser's part of WebAuthn, on the JSON dictionaries of the standard. */
export interface Client {
  /**
   * `navigator.credentials.create()` between `parseCreationOptionsFromJSON()` and `toJSON()`.
   *
   * @throws TypeError naming the member of the options that is missing or wrong.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.3 gives, or the abort reason of `signal`.
   */
  create(options: CreateOptions): Promise<CreatedCredential>;
  /**
   * `navigator.credentials.get()` between `parseRequestOptionsFromJSON()` and `toJSON()`.
   *
   * @throws TypeError naming the member of the options that is missing or wrong.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.4 gives, or the abort reason of `signal`.
   */
  get(options: GetOptions): Promise<Assertion>;
}

/** @throws TypeError naming the option that is missing or wrong, such as an `origin` that is no serialized origin. */
export function createClient(options: ClientOptions): Client {
  checkClientOptions(options);
  const { authenticator, origin, topOrigin, crossOrigin, timer, pickCredential } = options;
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

interface Option {
  /** Completes "Expected … to be". */
  readonly expected: string;
  holds(value: unknown): boolean;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const optional = (expected: string, holds: Option['holds']): Option => ({
  expected,
  holds: (value) => value === undefined || holds(value),
});
const ORIGIN: Option = { expected: 'a string such as "https://example.com"', holds: (value) => typeof value === 'string' };

/** What TypeScript's types say of the options, said again to callers who write JavaScript. */
const OPTIONS: Readonly<Record<keyof ClientOptions, Option>> = {
  authenticator: {
    expected: 'an object with makeCredential() and getAssertion()',
    holds: (value) => isObject(value) && ['makeCredential', 'getAssertion'].every((name) => isFunction(Reflect.get(value, name))),
  },
  origin: ORIGIN,
  topOrigin: optional(ORIGIN.expected, ORIGIN.holds),
  crossOrigin: optional('true or false', (value) => typeof value === 'boolean'),
  timer: optional('a function', isFunction),
  pickCredential: optional('a function', isFunction),
};

function checkClientOptions(options: ClientOptions): void {
  const check = (value: unknown, member: string, { expected, holds }: Option): void => {
    if (readable(member, () => holds(value))) return;
    throw new TypeError(`Expected ${member} to be ${expected}; got ${value === undefined ? 'nothing' : typeof value}.`);
  };
  check(options, 'the options of a client', { expected: 'an object with authenticator and origin', holds: isObject });
  for (const [member, option] of Object.entries(OPTIONS)) {
    const value: unknown = readable(member, () => Reflect.get(options, member));
    check(value, member, option);
  }
  if (options.crossOrigin === false && options.topOrigin !== undefined) {
    throw new TypeError('Expected no topOrigin while crossOrigin is false: only a page in a cross-origin iframe has one (§5.8.1).');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
