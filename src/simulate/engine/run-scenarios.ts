import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { OversizedAnswer } from '../http/http.js';
import { type CaseResult, caseKey, failsRun, type ListedCase, type Mismatch } from '../report/report.js';
import { openQueue, type Queue } from './queue.js';
import { describeEnd, type Ended, type Scenario, toVerdict, type Verdict } from './scenario.js';

export interface Outcome {
  readonly result: CaseResult;
  /** Whether the scenario failed because a request got no response. */
  readonly isUnanswered: boolean;
  /** Whether the target no longer answers any request. */
  readonly isGone: boolean;
  /** The request of an earlier scenario that ended the target, if any. */
  readonly ended?: Ended | undefined;
}

/**
 * Runs a scenario `repeat` times. If the results differ, the scenario has failed and is flaky. A scenario that is not applicable or gets no
 * response is not repeated.
 *
 * @throws PasskeyError and any other error that ends the run.
 */
export async function runScenario(
  scenario: Scenario,
  { repeat, signal, alone = true }: { readonly repeat: number; readonly signal?: AbortSignal; readonly alone?: boolean },
): Promise<Outcome> {
  const start = performance.now();
  const verdicts: Verdict[] = [];
  for (let round = 0; round < repeat; round++) {
    const verdict = await runOnce(scenario, alone);
    verdicts.push(verdict);
    const isUnjudged = verdict.status === 'not_applicable' || verdict.status === 'not_run' || isUnanswered(verdict);
    if (isUnjudged || verdict.gone === true || signal?.aborted === true) break;
  }
  const [first] = verdicts;
  if (first === undefined) throw new TypeError('Expected a scenario to run at least once, got repeat: 0.');
  const judged = verdicts.filter(({ status }) => status !== 'not_run');
  const verdict = haveSameEnding(judged) ? (verdicts.find(({ status }) => status === 'not_run') ?? first) : differing(judged);
  const result: CaseResult = {
    ...nameScenario(scenario),
    ...toResult(verdict),
    ...countRepeats(judged),
    ...readAdvice(verdict.status === 'failed' ? scenario : {}),
    duration_ms: millisecondsSince(start),
  };
  return {
    result,
    isUnanswered: verdicts.some((each) => isUnanswered(each)),
    isGone: verdicts.some(({ gone }) => gone === true),
    ended: verdicts.find(({ ended }) => ended !== undefined)?.ended,
  };
}

async function runOnce(scenario: Scenario, alone: boolean): Promise<Verdict> {
  try {
    return await scenario.run({ alone });
  } catch (error) {
    const mismatch = toMismatch(error);
    if (mismatch === undefined) throw error;
    return { status: 'failed', mismatches: [mismatch], unanswered: error instanceof PasskeyError };
  }
}

function isUnanswered(verdict: Verdict): boolean {
  return verdict.status === 'failed' && verdict.unanswered === true;
}

/** Converts an error that a scenario threw to a mismatch. Undefined for an error that must end the whole run. */
function toMismatch(error: unknown): Mismatch | undefined {
  if (error instanceof OversizedAnswer) {
    return { at: error.at, expected: error.expected, received: error.received, deviation: { kind: 'unreadable' } };
  }
  if (error instanceof PasskeyError) {
    if (error.code !== 'target_unreachable') return undefined;
    return { at: 'the target', expected: 'an answer', received: error.message, deviation: { kind: 'no_answer' } };
  }
  return {
    at: 'the case',
    expected: 'no unexpected error',
    received: String(error),
    deviation: { kind: 'case_error' },
    hint: 'Please report this, with the response of the server under test.',
  };
}

const times = (verdicts: readonly Verdict[], status: Verdict['status']): number => verdicts.filter((each) => each.status === status).length;

/** Makes one verdict from repetitions with different outcomes. It says how they differed and why the first failed repetition failed. */
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
    deviation: { kind: 'varies' },
    hint: 'Look for state that one run leaves behind, for a race, or for dependence on the time.',
  };
  return { ...failed, ...toVerdict([mismatch, ...(failed?.mismatches ?? [])]) };
}

function countRepeats(verdicts: readonly Verdict[]): Pick<CaseResult, 'repeats' | 'flaky'> {
  if (verdicts.length < 2) return {};
  const repeats = { passed: times(verdicts, 'passed'), failed: times(verdicts, 'failed') };
  return { repeats, ...(!haveSameEnding(verdicts) && { flaky: true }) };
}

const haveSameEnding = (verdicts: readonly Verdict[]): boolean => new Set(verdicts.map(({ status }) => status)).size <= 1;

function toResult(
  verdict: Verdict,
): Pick<CaseResult, 'status' | 'code' | 'control' | 'refusal' | 'mismatches' | 'reason' | 'member' | 'skipped' | 'exchanges' | 'remarks'> {
  const { exchanges, remarks = [] } = verdict;
  const notes = remarks.length > 0 ? { remarks: [...remarks] } : {};
  switch (verdict.status) {
    case 'passed':
      return { status: 'passed', mismatches: [], ...(verdict.refusal && { refusal: verdict.refusal }), ...notes };
    case 'failed':
      return { status: 'failed', mismatches: [...verdict.mismatches], ...(exchanges && { exchanges: [...exchanges] }), ...notes };
    case 'not_run': {
      const { status, code, control, reason, mismatches } = verdict;
      const named = control === undefined ? {} : { control };
      return { status, code, ...named, reason, mismatches: [...mismatches], ...(exchanges && { exchanges: [...exchanges] }), ...notes };
    }
    case 'not_applicable':
      return {
        status: 'not_applicable',
        reason: verdict.reason,
        ...(verdict.member !== undefined && { member: verdict.member }),
        ...(verdict.skipped && { skipped: true }),
        mismatches: [],
        ...notes,
      };
  }
}

/** Makes the entry of a scenario in the list of cases. */
export function describeScenario(scenario: Scenario): ListedCase {
  return { ...nameScenario(scenario), ...readAdvice(scenario) };
}

const readAdvice = ({ advice }: Pick<Scenario, 'advice'>) => (advice === undefined ? {} : { advice });

/** Makes the members of a result that do not depend on its outcome. */
function nameScenario(scenario: Scenario): Omit<ListedCase, 'advice'> {
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

/** Computes the milliseconds that have passed since `start`, rounded to two decimal places. */
export function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}

/** A worker that runs scenarios of the same list elsewhere, e.g. on another thread. */
export interface Helper {
  /** Starts to take scenario numbers from the queue and runs them until the queue is empty. */
  start(queue: Queue, on: HelperEvents): void;
}

interface HelperEvents {
  ended(index: number, outcome: Outcome): void;
  /** Called when the helper has failed. The helper reports nothing more, and the run ends. */
  failed(error: unknown): void;
}

/**
 * A target that all scenarios of a run share. The result of a scenario is reported only after the next scenario, which shows that the
 * target still runs.
 *
 * If a scenario fails while others run, no new scenario starts. After the others have ended, the failed scenario runs again alone, and only
 * that second result counts. Two exceptions: a failure because the target accepted something wrong counts at once, and a scenario that
 * disturbs others runs alone from the start.
 */
interface SharedTarget {
  /** Finds, after the last scenario, the request that ended the target. */
  findEnded(): Promise<Ended | undefined>;
  /**
   * Waits until the target answers. Then forgets the last request before that, because after several parallel requests it is not known
   * which one ended the target.
   */
  settle(): Promise<{ readonly alive: boolean; readonly restarted: boolean }>;
}

export interface RunOptions {
  /** If true, the run stops at the first failure that is not marked as known, and reports the remaining scenarios as not run. */
  readonly bail?: boolean;
  /** How many scenarios run in parallel; default: 1. */
  readonly jobs?: number;
  /** How many times each scenario runs; default: 1. Repetitions with different outcomes count as a flaky failure. */
  readonly repeat?: number;
  /** Adds the cause to a failure and marks it if it is already known. A known failure neither stops the run nor makes it fail. */
  readonly explain?: (failed: CaseResult) => CaseResult;
  readonly signal?: AbortSignal;
  /** The target that all scenarios share; undefined if each scenario has its own server. */
  readonly shared?: SharedTarget;
  /** Called for each scenario that ran, in list order, as soon as all scenarios before it have ended too. */
  readonly onResult?: (result: CaseResult, progress: { readonly done: number; readonly total: number }) => void;
}

/** Reason in the report for scenarios that did not run because the run was interrupted. */
const INTERRUPTED = 'the run was interrupted';

/**
 * The run gives up after this many scenarios in a row without a response, because each of them may have waited for the full response
 * timeout.
 */
const UNANSWERED = 3;

/**
 * Runs scenarios: at most `jobs` in parallel on this thread, others on the helpers. Returns the results in list order. A scenario that gets
 * no response has failed. After three such scenarios in a row, counted in the order in which they end, the remaining scenarios do not run.
 * When a run stops, scenarios that have already started finish, so that they can clean up.
 *
 * Aborting `signal` also stops the run. A scenario that is interrupted in this way counts as not run.
 *
 * @throws any other error that a scenario throws.
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { helpers = [], ...options }: RunOptions & { readonly helpers?: readonly Helper[] },
): Promise<CaseResult[]> {
  const { bail = false, jobs = 1, repeat = 1, explain, signal, onResult, shared } = options;
  const results = new Map<number, CaseResult>();
  const queue = openQueue(scenarios.length);
  let reported = 0;
  let unanswered = 0;
  let stopped: string | undefined;
  let failure: { readonly error: unknown } | undefined;
  /** How many scenarios had been taken from the queue when the run stopped. Undefined while the run continues. */
  let given: number | undefined;
  /** When each running scenario started, by scenario number. A start time is the value of `moment`, which counts starts and ends. */
  const running = new Map<number, number>();
  let moment = 0;
  /**
   * Scenarios that may have ended the target without being noticed: all that ended after the oldest running scenario started, and at least
   * as many of the latest scenarios as run in parallel.
   */
  let recent: readonly { readonly index: number; readonly ended: number }[] = [];
  /** Outcomes that other scenarios may have influenced by running in parallel, by scenario number. */
  const doubtful = new Map<number, Outcome>();
  /** Number of the scenario that must run alone as soon as the running scenarios have ended. */
  let next: number | undefined;
  let allEnded = (): void => {};
  const helped = new Promise<void>((resolve) => {
    allEnded = resolve;
  });

  function stop(): void {
    given ??= queue.stop();
    if (failure !== undefined || results.size === given) allEnded();
  }

  function fail(error: unknown): void {
    if (signal?.aborted === true && error instanceof PasskeyError && error.code === 'interrupted') return stop();
    failure ??= { error };
    stop();
  }

  function set(index: number, ran: CaseResult): void {
    const result = ran.status === 'failed' && explain !== undefined ? explain(ran) : ran;
    results.set(index, result);
    if (bail && failsRun(result)) stopped ??= 'an earlier case failed (--bail)';
  }

  /** Marks the scenario whose last request ended the target as failed. */
  function blame({ key, exchange }: Ended): void {
    const index = scenarios.findIndex((scenario) => caseKey(scenario) === key);
    const [scenario, before] = [scenarios[index], results.get(index)];
    if (scenario === undefined || before === undefined || before.mismatches.some(isEnd)) return;
    const mismatches = [...before.mismatches, describeEnd(exchange)];
    const exchanges = [...(before.exchanges ?? []), exchange];
    const blamed: CaseResult = { ...before, ...readAdvice(scenario), status: 'failed', mismatches, exchanges };
    set(index, recent.length > 1 ? addDoubt(blamed) : blamed);
  }

  /** Reports the results of all scenarios with a number below `end`. */
  function reportUntil(end: number): void {
    for (let ready = results.get(reported); ready !== undefined && reported < end; ready = results.get(reported)) {
      reported += 1;
      onResult?.(ready, { done: results.size, total: scenarios.length });
    }
  }

  function take(index: number, { result, isUnanswered, isGone, ended }: Outcome, atOnce = 1): void {
    if (ended !== undefined) blame(ended);
    if (result.status !== 'not_applicable') {
      unanswered = isUnanswered ? unanswered + 1 : 0;
      moment += 1;
      const oldest = Math.min(...running.values());
      recent = [...recent, { index, ended: moment }].filter((each, at, all) => each.ended > oldest || at >= all.length - atOnce);
    }
    if (unanswered === UNANSWERED) stopped ??= `the ${UNANSWERED} cases before it got no response`;
    if (isGone) stopped ??= 'the target no longer answers';
    // One that has found the target gone has not run.
    if (ended === undefined || !isGone) set(index, result);
    if (stopped !== undefined) stop();
    reportUntil(shared === undefined ? scenarios.length : Math.min(...recent.map(({ index: each }) => each)));
    if (results.size === (given ?? scenarios.length)) allEnded();
  }

  async function runOne(index: number, atOnce: number): Promise<void> {
    const scenario = scenarios[index];
    if (scenario === undefined) return;
    moment += 1;
    running.set(index, moment);
    try {
      const outcome = await runScenario(scenario, { repeat, alone: atOnce === 1, ...(signal && { signal }) });
      running.delete(index);
      if (shared !== undefined && atOnce > 1 && !isSettled(outcome)) doubtful.set(index, outcome);
      else take(index, outcome, atOnce);
    } catch (error) {
      fail(error);
    }
  }

  /** Runs scenarios from the queue until the queue is empty, an outcome is doubtful, or the next scenario must run alone. */
  async function work(): Promise<void> {
    while (doubtful.size === 0 && next === undefined) {
      const index = queue.take();
      if (index === undefined) return;
      if (shared !== undefined && jobs > 1 && scenarios[index]?.runsAlone === true) next = index;
      else await runOne(index, jobs);
    }
  }

  const isOver = (): boolean => stopped !== undefined || failure !== undefined || signal?.aborted === true;

  /** Repeats, one by one, the doubtful scenarios and those that may have ended the target. */
  async function runAgain({ settle }: SharedTarget): Promise<void> {
    const outcomes = [...doubtful];
    doubtful.clear();
    if (isOver()) return;
    const { alive, restarted } = await settle();
    if (!alive) {
      for (const [index, outcome] of outcomes) take(index, { ...outcome, result: addDoubt(outcome.result), isGone: true }, jobs);
      return;
    }
    const hasEnded = restarted || outcomes.some(([, outcome]) => hasFoundEnd(outcome));
    const suspects = hasEnded ? recent.map(({ index }) => index) : [];
    for (const index of [...suspects, ...outcomes.map(([each]) => each)].toSorted((one, other) => one - other)) {
      if (!isOver()) await runOne(index, 1);
    }
  }

  async function runNext(): Promise<void> {
    const index = next;
    next = undefined;
    if (index !== undefined && !isOver()) await runOne(index, 1);
  }

  if (signal?.aborted === true || scenarios.length === 0) stop();
  signal?.addEventListener('abort', stop);
  try {
    for (const helper of helpers) helper.start(queue, { ended: take, failed: fail });
    const workers = Math.min(jobs, scenarios.length);
    await Promise.all(Array.from({ length: workers }, work));
    while (shared !== undefined && (doubtful.size > 0 || next !== undefined)) {
      if (doubtful.size > 0 || recent.length > 1) await runAgain(shared);
      await runNext();
      await Promise.all(Array.from({ length: workers }, work));
    }
    if (helpers.length > 0) await helped;
    if (shared !== undefined && !isOver() && recent.length > 1 && (await shared.findEnded()) !== undefined) await runAgain(shared);
  } catch (error) {
    fail(error);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  if (failure !== undefined) throw failure.error;
  if (signal?.aborted === true) stopped ??= INTERRUPTED;
  const ended = stopped === undefined ? await shared?.findEnded() : undefined;
  if (ended !== undefined) blame(ended);
  reportUntil(scenarios.length);
  const reason = stopped ?? '';
  return scenarios.map((scenario, index) => results.get(index) ?? notRun(scenario, reason));
}

/**
 * Whether a result is final even though other scenarios ran at the same time. A wrong acceptance is final: no other scenario could have
 * caused it, and effects of the accepted request could change the result of a repetition.
 */
function isSettled({ result: { status, mismatches }, isGone, ended }: Outcome): boolean {
  const hasAccepted = mismatches.some(({ deviation }) => deviation?.kind === 'accepted');
  return (status === 'passed' || status === 'not_applicable' || hasAccepted) && !isGone && ended === undefined;
}

/** Whether the target had already ended when the scenario sent a request. */
function hasFoundEnd({ result, ended }: Outcome): boolean {
  return ended !== undefined || result.mismatches.some(isEnd);
}

const isEnd = ({ deviation }: Mismatch): boolean => deviation.kind === 'ended';

/** Adds a remark that other cases ran at the same time, so that any of them may have ended the target. */
function addDoubt(result: CaseResult): CaseResult {
  if (result.status === 'passed') return result;
  const remark = 'other cases were running when the target ended, and any of them may have ended it; --jobs 1 shows which';
  return { ...result, remarks: [...(result.remarks ?? []), remark] };
}

function notRun(scenario: Scenario, reason: string): CaseResult {
  return { ...nameScenario(scenario), status: 'not_run', reason, mismatches: [], duration_ms: 0 };
}
