import { randomBytes } from 'node:crypto';
import type { Authenticator } from '../authenticator/ports.js';
import { type Caller, checkOrigin } from './caller.js';
import { type CreateOptions, create } from './create.js';
import type { Assertion, CreatedCredential } from './dictionaries.js';
import { type GetOptions, get } from './get.js';
import type { Timer } from './lifetime.js';
import type { CredentialPicker, Platform, PolicyFeature } from './platform.js';
import { createReading, type ReadingMode, type Remark } from './reading.js';
import {
  type AllAcceptedCredentialsInput,
  type CurrentUserDetailsInput,
  signalAllAcceptedCredentials,
  signalCurrentUserDetails,
  signalUnknownCredential,
  type UnknownCredentialInput,
} from './signals.js';
import type { FetchPort } from './well-known.js';

export interface ClientOptions {
  /**
   * One authenticator, or several, from which the client chooses by the hints and requirements in the options. Any object with
   * `makeCredential` and `getAssertion` will do.
   */
  readonly authenticator: Authenticator | readonly [Authenticator, ...Authenticator[]];
  /** Serialized origin of the page, e.g. `https://example.com` or `http://localhost:7277`; for an Android app, `android:apk-key-hash:…`. */
  readonly origin: string;
  /** Origin of the top-level page if the page is in a cross-origin iframe. */
  readonly topOrigin?: string;
  /** True if the page is not same-origin with all its ancestors; default: true if `topOrigin` is given. */
  readonly crossOrigin?: boolean;
  /** Features that the embedding page allows in a cross-origin iframe (§5.9); default: all. */
  readonly permissionsPolicy?: Readonly<Partial<Record<PolicyFeature, boolean>>>;
  /** Package name of an Android app, which the client adds to the client data. The RP's site must list the app. */
  readonly androidPackageName?: string;
  /**
   * `browser` (default) accepts the wrong types that Chromium accepts, such as `null`, `"60000"` for a number, or a string for a boolean.
   * `strict` accepts only the types of the standard.
   */
  readonly mode?: ReadingMode;
  /** Called for every member of the options whose type differs from the standard's. */
  readonly onRemark?: (remark: Remark) => void;
  /**
   * `fetch`, for checking an RP ID of another site (§5.11: `https://RP-ID/.well-known/webauthn`) and Android apps (Digital Asset Links).
   * Without `fetch`, the client refuses an RP ID of another site, and accepts an app without a check.
   */
  readonly fetch?: FetchPort;
  /** Timer that ends a ceremony after its timeout. Without it, the client waits for the authenticator indefinitely. */
  readonly timer?: Timer;
  /** Picks a credential from the autofill list of conditional mediation; default: the newest. */
  readonly pickCredential?: CredentialPicker;
  /** RP IDs that may receive enterprise attestation (§5.4.7), as an administrator would configure them; default: none. */
  readonly enterpriseRpIds?: readonly string[];
  /** Value of the member `extraData` in the client data. §5.8.1 lets clients add members; the test vectors of §16 use this one. */
  readonly extraData?: string;
  /** Source of random bytes for the key agreement with authenticators that support hmac-secret; default: the system's random source. */
  readonly random?: (length: number) => Uint8Array;
}

/** The browser's part of WebAuthn, with the JSON dictionaries of the standard as input and output. */
export interface Client {
  /**
   * Creates a credential like `navigator.credentials.create()`, with the options and the result in JSON (`parseCreationOptionsFromJSON()`,
   * `toJSON()`).
   *
   * @throws TypeError naming the member of the options that is missing or wrong, RangeError for a list longer than browsers accept.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.3 requires, or the abort reason of `signal`.
   */
  create(options: CreateOptions): Promise<CreatedCredential>;
  /**
   * Makes an assertion like `navigator.credentials.get()`, with the options and the result in JSON (`parseRequestOptionsFromJSON()`,
   * `toJSON()`).
   *
   * @throws TypeError naming the member of the options that is missing or wrong, RangeError for a list longer than browsers accept.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.4 requires, or the abort reason of `signal`.
   */
  get(options: GetOptions): Promise<Assertion>;
  /**
   * Hides or removes a credential that the relying party does not know: `PublicKeyCredential.signalUnknownCredential()` (§5.1.10.1).
   *
   * @throws TypeError naming the member that is missing or wrong, DOMException `SecurityError` for an RP ID that the caller may not use.
   */
  signalUnknownCredential(options: UnknownCredentialInput): Promise<void>;
  /**
   * Hides or removes the user's credentials that are not listed, and restores listed ones that are hidden:
   * `PublicKeyCredential.signalAllAcceptedCredentials()` (§5.1.10.2). Throws like `signalUnknownCredential`.
   */
  signalAllAcceptedCredentials(options: AllAcceptedCredentialsInput): Promise<void>;
  /**
   * Renames the user in all their credentials: `PublicKeyCredential.signalCurrentUserDetails()` (§5.1.10.3). Throws like
   * `signalUnknownCredential`.
   */
  signalCurrentUserDetails(options: CurrentUserDetailsInput): Promise<void>;
}

/**
 * Simulates a browser around an authenticator: `create()` and `get()` as in `navigator.credentials`.
 *
 * @throws TypeError for an `origin` or `topOrigin` that is not a serialized origin, and for a `topOrigin` without cross-origin ancestors.
 */
export function createClient(options: ClientOptions): Client {
  const { authenticator, timer, pickCredential, mode, onRemark, permissionsPolicy, fetch, enterpriseRpIds, extraData, random } = options;
  const platform: Platform = {
    authenticators: isList(authenticator) ? authenticator : [authenticator],
    caller: readCaller(options),
    timer,
    pickCredential: pickCredential ?? (([newest]) => newest),
    reading: createReading(mode ?? 'browser', onRemark ?? (() => undefined)),
    permissionsPolicy: permissionsPolicy ?? {},
    fetch,
    enterpriseRpIds: enterpriseRpIds ?? [],
    extraData,
    random: random ?? ((length) => new Uint8Array(randomBytes(length))),
  };
  return {
    create: (creation) => create(platform, creation),
    get: (request) => get(platform, request),
    signalUnknownCredential: (signal) => signalUnknownCredential(platform, signal),
    signalAllAcceptedCredentials: (signal) => signalAllAcceptedCredentials(platform, signal),
    signalCurrentUserDetails: (signal) => signalCurrentUserDetails(platform, signal),
  };
}

function readCaller({ origin, topOrigin, crossOrigin, androidPackageName }: ClientOptions): Caller {
  if (crossOrigin === false && topOrigin !== undefined) {
    throw new TypeError('Expected no topOrigin while crossOrigin is false: only a page in a cross-origin iframe has one (§5.8.1).');
  }
  return {
    origin: checkOrigin(origin, 'origin'),
    crossOrigin: crossOrigin ?? topOrigin !== undefined,
    topOrigin: topOrigin === undefined ? undefined : checkOrigin(topOrigin, 'topOrigin'),
    androidPackageName,
  };
}

function isList(authenticator: ClientOptions['authenticator']): authenticator is readonly [Authenticator, ...Authenticator[]] {
  return Array.isArray(authenticator);
}
