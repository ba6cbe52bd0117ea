import { isDeepStrictEqual } from 'node:util';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../../webauthn/json.js';
import type { Answer, Session, User } from '../target/driver.js';
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
import type { CaseContext } from './context.js';
import type { Demands } from './demands.js';
import { type AuthenticationEdits, editAuthentication, editRegistration, type RegistrationEdits } from './edits.js';
import { compareOutcome, expectedIn } from './outcome.js';
import type { Mismatch } from './report.js';
import { notApplicable } from './scenario.js';

/** The members that both ceremonies have. `Attempt` is the ceremony with the response that is about to be sent. */
interface CeremonySpec<Options, Edits, Attempt extends Begun<Options>> extends CaseSpec {
  readonly browser?: BrowserTraits;
  readonly edits?: EditsFor<Begun<Options>, Edits>;
  /**
   * Options for the client instead of the target's, e.g. with another challenge. The response to them is whole and signed, so that nothing
   * else is wrong.
   */
  readonly options?: (begun: Begun<Options>) => Options | Promise<Options>;
  readonly beforeSending?: (attempt: Attempt & BeforeSending) => unknown;
  /** Replaces the body. */
  readonly rewrite?: (attempt: Attempt) => JsonObject | Promise<JsonObject>;
  /** The change means the same for a key of any algorithm, whatever the authenticator of the case has. */
  readonly anyAlgorithm?: true;
  /** It takes another ceremony besides, of another user or at another time: it is more than one changed response. */
  readonly severalCeremonies?: true;
  /** Our own API only: checks an accepted answer. */
  readonly check?: (answer: Answer, attempt: Attempt) => Mismatch[] | Promise<Mismatch[]>;
}

/** The steps that both ceremonies have, each by its own endpoint. */
interface BeforeSending {
  readonly ceremony: CeremonyKind;
  /** Sends a response in a session. */
  readonly finish: (sender: Session, body: JsonObject) => Promise<Answer>;
  /** Makes another response to the same options, of a credential of its own where it registers one. */
  readonly answerAgain: () => Promise<JsonObject>;
}

/** A ceremony of either kind whose response is about to be sent. */
export type EitherAttempt = (RegistrationAttempt | AuthenticationAttempt) & BeforeSending;

/** Edits, or a function that makes them where they depend on the ceremony. */
export type EditsFor<About, Edits> = Edits | ((about: About) => Edits | Promise<Edits>);

export async function editsFor<About, Edits extends object>(
  edits: EditsFor<About, Edits> | undefined,
  about: About,
): Promise<Edits | Record<string, never>> {
  return (typeof edits === 'function' ? edits(about) : edits) ?? {};
}

/** A ceremony whose options have been given. */
export interface Begun<Options> {
  readonly context: CaseContext;
  /** In which the ceremony began. */
  readonly session: Session;
  readonly browser: Browser;
  /** As the target gave them. */
  readonly options: Options;
}

/** A registration by user 1. */
export interface RegistrationSpec extends CeremonySpec<PublicKeyCredentialCreationOptionsJSON, RegistrationEdits, RegistrationAttempt> {
  /** Our own API only: further members of the body, e.g. `label`. */
  readonly members?: JsonObject;
  /** The sender of the response, who has begun a registration too; default: user 1, who asked for the options. */
  readonly sentBy?: User;
}

export interface RegistrationAttempt extends Begun<PublicKeyCredentialCreationOptionsJSON> {
  /** As the client made it. */
  readonly honest: RegistrationResponseJSON;
  /** The authenticator's side of the credential. */
  readonly source: CredentialSource;
  readonly body: JsonObject;
}

/** A case of one ceremony, with all that it was made from. */
export type CeremonyCase = RegistrationCase | AuthenticationCase;
export type RegistrationCase = Case & RegistrationSpec & { readonly ceremony: 'registration' };
export type AuthenticationCase = Case & AuthenticationSpec & { readonly ceremony: 'authentication' };

export function isCeremonyCase(each: Case): each is CeremonyCase {
  return 'ceremony' in each;
}

export function registrationCase(spec: RegistrationSpec): RegistrationCase {
  const { members = {}, beforeSending, sentBy, wants } = spec;
  return {
    ...spec,
    ceremony: 'registration',
    tags: ['registration', ...(spec.tags ?? [])],
    async run(context) {
      const browser = createBrowser(context, spec.browser);
      const session = await context.session(1);
      const options = await beginRegistration(context, session, wants);
      const begun = { context, session, browser, options };
      const made = await makeRegistration(spec, begun);
      const attempt = { ...begun, ...made, body: editRegistration(made.honest, await editsFor(spec.edits, begun)) };
      await beforeSending?.({
        ...attempt,
        ceremony: 'registration',
        finish: (sender, body) => sender.finishRegistration(body),
        answerAgain: async () => ({ ...(await performed(context, createBrowser(context).ownPage.create({ publicKey: options }))) }),
      });
      const sender = sentBy === undefined ? session : await context.session(sentBy);
      if (sender !== session) await beginRegistration(context, sender, wants);
      const sent = (await spec.rewrite?.(attempt)) ?? attempt.body;
      holdSent(context, 'register', { honest: { ...attempt.honest }, sent: { ...sent, ...members } });
      return judge(spec, attempt, await sender.finishRegistration(sent, members));
    },
  };
}

/** The honest response that the browser makes. */
export async function makeRegistration(
  { options: given }: Pick<RegistrationSpec, 'options'>,
  begun: Begun<PublicKeyCredentialCreationOptionsJSON>,
): Promise<Pick<RegistrationAttempt, 'honest' | 'source'>> {
  const { context, browser, options } = begun;
  const publicKey = (await given?.(begun)) ?? options;
  const honest = await performed(context, browser.page.create({ publicKey }));
  return { honest, source: await findSource(browser, findRpId(context, publicKey.rp.id), honest.id) };
}

/** An authentication with a passkey that user 1 registered on the application's own page. */
export type AuthenticationSpec = CeremonySpec<PublicKeyCredentialRequestOptionsJSON, AuthenticationEdits, AuthenticationAttempt>;

export interface AuthenticationAttempt extends Begun<PublicKeyCredentialRequestOptionsJSON> {
  /** As the client made it. */
  readonly honest: AuthenticationResponseJSON;
  /** The authenticator's side of the credential. */
  readonly source: CredentialSource;
  readonly passkey: PreparedPasskey;
  readonly body: JsonObject;
}

export function authenticationCase(spec: AuthenticationSpec): AuthenticationCase {
  const { beforeSending, wants = {} } = spec;
  return {
    ...spec,
    ceremony: 'authentication',
    tags: ['authentication', ...(wants.login === 'discoverable' ? ['discoverable'] : []), ...(spec.tags ?? [])],
    async run(context) {
      const browser = createBrowser(context, spec.browser);
      const signedIn = await context.session(1);
      const passkey = await registerPasskey(context, signedIn, browser, registrationWants(wants));
      const session = signedIn.newVisit();
      const options = await beginAuthentication(context, session, passkey, wants);
      const begun = { context, session, browser, options };
      const made = await makeAuthentication(spec, begun);
      const body = await editAuthentication(made.honest, made.source, await editsFor(spec.edits, begun));
      const attempt = { ...begun, ...made, passkey, body };
      await beforeSending?.({
        ...attempt,
        ceremony: 'authentication',
        finish: (sender, response) => sender.finishAuthentication(response),
        answerAgain: async () => ({ ...(await authenticate(context, browser, options)) }),
      });
      const sent = (await spec.rewrite?.(attempt)) ?? body;
      holdSent(context, 'authenticate', { honest: { ...attempt.honest }, sent });
      return judge(spec, attempt, await session.finishAuthentication(sent));
    },
  };
}

/** The honest response that the browser makes. */
export async function makeAuthentication(
  { options: given }: Pick<AuthenticationSpec, 'options'>,
  begun: Begun<PublicKeyCredentialRequestOptionsJSON>,
): Promise<Pick<AuthenticationAttempt, 'honest' | 'source'>> {
  const { context, browser, options } = begun;
  const honest = await authenticate(context, browser, (await given?.(begun)) ?? options);
  return { honest, source: await findSource(browser, findRpId(context, options.rpId), honest.id) };
}

/** A target may ask for less at a registration than at a login. */
export function registrationWants(wants: Demands): Demands {
  const { userVerification: _uv, ...others } = wants;
  return others;
}

export const findRpId = ({ origin }: CaseContext, rpId: string | undefined) => rpId ?? new URL(origin).hostname;

interface Changed {
  readonly honest: JsonObject;
  readonly sent: JsonObject;
}

/** Ends a case whose credential differs from the honest one only in members that the target is not sent. */
function holdSent(context: CaseContext, phase: 'register' | 'authenticate', changed: Changed): void {
  const unsent = unsentChanges(context, phase, changed);
  if (unsent.length > 0) throw notApplicable(`the target is not sent the ${unsent.join(' and ')} of a credential`);
}

/** The members in which a credential differs from the honest one, if the target is sent none of them. */
export function unsentChanges({ driver }: CaseContext, phase: 'register' | 'authenticate', { honest, sent }: Changed): readonly string[] {
  const [before, after] = [listMembers(honest), listMembers(sent)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
  return changed.some((name) => driver.sends(phase, name)) ? [] : changed;
}

/** Those of the response by their path. A signature is made anew for every case and differs each time: only that there is one counts. */
function listMembers({ response, ...members }: JsonObject): ReadonlyMap<string, unknown> {
  const inner = isObject(response) ? Object.entries(response).map(([name, value]) => [`response.${name}`, value] as const) : [];
  const all = new Map([...Object.entries(members), ...inner]);
  return typeof all.get('response.signature') === 'string' ? all.set('response.signature', 'a signature') : all;
}

/** Compares the answer with what the case expects; only our own API is held to the members of an accepted one. */
async function judge<Attempt extends { readonly context: CaseContext }>(
  spec: CaseSpec & { readonly check?: (answer: Answer, attempt: Attempt) => Mismatch[] | Promise<Mismatch[]> },
  attempt: Attempt,
  answer: Answer,
): Promise<Mismatch[]> {
  const { api, driver } = attempt.context;
  const mismatches = compareOutcome(nameRequest(answer, 'the ceremony'), expectedIn(spec, driver.has), answer, driver.has);
  return mismatches.length > 0 || api === undefined ? mismatches : ((await spec.check?.(answer, attempt)) ?? []);
}
