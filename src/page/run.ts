import type { Explanation } from '../explain/error-texts/meaning.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { getPath, stringAt } from './json.js';

/** One HTTP request of a run with its answer. It never holds the bearer token itself. */
export interface HttpLeg {
  readonly kind: 'http';
  /** The server repeats it in problems, log and stream. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject | undefined;
  readonly bearer: boolean;
  /** Undefined when the server could not be reached; `failure` says why. */
  readonly status: number | undefined;
  readonly answer: unknown;
  readonly failure: string | undefined;
  readonly milliseconds: number;
}

/** One call of `navigator.credentials` with its result. */
export interface BrowserLeg {
  readonly kind: 'browser';
  readonly call: 'create' | 'get';
  readonly mediation: 'conditional' | undefined;
  /** The options as the server sent them. */
  readonly options: JsonObject;
  /** RegistrationResponseJSON or AuthenticationResponseJSON. */
  readonly response: JsonObject | undefined;
  /** The response before it was broken on purpose. */
  readonly honest?: JsonObject | undefined;
  readonly error: BrowserError | undefined;
  readonly milliseconds: number;
  /** The software authenticator of the server that answered; undefined if the browser did. */
  readonly software: Software | undefined;
}

/** An answer of `POST /dev/answer`, or of a browser changed by `POST /dev/tamper`. */
export interface Software {
  /** Undefined when it was the browser's answer that was changed. */
  readonly persona: string | undefined;
  /** Id of the mutation of the catalogue. */
  readonly tamper: string | undefined;
}

/** Who was asked for the answer, for sentences. */
export function answererName(software: Software | undefined): string {
  return software?.persona === undefined ? 'browser' : 'software authenticator';
}

export type SignalMethod = 'signalUnknownCredential' | 'signalAllAcceptedCredentials' | 'signalCurrentUserDetails';

/** A signal to the credential provider (WebAuthn L3 §5.1.10). */
export interface SignalLeg {
  readonly kind: 'signal';
  readonly method: SignalMethod;
  readonly options: JsonObject;
  readonly outcome: 'sent' | 'failed' | 'not supported';
  readonly detail: string | undefined;
}

export type Leg = HttpLeg | BrowserLeg | SignalLeg;

export interface BrowserError {
  readonly name: string;
  readonly message: string;
  /** Its meaning here, most likely cause first. */
  readonly explanation: Explanation;
}

/** `unanswered`: the server did not answer; `cancelled`: the user ended it, on the page; `failed`: the page could not begin it. */
export type Outcome = 'running' | 'verified' | 'rejected' | 'unanswered' | 'browser-error' | 'cancelled' | 'failed';

/** A signal that is only sent when the user presses its button. */
export interface SignalOffer {
  readonly method: SignalMethod;
  readonly options: JsonObject;
  /** Text of the button. */
  readonly button: string;
  /** Names what the authenticator may delete or change; shown at the button. */
  readonly warning: string;
  /** Credential ids (base64url) known here that the authenticator may hide or delete. */
  readonly mayHide: readonly string[];
}

/** One thing tried on the page, from the first request to the verdict. */
export interface Run {
  readonly id: number;
  readonly title: string;
  readonly kind: CeremonyKind | 'other';
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly legs: readonly Leg[];
  /** Ids of the requests that this tab has sent for it, answered or not. */
  readonly requestIds?: readonly string[];
  readonly outcome: Outcome;
  /** One sentence for the status line. */
  readonly summary: string;
  /** A signal to the authenticator about how it ended. */
  readonly offer: SignalOffer | undefined;
}

/** Whether the server answered with success. */
export function succeeded({ status }: HttpLeg): boolean {
  return status !== undefined && status < 400;
}

export function findBrowserLeg(run: Run): BrowserLeg | undefined {
  return run.legs.find((leg): leg is BrowserLeg => leg.kind === 'browser');
}

/** The request that carried the browser's answer. */
export function findVerdictLeg(run: Run): HttpLeg | undefined {
  const browser = run.legs.findIndex((leg) => leg.kind === 'browser');
  return browser === -1 ? undefined : run.legs.slice(browser).find((leg): leg is HttpLeg => leg.kind === 'http');
}

/**
 * The origin that the server expects in the client data: the one its refusal names, otherwise that of the app_url it was sent, else the
 * page's own.
 */
export function expectedOrigin(run: Run, own: string): string {
  const problem = findProblem(run);
  const step = problem?.['step'];
  const expected = problem?.['code'] === 'origin_mismatch' ? stringAt(step, 'expected') : undefined;
  if (expected !== undefined) return expected;
  const verdict = findVerdictLeg(run);
  if (verdict !== undefined && succeeded(verdict)) return own;
  const sent = run.legs.map((leg) => (leg.kind === 'http' ? stringAt(leg.body, 'app_url') : undefined)).find((url) => url !== undefined);
  return sent === undefined ? own : (parseUrl(sent)?.origin ?? own);
}

/** The last answer of the server that is a problem document (RFC 9457). */
export function findProblem(run: Run): JsonObject | undefined {
  const leg = run.legs.findLast((one): one is HttpLeg => one.kind === 'http');
  return leg !== undefined && !succeeded(leg) && isObject(leg.answer) ? leg.answer : undefined;
}

/** One sentence about an answer that is not a success. Without the detail if the answer has a step: the page shows that in a table. */
export function describeFailure(leg: HttpLeg): string {
  if (leg.failure !== undefined) return leg.failure;
  const { answer } = leg;
  const title = stringAt(answer, 'title');
  const short = title !== undefined && getPath(answer, ['step']) !== undefined ? `${title}.` : undefined;
  const text = short ?? stringAt(answer, 'detail') ?? title ?? 'The server gave no reason.';
  const code = stringAt(answer, 'code');
  return `${leg.status}${code === undefined ? '' : ` ${code}`}: ${text}`;
}
