import { asObject } from '../../kernel/json-value.js';
import type { HttpAnswer } from '../http/http.js';
import { type AnswerDeviation, type Deviation, DIFFERS } from '../report/deviation.js';
import { readStep, readText, shorten } from '../report/problem-texts.js';
import type { Mismatch } from '../report/report.js';
import type { Answer } from '../target/driver.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import { failedAt, type ScenarioEnded } from './scenario.js';

/** The expected response to the last request of a scenario: a success, or a problem document. */
export type ExpectedAnswer =
  /** The expected ceremony succeeds. `status` defaults to 200. */
  | { readonly outcome: 'verified'; readonly status?: number }
  | { readonly outcome: 'rejected'; readonly code: string; readonly status: number; readonly step?: string };

export const ACCEPTED: ExpectedAnswer = { outcome: 'verified' };

/** Describes a refusal that a case expects. The default status is the one that our own API uses for refused registrations. */
export function refused(code: string, step?: string, status = 422): ExpectedAnswer {
  return { outcome: 'rejected', code, status, ...(step !== undefined && { step }) };
}

/** Describes a refusal of an authentication that a case expects. */
export function denied(code: string, step?: string): ExpectedAnswer {
  return refused(code, step, 401);
}

function describeExpected(expected: ExpectedAnswer): string {
  if (expected.outcome === 'verified') return expected.status === undefined ? 'verified' : `answered ${expected.status}`;
  return `${expected.status} ${expected.code}${expected.step === undefined ? '' : ` (step ${expected.step})`}`;
}

/**
 * Compares the status and problem document of a response with the expected ones.
 *
 * @param at names the request.
 */
export function compareAnswer(at: string, expected: ExpectedAnswer, answer: HttpAnswer): Mismatch[] {
  const problem = readProblem(answer);
  const mismatch: Mismatch = {
    at,
    expected: describeExpected(expected),
    received: describeAnswer(answer),
    deviation: readHttpDeviation(expected, answer),
    ...(problem.hint !== undefined && { hint: problem.hint }),
    ...(problem.step !== undefined && { step: problem.step }),
  };
  if (expected.outcome === 'verified') return answer.status === (expected.status ?? 200) ? [] : [mismatch];
  // In production mode the server reveals neither detail nor step.
  const step = expected.step === undefined || problem.detail === undefined || problem.step?.slug === expected.step;
  return answer.status === expected.status && problem.code === expected.code && step ? [] : [mismatch];
}

interface Problem {
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly step: Mismatch['step'] | undefined;
}

function readProblem({ json }: HttpAnswer): Problem {
  const body = asObject(json);
  const { hint, ...step } = asObject(body.step);
  return { code: readText(body.code), detail: readText(body.detail), hint: readText(hint), step: readStep(step) };
}

/** Describes the status and problem of a response on one line. */
function describeAnswer(answer: HttpAnswer): string {
  if (answer.status < 300) return `accepted (${answer.status})`;
  const { code, detail, step } = readProblem(answer);
  if (code === undefined) return `${answer.status} ${shorten(answer.text) || '(empty body)'}`;
  // The detail of a failed step only repeats its members, which the report has.
  if (step !== undefined) return `${answer.status} ${code} (step ${step.slug})`;
  return `${answer.status} ${code}${detail === undefined ? '' : `: ${shorten(detail)}`}`;
}

/** Makes a mismatch if `holds` is false, otherwise an empty list. */
export function expectTrue(what: string, expected: string, received: unknown, holds: boolean, deviation: Deviation = DIFFERS): Mismatch[] {
  return holds ? [] : [{ at: `the answer: ${what}`, expected, received: JSON.stringify(received) ?? 'nothing', deviation }];
}

/** Checks that an error is a problem document that repeats the HTTP status (RFC 9457). */
export function compareProblem(expected: ExpectedAnswer, { status, headers, json }: HttpAnswer): Mismatch[] {
  if (expected.outcome === 'verified') return [];
  const { type, title, status: stated, code, request_id: requestId } = asObject(json);
  const contentType = headers['content-type'] ?? 'none';
  return [
    expectTrue('content type', 'application/problem+json', contentType, contentType.startsWith('application/problem+json')),
    expectTrue('type', `urn:passkey:problem:${String(code)}`, type, type === `urn:passkey:problem:${String(code)}`),
    expectTrue('title', 'a text', title, typeof title === 'string' && title !== ''),
    expectTrue('status', String(status), stated, stated === status),
    expectTrue('request_id', 'a text', requestId, typeof requestId === 'string' && requestId !== ''),
  ].flat();
}

/**
 * Compares the response to a ceremony with that of a correct relying party. Compares error code, status and step only if the profile says
 * that the target names failed checks as our own API does. For other targets, any refusal counts, but a server error or a broken connection
 * is not a refusal.
 *
 * @param at names the request.
 */
export function compareOutcome(at: string, expected: ExpectedAnswer, answer: Answer, has: TargetCapabilities): Mismatch[] {
  if (isExpected(expected, answer, has)) return [];
  return [
    {
      at,
      expected: describeExpectation(expected, has),
      received: describeOutcome(answer),
      deviation: readDeviation(answer, expected),
      ...(answer.step !== undefined && { step: answer.step }),
    },
  ];
}

/**
 * Chooses the response that a correct relying party would give. If correct relying parties differ on a case, chooses the response that the
 * profile names.
 */
export function expectedIn(
  { id, expected, disputed }: { readonly id: string; readonly expected: ExpectedAnswer; readonly disputed?: string },
  { codes, decides = {} }: TargetCapabilities,
): ExpectedAnswer {
  const decision = disputed === undefined || codes === true ? undefined : decides[id];
  if (decision === undefined || decision === (expected.outcome === 'verified' ? 'accepted' : 'refused')) return expected;
  // Codes of our own API count for targets that have them.
  return decision === 'accepted' ? ACCEPTED : refused('');
}

/** Describes the expected response for a report, with the error codes of our own API if the target uses them. */
export function describeExpectation(expected: ExpectedAnswer, has: TargetCapabilities | undefined): string {
  if (has === undefined || has.codes === true) return describeExpected(expected);
  return expected.outcome === 'verified' ? 'accepted' : 'refused';
}

function isExpected(expected: ExpectedAnswer, { outcome, code, step, exchanges }: Answer, has: TargetCapabilities): boolean {
  if (expected.outcome === 'verified') return outcome === 'accepted';
  if (outcome !== 'refused') return false;
  if (has.codes === true && (code !== expected.code || !exchanges.some(({ status }) => status === expected.status))) return false;
  // A target that names no step, as ours in production mode, is not held to one.
  return has.steps !== true || expected.step === undefined || step === undefined || step.slug === expected.step;
}

const WORDS = { accepted: 'accepted', refused: 'refused', failed: 'failed', broken: 'no answer' } as const;

const TOO_MANY_REQUESTS = 429;

const isFailure = (status = 0): boolean => status >= 500 || status === TOO_MANY_REQUESTS;

/** Describes, as data for programs, how a response differs from the expected one. `expected` is needed only to compare refusals. */
export function readDeviation({ outcome, code, decisive, signedIn }: Answer, expected: ExpectedAnswer = ACCEPTED): AnswerDeviation {
  const status = decisive?.status;
  const found = { ...(status !== undefined && { status }) };
  switch (outcome) {
    case 'accepted':
      return { kind: 'accepted', ...found, ...(signedIn && { signed_in: signedIn }) };
    case 'refused':
      return toRefusal({ ...found, ...(code !== undefined && { code }) }, expected);
    case 'failed':
      if (signedIn !== undefined) return { kind: 'accepted', ...found, signed_in: signedIn };
      return { kind: isFailure(status) ? 'failed' : 'unreadable', ...found };
    case 'broken':
      return { kind: 'no_answer' };
  }
}

function readHttpDeviation(expected: ExpectedAnswer, answer: HttpAnswer): AnswerDeviation {
  const { status } = answer;
  const { code } = readProblem(answer);
  if (status < 300) return { kind: 'accepted', status };
  if (isFailure(status)) return { kind: 'failed', status };
  return toRefusal({ status, ...(code !== undefined && { code }) }, expected);
}

function toRefusal(found: { readonly status?: number; readonly code?: string }, expected: ExpectedAnswer): AnswerDeviation {
  return { kind: 'refused', ...found, ...(expected.outcome === 'rejected' && { otherwise: true }) };
}

/**
 * Describes the deviation if the wrong number of simultaneous requests was accepted: either there were too many acceptances, or the first
 * response that was not an acceptance is at fault.
 */
export function readRaceDeviation(answers: readonly Answer[], accepted: number): AnswerDeviation {
  const [good, others] = [true, false].map((isGood) => answers.filter(({ outcome }) => (outcome === 'accepted') === isGood));
  const [first] = good !== undefined && good.length > accepted ? good : (others ?? []);
  return first === undefined ? { kind: 'no_answer' } : readDeviation(first);
}

/** Ends a case before its actual test, because a request that prepares it was not accepted. */
export function notPrepared(at: string, answer: Answer, expected = 'accepted'): ScenarioEnded {
  const deviation = { kind: 'not_prepared', by: readDeviation(answer) } as const;
  return failedAt({ at: `${at} (preparation)`, expected, received: describeOutcome(answer), deviation });
}

/** Describes the outcome of a request and the target's own message on one line. */
export function describeOutcome({ outcome, said, code, step, decisive, signedIn }: Answer): string {
  const status = decisive?.status;
  if (outcome === 'accepted') return `accepted (${status ?? said})${signedIn?.user === 'owner' ? ', for the owner of the passkey' : ''}`;
  if (outcome !== 'refused' || code === undefined) return `${WORDS[outcome]}: ${said}`;
  return `${status ?? ''} ${code}${step === undefined ? '' : ` (step ${step.slug})`}`.trim();
}
