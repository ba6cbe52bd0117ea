import { signingAlgorithm } from '../authenticator/algorithms.js';
import { PasskeyError } from '../errors.js';
import { parseUrl } from '../webauthn/parse-url.js';
import { caseScenarios } from './case-scenarios.js';
import { applicationUrl, createKeySource, type Playhouse, type RemoteServer } from './cases/stage.js';
import { checkTarget } from './check-target.js';
import { fixtureScenarios, type Replay } from './fixture-scenarios.js';
import { createHttpTarget } from './http.js';
import { startInProcess } from './in-process.js';
import { type Pause, patient, realPause } from './patience.js';
import { type CaseResult, type SimulateReport, summarize } from './report.js';
import type { Scenario, Verdict } from './scenario.js';
import { type Selection, selectScenarios } from './select.js';

export interface ScenarioOptions {
  /** Fixtures, or folders that are searched for them. Empty: none. */
  readonly fixtures: readonly string[];
  /** Ways of replay; default: both. */
  readonly replay?: readonly Replay[];
  /** Whether the built-in cases run; default true. */
  readonly cases?: boolean;
  /** What of all that to run; default: everything. */
  readonly select?: Selection;
}

export interface SimulateOptions extends ScenarioOptions {
  /** A running server, and bearer tokens of up to two users of it. Default: the real server in process. */
  readonly target?: {
    readonly url: string;
    readonly tokens: readonly string[];
    /** URL of the application whose ceremonies they are; default: `url`. */
    readonly appUrl?: string;
  };
  /** Stop at the first failure; the rest counts as not run. */
  readonly bail?: boolean;
  readonly signal?: AbortSignal;
  /** Told after each one. */
  readonly onResult?: (result: CaseResult, progress: { readonly done: number; readonly total: number }) => void;
  /** Told when the server asks for a pause (429 with `Retry-After`), in milliseconds. */
  readonly onPause?: (milliseconds: number) => void;
  /** How such a pause is made; default: by the machine's clock. */
  readonly pause?: Pause;
  /** Version of the tool, for the report. */
  readonly version: string;
}

export type ListedCase = Pick<CaseResult, 'id' | 'source' | 'replay' | 'title' | 'tags' | 'file' | 'expected'>;

/**
 * What `simulate` would run, in its order.
 *
 * @throws PasskeyError `fixture_invalid`, `usage` when nothing is left to run.
 */
export async function listCases(options: ScenarioOptions): Promise<ListedCase[]> {
  const { playhouse, close } = openPlayhouse({});
  try {
    return (await scenariosOf(options, playhouse)).map(describe);
  } finally {
    await close();
  }
}

/**
 * Runs fixtures and cases against the real server in process, on a free port, with a store in memory for each; or, with
 * `target`, those that can against a running server.
 *
 * @returns the report; `summary.failed` tells whether everything went as expected.
 * @throws PasskeyError `fixture_invalid`, `usage` when nothing is left to run or a token is no good, `target_unreachable`,
 * `interrupted`.
 */
export async function simulate(options: SimulateOptions): Promise<SimulateReport> {
  const startedAt = new Date();
  const start = performance.now();
  const { playhouse, close } = openPlayhouse(options);
  try {
    const scenarios = await scenariosOf(options, playhouse);
    if (playhouse.remote !== undefined) await checkTarget(playhouse.remote);
    prepareRsaKey(scenarios, playhouse);
    const results = await runAll(scenarios, options);
    return {
      format: 'passkey-simulate-report',
      version: 1,
      tool_version: options.version,
      target: playhouse.remote === undefined ? 'in-process' : playhouse.remote.target.url.origin,
      started_at: startedAt.toISOString(),
      duration_ms: since(start),
      summary: summarize(results),
      results,
    };
  } finally {
    await close();
  }
}

type PlayhouseOptions = Pick<SimulateOptions, 'target' | 'signal' | 'onPause' | 'pause'>;

function openPlayhouse(options: PlayhouseOptions): { readonly playhouse: Playhouse; close(): Promise<void> } {
  const server = startInProcess();
  const remote = options.target && remoteServer(options.target, options);
  return {
    playhouse: { server, remote, newPrivateKey: createKeySource() },
    async close() {
      remote?.target.close();
      await server.close();
    },
  };
}

function remoteServer(target: NonNullable<SimulateOptions['target']>, options: PlayhouseOptions): RemoteServer {
  const { signal, onPause, pause = realPause } = options;
  const url = targetUrl(target.url);
  return {
    target: patient(createHttpTarget(url, signal), { pause, onPause, signal }),
    tokens: target.tokens,
    application: target.appUrl === undefined ? applicationUrl(url) : targetUrl(target.appUrl),
  };
}

function targetUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new PasskeyError('usage', `Expected an http or https URL such as http://localhost:7277, got "${text}".`);
  }
  if (url.href !== `${url.origin}/`) {
    throw new PasskeyError('usage', `Expected the URL of a server, such as ${url.origin}, without path, query or user; got "${text}".`);
  }
  return url;
}

async function scenariosOf({ fixtures, replay, cases, select }: ScenarioOptions, playhouse: Playhouse): Promise<Scenario[]> {
  const recorded = await fixtureScenarios({ paths: fixtures, replays: replay ?? ['verbatim', 'rebound'], playhouse });
  return selectScenarios([...recorded, ...((cases ?? true) ? caseScenarios(playhouse) : [])], select);
}

/** Makes the RSA key on another thread while the first cases run, where one will be wanted: it takes as long as dozens of cases. */
function prepareRsaKey(scenarios: readonly Scenario[], { newPrivateKey }: Playhouse): void {
  const wanted = scenarios.some(({ replay, tags }) => replay !== 'verbatim' && tags.some((tag) => /^[rp]s\d+$/.test(tag)));
  // Whoever wants the key is told when there is none.
  if (wanted) Promise.resolve(newPrivateKey(signingAlgorithm(-257))).catch(() => undefined);
}

async function runAll(scenarios: readonly Scenario[], options: SimulateOptions): Promise<CaseResult[]> {
  const { bail = false, signal, onResult } = options;
  const results: CaseResult[] = [];
  for (const scenario of scenarios) {
    const interrupted = (): PasskeyError =>
      new PasskeyError('interrupted', `The run was interrupted after ${results.length} of ${scenarios.length}.`);
    if (signal?.aborted) throw interrupted();
    const stopped = bail && results.some((result) => result.status === 'failed');
    const result = stopped
      ? notRun(scenario)
      : await runOne(scenario).catch((error: unknown) => {
          throw signal?.aborted ? interrupted() : error;
        });
    results.push(result);
    if (!stopped) onResult?.(result, { done: results.length, total: scenarios.length });
  }
  return results;
}

async function runOne(scenario: Scenario): Promise<CaseResult> {
  const start = performance.now();
  const verdict = await scenario.run();
  return { ...describe(scenario), ...verdictMembers(verdict), duration_ms: since(start) };
}

function verdictMembers(verdict: Verdict): Pick<CaseResult, 'status' | 'mismatches' | 'reason'> {
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
  return { ...describe(scenario), status: 'not_run', reason: 'an earlier one failed (--bail)', mismatches: [], duration_ms: 0 };
}

function describe({ id, source, replay, title, tags, file, expected }: Scenario): ListedCase {
  return { id, source, title, tags: [...tags], expected, ...(replay !== undefined && { replay }), ...(file !== undefined && { file }) };
}

/** Milliseconds with two digits after the point. */
function since(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}
