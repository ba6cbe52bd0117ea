import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { type Deviation, DIFFERS } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import type { Answer, Session } from '../target/driver.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import {
  type Actor,
  type AuthenticationChange,
  type EitherAttempt,
  type LoginOptions,
  prepareActor,
  type RegistrationChange,
  readyLogin,
  readyRegistration,
  registrationWants,
  toActor,
} from './attempts.js';
import type { Case, CaseSpec } from './case.js';
import { type BrowserTraits, createBrowser, nameRequest } from './ceremony.js';
import type { CaseContext } from './context.js';
import type { CommonEdits } from './edits.js';
import {
  ACCEPTED,
  compareOutcome,
  denied,
  describeOutcome,
  type ExpectedAnswer,
  notPrepared,
  readDeviation,
  readRaceDeviation,
  refused,
} from './outcome.js';
import { ScenarioEnded } from './scenario.js';

/** A request of a flow with several ceremonies, and the response to it. */
interface Happened {
  /** Names the request, for the report. */
  readonly what: string;
  readonly answer: Answer;
  /** The expected response; default: accepted. */
  readonly expected?: ExpectedAnswer;
}

/** Requests that are sent simultaneously. Exactly `accepted` of them must be accepted, and all others refused. */
interface Raced {
  readonly what: string;
  readonly answers: readonly Answer[];
  readonly accepted: number;
}

/** Mismatches that a flow found by a comparison of its own, e.g. in a list of passkeys. */
interface Checked {
  readonly mismatches: readonly Mismatch[];
}

/** Result of a flow: its events, or the one response that decides the outcome. Undefined means that everything went as expected. */
type Course = readonly (Happened | Raced | Checked)[] | Answer | undefined;

interface FlowSpec extends CaseSpec {
  /** The expected response to the request that decides the outcome. Default: the target accepts everything. */
  readonly expected?: ExpectedAnswer;
  readonly run: (context: CaseContext) => Promise<Course>;
}

/** Makes a case that consists of several ceremonies. */
export function flowCase({ expected = ACCEPTED, run, ...described }: FlowSpec): Case {
  return {
    ...described,
    expected,
    async run(context) {
      const { has } = context.driver;
      const course = (await run(context)) ?? [];
      const what = described.id.startsWith('register.') ? 'the registration' : 'the login';
      const events = 'outcome' in course ? [{ what, answer: course, expected }] : course;
      return events.flatMap((event): readonly Mismatch[] => {
        if ('mismatches' in event) return event.mismatches;
        if ('answers' in event) return compareRace(event);
        return compareOutcome(`${nameRequest(event.answer, 'the ceremony')}: ${event.what}`, event.expected ?? ACCEPTED, event.answer, has);
      });
    },
  };
}

function compareRace({ what, answers, accepted }: Raced): readonly Mismatch[] {
  if (answers.filter(({ outcome }) => outcome === 'accepted').length === accepted) {
    const failed = answers.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'refused');
    return failed.map((answer) => ({ at: what, expected: 'refused', received: describeOutcome(answer), deviation: readDeviation(answer) }));
  }
  const others = answers.length === accepted ? '' : `, the other ${answers.length - accepted} refused`;
  const received = answers.map(describeOutcome).join('; ');
  return [{ at: what, expected: `${accepted} accepted${others}`, received, deviation: readRaceDeviation(answers, accepted) }];
}

/** Performs a complete login and returns it as one event of a flow. */
export async function loggedIn(what: string, actor: Actor, options?: LoginOptions): Promise<Happened> {
  return { what, answer: await (await readyLogin(actor, options)).send() };
}

/**
 * Whether a deviation shows that a passkey no longer exists: the target refuses to send options, or the options no longer name the passkey.
 */
function isGone(deviation: Deviation): boolean {
  if (deviation.kind === 'no_response') return deviation.error === 'NotAllowedError';
  return deviation.kind === 'not_prepared' && deviation.by?.kind === 'refused';
}

/**
 * Checks that a passkey that was used for a login before can still log in. If the login or its options are refused, the passkey no longer
 * exists at the target.
 */
export async function compareStaying(at: string, login: () => Promise<Answer>): Promise<readonly Mismatch[]> {
  const expected = 'still accepted';
  try {
    const answer = await login();
    if (answer.outcome === 'accepted') return [];
    const deviation = answer.outcome === 'refused' ? DIFFERS : readDeviation(answer);
    return [{ at, expected, received: describeOutcome(answer), deviation }];
  } catch (error) {
    const found = error instanceof ScenarioEnded && error.verdict.status === 'failed' ? error.verdict.mismatches[0] : undefined;
    if (found === undefined || !isGone(found.deviation)) throw error;
    return [{ ...found, expected, deviation: DIFFERS }];
  }
}

/** Start of a flow that works the same for registrations and logins: a user who can begin a ceremony. */
interface EitherFlow {
  readonly ceremony: CeremonyKind;
  readonly ready: (edits?: CommonEdits) => Promise<EitherAttempt>;
}

interface BothFlowsRow extends Omit<CaseSpec, 'id'> {
  /** Last part of the IDs of the registration case and the login case. */
  readonly what: string;
  /** The expected response to the request that decides the outcome, or its error code and step. Default: the target accepts everything. */
  readonly expected?: ExpectedAnswer;
  readonly code?: string;
  readonly step?: string;
  readonly run: (flow: EitherFlow) => Promise<Course>;
}

/** Makes a registration case and a login case from one flow. */
export function bothFlows({ what, code, step, run, ...row }: BothFlowsRow): Case[] {
  const expect = (refuse: typeof denied) => (code === undefined ? step !== undefined && { step } : { expected: refuse(code, step) });
  return [
    flowCase({
      ...row,
      id: `register.${what}`,
      ...expect(refused),
      async run(context) {
        const session = await context.session(1);
        return run({ ceremony: 'registration', ready: (edits) => readyRegistration(context, session, { edits }) });
      },
    }),
    flowCase({
      ...row,
      id: `login.${what}`,
      ...expect(denied),
      async run(context) {
        const actor = await prepareActor(context, await context.session(1));
        return run({ ceremony: 'authentication', ready: (edits) => readyLogin(actor, { edits }) });
      },
    }),
  ];
}

/** Specification of a case in which user 1 logs in, and the outcome depends on earlier events. */
export interface LaterLoginSpec extends CaseSpec {
  readonly expected: ExpectedAnswer;
  readonly browser?: BrowserTraits;
  /** Edits of the registration that precedes the login. */
  readonly registration?: RegistrationChange['edits'];
  /** True if the standard allows the target to refuse the registration. A target that refuses it passes the case. */
  readonly registrationMayBeRefused?: true;
  /**
   * The correct response to the login if a target accepts the registration. If this member is set, `expected` is our own API's response to
   * the registration.
   */
  readonly otherwise?: ExpectedAnswer;
  /** Logins before the tested one, each in a new signed-out session, with the expected response to each. */
  readonly earlier?: readonly { readonly edits: AuthenticationChange['edits']; readonly expected: ExpectedAnswer }[];
  /** The expected response to the registration; default: accepted. */
  readonly registered?: ExpectedAnswer;
  /** Action between the registration and the logins. */
  readonly meanwhile?: (actor: Actor) => Promise<unknown>;
  readonly edits?: AuthenticationChange['edits'];
}

export function laterLoginCase(spec: LaterLoginSpec): Case {
  const { earlier = [], wants = {}, expected, otherwise } = spec;
  return {
    ...spec,
    async run(context) {
      const { has } = context.driver;
      const browser = createBrowser(context, spec.browser);
      const session = await context.session(1);
      const ready = await readyRegistration(context, session, { browser, wants: registrationWants(wants), edits: spec.registration });
      const answer = await ready.send();
      const ended = afterRegistration(spec, answer, has);
      if (ended !== undefined) return ended;
      const actor = toActor(ready, answer);
      await spec.meanwhile?.(actor);
      for (const before of earlier) {
        const { answer: login } = await loggedIn('', actor, { wants, edits: before.edits });
        const mismatches = compareOutcome('an earlier authentication', before.expected, login, has);
        if (mismatches.length > 0) return mismatches;
      }
      const { answer: last } = await loggedIn('', actor, { wants, edits: spec.edits });
      return compareOutcome(nameRequest(last, 'the authentication'), otherwise ?? expected, last, has);
    },
  };
}

/** Finds the mismatches of a case that ends with its registration. Undefined if the case continues with the logins. */
function afterRegistration(
  { registrationMayBeRefused, registered, otherwise, expected }: LaterLoginSpec,
  answer: Answer,
  has: TargetCapabilities,
): Mismatch[] | undefined {
  const request = nameRequest(answer, 'the registration');
  if (otherwise !== undefined && has.codes === true) return compareOutcome(request, expected, answer, has);
  if (registered !== undefined) {
    const mismatches = compareOutcome(request, registered, answer, has);
    return mismatches.length > 0 ? mismatches : undefined;
  }
  if (answer.outcome === 'refused' && (registrationMayBeRefused === true || otherwise !== undefined)) return [];
  if (answer.outcome !== 'accepted') throw notPrepared(request, answer);
  return undefined;
}

/** Registers another passkey for a user in a fresh browser, and logs in with it once. */
export async function useAnotherPasskey(context: CaseContext, session: Session, traits?: BrowserTraits): Promise<void> {
  const { answer } = await loggedIn('', await prepareActor(context, session, { traits }));
  if (answer.outcome === 'accepted') return;
  throw notPrepared(nameRequest(answer, 'the ceremony'), answer);
}

/** Registers a passkey in a fresh browser, with edits of the registration response. */
export async function registerElsewhere(context: CaseContext, session: Session, edits: RegistrationChange['edits']): Promise<Answer> {
  return (await readyRegistration(context, session, { edits })).send();
}
