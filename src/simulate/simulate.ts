import { signingAlgorithm } from '../authenticator/algorithms.js';
import { ALL_CASES } from './cases/all-cases.js';
import { compareToBaseline, type EarlierReport, failedIn } from './earlier-report.js';
import { caseScenarios } from './engine/case.js';
import { openRun, type RunContext } from './engine/context.js';
import { fixtureScenarios, type Replay } from './engine/fixture-scenarios.js';
import type { RemoteOptions } from './engine/remote.js';
import { type CaseResult, type ListedCase, type SimulateReport, summarize } from './engine/report.js';
import { describeScenario, millisecondsSince } from './engine/run-scenario.js';
import { type RunOptions, runScenarios } from './engine/run-scenarios.js';
import { type Scenario, type Selection, selectScenarios } from './engine/scenario.js';

export interface ScenarioOptions {
  /** Fixture files, or folders to search. Empty: none. */
  readonly fixtures: readonly string[];
  /** Ways of replay; default: both. */
  readonly replay?: readonly Replay[];
  /** Whether the built-in cases run; default true. */
  readonly cases?: boolean;
  /** Which of them to run; default: all. */
  readonly select?: Selection;
}

export interface SimulateOptions extends ScenarioOptions, Omit<RunOptions, 'known'> {
  /** A running server. Default: the real server in process. */
  readonly target?: RemoteOptions;
  /** Called before a pause that the server asks for (429 with `Retry-After`), in milliseconds. */
  readonly onPause?: (milliseconds: number) => void;
  /** Failures that this earlier run has as well are known: they neither fail the run nor stop it. */
  readonly baseline?: EarlierReport;
  /** The command that runs one case alone, for the report of its failure. */
  readonly rerun?: (failed: CaseResult) => string;
  /** Version of the tool, for the report. */
  readonly version: string;
}

/**
 * What `simulate` would run, in order.
 *
 * @throws PasskeyError `fixture_invalid`, or `usage` when nothing is left to run.
 */
export async function listCases(options: ScenarioOptions): Promise<ListedCase[]> {
  const run = await openRun();
  try {
    return (await scenariosOf(options, run)).map(describeScenario);
  } finally {
    await run.close();
  }
}

/**
 * Runs fixtures and cases against the real server in process, on a free port, each with an empty store in memory; or, with
 * `target`, those that can against a running server.
 *
 * @returns the report; see `asExpected`.
 * @throws PasskeyError `fixture_invalid`, `usage` when nothing is left to run or a token cannot be used, `target_unreachable`,
 * `interrupted`.
 */
export async function simulate(options: SimulateOptions): Promise<SimulateReport> {
  const startedAt = new Date();
  const start = performance.now();
  const run = await openRun(options);
  const { remote } = run;
  try {
    const scenarios = await scenariosOf(options, run);
    await remote?.check();
    prepareRsaKey(scenarios, run);
    const { baseline, rerun } = options;
    const ran = await runScenarios(scenarios, { ...options, ...(baseline && { known: failedIn(baseline) }) });
    const results = ran.map((result) => (rerun && result.status === 'failed' ? { ...result, rerun: rerun(result) } : result));
    return {
      format: 'passkey-simulate-report',
      version: 1,
      tool_version: options.version,
      target: remote === undefined ? 'in-process' : remote.url.origin,
      started_at: startedAt.toISOString(),
      duration_ms: millisecondsSince(start),
      summary: summarize(results),
      ...(baseline && { baseline: compareToBaseline(results, baseline) }),
      results,
    };
  } finally {
    await run.close();
  }
}

async function scenariosOf({ fixtures, replay, cases = true, select }: ScenarioOptions, run: RunContext): Promise<Scenario[]> {
  const recorded = await fixtureScenarios({ paths: fixtures, replays: replay ?? ['verbatim', 'rebound'] }, run);
  return selectScenarios([...recorded, ...(cases ? caseScenarios(ALL_CASES, run) : [])], select);
}

/** Generates the RSA key on another thread while the first cases run: it takes as long as dozens of cases. */
function prepareRsaKey(scenarios: readonly Scenario[], { newPrivateKey }: RunContext): void {
  const wanted = scenarios.some(({ replay, tags }) => replay !== 'verbatim' && tags.some((tag) => /^[rp]s\d+$/.test(tag)));
  // A failure shows in the case that asks for the key.
  if (wanted) Promise.resolve(newPrivateKey(signingAlgorithm(-257))).catch(() => undefined);
}
