import { availableParallelism } from 'node:os';
import { signingAlgorithm } from '../authenticator/algorithms.js';
import { PasskeyError } from '../errors.js';
import { chooseJobs } from './at-once.js';
import { ALL_CASES } from './cases/all-cases.js';
import { openControls } from './controls.js';
import { checkWitness } from './engine/check-witness.js';
import { findEnded, type RunContext, settle } from './engine/context.js';
import { withoutSending } from './engine/dry-run.js';
import { compareToBaseline, type EarlierReport, hasFailure, openBaseline } from './engine/earlier-report.js';
import { openRun } from './engine/open-run.js';
import type { RemoteOptions } from './engine/remote.js';
import { describeScenario, millisecondsSince, type RunOptions, runScenarios } from './engine/run-scenarios.js';
import type { Scenario } from './engine/scenario.js';
import { findTestedCause } from './findings/causes.js';
import { listFindings } from './findings/findings.js';
import { type FailurePolicy, judgeFailure } from './findings/judge-failure.js';
import { findLibraryFault } from './findings/library-faults.js';
import { listReferences } from './findings/references.js';
import { addUsualRefusals } from './findings/usual-refusals.js';
import { type CaseResult, type ListedCase, type SimulateReport, summarize } from './report/report.js';
import { listScenarios, type ScenarioOptions } from './scenarios.js';
import type { ReadProfile } from './target/read-profile.js';
import { openThreads } from './threads.js';

export interface SimulateOptions extends ScenarioOptions, FailurePolicy, Omit<RunOptions, 'explain' | 'jobs'> {
  /**
   * How many scenarios run in parallel.
   *
   * Against a target: four by default, if the target allows it. Without a target, a long list is divided among this number of threads, by
   * default one per core. A shorter list runs in this thread, by default one scenario after another.
   */
  readonly jobs?: number;
  /** A running server to test. Default: our own server, started in the same process. */
  readonly target?: RemoteOptions;
  /** If true, the cases run even if a plain ceremony fails. The run then still counts as failed. */
  readonly keepGoing?: boolean;
  /** Called before the run pauses because the server limits the rate of requests (429), with the length of the pause in milliseconds. */
  readonly onPause?: (milliseconds: number) => void;
  /** An earlier report for comparison. Failures that it contains are known: they neither stop this run nor make it fail. */
  readonly baseline?: EarlierReport;
  /** Returns the command that runs only the failed case again, for the report of its failure. */
  readonly rerun?: (failed: CaseResult) => string;
  /** Version of this program, for the report. */
  readonly version: string;
}

/**
 * Lists the cases that `simulate` would run, in order, without sending any request. With `target`, also says why a case is not applicable,
 * as far as the profile shows.
 *
 * @throws PasskeyError `fixture_invalid`, or `usage` if no scenario is left to run.
 */
export async function listCases(options: ScenarioOptions & Pick<SimulateOptions, 'target'>): Promise<ListedCase[]> {
  const run = await openRun(options);
  const { remote } = run;
  try {
    if (remote === undefined) return (await listScenarios(options, run)).map((scenario) => addReferences(describeScenario(scenario)));
    const listed: ListedCase[] = [];
    for (const scenario of await listScenarios(options, { ...run, remote: withoutSending(remote) })) {
      const verdict = await scenario.run();
      listed.push({ ...addReferences(describeScenario(scenario)), ...(verdict.status === 'not_applicable' && { reason: verdict.reason }) });
    }
    return listed;
  } finally {
    await run.close();
  }
}

/**
 * Runs fixtures and cases against our own server in the same process, on a free port, each with an empty in-memory store. With `target`,
 * runs those that are applicable against a running server instead.
 *
 * @returns the report; `asExpected` decides whether the run passed.
 * @throws PasskeyError `fixture_invalid`; `usage` if no scenario is left to run, a token cannot be used, a plain ceremony fails or `whoami`
 * is wrong; `target_unreachable`.
 */
export async function simulate(options: SimulateOptions): Promise<SimulateReport> {
  const startedAt = new Date();
  const start = performance.now();
  const run = await openRun(options);
  const { remote } = run;
  try {
    const all = await listScenarios(options, run);
    const controls = remote && openControls(run);
    const scenarios = controls ? all.map((scenario) => controls.hold(scenario)) : all;
    let { jobs } = options;
    await unlessInterrupted(options.signal, async () => {
      await remote?.check();
      await checkWitness(run);
      await controls?.checkPlain(all, { keepGoing: options.keepGoing === true });
      if (options.target !== undefined) jobs ??= await chooseJobs(run, { ...options.target, cases: all.length });
    });
    prepareRsaKey(scenarios, run);
    const { rerun, target } = options;
    const baseline = options.baseline && openBaseline(options.baseline, new Set(ALL_CASES.map(({ id }) => id)));
    const ran = await runThreads(scenarios, run, {
      ...options,
      ...(jobs !== undefined && { jobs }),
      explain(failed) {
        return judgeFailure(
          { ...failed, ...findLibraryFault(target?.profile?.profile.library, failed.id) },
          { ...options, inBaseline: (judged) => baseline !== undefined && hasFailure(baseline, judged) },
        );
      },
    });
    const results = ran.map((result) => addReferences(rerun && result.status === 'failed' ? { ...result, rerun: rerun(result) } : result));
    const listed = remote === undefined || remote.driver.has.codes === true ? results : addUsualRefusals(results);
    const misfits = controls?.listMisfits(results) ?? [];
    return {
      format: 'passkey-simulate-report',
      version: 1,
      tool_version: options.version,
      target: remote === undefined ? 'in-process' : remote.url.origin,
      ...nameProfile(target?.profile),
      ...(options.signal?.aborted && results.some(({ status }) => status === 'not_run') && { incomplete: true as const }),
      started_at: startedAt.toISOString(),
      duration_ms: millisecondsSince(start),
      summary: summarize(results),
      ...(misfits.length > 0 && { misfits }),
      ...(baseline && { baseline: compareToBaseline(results, baseline) }),
      findings: listFindings(results, target?.profile?.profile.library?.name),
      results: listed,
    };
  } finally {
    await run.close();
  }
}

/**
 * Runs the preparations before the first case. If they are interrupted, returns normally, so that the run still produces a report. The
 * report says that no case ran.
 */
async function unlessInterrupted(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (signal?.aborted !== true || !(error instanceof PasskeyError) || error.code !== 'interrupted') throw error;
  }
}

function nameProfile(read: ReadProfile | undefined): Pick<SimulateReport, 'profile'> {
  if (read === undefined) return {};
  const { file, profile } = read;
  return {
    profile: { name: profile.name, ...(file !== undefined && { file }), ...(profile.library && { library: profile.library.name }) },
  };
}

function addReferences<T extends ListedCase>(listed: T): T {
  const references = listReferences(findTestedCause(listed).id);
  return references.length === 0 ? listed : { ...listed, references: [...references] };
}

async function runThreads(scenarios: readonly Scenario[], run: RunContext, options: ScenarioOptions & RunOptions): Promise<CaseResult[]> {
  const { remote } = run;
  const { jobs = availableParallelism(), repeat = 1 } = options;
  if (remote !== undefined) {
    const shared = { findEnded: () => findEnded(run), settle: () => settle(run, remote) };
    return runScenarios(scenarios, { ...options, shared });
  }
  const threads = openThreads({ options, length: scenarios.length, repeat, jobs });
  if (threads.length === 0) return runScenarios(scenarios, options);
  try {
    return await runScenarios(scenarios, { ...options, jobs: 1, helpers: threads });
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

/** Generates an RSA key on another thread while the first cases run, because generating it takes as long as running dozens of cases. */
function prepareRsaKey(scenarios: readonly Scenario[], { newPrivateKey, remote }: RunContext): void {
  if (remote === undefined) return;
  const wanted = scenarios.some(({ replay, tags }) => replay !== 'verbatim' && tags.some((tag) => /^[rp]s\d+$/.test(tag)));
  // A failure shows in the case that asks for the key.
  if (wanted) Promise.resolve(newPrivateKey(signingAlgorithm(-257))).catch(() => undefined);
}
