import { PasskeyError } from '../../errors.js';
import { OversizedAnswer } from './http.js';
import type { CaseResult, Mismatch } from './report.js';
import { type Scenario, type Verdict, verdictOf } from './scenario.js';

export interface RunOptions {
  /** Stop at the first failure; the rest are reported as not run. */
  readonly bail?: boolean;
  readonly signal?: AbortSignal;
  /** Called after each scenario. */
  readonly onResult?: (result: CaseResult, progress: { readonly done: number; readonly total: number }) => void;
}

export type ListedCase = Pick<CaseResult, 'id' | 'source' | 'replay' | 'title' | 'tags' | 'file' | 'expected'>;

/** Scenarios in a row without an answer after which the target is given up: each may take as long as an answer may. */
const UNANSWERED = 3;

/**
 * Runs scenarios one after another. One whose request is not answered has failed; after three in a row the rest are not run.
 *
 * @throws PasskeyError `interrupted` when the signal aborts, and whatever else a scenario throws.
 */
export async function runScenarios(scenarios: readonly Scenario[], { bail = false, signal, onResult }: RunOptions): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  const interrupted = () => new PasskeyError('interrupted', `The run was interrupted after ${results.length} of ${scenarios.length}.`);
  let stopped: string | undefined;
  let unanswered = 0;
  for (const scenario of scenarios) {
    if (signal?.aborted) throw interrupted();
    if (stopped !== undefined) {
      results.push(notRun(scenario, stopped));
      continue;
    }
    const { result, isUnanswered } = await runScenario(scenario).catch((error: unknown) => {
      throw signal?.aborted ? interrupted() : error;
    });
    results.push(result);
    if (result.status !== 'not_applicable') unanswered = isUnanswered ? unanswered + 1 : 0;
    if (unanswered === UNANSWERED) stopped = `none of the ${UNANSWERED} before was answered`;
    if (bail && result.status === 'failed') stopped = 'an earlier one failed (--bail)';
    onResult?.(result, { done: results.length, total: scenarios.length });
  }
  return results;
}

interface Outcome {
  readonly result: CaseResult;
  /** It failed for want of an answer. */
  readonly isUnanswered: boolean;
}

async function runScenario(scenario: Scenario): Promise<Outcome> {
  const start = performance.now();
  const outcome = (verdict: Verdict, isUnanswered = false): Outcome => ({
    result: { ...describeScenario(scenario), ...resultOf(verdict), duration_ms: millisecondsSince(start) },
    isUnanswered,
  });
  try {
    return outcome(await scenario.run());
  } catch (error) {
    const mismatch = mismatchOf(error);
    if (mismatch === undefined) throw error;
    return outcome(verdictOf([mismatch]), error instanceof PasskeyError);
  }
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

function resultOf(verdict: Verdict): Pick<CaseResult, 'status' | 'mismatches' | 'reason'> {
  switch (verdict.status) {
    case 'passed':
      return { status: 'passed', mismatches: [] };
    case 'failed':
      return { status: 'failed', mismatches: [...verdict.mismatches] };
    case 'not_applicable':
      return { status: 'not_applicable', reason: verdict.reason, mismatches: [] };
  }
}

function notRun(scenario: Scenario, reason: string): CaseResult {
  return { ...describeScenario(scenario), status: 'not_run', reason, mismatches: [], duration_ms: 0 };
}

export function describeScenario({ id, source, replay, title, tags, file, expected }: Scenario): ListedCase {
  return { id, source, title, tags: [...tags], expected, ...(replay !== undefined && { replay }), ...(file !== undefined && { file }) };
}

/** Rounded to two decimal places. */
export function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}
