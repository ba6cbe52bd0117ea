import { setTimeout } from 'node:timers/promises';
import { DIFFERS } from '../../simulate/report/deviation.js';
import { type CaseReport, type CaseResult, type Finding, type Mismatch, summarize } from '../../simulate/report/report.js';
import { isAtLeast } from '../../simulate/report/severity.js';
import { PAGE_CASES, type PageCase } from './cases.js';
import { PAGE_CAUSES, type PageCause, type PageCauseId } from './causes.js';
import {
  type AnswerObservation,
  type DrivenPage,
  NO_TRIGGER,
  type Observation,
  type PageDriver,
  type TriggerState,
  type World,
} from './driver.js';
import type { FlowName, Flows } from './flow.js';
import { type Baseline, nameRequest, type Run, whyFailed } from './judges.js';
import { findRoles, isModal, isSameAddress, isSameRequest, listCalls, listExchanges, sendsResponse } from './trace.js';

interface PageCheckOptions<Playable> {
  readonly driver: PageDriver<Playable>;
  readonly flows: Flows<Playable>;
  /** Address of the page, for the report. */
  readonly target: string;
  readonly toolVersion: string;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits for some milliseconds; default: the system clock. */
  readonly wait?: (milliseconds: number) => Promise<void>;
  /** How many pages are open at the same time; default: 4. */
  readonly jobs?: number;
  /** The cases to run; default: all. */
  readonly cases?: readonly PageCase[];
}

/** The honest run of a flow, with the data that later cases need. */
interface Played extends Baseline {
  /** Why the flow did not reach its trigger, the click that makes the page call; undefined if it did. */
  readonly problem?: string;
  readonly passkeys: string;
  readonly user: number;
}

const JOBS = 4;
/**
 * Milliseconds within which a control must be usable again after a failure. The next constant is the time between two checks of the
 * control.
 */
const RECOVERY = 5_000;
const LOOK = 250;

/** Plays the flows of a page in the browser and network that each case describes, and judges what the page calls and sends. */
export async function checkFlows<Playable>(options: PageCheckOptions<Playable>): Promise<CaseReport> {
  const { flows, now, wait = setTimeout, cases = PAGE_CASES, target, toolVersion, jobs = JOBS } = options;
  const begun = now();
  const isPlayable = ({ flow, before }: PageCase) => flows[flow] !== undefined && (before !== 'remove' || flows.remove !== undefined);
  const chosen = cases.filter(isPlayable);
  let users = Math.floor(begun / 1_000);
  const stage: Stage<Playable> = { ...options, wait, nextUser: () => (users += 1), baselines: new Map() };
  const register = await playHonestly(stage, 'register', undefined);
  stage.baselines.set('register', register);
  for (const flow of ['login', 'password'] as const) {
    if (flows[flow] !== undefined) stage.baselines.set(flow, await playHonestly(stage, flow, register));
  }
  const results = new Map<string, CaseResult>();
  const queue = [...chosen];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const started = now();
      results.set(next.id, { ...(await runCase(stage, next)), duration_ms: now() - started });
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const inOrder = chosen.flatMap(({ id }) => results.get(id) ?? []);
  return {
    format: 'passkey-page-report',
    version: 1,
    tool_version: toolVersion,
    target,
    started_at: new Date(begun).toISOString(),
    duration_ms: now() - begun,
    summary: summarize(inOrder),
    findings: listPageFindings(inOrder),
    results: inOrder,
  };
}

interface Stage<Playable> extends PageCheckOptions<Playable> {
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly nextUser: () => number;
  readonly baselines: Map<FlowName, Played>;
}

/**
 * Plays a flow in a browser and network that behave as usual. If a dialog that the page opens at load keeps the flow from its trigger,
 * plays the flow again with a user who cancels that dialog.
 */
async function playHonestly<Playable>(stage: Stage<Playable>, flow: FlowName, register: Played | undefined): Promise<Played> {
  const first = await playOnce(stage, flow, register, {});
  const isHindered = first.problem !== undefined && listCalls(first.observations).some(isModal);
  if (!isHindered) return first;
  const second = await playOnce(stage, flow, register, { dismissesAtLoad: true });
  return second.problem === undefined ? second : first;
}

async function playOnce<Playable>(stage: Stage<Playable>, name: FlowName, register: Played | undefined, world: World): Promise<Played> {
  const user = register?.user ?? stage.nextUser();
  const flow = stage.flows[name];
  await using page = await stage.driver.open(world, register?.passkeys);
  const problem = flow === undefined ? 'There is no such flow.' : await problemOf(page.play(flow, { user, isHonest: true }));
  await page.settle();
  await pickWhereWaiting(page);
  const { observations } = page;
  const trigger = problem === undefined ? observations.findLastIndex(({ kind }) => kind === 'press') : -1;
  return {
    observations,
    trigger,
    presses: countPresses(observations),
    roles: findRoles(observations, trigger),
    passkeys: await page.exportPasskeys(),
    user,
    ...(problem !== undefined && { problem }),
  };
}

const problemOf = async (playing: Promise<void>): Promise<string | undefined> =>
  await playing.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0],
  );

/** Picks a passkey from the autofill list, unless the click on the trigger led to a modal call. The trigger of a page without a button is its field. */
async function pickWhereWaiting<Playable>(page: DrivenPage<Playable>): Promise<void> {
  const trigger = page.observations.findLastIndex(({ kind }) => kind === 'press');
  if (trigger === -1 || listCalls(page.observations, trigger).some(isModal)) return;
  await page.pickAutofill();
  await page.settle();
}

async function runCase<Playable>(stage: Stage<Playable>, each: PageCase): Promise<CaseResult> {
  const baseline = stage.baselines.get(each.flow) ?? stage.baselines.get('register');
  const base = {
    id: each.id,
    source: 'case' as const,
    title: each.title,
    tags: [each.flow],
    expected: listRules(each),
    mismatches: [],
    duration_ms: 0,
  };
  if (baseline === undefined) return { ...base, status: 'not_run' };
  const isCeremony = each.flow === 'register' || each.flow === 'login';
  const unready = (reason: string | undefined): CaseResult | undefined =>
    reason === undefined ? undefined : { ...base, status: 'not_run', code: 'preparation_failed', reason };
  const failure = isCeremony ? whyFailed(baseline) : undefined;
  const missed = baseline.problem && `The flow "${each.flow}" did not reach its trigger: ${baseline.problem}`;
  if (each.isBaseline) {
    const end = baseline.observations.length;
    const run = { ...baseline, watched: end, again: end, isPressed: false, control: NO_TRIGGER, baseline };
    const result = judge(base, each, run);
    return result.status === 'passed' ? (unready(missed ?? failure) ?? result) : result;
  }
  const isCalled = listCalls(baseline.observations).some(({ at, until }) => at > baseline.trigger || until > baseline.trigger);
  const why = missed ?? (isCeremony && !isCalled ? failure : undefined) ?? (each.again === 'at once' ? failure : undefined);
  const unprepared = unready(why);
  if (unprepared !== undefined) return unprepared;
  const reason = each.inapplicable?.(baseline);
  if (reason !== undefined) return { ...base, status: 'not_applicable', reason };
  try {
    const run = each.before === undefined ? await runInWorld(stage, each, baseline) : await runAfter(stage, each, each.before);
    return typeof run === 'string' ? { ...base, status: 'not_run', reason: run } : judge(base, each, run);
  } catch (error) {
    return { ...base, status: 'not_run', code: 'preparation_failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Runs a case.
 *
 * @returns the run, or the reason why it cannot be judged
 */
async function runInWorld<Playable>(stage: Stage<Playable>, each: PageCase, baseline: Played): Promise<Run | string> {
  const flow = stage.flows[each.flow];
  if (flow === undefined) return 'There is no such flow.';
  const isRegistration = each.flow === 'register';
  const user = isRegistration ? stage.nextUser() : baseline.user;
  let isHealed = false;
  let isChanged = false;
  const replaced = new Set<number>();
  const seen: { observations: readonly Observation[] } = { observations: [] };
  const { changed } = each;
  const world: World = {
    ...each.world,
    ...(changed && {
      answer: (request) => {
        if (isHealed || countPresses(seen.observations) < baseline.presses) return undefined;
        const isSent = listCalls(seen.observations).some(({ response }) => response && sendsResponse(request, response));
        const { options, verification } = baseline.roles;
        const isRole =
          changed.role === 'verification' ? isSent && isSameAddress(request, verification) : !isSent && isSameRequest(request, options);
        if (!isRole) return undefined;
        isChanged = true;
        if (changed.override.kind !== 'edit') replaced.add(request.id);
        return changed.override;
      },
    }),
  };
  await using page = await stage.driver.open(world, isRegistration ? undefined : baseline.passkeys);
  seen.observations = page.observations;
  const problem = await problemOf(page.play(flow, { user, isHonest: false }));
  const { observations } = page;
  const trigger = observations.findLastIndex(({ kind }) => kind === 'press');
  const isReached = countPresses(observations) >= baseline.presses;
  // A page may well hide its control in a browser without WebAuthn; what it throws counts all the same.
  if (!isReached && each.world.lacks === undefined) return `The page did not get to its trigger: ${problem ?? 'a click is missing'}`;
  const whyDifferent = () =>
    findDifference(observations, trigger, { baseline, replaced }) ??
    (changed !== undefined && !isChanged ? 'The page did not send the request whose response this case changes.' : undefined);
  if (each.again === 'at once') {
    const isPressed = await page.press(1);
    await page.settle();
    const difference = whyDifferent();
    if (difference !== undefined) return difference;
    const end = observations.length;
    return { observations, trigger, watched: end, again: end, isPressed, control: await page.readTrigger(), baseline };
  }
  if (each.watches !== undefined) await stage.wait(each.watches);
  const watched = each.watches === undefined ? Number.POSITIVE_INFINITY : observations.length;
  await page.settle();
  await pickWhereWaiting(page);
  const difference = each.world.lacks === undefined ? whyDifferent() : undefined;
  if (difference !== undefined) return difference;
  const control = each.again === undefined ? NO_TRIGGER : await readRecovered(page, stage.wait);
  const again = observations.length;
  isHealed = true;
  const isPressed = each.again === 'afterwards' && control.exists && !control.isDisabled && (await page.press(1));
  if (isPressed) await page.settle();
  return { observations, trigger, watched, again: isPressed ? again : observations.length, isPressed, control, baseline };
}

/** Reads the state of the control, after waiting some seconds for a page that counts down before it allows another attempt. */
async function readRecovered<Playable>(page: DrivenPage<Playable>, wait: Stage<Playable>['wait']): Promise<TriggerState> {
  let state = await page.readTrigger();
  for (let spent = 0; (state.isDisabled || state.isBusy) && spent < RECOVERY; spent += LOOK) {
    await wait(LOOK);
    state = await page.readTrigger();
  }
  return state;
}

interface Compared {
  readonly baseline: Baseline;
  /** IDs of the requests whose responses the case replaced. */
  readonly replaced: ReadonlySet<number>;
}

/**
 * Compares a run with the honest run, up to the change that the case makes.
 *
 * @returns the reason why the run cannot be judged, if the two runs differ
 */
function findDifference(observations: readonly Observation[], trigger: number, { baseline, replaced }: Compared): string | undefined {
  const isWork = ({ kind }: Observation) => kind === 'request' || kind === 'call';
  if (baseline.observations.slice(baseline.trigger).some(isWork) && !observations.slice(trigger).some(isWork)) {
    return 'The click had no effect in this run: the page may not have been ready for it. Add a waitFor step before the click.';
  }
  const accepted = listExchanges(baseline.observations, baseline.trigger).filter(({ answer }) => isAccepted(answer));
  const [call] = listCalls(observations, trigger);
  const refused = listExchanges(observations, trigger).find(
    ({ at, request, answer }) =>
      at < (call?.at ?? Number.POSITIVE_INFINITY) &&
      answer !== undefined &&
      !isAccepted(answer) &&
      !replaced.has(request.id) &&
      accepted.some((one) => isSameRequest(request, one.request)),
  );
  return (
    refused &&
    `The server itself answered ${nameRequest(refused)} with ${refused.answer?.status ?? 0}, which it accepted in the honest run.`
  );
}

const isAccepted = (answer: AnswerObservation | undefined): boolean => answer !== undefined && answer.status > 0 && answer.status < 400;
const countPresses = (observations: readonly Observation[]): number => observations.filter(({ kind }) => kind === 'press').length;

/**
 * Runs a case that needs a registration first. If the passkey was then removed at the server, plays the case's flow in a second page, whose
 * authenticator still has the passkey.
 */
async function runAfter<Playable>(stage: Stage<Playable>, each: PageCase, before: 'register' | 'remove'): Promise<Run | string> {
  const { flows, driver } = stage;
  const user = stage.nextUser();
  const [last, removal] = [flows[each.flow], flows.remove];
  if (last === undefined) return 'There is no such flow.';
  await using first = await driver.open({});
  await first.play(flows.register, { user, isHonest: true });
  await first.settle();
  const passkeys = await first.exportPasskeys();
  if (before === 'remove' && removal !== undefined) {
    await first.play(removal, { user, isHonest: true });
    await first.settle();
  }
  await using second = before === 'remove' ? await driver.open({}, passkeys) : undefined;
  const page = second ?? first;
  await page.play(last, { user, isHonest: false });
  await page.settle();
  await pickWhereWaiting(page);
  const { observations } = page;
  const trigger = observations.findLastIndex(({ kind }) => kind === 'press');
  const baseline = { observations, trigger, presses: 0, roles: findRoles(observations, trigger) };
  const end = observations.length;
  return { observations, trigger, watched: end, again: end, isPressed: false, control: NO_TRIGGER, baseline };
}

const listRules = ({ judges }: PageCase): string => judges.map(({ cause }) => PAGE_CAUSES[cause].expected).join('; ');

function judge(base: Omit<CaseResult, 'status'>, { judges }: PageCase, run: Run): CaseResult {
  const verdicts = judges.map(({ cause, judge: look }) => ({ cause, verdict: look(run) }));
  const mismatches = verdicts.flatMap(({ cause, verdict }): Mismatch[] =>
    verdict !== undefined && 'shown' in verdict
      ? [{ at: cause, expected: PAGE_CAUSES[cause].expected, received: verdict.shown, deviation: DIFFERS }]
      : [],
  );
  const [first] = mismatches.toSorted((one, other) => rank(one.at) - rank(other.at));
  if (first !== undefined) {
    const tolerated = mismatches.every(({ at }) => !isAtLeast(readCause(at).severity, 'low'));
    return {
      ...base,
      status: 'failed',
      mismatches,
      cause: first.at,
      advice: readCause(first.at).remedy,
      ...(tolerated && { tolerated: true }),
    };
  }
  const [open] = verdicts.flatMap(({ verdict }) => (verdict !== undefined && 'unjudged' in verdict ? [verdict.unjudged] : []));
  return open === undefined ? { ...base, status: 'passed' } : { ...base, status: 'not_run', reason: open };
}

const CAUSE_IDS = Object.keys(PAGE_CAUSES) as PageCauseId[];
const readCause = (id: string): PageCause => CAUSES[id] ?? UNKNOWN;
const CAUSES: Readonly<Record<string, PageCause>> = PAGE_CAUSES;
const UNKNOWN: PageCause = { severity: 'note', expected: '', says: '', remedy: '' };

/** The row of a cause in the table, which begins with the most serious. */
const rank = (id: string): number => CAUSE_IDS.findIndex((each) => each === id);

/** Groups failed cases by cause, the most serious cause first. A case with several causes is in the finding of each. */
function listPageFindings(results: readonly CaseResult[]): Finding[] {
  return CAUSE_IDS.flatMap((cause) => {
    const cases = results.filter(({ mismatches }) => mismatches.some(({ at }) => at === cause)).map(({ id }) => id);
    if (cases.length === 0) return [];
    const { severity, says, remedy, reference }: PageCause = PAGE_CAUSES[cause];
    const tolerated = !isAtLeast(severity, 'low');
    return [
      {
        cause,
        severity,
        title: says,
        advice: remedy,
        steps: [],
        references: reference === undefined ? [] : [reference],
        cases,
        ...(tolerated && { tolerated: true as const }),
      },
    ];
  });
}
