import type { JsonObject } from '../../kernel/json-value.js';
import type { Flow } from './flow.js';

/** Name of the exception with which a call of `create()` or `get()` rejects if the authenticator does not respond to it. */
export type Ending = 'NotAllowedError' | 'SecurityError' | 'InvalidStateError' | 'AbortError';

/** An interface that the browser lacks. `conditional`: it has no autofill of passkeys, and its capabilities say so. */
export type Lack = 'PublicKeyCredential' | 'getClientCapabilities' | 'signals' | 'conditional';

/** How the browser of a case differs from an honest one. The script of `watch-page.ts` implements it; a driver only passes it on. */
export interface Behaviour {
  /**
   * The exceptions with which the first calls in each document reject, in order. Later calls, and conditional calls of `get()`, get a
   * response.
   */
  readonly endings?: readonly Ending[];
  readonly lacks?: Lack;
  /** Milliseconds for which the dialog of a modal call stays open. Another call in that time is refused as in Chromium. */
  readonly open?: number;
  /** If true, the user cancels each dialog that opens before their first click in the document. */
  readonly dismissesAtLoad?: boolean;
}

/** A request that the page is about to send. */
export interface SentRequest {
  /** Number of the request, unique within one opened page. */
  readonly id: number;
  readonly method: string;
  readonly url: string;
  /** Request headers; their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Request body; empty if the request has none. */
  readonly body: string;
  /** Whether the request loads a document, as links and forms do. */
  readonly isNavigation: boolean;
  /** Origin of the document that sends the request; empty if it is unknown. */
  readonly origin: string;
}

/** A change of the server's response to one request. */
export type Override =
  /** The page gets this response; the request does not reach the server. */
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  /** The request fails as it does without a network. */
  | { readonly kind: 'offline' }
  /** The page gets the server's response with another body; status and headers stay. */
  | { readonly kind: 'edit'; readonly edit: (body: string) => string };

/** The browser and the network in which a page runs. */
export interface World extends Behaviour {
  /** Called for each request before it is sent; returns undefined to let it through. Without this function, the driver need not intercept requests. */
  readonly answer?: (request: SentRequest) => Override | undefined;
}

/** An event in a page, as the script of `watch-page.ts` reports it. */
export type PageObservation =
  | { readonly kind: 'document'; readonly url: string }
  /** The driver clicked as the user would. */
  | { readonly kind: 'press' }
  | CallObservation
  /** A call ended: its response in JSON, or the name of its exception. */
  | { readonly kind: 'ended'; readonly call: number; readonly response?: JsonObject; readonly error?: string }
  /** The page aborted a call. */
  | { readonly kind: 'aborted'; readonly call: number }
  | { readonly kind: 'signal'; readonly name: string; readonly argument: JsonObject }
  /** `isConditionalMediationAvailable()` or `getClientCapabilities()` was called. */
  | { readonly kind: 'capability'; readonly name: string }
  /** A field with `autocomplete="… webauthn"` was found only after the conditional call had begun. */
  | { readonly kind: 'field' }
  | { readonly kind: 'uncaught' | 'rejection'; readonly text: string }
  /** A dialog of `alert()`, `confirm()` or `prompt()`. */
  | { readonly kind: 'dialog'; readonly text: string };

export interface CallObservation {
  readonly kind: 'call';
  /** Number of the call, unique within one opened page. */
  readonly call: number;
  readonly method: 'create' | 'get';
  /** `publicKey` as JSON, with bytes in base64url; undefined if its members cannot be read. */
  readonly options?: JsonObject;
  readonly mediation?: string;
  /** Milliseconds of the `AbortSignal.timeout()` that the page passed as `signal`. */
  readonly abortsAfter?: number;
  /** Delay in milliseconds of the `setTimeout()` whose callback makes the call; undefined if no timer does. */
  readonly timer?: number;
  /** Whether the page had a field with `autocomplete="… webauthn"` when it called. */
  readonly hasField: boolean;
}

/** The response that the page got to a request. */
export interface AnswerObservation {
  readonly kind: 'answer';
  /** ID of the request. */
  readonly request: number;
  /** HTTP status; 0 if the request failed. */
  readonly status: number;
  /** Response headers; their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Response body; undefined if the browser did not keep it. */
  readonly body: string | undefined;
  /** Whether the request had a Cookie header; undefined if the browser does not say. */
  readonly sentCookie: boolean | undefined;
}

/** An event in a page or on its network, in the order in which the driver sees them. */
export type Observation = PageObservation | ({ readonly kind: 'request' } & SentRequest) | AnswerObservation;

/** State of the control that was clicked last. */
export interface TriggerState {
  /** Whether the control, or another control that looks the same, is visible. */
  readonly exists: boolean;
  /** Whether `disabled`, `aria-disabled` or `inert` turns the control off. */
  readonly isDisabled: boolean;
  /** Whether `aria-busy` marks the control, or an element that contains it, as busy. */
  readonly isBusy: boolean;
  /** Whether a field that had content when the control was clicked is now empty or gone. */
  readonly hasLostInput: boolean;
}

/** State of a control that is gone, for instance because its document is gone. */
export const NO_TRIGGER: TriggerState = { exists: false, isDisabled: false, isBusy: false, hasLostInput: false };

/** A page with its own browser context and its own authenticator. */
export interface DrivenPage<Playable = Flow> extends AsyncDisposable {
  /** Events in the page and on its network, oldest first. The list grows while the page is open. */
  readonly observations: readonly Observation[];
  /**
   * Plays a flow. With `isHonest: false`, stops after the flow's last click, because the steps after this click wait for a success.
   *
   * @throws an error that says why a step cannot be played.
   */
  play(flow: Playable, options: { readonly user: number; readonly isHonest: boolean }): Promise<void>;
  /** Clicks the trigger again, `times` times without a pause. Returns false if the trigger is gone, disabled or covered. */
  press(times: number): Promise<boolean>;
  /** Picks the newest passkey from the autofill list, as the user. Does nothing if no conditional call is pending. */
  pickAutofill(): Promise<void>;
  readTrigger(): Promise<TriggerState>;
  /** Waits until no request, call or short timer of the page is pending, but at most some seconds. */
  settle(): Promise<void>;
  /** Exports the passkeys of the authenticator, for another page. */
  exportPasskeys(): Promise<string>;
}

/** Opens pages in a browser. */
export interface PageDriver<Playable = Flow> {
  /**
   * Opens a page.
   *
   * @param passkeys passkeys that `exportPasskeys` of an earlier page returned; default: none.
   */
  open(world: World, passkeys?: string): Promise<DrivenPage<Playable>>;
}
