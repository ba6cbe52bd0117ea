import type { JsonObject } from '../../kernel/json-value.js';
import type { Flow } from './flow.js';

/** How a call of `create()` or `get()` ends in place of being answered: the name of the exception that the page gets. */
export type Ending = 'NotAllowedError' | 'SecurityError' | 'InvalidStateError' | 'AbortError';

/** Interfaces that a browser may lack; `conditional`: it has no autofill of passkeys, and says so. */
export type Lack = 'PublicKeyCredential' | 'getClientCapabilities' | 'signals' | 'conditional';

/** How the browser differs from an honest one. The script of `watch-page.ts` carries it out; a driver only hands it over. */
export interface Behaviour {
  /** How the first calls of each document end, conditional calls of `get()` left out; those after them are answered. */
  readonly endings?: readonly Ending[];
  readonly lacks?: Lack;
  /** Milliseconds for which a modal call stays open, as a dialog does; a second call meanwhile is refused as in Chromium. */
  readonly open?: number;
  /** The user cancels what a document asks before they have clicked in it. */
  readonly dismissesAtLoad?: boolean;
}

/** A request of a script or a form, before it is sent. */
export interface SentRequest {
  /** Unique within one opened page. */
  readonly id: number;
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if there is none. */
  readonly body: string;
  /** Whether it loads a document, as links and forms do. */
  readonly isNavigation: boolean;
  /** Origin of the document that sends it. */
  readonly origin: string;
}

/** What the page gets in place of the answer of its server. */
export type Override =
  /** The server gets nothing. */
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly kind: 'offline' }
  /** The server answers, and its text is changed; status and headers stay. */
  | { readonly kind: 'edit'; readonly edit: (body: string) => string };

/** One case's world: the browser and the network of a page. */
export interface World extends Behaviour {
  /** Asked before each request is sent; undefined leaves it alone. Where it is absent, the driver need not intercept. */
  readonly answer?: (request: SentRequest) => Override | undefined;
}

/** What a page did, as the script of `watch-page.ts` reports it. */
export type PageObservation =
  | { readonly kind: 'document'; readonly url: string }
  /** The user clicked, by the driver's hand. */
  | { readonly kind: 'press' }
  | CallObservation
  /** The call has ended; its response in JSON, or the name of the exception. */
  | { readonly kind: 'ended'; readonly call: number; readonly response?: JsonObject; readonly error?: string }
  /** The page aborted the call. */
  | { readonly kind: 'aborted'; readonly call: number }
  | { readonly kind: 'signal'; readonly name: string; readonly argument: JsonObject }
  /** `isConditionalMediationAvailable()` or `getClientCapabilities()` was called. */
  | { readonly kind: 'capability'; readonly name: string }
  /** A field with `autocomplete="… webauthn"` has come after a conditional call. */
  | { readonly kind: 'field' }
  | { readonly kind: 'uncaught' | 'rejection'; readonly text: string };

export interface CallObservation {
  readonly kind: 'call';
  /** Unique within one opened page. */
  readonly call: number;
  readonly method: 'create' | 'get';
  /** `publicKey` with base64url in place of bytes; undefined if the page gave none, or none that can be read. */
  readonly options?: JsonObject;
  readonly mediation?: string;
  /** Milliseconds of the `AbortSignal.timeout()` that the page gave. */
  readonly abortsAfter?: number;
  /** Milliseconds of the page's own timer from which it calls. */
  readonly timer?: number;
  /** Whether a field with `autocomplete="… webauthn"` is in the page. */
  readonly hasField: boolean;
}

/** The answer as the page gets it: status 0 without one, no body where the browser does not keep it. */
export interface AnswerObservation {
  readonly kind: 'answer';
  readonly request: number;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Whether the request had a Cookie; undefined if the browser does not say. */
  readonly sentCookie: boolean | undefined;
}

/** What happened in a page: what its script reports, and what the driver sees of the network. */
export type Observation = PageObservation | ({ readonly kind: 'request' } & SentRequest) | AnswerObservation;

/** The control that was clicked last, as it is now. */
export interface TriggerState {
  /** Whether it, or one that looks the same, is there. */
  readonly exists: boolean;
  /** By `disabled`, `aria-disabled` or `inert`. */
  readonly isDisabled: boolean;
  /** By `aria-busy`. */
  readonly isBusy: boolean;
}

/** A fresh page of a fresh browser context, with an authenticator of its own. */
export interface DrivenPage<Playable = Flow> extends AsyncDisposable {
  /** In order; grows. */
  readonly observations: readonly Observation[];
  /**
   * Plays a flow; with `isHonest: false` only until its last click.
   *
   * @throws what says why the trigger was not reached.
   */
  play(flow: Playable, options: { readonly user: number; readonly isHonest: boolean }): Promise<void>;
  /** Clicks the trigger again, `times` times without a pause; false if it is gone, disabled or covered. */
  press(times: number): Promise<boolean>;
  /** The user picks the newest passkey from the autofill list; does nothing where no conditional call waits. */
  pickAutofill(): Promise<void>;
  readTrigger(): Promise<TriggerState>;
  /** Waits until the page is at rest: no request, no call and no short timer is pending. Gives up after some seconds. */
  settle(options?: { readonly atLeast?: number }): Promise<void>;
  /** The passkeys of the authenticator, for another page. */
  exportPasskeys(): Promise<string>;
}

/** Opens pages: the port between the cases and a browser. */
export interface PageDriver<Playable = Flow> {
  /** @param passkeys from `exportPasskeys` of an earlier page; default: none. */
  open(world: World, passkeys?: string): Promise<DrivenPage<Playable>>;
}
