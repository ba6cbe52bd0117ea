import { PasskeyError } from '../errors.js';
import { ALL_CASES } from './cases/all-cases.js';
import { listControls, PLAIN } from './cases/controls.js';
import { type Case, runCase } from './engine/case.js';
import type { RunContext } from './engine/context.js';
import { describeScenario } from './engine/run-scenarios.js';
import type { Scenario, Verdict } from './engine/scenario.js';
import { findTestedCause } from './findings/causes.js';
import type { Deviation } from './report/deviation.js';
import type { CaseResult, Misfit } from './report/report.js';
import { isAtLeast } from './report/severity.js';

/** The controls of a run: honest ceremonies that a correct server must accept. Each control runs once. */
interface Controls {
  /**
   * Runs the plain ceremonies of every kind that the scenarios use. They must work before the scenarios run.
   *
   * @throws PasskeyError `usage` with the request and its response if a plain ceremony fails, unless `keepGoing` is set.
   */
  checkPlain(scenarios: readonly Scenario[], options: { readonly keepGoing: boolean }): Promise<void>;
  /**
   * Wraps a scenario so that it counts as not run if one of its controls fails, because a refusal would then say nothing about what the
   * scenario tests.
   */
  hold(scenario: Scenario): Scenario;
  /** Lists the controls that failed, each with the number of cases that did not run because of it. */
  listMisfits(results: readonly CaseResult[]): Misfit[];
}

type Failed = Extract<Verdict, { readonly status: 'failed' | 'not_run' }>;

/**
 * Deviations that make a control fail. Two others count as findings instead: a login that is accepted for the wrong user, and a server that
 * ends.
 */
const FAILS: readonly Deviation['kind'][] = ['refused', 'failed', 'unreadable', 'no_answer', 'not_prepared', 'no_response'];

export function openControls(run: RunContext): Controls {
  const cases = new Map(ALL_CASES.map((each) => [each.id, each]));
  const ran = new Map<string, Promise<Verdict>>();
  const failed = new Map<string, Failed>();
  let kinds: readonly Kind[] = [];

  /** Runs a control, an honest ceremony that other cases depend on. Runs it a second time if its preparation fails. */
  async function runControl(control: Case): Promise<Verdict> {
    const verdict = await runCase(control, run);
    return verdict.status === 'not_run' && verdict.gone !== true ? runCase(control, run) : verdict;
  }

  /**
   * Finds the failure of a control. Undefined if the control passes or cannot run at this target. The result is remembered only if the
   * control ran alone.
   */
  async function findFailure(id: string, alone = true): Promise<Failed | undefined> {
    const control = cases.get(id);
    if (control === undefined || run.remote?.driver.skip[id] !== undefined) return undefined;
    const running = ran.get(id) ?? runControl(control);
    ran.set(id, running);
    const verdict = await running;
    if (verdict.status !== 'failed' && verdict.status !== 'not_run') return undefined;
    if (!verdict.mismatches.some(({ deviation }) => FAILS.includes(deviation.kind))) return undefined;
    if (alone) failed.set(id, verdict);
    else if (!failed.has(id)) ran.delete(id);
    return verdict;
  }

  async function findFailed(ids: readonly string[], alone: boolean | undefined): Promise<string | undefined> {
    for (const id of ids) if ((await findFailure(id, alone)) !== undefined) return id;
    return undefined;
  }

  return {
    async checkPlain(scenarios, { keepGoing }) {
      kinds = listKinds(scenarios);
      for (const kind of kinds) {
        const failure = await findFailure(PLAIN[kind]);
        if (failure !== undefined && !keepGoing) throw describePlain(kind, failure);
        if (failure?.gone === true) return;
      }
    },
    hold(scenario) {
      const each = scenario.source === 'case' ? cases.get(scenario.id) : undefined;
      if (each === undefined || !isAtLeast(findTestedCause(describeScenario(scenario)).severity, 'high')) return scenario;
      const controls = listControls(each);
      return {
        ...scenario,
        async run(options) {
          const verdict = await scenario.run(options);
          if (verdict.status !== 'passed' && verdict.status !== 'failed') return verdict;
          const control = await findFailed(controls, options?.alone);
          if (control === undefined) return verdict;
          // Registrations can be tested before there is a login.
          const isUnused = control === PLAIN.authentication && !kinds.includes('authentication');
          return isUnused ? { status: 'not_applicable', reason: 'needs a login, and a plain login fails' } : notJudged(control, verdict);
        },
      };
    },
    listMisfits: (results) =>
      [...failed]
        .filter(([control]) => control !== PLAIN.authentication || kinds.includes('authentication'))
        .map(([control, { mismatches, exchanges = [] }]) => ({
          control,
          cases: results.filter((result) => result.control === control).length,
          mismatches: [...mismatches],
          exchanges: [...exchanges],
        })),
  };
}

type Kind = keyof typeof PLAIN;

/**
 * Lists the kinds of plain ceremonies that must work for the results of the scenarios to mean anything. Requests to our own API and
 * verbatim replays depend on none.
 */
function listKinds(scenarios: readonly Scenario[]): readonly Kind[] {
  const used = scenarios.filter(({ id, replay }) => replay !== 'verbatim' && !id.startsWith('http.'));
  const isRegistration = ({ id, source, tags }: Scenario) =>
    source === 'case' ? id.startsWith('register.') : tags.includes('registration');
  if (used.length === 0) return [];
  return used.every(isRegistration) ? ['registration'] : ['registration', 'authentication'];
}

function notJudged(control: string, { remarks, gone, ended }: Verdict): Verdict {
  return {
    status: 'not_run',
    code: 'control_failed',
    control,
    reason: `the honest ceremony ${control} fails`,
    mismatches: [],
    ...(remarks && { remarks }),
    ...(gone && { gone }),
    ...(ended && { ended }),
  };
}

const ADVICE: Readonly<Record<Kind, string>> = {
  registration: 'Check "account", "registrationOptions" and "register" in the profile, and the server log',
  authentication:
    'Check "authenticationOptions" and "authenticate" in the profile, and the server log; \'register.*\' runs the registration cases alone',
};

function describePlain(kind: Kind, { mismatches, exchanges = [] }: Failed): PasskeyError {
  const [mismatch] = mismatches;
  const noun = kind === 'registration' ? 'registration' : 'login';
  const lines = exchanges.flatMap(({ request, sent, status, received }) => [
    `  sent ${[request, sent].filter((part) => part !== '').join(' ')}`,
    `  came ${[status, received].filter((part) => part !== undefined && part !== '').join(' ')}`,
  ]);
  const text = [
    `A plain ${noun} (${PLAIN[kind]}) fails, so no case about ${noun}s can be judged.`,
    ...lines.slice(-MAX_LINES),
    ...(mismatch === undefined ? [] : [`  ${mismatch.at}: expected ${mismatch.expected}, got ${mismatch.received}`]),
    `${ADVICE[kind]}. --probe names the line of the profile that does not fit. --keep-going runs the cases anyway, but the run still fails.`,
  ];
  return new PasskeyError('usage', text.join('\n'));
}

/** Maximum number of lines in the error message: enough for the last three requests and their responses. */
const MAX_LINES = 6;
