import type { JsonObject } from '../../kernel/json-value.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import type { Answer, Session } from '../target/driver.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import type { Case, CaseSpec } from './case.js';
import {
  authenticate,
  type Browser,
  type BrowserTraits,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  findSource,
  type PreparedPasskey,
  performed,
  registerPasskey,
  requestOf,
} from './ceremony.js';
import { type Begun, type EditsFor, editsFor, registrationWants, rpIdOf } from './ceremony-cases.js';
import type { CaseContext } from './context.js';
import { type AuthenticationEdits, editAuthentication, editRegistration, type RegistrationEdits } from './edits.js';
import { ACCEPTED, compareOutcome, describeOutcome, type ExpectedAnswer } from './outcome.js';
import type { Mismatch } from './report.js';
import { failedAt } from './scenario.js';
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
  const source = await findSource(browser, passkey.rpId, honest.id);
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

export type EditsOfRegistration = EditsFor<Begun<PublicKeyCredentialCreationOptionsJSON>, RegistrationEdits>;
export type EditsOfLogin = EditsFor<Begun<PublicKeyCredentialRequestOptionsJSON>, AuthenticationEdits>;

/** A user with a browser, and the passkey that was registered in it. */
export interface Prepared {
  readonly context: CaseContext;
  /** In which the user is signed in. */
  readonly session: Session;
  readonly browser: Browser;
  readonly passkey: PreparedPasskey;
}

/** A login by user 1 that is judged by what came before it. */
export interface LaterLoginSpec extends CaseSpec {
  readonly browser?: BrowserTraits;
  /** What is changed in the registration. */
  readonly registration?: EditsOfRegistration;
  /** The standard leaves it to the target whether it takes the registration. One that refuses it passes. */
  readonly registrationMayBeRefused?: true;
  /**
   * `expected` is the answer of our own API to the registration. Another target may accept it; this is what a correct one then answers to
   * the login.
   */
  readonly otherwise?: ExpectedAnswer;
  /** Logins before, each in a visit of its own, with what a correct target answers. */
  readonly earlier?: readonly { readonly edits: EditsOfLogin; readonly expected: ExpectedAnswer }[];
  /** What a correct target answers to the registration; default: it accepts it. */
  readonly registered?: ExpectedAnswer;
  /** What happens between the registration and the logins. */
  readonly meanwhile?: (prepared: Prepared) => Promise<unknown>;
  readonly edits?: EditsOfLogin;
}

export function laterLoginCase(spec: LaterLoginSpec): Case {
  const { tags = [], browser: traits, registration, registrationMayBeRefused: _may, registered: _must, otherwise, ...others } = spec;
  const { earlier = [], meanwhile, edits, ...described } = others;
  const { wants = {}, expected } = spec;
  return {
    ...described,
    tags: [
      otherwise === undefined ? 'authentication' : 'registration',
      ...(wants.login === 'discoverable' ? ['discoverable'] : []),
      ...tags,
    ],
    async run(context) {
      const { has } = context.driver;
      const browser = createBrowser(context, traits);
      const session = await context.session(1);
      const { answer, passkey } = await register(context, session, browser, { ...spec, edits: registration });
      const ended = afterRegistration(spec, answer, has);
      if (ended !== undefined) return ended;
      const prepared = { context, session, browser, passkey };
      await meanwhile?.(prepared);
      for (const before of earlier) {
        const mismatches = compareOutcome('an earlier authentication', before.expected, await logIn(prepared, spec, before.edits), has);
        if (mismatches.length > 0) return mismatches;
      }
      const last = await logIn(prepared, spec, edits);
      return compareOutcome(requestOf(last, 'the authentication'), otherwise ?? expected, last, has);
    },
  };
}

/** What the case comes to where it ends with the registration. */
function afterRegistration(
  { registrationMayBeRefused, registered, otherwise, expected }: LaterLoginSpec,
  answer: Answer,
  has: TargetCapabilities,
): Mismatch[] | undefined {
  const request = requestOf(answer, 'the registration');
  if (otherwise !== undefined && has.codes === true) return compareOutcome(request, expected, answer, has);
  if (registered !== undefined) {
    const mismatches = compareOutcome(request, registered, answer, has);
    return mismatches.length > 0 ? mismatches : undefined;
  }
  if (answer.outcome === 'refused' && (registrationMayBeRefused === true || otherwise !== undefined)) return [];
  if (answer.outcome !== 'accepted') throw failedAt(`${request} (preparation)`, 'accepted', describeOutcome(answer));
  return undefined;
}

interface Registered {
  readonly answer: Answer;
  readonly passkey: PreparedPasskey;
}

/** A registration with edits, whatever becomes of it. The credential ID is that of the authenticator. */
async function register(
  context: CaseContext,
  session: Session,
  browser: Browser,
  { wants = {}, edits = {} }: { readonly wants?: CaseSpec['wants']; readonly edits?: EditsOfRegistration | undefined },
): Promise<Registered> {
  const options = await beginRegistration(context, session, registrationWants(wants));
  const honest = await performed(context, browser.ownPage.create({ publicKey: options }));
  const rpId = rpIdOf(context, options.rp.id);
  const body = editRegistration(honest, await editsFor(edits, { context, session, browser, options }));
  const answer = await session.finishRegistration(body);
  return { answer, passkey: { credentialId: honest.id, taken: answer.taken, rpId } };
}

/** A login in a visit of its own. */
export async function logIn(
  { context, session, browser, passkey }: Prepared,
  { wants = {} }: Pick<CaseSpec, 'wants'>,
  edits: EditsOfLogin = {},
): Promise<Answer> {
  const visit = session.newVisit();
  const options = await beginAuthentication(context, visit, passkey, wants);
  const honest = await authenticate(context, browser, options);
  const source = await findSource(browser, passkey.rpId, honest.id);
  const made = await editsFor(edits, { context, session: visit, browser, options });
  return visit.finishAuthentication(await editAuthentication(honest, source, made));
}

/** A passkey of a user, in a browser of its own, that has logged in once. */
export async function useAnotherPasskey(context: CaseContext, session: Session, traits?: BrowserTraits): Promise<Prepared> {
  const browser = createBrowser(context, traits);
  const { answer, passkey } = await register(context, session, browser, {});
  const prepared = { context, session, browser, passkey };
  const answers = [answer, await logIn(prepared, {})];
  for (const each of answers) {
    if (each.outcome !== 'accepted') throw failedAt(`${requestOf(each, 'the ceremony')} (preparation)`, 'accepted', describeOutcome(each));
  }
  return prepared;
}

/** A registration of `user` with edits, in a browser of its own. */
export async function registerElsewhere(context: CaseContext, session: Session, edits: EditsOfRegistration): Promise<Answer> {
  return (await register(context, session, createBrowser(context), { edits })).answer;
}
