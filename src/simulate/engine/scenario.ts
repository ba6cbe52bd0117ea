import { PasskeyError } from '../../errors.js';
import { matchesId, unknownSelection } from '../report/case-ids.js';
import { type CaseResult, caseKey, type Exchange, type Mismatch, type Refusal, type TestedStep } from '../report/report.js';

/** Notes about a scenario that its verdict passes to the report. */
interface Notes {
  /** Requests and responses of the scenario; a report shows them for a failed case. */
  readonly exchanges?: readonly Exchange[];
  /** The refusal that made the case pass, otherwise the target's last refusal. */
  readonly refusal?: Refusal;
  /** Observations that are unusual but not failures, one sentence each. */
  readonly remarks?: readonly string[];
  /** Set if the target no longer answers, so that no further scenario can run. */
  readonly gone?: true;
  /** The request of an earlier scenario that ended the target, if any. */
  readonly ended?: Ended;
}

/** The request after which the target accepted no more connections. */
export interface Ended {
  /** Key of the scenario that sent the request, made by `caseKey`. */
  readonly key: string;
  readonly exchange: Exchange;
}

export const describeEnd = ({ request, status }: Exchange): Mismatch => ({
  deviation: { kind: 'ended', ...(status !== undefined && { status }) },
  at: request,
  expected: 'the server keeps answering',
  received: `the server ended after its response (${status ?? 'none'})`,
  hint: 'Look for an uncaught exception in the code that runs after the server has responded.',
});

export type Verdict = Notes &
  (
    | { readonly status: 'passed' }
    | {
        readonly status: 'failed';
        readonly mismatches: readonly [Mismatch, ...Mismatch[]];
        /** Whether the scenario failed because no response came. After several such scenarios in a row, the run gives up. */
        readonly unanswered?: boolean;
      }
    | {
        /**
         * The result says nothing about what the scenario tests: a request that prepares it got a wrong response, or its control failed.
         */
        readonly status: 'not_run';
        readonly code: NonNullable<CaseResult['code']>;
        /** ID of the failed control. A control is an honest case that must pass for other results to count. */
        readonly control?: string;
        readonly reason: string;
        readonly mismatches: readonly Mismatch[];
      }
    | {
        readonly status: 'not_applicable';
        readonly reason: string;
        /** Member that the profile lacks, as in {@link Lack}. */
        readonly member?: string;
        /** Set if the profile lists the case in `skip`. */
        readonly skipped?: true;
      }
  );

/** Smallest unit of a run: a case, or a fixture that is replayed in one way. */
export interface Scenario {
  readonly id: string;
  readonly source: CaseResult['source'];
  readonly replay?: NonNullable<CaseResult['replay']>;
  readonly title: string;
  readonly tags: readonly string[];
  readonly file?: string;
  /** Describes the expected outcome in words. */
  readonly expected: string;
  /** The step of the standard that the scenario tests. */
  readonly tests?: TestedStep | undefined;
  /** Attestation statement format that the scenario tests. */
  readonly attestationFormat?: string;
  /** Explains why the scenario matters and what to change; shown when it fails. */
  readonly advice?: string;
  /**
   * True if the scenario ends sessions or closes an account that other scenarios on the same target may use. No other scenario then runs at
   * the same time. Default: false.
   */
  readonly runsAlone?: boolean;
  /**
   * Runs the scenario once. Every call starts from the beginning.
   *
   * @param options `alone`: no other scenario runs on the same target at the same time; default: true
   */
  run(options?: { readonly alone?: boolean }): Promise<Verdict>;
}

/** Tag of cases and fixtures that contain a deliberate fault. */
export const INVALID_TAG = 'invalid';

/** Tag of cases that wait for real time to pass on a running server. */
export const SLOW_TAG = 'slow';

export function toVerdict(mismatches: readonly Mismatch[]): Verdict {
  const [first, ...more] = mismatches;
  return first === undefined ? { status: 'passed' } : { status: 'failed', mismatches: [first, ...more] };
}

/** Error that ends a scenario early. Its `verdict` is the verdict on the scenario. */
export class ScenarioEnded extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(verdict.status);
    this.verdict = verdict;
  }
}

/** A missing member of a profile, without which a case cannot be judged. */
export interface Lack {
  readonly reason: string;
  /** Member of the profile that would supply the information, e.g. `signOut` or `has.challengeSeconds`. */
  readonly member: string;
}

export function toNotApplicable(why: string | Lack): Extract<Verdict, { readonly status: 'not_applicable' }> {
  return { status: 'not_applicable', ...(typeof why === 'string' ? { reason: why } : why) };
}

export function notApplicable(why: string | Lack): ScenarioEnded {
  return new ScenarioEnded(toNotApplicable(why));
}

export function failedAt(mismatch: Mismatch): ScenarioEnded {
  return new ScenarioEnded({ status: 'failed', mismatches: [mismatch] });
}

export interface Selection {
  /** Selects scenarios with one of these IDs; `*` matches any characters. Empty: all scenarios. */
  readonly ids?: readonly string[];
  /** Selects scenarios with at least one of these tags. Empty: all scenarios. */
  readonly tags?: readonly string[];
  /** Selects scenarios that test one of these steps of the standard, named by our own slugs. Empty: all scenarios. */
  readonly steps?: readonly string[];
  /** Selects scenarios that test one of these attestation statement formats. Empty: all scenarios. */
  readonly attestationFormats?: readonly string[];
  /**
   * Selects scenarios that failed in an earlier run. Each entry is a scenario's ID; for replays, ` verbatim` or ` rebound` follows the ID.
   */
  readonly failed?: ReadonlySet<string>;
  /** Includes scenarios that wait until a challenge expires; default: false. */
  readonly slow?: boolean;
}

interface Criterion {
  /** Noun for the filter's values in messages. */
  readonly what: string;
  readonly wanted: readonly string[];
  /** Reads the values that the filter compares from a scenario. */
  readonly read: (scenario: Scenario) => readonly string[];
  readonly isLike: (wanted: string, value: string) => boolean;
}

function listCriteria({ ids = [], tags = [], steps = [], attestationFormats = [] }: Selection): readonly Criterion[] {
  const all: readonly Criterion[] = [
    { what: 'case', wanted: ids, read: ({ id }) => [id], isLike: matchesId },
    { what: 'tag', wanted: tags, read: (scenario) => scenario.tags, isLike: isSame },
    { what: 'case for the step', wanted: steps, read: ({ tests }) => (tests ? [tests.slug] : []), isLike: isSame },
    {
      what: 'case for the attestation statement format',
      wanted: attestationFormats,
      read: ({ attestationFormat: format }) => (format === undefined ? [] : [format]),
      isLike: isSame,
    },
  ];
  return all.filter(({ wanted }) => wanted.length > 0);
}

/**
 * Selects scenarios and keeps them in their original order.
 *
 * @throws PasskeyError `usage` if a filter value matches no scenario, or if no scenario is left.
 */
export function selectScenarios(scenarios: readonly Scenario[], selection: Selection = {}): Scenario[] {
  const { slow = false, failed } = selection;
  const isQuick = ({ tags }: Scenario) => slow || !tags.includes(SLOW_TAG);
  let selected = [...scenarios];
  for (const { what, wanted, read, isLike } of listCriteria(selection)) {
    const has = (value: string, scenario: Scenario) => read(scenario).some((each) => isLike(value, each));
    selected = selected.filter((scenario) => wanted.some((value) => has(value, scenario)));
    const isFound = (value: string) => [selected, scenarios].some((all) => all.some((each) => has(value, each) && isQuick(each)));
    const missing = wanted.find((value) => !isFound(value));
    if (missing === undefined) continue;
    throw scenarios.some((scenario) => has(missing, scenario))
      ? needsSlow(what, missing)
      : unknownSelection(what, missing, { known: scenarios.filter(isQuick).flatMap(read), list: 'passkey simulate --list' });
  }
  selected = selected.filter((scenario) => isQuick(scenario) && (failed === undefined || failed.has(caseKey(scenario))));
  if (selected.length > 0) return selected;
  throw new PasskeyError(
    'usage',
    failed === undefined
      ? 'Expected at least one case to match every filter; none does. Remove a filter, or choose other values.'
      : 'None of the cases that failed in that report is selected here. Pass --rerun-failed without other filters, and with the --fixtures of that run.',
  );
}

function isSame(wanted: string, known: string): boolean {
  return wanted === known;
}

function needsSlow(what: string, name: string): PasskeyError {
  return new PasskeyError('usage', `The ${what} "${name}" waits until a challenge expires. Add --slow to run it.`);
}
