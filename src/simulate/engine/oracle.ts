import type { Answer } from '../target/driver.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import { ACCEPTED, describeExpected, type ExpectedAnswer, refused } from './compare-answer.js';
import type { Mismatch } from './report.js';

/**
 * Holds what became of a ceremony against what a correct relying party does. Only where the profile says that the target names failed
 * checks as our own API does are code, status and step compared; else any refusal is as good as another, but a target that breaks has
 * refused nothing.
 *
 * @param at names the request.
 */
export function compareOutcome(at: string, expected: ExpectedAnswer, answer: Answer, has: TargetCapabilities): Mismatch[] {
  if (isExpected(expected, answer, has)) return [];
  return [
    {
      at,
      expected: expectationOf(expected, has),
      received: describeOutcome(answer),
      ...(answer.step !== undefined && { step: answer.step }),
    },
  ];
}

/** What a correct relying party does in a case; where such parties differ, what the profile says that the target does. */
export function expectedIn(
  { id, expected, disputed }: { readonly id: string; readonly expected: ExpectedAnswer; readonly disputed?: string },
  { codes, decides = {} }: TargetCapabilities,
): ExpectedAnswer {
  const decision = disputed === undefined || codes === true ? undefined : decides[id];
  if (decision === undefined || decision === (expected.outcome === 'verified' ? 'accepted' : 'refused')) return expected;
  // Codes of our own API count for targets that have them.
  return decision === 'accepted' ? ACCEPTED : refused('');
}

/** What a correct relying party does, as a report says it: in words of our own API where the target speaks them. */
export function expectationOf(expected: ExpectedAnswer, has: TargetCapabilities | undefined): string {
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

/** What became of it, and what the target said, on one line. */
export function describeOutcome({ outcome, said, code, step, exchanges }: Answer): string {
  const status = exchanges.at(-1)?.status;
  if (outcome === 'accepted') return `accepted (${status ?? said})`;
  if (outcome !== 'refused' || code === undefined) return `${WORDS[outcome]}: ${said}`;
  return `${status ?? ''} ${code}${step === undefined ? '' : ` (step ${step.slug})`}`.trim();
}
