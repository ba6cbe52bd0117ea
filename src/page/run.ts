import type { Explanation } from '../explain/error-texts/meaning.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { getPath, stringAt } from './json.js';

/** One HTTP request of a run, with its response. Never contains the bearer token. */
export interface HttpLeg {
  readonly kind: 'http';
  /** Id of the request, which the server repeats in problems, log and stream. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject | undefined;
  readonly bearer: boolean;
  /** HTTP status of the response. Undefined if the server could not be reached; `failure` then gives the reason. */
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
  /** Options as sent by the server. */
  readonly options: JsonObject;
  /** Response as RegistrationResponseJSON or AuthenticationResponseJSON. */
  readonly response: JsonObject | undefined;
  /** Response before the page broke it on purpose. */
  readonly honest?: JsonObject | undefined;
  readonly error: BrowserError | undefined;
  readonly milliseconds: number;
  /** Software authenticator of the server that made or changed the response; undefined if the response is the browser's own. */
  readonly software: Software | undefined;
}

/** Source of a response that is not the browser's own: `POST /dev/answer` made the response, or `POST /dev/tamper` changed it. */
export interface Software {
  /** Persona of the software authenticator. Undefined if the browser responded and the server changed that response. */
  readonly persona: string | undefined;
  /** Id of the catalogue's mutation that changed the response. */
  readonly tamper: string | undefined;
}

/** Names the authenticator that made the response, for use in sentences. */
export function answererName(software: Software | undefined): string {
  return software?.persona === undefined ? 'browser' : 'software authenticator';
}

export type SignalMethod = 'signalUnknownCredential' | 'signalAllAcceptedCredentials' | 'signalCurrentUserDetails';

/** One signal to the credential provider (WebAuthn L3 §5.1.10), with its result. */
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
  /** Meaning of the error under these circumstances, most likely cause first. */
  readonly explanation: Explanation;
}

/**
 * Result of a run. `unanswered`: the server did not respond. `cancelled`: the user ended the run on the page. `failed`: the page could not
 * start the run.
 */
export type Outcome = 'running' | 'verified' | 'rejected' | 'unanswered' | 'browser-error' | 'cancelled' | 'failed';

/** A signal that is sent only if the user presses its button. */
export interface SignalOffer {
  readonly method: SignalMethod;
  readonly options: JsonObject;
  /** Label of the button that sends the signal. */
  readonly button: string;
  /** Warning shown at the button: what the authenticator may delete or change. */
  readonly warning: string;
  /** Credential IDs (base64url) of known passkeys that the authenticator may hide or delete. */
  readonly mayHide: readonly string[];
}

/** One action on the page, from the first request to the verdict. */
export interface Run {
  readonly id: number;
  readonly title: string;
  readonly kind: CeremonyKind | 'other';
  /** Start of the run in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly legs: readonly Leg[];
  /** Ids of the requests that this tab has sent for the run, even those without a response. */
  readonly requestIds?: readonly string[];
  readonly outcome: Outcome;
  /** Result of the run in one sentence, for the status line. */
  readonly summary: string;
  /** Signal offered to the user, which would tell the authenticator about the result of the run. */
  readonly offer: SignalOffer | undefined;
}

/** Tests whether the server responded with success. */
export function succeeded({ status }: HttpLeg): boolean {
  return status !== undefined && status < 400;
}

export function findBrowserLeg(run: Run): BrowserLeg | undefined {
  return run.legs.find((leg): leg is BrowserLeg => leg.kind === 'browser');
}

/** Finds the request that sent the browser's response to the server. */
export function findVerdictLeg(run: Run): HttpLeg | undefined {
  const browser = run.legs.findIndex((leg) => leg.kind === 'browser');
  return browser === -1 ? undefined : run.legs.slice(browser).find((leg): leg is HttpLeg => leg.kind === 'http');
}

/**
 * Finds the origin that the server expects in the client data: the one in its refusal, or else the origin of `app_url` in the request, or
 * else this page's origin.
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

/** Finds the last response of the server that is a problem document (RFC 9457). */
export function findProblem(run: Run): JsonObject | undefined {
  const leg = run.legs.findLast((one): one is HttpLeg => one.kind === 'http');
  return leg !== undefined && !succeeded(leg) && isObject(leg.answer) ? leg.answer : undefined;
}

/**
 * Describes an unsuccessful response in one sentence. Leaves out the detail if the response names a failed step, because the page shows
 * that in a table.
 */
export function describeFailure(leg: HttpLeg): string {
  if (leg.failure !== undefined) return leg.failure;
  const { answer } = leg;
  const title = stringAt(answer, 'title');
  const short = title !== undefined && getPath(answer, ['step']) !== undefined ? `${title}.` : undefined;
  const text = short ?? stringAt(answer, 'detail') ?? title ?? 'The server gave no reason.';
  const code = stringAt(answer, 'code');
  return `${leg.status}${code === undefined ? '' : ` ${code}`}: ${text}`;
}
