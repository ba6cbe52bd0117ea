import type { HttpAnswer } from './http.js';
import type { CaseResult, Mismatch } from './report.js';

export type Verdict =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly mismatches: readonly [Mismatch, ...Mismatch[]] }
  | { readonly status: 'not_applicable'; readonly reason: string };

/** One thing that a run tries: a fixture in one way of replay, or a case. */
export interface Scenario {
  readonly id: string;
  readonly source: CaseResult['source'];
  readonly replay?: NonNullable<CaseResult['replay']>;
  readonly title: string;
  readonly tags: readonly string[];
  readonly file?: string;
  /** Expected outcome in words. */
  readonly expected: string;
  run(): Promise<Verdict>;
}

export function verdictOf(mismatches: readonly Mismatch[]): Verdict {
  const [first, ...more] = mismatches;
  return first === undefined ? { status: 'passed' } : { status: 'failed', mismatches: [first, ...more] };
}

/** The expected end of an exchange: a success, or a problem document. */
export type ExpectedAnswer =
  /** Default of `status`: 200. */
  | { readonly outcome: 'verified'; readonly status?: number }
  | { readonly outcome: 'rejected'; readonly code: string; readonly status: number; readonly step?: string };

export function describeExpected(expected: ExpectedAnswer): string {
  if (expected.outcome === 'verified') return expected.status === undefined ? 'verified' : `answered ${expected.status}`;
  return `${expected.status} ${expected.code}${expected.step === undefined ? '' : ` (step ${expected.step})`}`;
}

/** Holds an answer against what is expected of it. `at` names the request. */
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
  // A server in production mode tells no detail and no step.
  const step = expected.step === undefined || problem.detail === undefined || problem.step?.slug === expected.step;
  return answer.status === expected.status && problem.code === expected.code && step ? [] : [mismatch];
}

interface ReadProblem {
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly step: Mismatch['step'] | undefined;
}

function problemOf({ json }: HttpAnswer): ReadProblem {
  const body = objectOf(json);
  const step = objectOf(body.step);
  const { section, number, slug, title, expected, received } = step;
  const texts = [section, slug, title, expected, received].map(textOf);
  const known = typeof number === 'number' && !texts.includes(undefined);
  return {
    code: textOf(body.code),
    detail: textOf(body.detail),
    hint: textOf(step.hint),
    step: known
      ? {
          section: String(section),
          number,
          slug: String(slug),
          title: String(title),
          expected: String(expected),
          received: shorten(String(received)),
        }
      : undefined,
  };
}

const MAX_SHOWN = 300;

/** Status and what a problem document says, on one line. */
export function describeAnswer(answer: HttpAnswer): string {
  if (answer.status < 300) return `accepted (${answer.status})`;
  const { code, detail, step } = problemOf(answer);
  if (code === undefined) return `${answer.status} ${shorten(answer.text) || '(empty body)'}`;
  // What the detail says of a failed step, the step says piece by piece.
  if (step !== undefined) return `${answer.status} ${code} (step ${step.slug})`;
  return `${answer.status} ${code}${detail === undefined ? '' : `: ${shorten(detail)}`}`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/** The value if it is an object, else an empty one: for reading what somebody else's server sent. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
