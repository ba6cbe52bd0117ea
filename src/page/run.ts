import type { CeremonyKind } from '../webauthn/enumerations.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { JsonObject } from './json.js';
import { stringAt } from './json.js';

/** One HTTP request of a run with its answer. The bearer token itself is never kept here. */
export interface HttpLeg {
  readonly kind: 'http';
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

/** One call of `navigator.credentials` with what came of it. */
export interface BrowserLeg {
  readonly kind: 'browser';
  readonly call: 'create' | 'get';
  readonly mediation: 'conditional' | undefined;
  /** The options as the server sent them. */
  readonly options: JsonObject;
  /** RegistrationResponseJSON or AuthenticationResponseJSON. */
  readonly response: JsonObject | undefined;
  readonly error: BrowserError | undefined;
  readonly milliseconds: number;
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
  /** What it means here, most likely cause first. */
  readonly explanation: Explanation;
}

export interface Explanation {
  readonly title: string;
  readonly causes: readonly string[];
  readonly next: string;
}

export type Outcome = 'running' | 'verified' | 'rejected' | 'browser-error' | 'aborted' | 'failed';

/** A signal that is sent when somebody presses its button, and never otherwise. */
export interface SignalOffer {
  readonly method: SignalMethod;
  readonly options: JsonObject;
  /** Text of the button. */
  readonly button: string;
  /** What the authenticator may delete or change; stands at the button. */
  readonly warning: string;
  /** Credential ids (base64url) known here that the authenticator may hide or delete. */
  readonly mayHide: readonly string[];
}

/** One thing that was tried on the page, from the first request to the verdict. */
export interface Run {
  readonly id: number;
  readonly title: string;
  readonly kind: CeremonyKind | 'other';
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly legs: readonly Leg[];
  readonly outcome: Outcome;
  /** One sentence for the status line. */
  readonly summary: string;
  /** What the authenticator can be told about how it ended. */
  readonly offer: SignalOffer | undefined;
}

export function browserLegOf(run: Run): BrowserLeg | undefined {
  return run.legs.find((leg): leg is BrowserLeg => leg.kind === 'browser');
}

/** The request that carried the browser's answer. */
export function verdictLegOf(run: Run): HttpLeg | undefined {
  const browser = run.legs.findIndex((leg) => leg.kind === 'browser');
  return browser === -1 ? undefined : run.legs.slice(browser).find((leg): leg is HttpLeg => leg.kind === 'http');
}

/**
 * The origin that the server expects in the client data: what its refusal says, else that of the app_url it was sent, else the
 * page's own.
 */
export function expectedOrigin(run: Run, own: string): string {
  const problem = problemOf(run);
  const step = problem?.['step'];
  const expected = problem?.['code'] === 'origin_mismatch' ? stringAt(step, 'expected') : undefined;
  if (expected !== undefined) {
    return expected;
  }
  const verdict = verdictLegOf(run);
  if (verdict?.status !== undefined && verdict.status < 400) {
    return own;
  }
  const sent = run.legs.map((leg) => (leg.kind === 'http' ? stringAt(leg.body, 'app_url') : undefined)).find((url) => url !== undefined);
  return sent === undefined ? own : (parseUrl(sent)?.origin ?? own);
}

/** The last answer of the server that is a problem document (RFC 9457). */
export function problemOf(run: Run): JsonObject | undefined {
  const leg = run.legs.findLast((one): one is HttpLeg => one.kind === 'http');
  return leg !== undefined && (leg.status === undefined || leg.status >= 400) && typeof leg.answer === 'object' && leg.answer !== null
    ? (leg.answer as JsonObject)
    : undefined;
}
