import { isDeepStrictEqual } from 'node:util';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
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
  type PreparedPasskey,
  performed,
  registerPasskey,
  requestOf,
  sourceOf,
} from './ceremony.js';
import type { CaseContext } from './context.js';
import { type AuthenticationEdits, editAuthentication, editRegistration, type RegistrationEdits } from './edits.js';
import { compareOutcome, expectedIn } from './outcome.js';
import type { Mismatch } from './report.js';
import { notApplicable } from './scenario.js';
import type { Wants } from './wants.js';

/** What the two ceremonies have in common. `Attempt` is the ceremony with the response that is about to be sent. */
interface CeremonySpec<Options, Edits, Attempt extends Begun<Options>> extends CaseSpec {
  readonly browser?: BrowserTraits;
  readonly edits?: EditsFor<Begun<Options>, Edits>;
  /**
   * What the client is given instead of the target's options, e.g. ones with another challenge: what it makes of them is whole and signed,
   * so that nothing else is wrong.
   */
  readonly options?: (begun: Begun<Options>) => Options | Promise<Options>;
  readonly beforeSending?: (attempt: Attempt) => unknown;
  /** Replaces the body. */
  readonly rewrite?: (attempt: Attempt) => JsonObject | Promise<JsonObject>;
  /** The change means the same for a key of any algorithm, whatever the authenticator of the case has. */
  readonly anyAlgorithm?: true;
  /** It takes another ceremony besides, of another user or at another time: it is more than one changed response. */
  readonly severalCeremonies?: true;
  /** Our own API only: checks an accepted answer. */
  readonly check?: (answer: Answer, attempt: Attempt) => Mismatch[] | Promise<Mismatch[]>;
}

/** Edits, or what makes them where they depend on the ceremony. */
export type EditsFor<About, Edits> = Edits | ((about: About) => Edits | Promise<Edits>);

export async function editsFor<About, Edits extends object>(edits: EditsFor<About, Edits>, about: About): Promise<Edits> {
  return typeof edits === 'function' ? edits(about) : edits;
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
  /** Who sends the response, in a registration that they began; default: user 1, who asked for the options. */
  readonly sentBy?: User;
}

export interface RegistrationAttempt extends Begun<PublicKeyCredentialCreationOptionsJSON> {
  /** As the client made it. */
  readonly honest: RegistrationResponseJSON;
  /** The authenticator's side of the credential. */
  readonly source: CredentialSource;
  readonly body: JsonObject;
}

/** A case of one ceremony, with what it was built of. */
export type CeremonyCase = Case & { readonly builtOf: BuiltOf };

export type BuiltOf =
  | { readonly ceremony: 'registration'; readonly spec: RegistrationSpec }
  | { readonly ceremony: 'authentication'; readonly spec: AuthenticationSpec };

export function isCeremonyCase(each: Case): each is CeremonyCase {
  return 'builtOf' in each;
}

export function registrationCase(spec: RegistrationSpec): CeremonyCase {
  const { members = {}, beforeSending, sentBy, check, wants } = spec;
  return {
    ...describedBy(spec),
    builtOf: { ceremony: 'registration', spec },
    tags: ['registration', ...(spec.tags ?? [])],
    async run(context) {
      const browser = createBrowser(context, spec.browser);
      const session = await context.session(1);
      const options = await beginRegistration(context, session, wants);
      const begun = { context, session, browser, options };
      const attempt = await attemptRegistration(spec, { ...begun, ...(await makeRegistration(spec, begun)) });
      await beforeSending?.(attempt);
      const sender = sentBy === undefined ? session : await context.session(sentBy);
      if (sender !== session) await beginRegistration(context, sender, wants);
      const sent = await rewritten(spec, attempt);
      holdSent(context, 'register', { honest: { ...attempt.honest }, sent: { ...sent, ...members } });
      const answer = await sender.finishRegistration(sent, members);
      return judge({ spec, answer, check: check && (() => check(answer, attempt)), context, otherwise: 'the registration' });
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
  return { honest, source: await sourceOf(browser, rpIdOf(context, publicKey.rp.id), honest.id) };
}

/** Changes the honest response, but for the `rewrite`. */
async function attemptRegistration(
  { edits = {} }: Pick<RegistrationSpec, 'edits'>,
  made: Omit<RegistrationAttempt, 'body'>,
): Promise<RegistrationAttempt> {
  return { ...made, body: editRegistration(made.honest, await editsFor(edits, made)) };
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

export function authenticationCase(spec: AuthenticationSpec): CeremonyCase {
  const { beforeSending, check, wants = {} } = spec;
  return {
    ...describedBy(spec),
    builtOf: { ceremony: 'authentication', spec },
    tags: ['authentication', ...(wants.login === 'discoverable' ? ['discoverable'] : []), ...(spec.tags ?? [])],
    async run(context) {
      const browser = createBrowser(context, spec.browser);
      const signedIn = await context.session(1);
      const passkey = await registerPasskey(context, signedIn, browser, registrationWants(wants));
      const session = signedIn.newVisit();
      const options = await beginAuthentication(context, session, passkey, wants);
      const begun = { context, session, browser, options };
      const attempt = await attemptAuthentication(spec, { ...begun, passkey, ...(await makeAuthentication(spec, begun)) });
      await beforeSending?.(attempt);
      const sent = await rewritten(spec, attempt);
      holdSent(context, 'authenticate', { honest: { ...attempt.honest }, sent });
      const answer = await session.finishAuthentication(sent);
      return judge({ spec, answer, check: check && (() => check(answer, attempt)), context, otherwise: 'the authentication' });
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
  return { honest, source: await sourceOf(browser, rpIdOf(context, options.rpId), honest.id) };
}

/** Changes the honest response, but for the `rewrite`. */
async function attemptAuthentication(
  { edits = {} }: Pick<AuthenticationSpec, 'edits'>,
  made: Omit<AuthenticationAttempt, 'body'>,
): Promise<AuthenticationAttempt> {
  return { ...made, body: await editAuthentication(made.honest, made.source, await editsFor(edits, made)) };
}

/** What is sent. */
export async function rewritten<Attempt extends { readonly body: JsonObject }>(
  { rewrite }: { readonly rewrite?: (attempt: Attempt) => JsonObject | Promise<JsonObject> },
  attempt: Attempt,
): Promise<JsonObject> {
  return (await rewrite?.(attempt)) ?? attempt.body;
}

/** What a report says of the case. */
function describedBy(spec: CaseSpec): Omit<CaseSpec, 'tags'> {
  const { id, title, expected, step, rule, why, disputed, wants, origin, setup, needs } = spec;
  return {
    id,
    title,
    expected,
    ...(step !== undefined && { step }),
    ...(rule !== undefined && { rule }),
    ...(why !== undefined && { why }),
    ...(disputed !== undefined && { disputed }),
    ...(wants !== undefined && { wants }),
    ...(origin !== undefined && { origin }),
    ...(setup !== undefined && { setup }),
    ...(needs !== undefined && { needs }),
  };
}

/** A target may ask for less at a registration than at a login. */
export function registrationWants(wants: Wants): Wants {
  const { userVerification: _uv, login: _login, ...others } = wants;
  return others;
}

export const rpIdOf = ({ origin }: CaseContext, rpId: string | undefined) => rpId ?? new URL(origin).hostname;

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
  const [before, after] = [membersOf(honest), membersOf(sent)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
  return changed.some((name) => driver.sends(phase, name)) ? [] : changed;
}

/** Those of the response by their path. A signature is made anew for every case and differs each time: only that there is one counts. */
function membersOf({ response, ...members }: JsonObject): ReadonlyMap<string, unknown> {
  const inner = isObject(response) ? Object.entries(response).map(([name, value]) => [`response.${name}`, value] as const) : [];
  const all = new Map([...Object.entries(members), ...inner]);
  return typeof all.get('response.signature') === 'string' ? all.set('response.signature', 'a signature') : all;
}

interface Judged {
  readonly spec: CaseSpec;
  readonly answer: Answer;
  readonly check: (() => Mismatch[] | Promise<Mismatch[]>) | undefined;
  readonly context: CaseContext;
  readonly otherwise: string;
}

async function judge({ spec, answer, check, context, otherwise }: Judged): Promise<Mismatch[]> {
  const { has } = context.driver;
  const mismatches = compareOutcome(requestOf(answer, otherwise), expectedIn(spec, has), answer, has);
  return mismatches.length > 0 || check === undefined || context.api === undefined ? mismatches : check();
}
