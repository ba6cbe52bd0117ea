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
  type PreparedPasskey,
  performed,
  requestOf,
  sourceOf,
} from './ceremony.js';
import { type Begun, type EditsFor, editsFor, registrationWants, rpIdOf } from './ceremony-cases.js';
import type { ExpectedAnswer } from './compare-answer.js';
import type { CaseContext } from './context.js';
import { type AuthenticationEdits, editAuthentication, editRegistration, type RegistrationEdits } from './edits.js';
import { compareOutcome, describeOutcome } from './oracle.js';
import type { Mismatch } from './report.js';
import { failedAt } from './scenario.js';

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
  const source = await sourceOf(browser, passkey.rpId, honest.id);
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
