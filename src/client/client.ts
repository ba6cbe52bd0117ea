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
  /** Any `{ makeCredential, getAssertion }`, or several: hints and what the options ask for choose among them. */
  readonly authenticator: Authenticator | readonly [Authenticator, ...Authenticator[]];
  /** Serialized origin of the page, e.g. `https://example.com` or `http://localhost:7277`; of an Android app `android:apk-key-hash:…`. */
  readonly origin: string;
  /** Origin of the top-level page, for a page in a cross-origin iframe. */
  readonly topOrigin?: string;
  /** Whether the page is not same-origin with all its ancestors; default: whether a `topOrigin` is given. */
  readonly crossOrigin?: boolean;
  /** Features that the embedding page allows in a cross-origin iframe (§5.9); default: everything. */
  readonly permissionsPolicy?: Readonly<Partial<Record<PolicyFeature, boolean>>>;
  /** Origin of an Android app for the client data; the site must vouch for it. */
  readonly androidPackageName?: string;
  /**
   * `browser`, the default, takes what Chromium takes, such as `null`, `"60000"` for a number, and text for a boolean. `strict` takes the types of
   * the standard only.
   */
  readonly mode?: ReadingMode;
  /** Called for every member that does not have the standard's type. */
  readonly onRemark?: (remark: Remark) => void;
  /**
   * `fetch`, for an RP ID of another site (§5.11: `https://RP-ID/.well-known/webauthn`) and for Android apps (Digital Asset Links). Default: none, so
   * that an RP ID of another site is refused and an app is believed.
   */
  readonly fetch?: FetchPort;
  /** Ends a ceremony after its timeout. Default: none, so that the client waits for the authenticator as long as it takes. */
  readonly timer?: Timer;
  /** The user's choice from the autofill list of conditional mediation. Default: the newest. */
  readonly pickCredential?: CredentialPicker;
  /** RP IDs that may get enterprise attestation (§5.4.7), as an administrator would list them; default: none. */
  readonly enterpriseRpIds?: readonly string[];
  /** Member `extraData` of the client data: §5.8.1 lets clients add members, and the test vectors of §16 have this one. */
  readonly extraData?: string;
  /** Source of bytes for the key agreement with authenticators that have hmac-secret; default: the system's. */
  readonly random?: (length: number) => Uint8Array;
}

/** The browser's part of WebAuthn, on the JSON dictionaries of the standard. */
export interface Client {
  /**
   * `navigator.credentials.create()` between `parseCreationOptionsFromJSON()` and `toJSON()`.
   *
   * @throws TypeError naming the member of the options that is missing or wrong, RangeError for a list longer than browsers take.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.3 requires, or the abort reason of `signal`.
   */
  create(options: CreateOptions): Promise<CreatedCredential>;
  /**
   * `navigator.credentials.get()` between `parseRequestOptionsFromJSON()` and `toJSON()`.
   *
   * @throws TypeError naming the member of the options that is missing or wrong, RangeError for a list longer than browsers take.
   * @throws DOMException with the name that W3C WebAuthn L3 §5.1.4 requires, or the abort reason of `signal`.
   */
  get(options: GetOptions): Promise<Assertion>;
  /**
   * `PublicKeyCredential.signalUnknownCredential()` (§5.1.10.1): the authenticators hide or remove the credential.
   *
   * @throws TypeError naming the member that is missing or wrong, DOMException `SecurityError` for an RP ID that the caller may not use.
   */
  signalUnknownCredential(options: UnknownCredentialInput): Promise<void>;
  /** `PublicKeyCredential.signalAllAcceptedCredentials()` (§5.1.10.2): the user's other credentials go, hidden ones in the list come back. Throws alike. */
  signalAllAcceptedCredentials(options: AllAcceptedCredentialsInput): Promise<void>;
  /** `PublicKeyCredential.signalCurrentUserDetails()` (§5.1.10.3): the user's credentials get these names. Throws alike. */
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
