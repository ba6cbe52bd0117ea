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
  nameRequest,
  type PreparedPasskey,
  performed,
  registerPasskey,
} from './ceremony.js';
import { type Begun, type EditsFor, editsFor, findRpId, registrationWants } from './ceremony-cases.js';
import type { CaseContext } from './context.js';
import type { Demands } from './demands.js';
import { type AuthenticationEdits, type CommonEdits, editAuthentication, editRegistration, type RegistrationEdits } from './edits.js';
import { ACCEPTED, compareOutcome, describeOutcome, type ExpectedAnswer } from './outcome.js';
import type { Mismatch } from './report.js';
import { failedAt } from './scenario.js';

/** One request of a flow, and its answer. */
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

/** Anything else that was compared. */
interface Checked {
  readonly mismatches: readonly Mismatch[];
}

interface FlowSpec extends Omit<CaseSpec, 'expected'> {
  /** The answer that decides; default: everything is accepted. */
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
        return compareOutcome(`${nameRequest(event.answer, 'the ceremony')}: ${event.what}`, event.expected ?? ACCEPTED, event.answer, has);
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
  /** As the client made it. */
  readonly honest: JsonObject;
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
  { traits, wants = {}, browser = createBrowser(context, traits) }: { traits?: BrowserTraits; wants?: Demands; browser?: Browser } = {},
): Promise<Actor> {
  return { context, session, browser, passkey: await registerPasskey(context, session, browser, wants) };
}

type RegistrationEditsFor = EditsFor<Begun<PublicKeyCredentialCreationOptionsJSON>, RegistrationEdits>;
type LoginEditsFor = EditsFor<Begun<PublicKeyCredentialRequestOptionsJSON>, AuthenticationEdits>;

interface RegistrationOptions {
  readonly browser?: Browser;
  readonly wants?: Demands;
  readonly edits?: RegistrationEditsFor | undefined;
}

/** A registration up to its response. */
export async function readyRegistration(
  context: CaseContext,
  session: Session,
  { browser = createBrowser(context), wants = {}, edits }: RegistrationOptions = {},
): Promise<Ready & { readonly passkey: Omit<PreparedPasskey, 'taken'> }> {
  const options = await beginRegistration(context, session, wants);
  const honest = await performed(context, browser.ownPage.create({ publicKey: options }));
  const body = editRegistration(honest, await editsFor(edits, { context, session, browser, options }));
  return { session, body, honest: { ...honest }, passkey: { credentialId: honest.id, rpId: findRpId(context, options.rp.id) } };
}

interface LoginOptions {
  readonly wants?: Demands;
  readonly visit?: Session;
  readonly edits?: LoginEditsFor | undefined;
}

/** A login up to its response, in a visit of its own unless one is given. */
export async function readyLogin(
  { context, session, browser, passkey }: Actor,
  { wants = {}, visit = session.newVisit(), edits }: LoginOptions = {},
): Promise<Ready> {
  const options = await beginAuthentication(context, visit, passkey, wants);
  const honest = await authenticate(context, browser, options);
  const source = await findSource(browser, passkey.rpId, honest.id);
  const made = await editsFor(edits, { context, session: visit, browser, options });
  return { session: visit, body: await editAuthentication(honest, source, made), honest: { ...honest } };
}

type Sendable = Pick<Ready, 'session' | 'body'>;

export function sendRegistration({ session, body }: Sendable): Promise<Answer> {
  return session.finishRegistration(body);
}

export function sendLogin({ session, body }: Sendable): Promise<Answer> {
  return session.finishAuthentication(body);
}

/** A whole login. */
async function logIn(actor: Actor, options?: LoginOptions): Promise<Answer> {
  return sendLogin(await readyLogin(actor, options));
}

/** A whole login, as one event of a flow. */
export async function loggedIn(what: string, actor: Actor, options?: LoginOptions): Promise<Happened> {
  return { what, answer: await logIn(actor, options) };
}

/** One ceremony of a user up to its response, for a flow that is the same for a registration and a login. */
export interface EitherFlow {
  readonly kind: 'register' | 'login';
  /** Begins the ceremony and answers its options. */
  readonly ready: (edits?: CommonEdits) => Promise<Ready>;
  readonly send: (ready: Sendable) => Promise<Answer>;
}

interface BothFlowsRow extends Omit<CaseSpec, 'id' | 'expected'> {
  /** Last part of both ids. */
  readonly what: string;
  readonly expected: { readonly register: ExpectedAnswer; readonly login: ExpectedAnswer };
  /** The answer that decides; undefined: the target did as it should. */
  readonly run: (flow: EitherFlow) => Promise<Answer | undefined>;
}

/** The two cases of a flow that is the same for a registration and a login. */
export function bothFlows({ what, expected, run, ...row }: BothFlowsRow): Case[] {
  const toCase = (kind: EitherFlow['kind'], begin: (context: CaseContext) => Promise<EitherFlow>) =>
    flowCase({
      ...row,
      id: `${kind}.${what}`,
      tags: [kind === 'register' ? 'registration' : 'authentication'],
      expected: expected[kind],
      async run(context) {
        const answer = await run(await begin(context));
        return answer === undefined
          ? []
          : [{ what: `the ${kind === 'register' ? 'registration' : 'login'}`, answer, expected: expected[kind] }];
      },
    });
  return [
    toCase('register', async (context) => {
      const session = await context.session(1);
      return { kind: 'register', ready: (edits) => readyRegistration(context, session, { edits }), send: sendRegistration };
    }),
    toCase('login', async (context) => {
      const actor = await prepareActor(context, await context.session(1));
      return { kind: 'login', ready: (edits) => readyLogin(actor, { edits }), send: sendLogin };
    }),
  ];
}

/** A login by user 1 that is judged by what came before it. */
export interface LaterLoginSpec extends CaseSpec {
  readonly browser?: BrowserTraits;
  /** Changes of the registration. */
  readonly registration?: RegistrationEditsFor;
  /** The standard leaves it to the target whether it takes the registration. One that refuses it passes. */
  readonly registrationMayBeRefused?: true;
  /**
   * `expected` is the answer of our own API to the registration. Another target may accept it; this is what a correct one then answers to
   * the login.
   */
  readonly otherwise?: ExpectedAnswer;
  /** Logins before, each in a visit of its own, with what a correct target answers. */
  readonly earlier?: readonly { readonly edits: LoginEditsFor; readonly expected: ExpectedAnswer }[];
  /** The answer of a correct target to the registration; default: it accepts it. */
  readonly registered?: ExpectedAnswer;
  /** Runs between the registration and the logins. */
  readonly meanwhile?: (actor: Actor) => Promise<unknown>;
  readonly edits?: LoginEditsFor;
}

export function laterLoginCase(spec: LaterLoginSpec): Case {
  const { earlier = [], wants = {}, expected, otherwise, tags = [] } = spec;
  return {
    ...spec,
    tags: [
      otherwise === undefined ? 'authentication' : 'registration',
      ...(wants.login === 'discoverable' ? ['discoverable'] : []),
      ...tags,
    ],
    async run(context) {
      const { has } = context.driver;
      const browser = createBrowser(context, spec.browser);
      const session = await context.session(1);
      const ready = await readyRegistration(context, session, { browser, wants: registrationWants(wants), edits: spec.registration });
      const answer = await sendRegistration(ready);
      const ended = afterRegistration(spec, answer, has);
      if (ended !== undefined) return ended;
      // The credential ID is that of the authenticator.
      const actor = { context, session, browser, passkey: { ...ready.passkey, taken: answer.taken } };
      await spec.meanwhile?.(actor);
      for (const before of earlier) {
        const login = await logIn(actor, { wants, edits: before.edits });
        const mismatches = compareOutcome('an earlier authentication', before.expected, login, has);
        if (mismatches.length > 0) return mismatches;
      }
      const last = await logIn(actor, { wants, edits: spec.edits });
      return compareOutcome(nameRequest(last, 'the authentication'), otherwise ?? expected, last, has);
    },
  };
}

/** The mismatches of a case that ends with the registration; undefined where it goes on. */
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
  if (answer.outcome !== 'accepted') throw failedAt(`${request} (preparation)`, 'accepted', describeOutcome(answer));
  return undefined;
}

/** A passkey of a user, in a browser of its own, that has logged in once. */
export async function useAnotherPasskey(context: CaseContext, session: Session, traits?: BrowserTraits): Promise<void> {
  const answer = await logIn(await prepareActor(context, session, traits && { traits }));
  if (answer.outcome === 'accepted') return;
  throw failedAt(`${nameRequest(answer, 'the ceremony')} (preparation)`, 'accepted', describeOutcome(answer));
}

/** A registration with edits, in a browser of its own. */
export async function registerElsewhere(context: CaseContext, session: Session, edits: RegistrationEditsFor): Promise<Answer> {
  return sendRegistration(await readyRegistration(context, session, { edits }));
}
