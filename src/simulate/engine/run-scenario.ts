import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { OversizedAnswer } from './http.js';
import type { CaseResult, ListedCase, Mismatch } from './report.js';
import { type Scenario, type Verdict, verdictOf } from './scenario.js';

export interface Outcome {
  readonly result: CaseResult;
  /** It failed for want of an answer. */
  readonly isUnanswered: boolean;
  /** The target no longer answers anything. */
  readonly isGone: boolean;
}

/**
 * Runs a scenario `repeat` times. Where the repeats differ it has failed, and is flaky. One that is not applicable or gets no answer is
 * not repeated.
 *
 * @throws PasskeyError and whatever else ends the run.
 */
export async function runScenario(
  scenario: Scenario,
  { repeat, signal }: { readonly repeat: number; readonly signal?: AbortSignal },
): Promise<Outcome> {
  const start = performance.now();
  const verdicts: Verdict[] = [];
  for (let round = 0; round < repeat; round++) {
    const verdict = await runOnce(scenario);
    verdicts.push(verdict);
    if (verdict.status === 'not_applicable' || isUnanswered(verdict) || verdict.gone === true || signal?.aborted === true) break;
  }
  const [first] = verdicts;
  if (first === undefined) throw new TypeError('Expected a scenario to run at least once, got repeat: 0.');
  const verdict = new Set(verdicts.map(({ status }) => status)).size > 1 ? differing(verdicts) : first;
  const result: CaseResult = {
    ...nameScenario(scenario),
    ...resultOf(verdict),
    ...repeatsOf(verdicts),
    ...adviceOf(verdict.status === 'failed' ? scenario : {}),
    duration_ms: millisecondsSince(start),
  };
  return { result, isUnanswered: verdicts.some((each) => isUnanswered(each)), isGone: verdicts.some(({ gone }) => gone === true) };
}

async function runOnce(scenario: Scenario): Promise<Verdict> {
  try {
    return await scenario.run();
  } catch (error) {
    const mismatch = mismatchOf(error);
    if (mismatch === undefined) throw error;
    return { status: 'failed', mismatches: [mismatch], unanswered: error instanceof PasskeyError };
  }
}

function isUnanswered(verdict: Verdict): boolean {
  return verdict.status === 'failed' && verdict.unanswered === true;
}

/** Undefined for an error that ends the run. */
function mismatchOf(error: unknown): Mismatch | undefined {
  if (error instanceof OversizedAnswer) return { at: error.at, expected: error.expected, received: error.received };
  if (error instanceof PasskeyError) {
    return error.code === 'target_unreachable' ? { at: 'the target', expected: 'an answer', received: error.message } : undefined;
  }
  return {
    at: 'the case',
    expected: 'no unexpected error',
    received: String(error),
    hint: 'Please report it, with what the server under test answered.',
  };
}

const times = (verdicts: readonly Verdict[], status: Verdict['status']): number => verdicts.filter((each) => each.status === status).length;

/** The verdict on repeats that did not all end alike: what differed, and why the first of the failed ones failed. */
function differing(verdicts: readonly Verdict[]): Verdict {
  const failed = verdicts.find((verdict) => verdict.status === 'failed');
  const endings = [
    `${times(verdicts, 'passed')} passed`,
    `${times(verdicts, 'failed')} failed`,
    ...(times(verdicts, 'not_applicable') > 0 ? [`${times(verdicts, 'not_applicable')} not applicable`] : []),
  ];
  const mismatch: Mismatch = {
    at: 'the repeats',
    expected: `the same outcome ${count(verdicts.length, 'time')}`,
    received: endings.join(', '),
    hint: 'Look for state that one run leaves behind, for a race, or for a clock.',
  };
  return { ...failed, ...verdictOf([mismatch, ...(failed?.mismatches ?? [])]) };
}

function repeatsOf(verdicts: readonly Verdict[]): Pick<CaseResult, 'repeats' | 'flaky'> {
  if (verdicts.length < 2) return {};
  const repeats = { passed: times(verdicts, 'passed'), failed: times(verdicts, 'failed') };
  return { repeats, ...(new Set(verdicts.map(({ status }) => status)).size > 1 && { flaky: true }) };
}

function resultOf(verdict: Verdict): Pick<CaseResult, 'status' | 'mismatches' | 'reason' | 'exchanges' | 'remarks'> {
  const { exchanges, remarks = [] } = verdict;
  const notes = remarks.length > 0 ? { remarks: [...remarks] } : {};
  switch (verdict.status) {
    case 'passed':
      return { status: 'passed', mismatches: [], ...notes };
    case 'failed':
      return { status: 'failed', mismatches: [...verdict.mismatches], ...(exchanges && { exchanges: [...exchanges] }), ...notes };
    case 'not_applicable':
      return { status: 'not_applicable', reason: verdict.reason, mismatches: [], ...notes };
  }
}

/** All that the catalogue says of a scenario. */
export function describeScenario(scenario: Scenario): ListedCase {
  return { ...nameScenario(scenario), ...adviceOf(scenario) };
}

const adviceOf = ({ advice }: Pick<Scenario, 'advice'>) => (advice === undefined ? {} : { advice });

/** What a report says of every scenario, whatever became of it. */
export function nameScenario(scenario: Scenario): Omit<ListedCase, 'advice'> {
  const { id, source, replay, title, tags, file, expected, tests, attestationFormat } = scenario;
  return {
    id,
    source,
    title,
    tags: [...tags],
    expected,
    ...(replay !== undefined && { replay }),
    ...(file !== undefined && { file }),
    ...(tests !== undefined && { tests }),
    ...(attestationFormat !== undefined && { attestation_format: attestationFormat }),
  };
}

/** Rounded to two decimal places. */
export function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}
