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

/** One request of a flow, and its answer. */
interface Happened {
  /** Which request it was, for the report. */
  readonly what: string;
  readonly answer: Answer;
  /** Default: accepted. */
  readonly expected?: ExpectedAnswer;
}

/** Simultaneous requests, of which a certain number must be accepted and all others refused. */
interface Raced {
  readonly what: string;
  readonly answers: readonly Answer[];
  readonly accepted: number;
}

/** Another comparison. */
interface Checked {
  readonly mismatches: readonly Mismatch[];
}

/** Events of a flow, or the one answer that decides; undefined: the target did as it should. */
type Course = readonly (Happened | Raced | Checked)[] | Answer | undefined;

interface FlowSpec extends CaseSpec {
  /** The answer that decides; default: everything is accepted. */
  readonly expected?: ExpectedAnswer;
  readonly run: (context: CaseContext) => Promise<Course>;
}

/** A case of several ceremonies. */
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

/** A whole login, as one event of a flow. */
export async function loggedIn(what: string, actor: Actor, options?: LoginOptions): Promise<Happened> {
  return { what, answer: await (await readyLogin(actor, options)).send() };
}

/** Options are refused, or no longer name the passkey. */
function isGone(deviation: Deviation): boolean {
  if (deviation.kind === 'no_response') return deviation.error === 'NotAllowedError';
  return deviation.kind === 'not_prepared' && deviation.by?.kind === 'refused';
}

/** A login with a passkey that logged in before: if it or its options are refused, the passkey is gone. */
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

/** A user who can begin a ceremony, for a flow that is the same for a registration and a login. */
interface EitherFlow {
  readonly ceremony: CeremonyKind;
  readonly ready: (edits?: CommonEdits) => Promise<EitherAttempt>;
}

interface BothFlowsRow extends Omit<CaseSpec, 'id'> {
  /** Last part of both ids. */
  readonly what: string;
  /** The answer that decides, or its code and step; default: everything is accepted. */
  readonly expected?: ExpectedAnswer;
  readonly code?: string;
  readonly step?: string;
  readonly run: (flow: EitherFlow) => Promise<Course>;
}

/** The two cases of a flow that is the same for a registration and a login. */
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

/** A login by user 1 whose outcome depends on earlier events. */
export interface LaterLoginSpec extends CaseSpec {
  readonly expected: ExpectedAnswer;
  readonly browser?: BrowserTraits;
  /** Changes of the registration. */
  readonly registration?: RegistrationChange['edits'];
  /** Whether the standard allows the target to refuse the registration. A target that does so passes. */
  readonly registrationMayBeRefused?: true;
  /**
   * `expected` is the answer of our own API to the registration. Another target may accept it; then this is the correct answer to the
   * login.
   */
  readonly otherwise?: ExpectedAnswer;
  /** Earlier logins, each in its own visit, with the answers of a correct target. */
  readonly earlier?: readonly { readonly edits: AuthenticationChange['edits']; readonly expected: ExpectedAnswer }[];
  /** The answer of a correct target to the registration; default: it accepts it. */
  readonly registered?: ExpectedAnswer;
  /** Runs between the registration and the logins. */
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

/** The mismatches of a case that ends with the registration; undefined if it goes on. */
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

/** A passkey of a user, in a fresh browser, that has logged in once. */
export async function useAnotherPasskey(context: CaseContext, session: Session, traits?: BrowserTraits): Promise<void> {
  const { answer } = await loggedIn('', await prepareActor(context, session, { traits }));
  if (answer.outcome === 'accepted') return;
  throw notPrepared(nameRequest(answer, 'the ceremony'), answer);
}

/** A registration with edits, in a fresh browser. */
export async function registerElsewhere(context: CaseContext, session: Session, edits: RegistrationChange['edits']): Promise<Answer> {
  return (await readyRegistration(context, session, { edits })).send();
}
