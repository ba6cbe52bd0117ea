import type { JsonObject } from '../../kernel/json-value.js';
import type { Answer, Session } from '../target/driver.js';
import type { Case, CaseSpec } from './case.js';
import {
  authenticate,
  type Browser,
  type BrowserTraits,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  type PreparedPasskey,
  performed,
  registerPasskey,
  requestOf,
  sourceOf,
} from './ceremony.js';
import { ACCEPTED, type ExpectedAnswer } from './compare-answer.js';
import type { CaseContext } from './context.js';
import { type AuthenticationEdits, editAuthentication } from './edits.js';
import { compareOutcome, describeOutcome } from './oracle.js';
import type { Mismatch } from './report.js';
import type { Wants } from './wants.js';

/** What came of one request of a flow. */
interface Happened {
  /** Which of them it was, for the report. */
  readonly what: string;
  readonly answer: Answer;
  /** Default: accepted. */
  readonly expected?: ExpectedAnswer;
}

/** Several requests at once, of which so many must be accepted and all others refused. */
interface Raced {
  readonly what: string;
  readonly answers: readonly Answer[];
  readonly accepted: number;
}

/** What else was looked at. */
interface Checked {
  readonly mismatches: readonly Mismatch[];
}

interface FlowSpec extends Omit<CaseSpec, 'expected'> {
  /** What it comes to; default: everything is accepted. */
  readonly expected?: ExpectedAnswer;
  readonly run: (context: CaseContext) => Promise<readonly (Happened | Raced | Checked)[]>;
}

/** A case of several ceremonies. */
export function flowCase({ tags = [], expected = ACCEPTED, run, ...described }: FlowSpec): Case {
  return {
    ...described,
    expected,
    tags,
    async run(context) {
      const { has } = context.driver;
      const events = await run(context);
      return events.flatMap((event): readonly Mismatch[] => {
        if ('mismatches' in event) return event.mismatches;
        if ('answers' in event) return compareRace(event);
        return compareOutcome(`${requestOf(event.answer, 'the ceremony')}: ${event.what}`, event.expected ?? ACCEPTED, event.answer, has);
      });
    },
  };
}

function compareRace({ what, answers, accepted }: Raced): readonly Mismatch[] {
  const count = (wanted: Answer['outcome']) => answers.filter(({ outcome }) => outcome === wanted).length;
  if (count('accepted') === accepted && count('refused') === answers.length - accepted) return [];
  const others = answers.length === accepted ? '' : `, the other ${answers.length - accepted} refused`;
  return [{ at: what, expected: `${accepted} accepted${others}`, received: answers.map(describeOutcome).join('; ') }];
}

/** A response that is ready to be sent, in the session in which its ceremony began. */
export interface Ready {
  readonly session: Session;
  readonly body: JsonObject;
}

/** A user with a browser that holds a passkey of theirs. */
export interface Actor {
  readonly context: CaseContext;
  /** In which the user is signed in. */
  readonly session: Session;
  readonly browser: Browser;
  readonly passkey: PreparedPasskey;
}

/** Registers a passkey for the user of a session, in a browser of its own unless one is given. */
export async function prepareActor(
  context: CaseContext,
  session: Session,
  { traits, wants = {}, browser = createBrowser(context, traits) }: { traits?: BrowserTraits; wants?: Wants; browser?: Browser } = {},
): Promise<Actor> {
  return { context, session, browser, passkey: await registerPasskey(context, session, browser, wants) };
}

/** A registration up to its response. */
export async function readyRegistration(context: CaseContext, session: Session, browser = createBrowser(context)): Promise<Ready> {
  const publicKey = await beginRegistration(context, session);
  return { session, body: { ...(await performed(context, browser.ownPage.create({ publicKey }))) } };
}

/** A login up to its response. */
export async function readyLogin(
  { context, session, browser, passkey }: Actor,
  { wants = {}, visit = session.newVisit(), edits = {} }: { wants?: Wants; visit?: Session; edits?: AuthenticationEdits } = {},
): Promise<Ready> {
  const honest = await authenticate(context, browser, await beginAuthentication(context, visit, passkey, wants));
  const source = await sourceOf(browser, passkey.rpId, honest.id);
  return { session: visit, body: await editAuthentication(honest, source, edits) };
}

export function sendRegistration({ session, body }: Ready): Promise<Answer> {
  return session.finishRegistration(body);
}

export function sendLogin({ session, body }: Ready): Promise<Answer> {
  return session.finishAuthentication(body);
}

/** A whole login, as one event of a flow. */
export async function loggedIn(what: string, actor: Actor, options?: Parameters<typeof readyLogin>[1]): Promise<Happened> {
  return { what, answer: await sendLogin(await readyLogin(actor, options)) };
}
