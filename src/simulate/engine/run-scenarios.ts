import { PasskeyError } from '../../errors.js';
import type { CaseResult } from './report.js';
import type { Scenario, Verdict } from './scenario.js';

export interface RunOptions {
  /** Stop at the first failure; the rest are reported as not run. */
  readonly bail?: boolean;
  readonly signal?: AbortSignal;
  /** Called after each scenario. */
  readonly onResult?: (result: CaseResult, progress: { readonly done: number; readonly total: number }) => void;
}

export type ListedCase = Pick<CaseResult, 'id' | 'source' | 'replay' | 'title' | 'tags' | 'file' | 'expected'>;

/**
 * Runs scenarios one after another.
 *
 * @throws PasskeyError `interrupted` when the signal aborts, and whatever a scenario throws.
 */
export async function runScenarios(scenarios: readonly Scenario[], { bail = false, signal, onResult }: RunOptions): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  const interrupted = () => new PasskeyError('interrupted', `The run was interrupted after ${results.length} of ${scenarios.length}.`);
  let stopped = false;
  for (const scenario of scenarios) {
    if (signal?.aborted) throw interrupted();
    if (stopped) {
      results.push(notRun(scenario));
      continue;
    }
    const result = await runScenario(scenario).catch((error: unknown) => {
      throw signal?.aborted ? interrupted() : error;
    });
    results.push(result);
    stopped = bail && result.status === 'failed';
    onResult?.(result, { done: results.length, total: scenarios.length });
  }
  return results;
}

async function runScenario(scenario: Scenario): Promise<CaseResult> {
  const start = performance.now();
  const verdict = await scenario.run();
  return { ...describeScenario(scenario), ...resultOf(verdict), duration_ms: millisecondsSince(start) };
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

function notRun(scenario: Scenario): CaseResult {
  return { ...describeScenario(scenario), status: 'not_run', reason: 'an earlier one failed (--bail)', mismatches: [], duration_ms: 0 };
}

export function describeScenario({ id, source, replay, title, tags, file, expected }: Scenario): ListedCase {
  return { id, source, title, tags: [...tags], expected, ...(replay !== undefined && { replay }), ...(file !== undefined && { file }) };
}

/** Rounded to two decimal places. */
export function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}
