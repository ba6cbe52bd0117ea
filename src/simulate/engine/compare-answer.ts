import { objectOf } from '../../kernel/json-value.js';
import type { HttpAnswer } from './http.js';
import type { Mismatch } from './report.js';

/** The expected answer to the last request of a scenario: a success, or a problem document. */
export type ExpectedAnswer =
  /** Default of `status`: 200. */
  | { readonly outcome: 'verified'; readonly status?: number }
  | { readonly outcome: 'rejected'; readonly code: string; readonly status: number; readonly step?: string };

export const ACCEPTED: ExpectedAnswer = { outcome: 'verified' };

/** A refusal; the default status is that of a registration. */
export function refused(code: string, step?: string, status = 422): ExpectedAnswer {
  return { outcome: 'rejected', code, status, ...(step !== undefined && { step }) };
}

/** A refused authentication. */
export function denied(code: string, step?: string): ExpectedAnswer {
  return refused(code, step, 401);
}

export function describeExpected(expected: ExpectedAnswer): string {
  if (expected.outcome === 'verified') return expected.status === undefined ? 'verified' : `answered ${expected.status}`;
  return `${expected.status} ${expected.code}${expected.step === undefined ? '' : ` (step ${expected.step})`}`;
}

/** @param at names the request. */
export function compareAnswer(at: string, expected: ExpectedAnswer, answer: HttpAnswer): Mismatch[] {
  const problem = problemOf(answer);
  const mismatch: Mismatch = {
    at,
    expected: describeExpected(expected),
    received: describeAnswer(answer),
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

function problemOf({ json }: HttpAnswer): Problem {
  const body = objectOf(json);
  const { hint, ...step } = objectOf(body.step);
  return { code: textOf(body.code), detail: textOf(body.detail), hint: textOf(hint), step: stepOf(step) };
}

/** The failed step of a problem document; undefined for any other value. */
export function stepOf({ number, ...texts }: Readonly<Record<string, unknown>>): Mismatch['step'] | undefined {
  const [section, slug, title, expected, received] = ['section', 'slug', 'title', 'expected', 'received'].map((name) => {
    const text = textOf(texts[name]);
    return text === undefined ? undefined : shorten(text);
  });
  if (typeof number !== 'number' || section === undefined || slug === undefined || title === undefined) return undefined;
  if (expected === undefined || received === undefined) return undefined;
  return { section, number, slug, title, expected, received };
}

/** Status and problem of an answer, on one line. */
export function describeAnswer(answer: HttpAnswer): string {
  if (answer.status < 300) return `accepted (${answer.status})`;
  const { code, detail, step } = problemOf(answer);
  if (code === undefined) return `${answer.status} ${shorten(answer.text) || '(empty body)'}`;
  // The detail of a failed step only repeats its members, which the report has.
  if (step !== undefined) return `${answer.status} ${code} (step ${step.slug})`;
  return `${answer.status} ${code}${detail === undefined ? '' : `: ${shorten(detail)}`}`;
}

const MAX_SHOWN = 300;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A mismatch unless `holds`. */
export function expectTrue(what: string, expected: string, received: unknown, holds: boolean): Mismatch[] {
  return holds ? [] : [{ at: `the answer: ${what}`, expected, received: JSON.stringify(received) ?? 'nothing' }];
}

/** RFC 9457: an error is a problem document that repeats its status line. */
export function compareProblem(expected: ExpectedAnswer, { status, headers, json }: HttpAnswer): Mismatch[] {
  if (expected.outcome === 'verified') return [];
  const { type, title, status: stated, code, request_id: requestId } = objectOf(json);
  const contentType = headers['content-type'] ?? 'none';
  return [
    expectTrue('content type', 'application/problem+json', contentType, contentType.startsWith('application/problem+json')),
    expectTrue('type', `urn:passkey:problem:${String(code)}`, type, type === `urn:passkey:problem:${String(code)}`),
    expectTrue('title', 'a text', title, typeof title === 'string' && title !== ''),
    expectTrue('status', String(status), stated, stated === status),
    expectTrue('request_id', 'a text', requestId, typeof requestId === 'string' && requestId !== ''),
  ].flat();
}
