import { isDeepStrictEqual } from 'node:util';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../../webauthn/json.js';
import type { Answer, Session, User } from '../target/driver.js';
import { matchSignedIn } from '../target/signed-in.js';
import {
  authenticate,
  type Browser,
  type BrowserTraits,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  createElsewhere,
  createPasskey,
  findSource,
  type PreparedPasskey,
  performed,
  registerPasskey,
} from './ceremony.js';
import { setClientData } from './client-data-edits.js';
import type { CaseContext } from './context.js';
import { type Demands, loginFor } from './demands.js';
import { type AuthenticationEdits, editAuthentication, editRegistration, finishEdits, type RegistrationEdits } from './edits.js';

/** Edits of a response, or a function that makes them if they depend on the ceremony. */
export type EditsFor<About, Edits> = Edits | ((about: About) => Edits | Promise<Edits>);

export async function editsFor<About, Edits extends object>(
  edits: EditsFor<About, Edits> | undefined,
  about: About,
): Promise<Edits | Record<string, never>> {
  return (typeof edits === 'function' ? edits(about) : edits) ?? {};
}

/** A ceremony for which the target has sent the options. */
export interface Begun<Options> {
  readonly context: CaseContext;
  /** Session in which the ceremony began. */
  readonly session: Session;
  readonly browser: Browser;
  /** Options exactly as the target sent them. */
  readonly options: Options;
}

type BegunRegistration = Begun<PublicKeyCredentialCreationOptionsJSON>;
type BegunAuthentication = Begun<PublicKeyCredentialRequestOptionsJSON>;

/** A ceremony for which the client has made the response. */
interface Made<Response> {
  /** Response as the client made it, without edits. */
  readonly honest: Response;
  /** The credential's record in the authenticator, with its private key. */
  readonly source: CredentialSource;
  readonly body: JsonObject;
}

/** Members that a prepared registration and a prepared login have in common, with the functions that send their responses. */
export interface Sending {
  readonly ceremony: CeremonyKind;
  /** Whether the edits left the honest response unchanged. */
  readonly unchanged: boolean;
  /** Sends the response, or `body` instead of it. Uses the session in which the ceremony began unless `sender` is given. */
  send(sender?: Session, body?: unknown): Promise<Answer>;
  /** Makes another response to the same options. For a registration, it contains a new credential. */
  answerAgain(): Promise<JsonObject>;
}

export interface RegistrationAttempt extends BegunRegistration, Made<RegistrationResponseJSON>, Sending {}

export interface AuthenticationAttempt extends BegunAuthentication, Made<AuthenticationResponseJSON>, Sending {
  readonly passkey: PreparedPasskey;
}

/** An attempt without the functions that send it, for code that may only read or replace its response. */
export type Unsent<Attempt extends Sending> = Omit<Attempt, keyof Sending>;

/** A registration or login whose response is ready to be sent. */
export type EitherAttempt = RegistrationAttempt | AuthenticationAttempt;

/** Changes that a case makes to a ceremony before its response is sent. */
export interface AttemptChange<Options, Edits> {
  readonly edits?: EditsFor<Begun<Options>, Edits> | undefined;
  /**
   * Replaces the target's options before they reach the client, e.g. by options with another challenge. The client then makes and signs the
   * response as usual, so that the response has no other fault.
   */
  readonly options?: (begun: Begun<Options>) => Options | Promise<Options>;
}

export type RegistrationChange = AttemptChange<PublicKeyCredentialCreationOptionsJSON, RegistrationEdits>;
export type AuthenticationChange = AttemptChange<PublicKeyCredentialRequestOptionsJSON, AuthenticationEdits>;

/** Makes the response that an unmodified browser gives to creation options. */
export async function makeRegistration(
  { options: given }: RegistrationChange,
  begun: BegunRegistration,
): Promise<Pick<RegistrationAttempt, 'honest' | 'source'>> {
  const { context, browser, options } = begun;
  const publicKey = (await given?.(begun)) ?? options;
  const honest = await createPasskey(context, browser, browser.page, { publicKey });
  return { honest, source: await findSource(browser, findRpId(context, publicKey.rp.id), honest.id) };
}

/** Prepares a registration so that its response is ready to be sent. Uses a fresh browser unless one is given. */
export async function readyRegistration(
  context: CaseContext,
  session: Session,
  { browser = createBrowser(context), wants, ...change }: RegistrationChange & { browser?: Browser; wants?: Demands | undefined } = {},
): Promise<RegistrationAttempt> {
  const begun = { context, session, browser, options: await beginRegistration(context, session, wants) };
  const made = await makeRegistration(change, begun);
  const edits = await editsFor(change.edits, begun);
  const edited = await editRegistration(made.honest, made.source, { ...edits, response: undefined });
  const { body, unchanged } = finishEdits({ honest: made.honest, edited, edits });
  const { options: publicKey } = begun;
  return {
    ...begun,
    ...made,
    body,
    unchanged: change.edits !== undefined && unchanged,
    ceremony: 'registration',
    send: (sender = session, sent = body) => sender.finishRegistration(sent),
    answerAgain: async () => ({ ...(await createElsewhere(context, publicKey)) }),
  };
}

/** Makes a registration response for the same credential but another challenge, with a new attestation statement. */
export async function withChallenge({ honest, source }: Unsent<RegistrationAttempt>, challenge: string): Promise<JsonObject> {
  return editRegistration(honest, source, { clientData: setClientData({ challenge }) });
}

/** A user with a browser that holds one of their passkeys. */
export interface Actor {
  readonly context: CaseContext;
  /** Session in which the user is signed in. */
  readonly session: Session;
  readonly browser: Browser;
  readonly passkey: PreparedPasskey;
}

/** Registers a passkey for the user of a session, in a fresh browser unless one is given. */
export async function prepareActor(
  context: CaseContext,
  session: Session,
  {
    traits,
    wants = {},
    browser = createBrowser(context, traits),
  }: { traits?: BrowserTraits | undefined; wants?: Demands; browser?: Browser } = {},
): Promise<Actor> {
  return { context, session, browser, passkey: await registerPasskey(context, session, browser, wants) };
}

/** Makes an actor, a user with a browser that holds their new passkey, from an accepted registration. */
export function toActor({ context, session, browser, options, honest }: RegistrationAttempt, { taken }: Answer): Actor {
  return { context, session, browser, passkey: { credentialId: honest.id, rpId: findRpId(context, options.rp.id), taken } };
}

/** Makes the response that an unmodified browser gives to request options. */
export async function makeAuthentication(
  { options: given }: AuthenticationChange,
  begun: BegunAuthentication,
): Promise<Pick<AuthenticationAttempt, 'honest' | 'source'>> {
  const { context, browser, options } = begun;
  const honest = await authenticate(context, browser, (await given?.(begun)) ?? options);
  return { honest, source: await findSource(browser, findRpId(context, options.rpId), honest.id) };
}

export type LoginOptions = AuthenticationChange & { readonly wants?: Demands; readonly visit?: Session };

/** Prepares a login so that its response is ready to be sent. Uses a new signed-out session unless one is given. */
export async function readyLogin(
  actor: Actor,
  { wants, visit = actor.session.newVisit(), ...change }: LoginOptions = {},
): Promise<AuthenticationAttempt> {
  const { context, browser, passkey } = actor;
  const begun = { context, session: visit, browser, options: await beginAuthentication(context, visit, passkey, wants) };
  const made = await makeAuthentication(change, begun);
  const edits = await editsFor(change.edits, begun);
  const edited = await editAuthentication(made.honest, made.source, { ...edits, response: undefined });
  const { body, unchanged } = finishEdits({ honest: made.honest, edited, edits });
  return {
    ...begun,
    ...made,
    passkey,
    body,
    unchanged: change.edits !== undefined && unchanged,
    ceremony: 'authentication',
    send: async (sender = visit, sent = body) => {
      const answer = await sender.finishAuthentication(sent);
      if (answer.unmatched === undefined) return answer;
      const isPlain = change.edits === undefined && change.options === undefined && sent === body && sender === visit;
      if (!isPlain) return matchOwner(actor, answer, answer.unmatched);
      actor.session.identify(answer.unmatched.name);
      return answer;
    },
    answerAgain: async () => ({ ...(await authenticate(context, browser, begun.options)) }),
  };
}

/**
 * Compares the user who was signed in with the owner of the passkey. If the owner's name is still unknown, learns it by a plain login of
 * the actor. If the passkey belongs to another user, this comparison can only show that the actor was not signed in.
 */
async function matchOwner(actor: Actor, answer: Answer, { name, owner }: NonNullable<Answer['unmatched']>): Promise<Answer> {
  const own = await learnName(actor);
  if (own === undefined || (owner !== actor.session.user && !isDeepStrictEqual(own, name))) return answer;
  return matchSignedIn(answer, { user: name, owner: owner === actor.session.user ? own : undefined });
}

/** Logs in with the actor's passkey and reads the user's name from `whoami`. Undefined if that login fails. */
async function learnName({ context, session, browser, passkey }: Actor): Promise<unknown> {
  const visit = session.newVisit();
  const { options } = await visit.beginAuthentication(loginFor({}, context.driver.has), passkey);
  if (options === undefined) return undefined;
  try {
    const response = await browser.ownPage.get({ publicKey: options });
    const login = await visit.finishAuthentication({ ...response }, { witness: false });
    const witness = login.outcome === 'accepted' ? await visit.whoami() : undefined;
    if (witness?.outcome !== 'accepted') return undefined;
    session.identify(witness.user);
    return witness.user;
  } catch (error) {
    // The authenticator of the case may not answer a plain request.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/**
 * Answers request options with a new passkey on another authenticator. Registers that passkey for the user first, and ignores the
 * credentials that the options name.
 */
export async function answerElsewhere(
  context: CaseContext,
  user: User,
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  const { browser, passkey } = await prepareActor(context, await context.session(user));
  const publicKey = { ...options, allowCredentials: [{ id: passkey.credentialId, type: 'public-key' }] };
  return performed(context, browser.ownPage.get({ publicKey }));
}

/** Removes user verification from the demands on a registration, because a target may require less at registration than at login. */
export function registrationWants({ userVerification: _uv, ...others }: Demands): Demands {
  return others;
}

export const findRpId = ({ origin }: CaseContext, rpId: string | undefined) => rpId ?? new URL(origin).hostname;
