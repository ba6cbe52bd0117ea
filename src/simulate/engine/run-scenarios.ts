import { PasskeyError } from '../../errors.js';
import { openQueue, type Queue } from './queue.js';
import { type CaseResult, caseKey } from './report.js';
import { nameScenario, type Outcome, runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';

/** Runs scenarios of the same list elsewhere, e.g. on another thread. */
export interface Helper {
  /** Starts to take numbers of scenarios from the queue, until there is none left. */
  start(queue: Queue, on: HelperEvents): void;
}

export interface HelperEvents {
  ended(index: number, outcome: Outcome): void;
  /** Nothing more comes of this helper, and the run ends. */
  failed(error: unknown): void;
}

export interface RunOptions {
  /** Stop at the first failure that is not known; the rest are reported as not run. */
  readonly bail?: boolean;
  /** How many scenarios run at once; default 1. */
  readonly jobs?: number;
  /** How often each scenario runs; default 1. Repeats that differ are a failure, and flaky. */
  readonly repeat?: number;
  /** Keys of cases whose failure is no news, however they fail; see `caseKey`. */
  readonly known?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
  /** Called for each scenario that ran, in the order of the list, as soon as all before it have ended. */
  readonly onResult?: (result: CaseResult, progress: { readonly done: number; readonly total: number }) => void;
}

/** Scenarios in a row without an answer after which the target is given up: each may take as long as an answer may. */
const UNANSWERED = 3;

/**
 * Runs scenarios, at most `jobs` at once here and others with the helpers, and returns their results in the order of the list. One whose
 * request is not answered has failed; after three in a row (by the time they end) the rest are not run. What runs already when a run is
 * stopped is waited for, so that it can clean up.
 *
 * @throws PasskeyError `interrupted` when the signal aborts, and whatever else a scenario throws.
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { helpers = [], ...options }: RunOptions & { readonly helpers?: readonly Helper[] },
): Promise<CaseResult[]> {
  const { bail = false, jobs = 1, repeat = 1, known, signal, onResult } = options;
  const results = new Map<number, CaseResult>();
  const queue = openQueue(scenarios.length);
  let told = 0;
  let unanswered = 0;
  let stopped: string | undefined;
  let failure: { readonly error: unknown } | undefined;
  /** How many were given out; undefined: all are, or will be. */
  let given: number | undefined;
  let allEnded = (): void => {};
  const helped = new Promise<void>((resolve) => {
    allEnded = resolve;
  });

  function stop(): void {
    given ??= queue.stop();
    if (failure !== undefined || results.size === given) allEnded();
  }

  function fail(error: unknown): void {
    failure ??= { error };
    stop();
  }

  function take(index: number, { result: ran, isUnanswered, isGone }: Outcome): void {
    const isKnown = ran.status === 'failed' && known?.has(caseKey(ran)) === true;
    const result: CaseResult = isKnown ? { ...ran, known: true } : ran;
    results.set(index, result);
    if (result.status !== 'not_applicable') unanswered = isUnanswered ? unanswered + 1 : 0;
    if (unanswered === UNANSWERED) stopped ??= `none of the ${UNANSWERED} before was answered`;
    if (isGone) stopped ??= 'the target no longer answers';
    if (bail && result.status === 'failed' && !isKnown) stopped ??= 'an earlier one failed (--bail)';
    if (stopped !== undefined) stop();
    for (let ready = results.get(told); ready !== undefined; ready = results.get(told)) {
      told += 1;
      onResult?.(ready, { done: results.size, total: scenarios.length });
    }
    if (results.size === (given ?? scenarios.length)) allEnded();
  }

  async function work(): Promise<void> {
    for (let index = queue.take(); index !== undefined; index = queue.take()) {
      const scenario = scenarios[index];
      if (scenario === undefined) return;
      try {
        take(index, await runScenario(scenario, { repeat, ...(signal && { signal }) }));
      } catch (error) {
        fail(error);
      }
    }
  }

  if (signal?.aborted === true || scenarios.length === 0) stop();
  signal?.addEventListener('abort', stop);
  try {
    for (const helper of helpers) helper.start(queue, { ended: take, failed: fail });
    await Promise.all(Array.from({ length: Math.min(jobs, scenarios.length) }, work));
    if (helpers.length > 0) await helped;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  if (signal?.aborted && results.size < scenarios.length) {
    throw new PasskeyError('interrupted', `The run was interrupted after ${results.size} of ${scenarios.length}.`);
  }
  if (failure !== undefined) throw failure.error;
  const reason = stopped ?? '';
  return scenarios.map((scenario, index) => results.get(index) ?? notRun(scenario, reason));
}

function notRun(scenario: Scenario, reason: string): CaseResult {
  return { ...nameScenario(scenario), status: 'not_run', reason, mismatches: [], duration_ms: 0 };
}
