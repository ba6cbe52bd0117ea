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

/** Edits, or a function that makes them if they depend on the ceremony. */
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
  /** The session in which the ceremony began. */
  readonly session: Session;
  readonly browser: Browser;
  /** As the target sent them. */
  readonly options: Options;
}

type BegunRegistration = Begun<PublicKeyCredentialCreationOptionsJSON>;
type BegunAuthentication = Begun<PublicKeyCredentialRequestOptionsJSON>;

/** A ceremony up to its response. */
interface Made<Response> {
  /** As the client made it. */
  readonly honest: Response;
  /** The authenticator's side of the credential. */
  readonly source: CredentialSource;
  readonly body: JsonObject;
}

/** The steps that both ceremonies have, each by its own endpoint. */
export interface Sending {
  readonly ceremony: CeremonyKind;
  /** The edits left the honest response unchanged. */
  readonly unchanged: boolean;
  /** Sends the response, or another one, in the session of the ceremony or in another session. */
  send(sender?: Session, body?: unknown): Promise<Answer>;
  /** Makes another response to the same options; a registration gets a new credential. */
  answerAgain(): Promise<JsonObject>;
}

export interface RegistrationAttempt extends BegunRegistration, Made<RegistrationResponseJSON>, Sending {}

export interface AuthenticationAttempt extends BegunAuthentication, Made<AuthenticationResponseJSON>, Sending {
  readonly passkey: PreparedPasskey;
}

/** An attempt whose response may yet be replaced. */
export type Unsent<Attempt extends Sending> = Omit<Attempt, keyof Sending>;

/** A ceremony of either kind whose response is about to be sent. */
export type EitherAttempt = RegistrationAttempt | AuthenticationAttempt;

/** Changes of a ceremony before its response is sent. */
export interface AttemptChange<Options, Edits> {
  readonly edits?: EditsFor<Begun<Options>, Edits> | undefined;
  /**
   * Options for the client in place of the target's, e.g. with another challenge. The response is complete and signed, so that nothing else
   * is wrong.
   */
  readonly options?: (begun: Begun<Options>) => Options | Promise<Options>;
}

export type RegistrationChange = AttemptChange<PublicKeyCredentialCreationOptionsJSON, RegistrationEdits>;
export type AuthenticationChange = AttemptChange<PublicKeyCredentialRequestOptionsJSON, AuthenticationEdits>;

/** The honest response that the browser makes. */
export async function makeRegistration(
  { options: given }: RegistrationChange,
  begun: BegunRegistration,
): Promise<Pick<RegistrationAttempt, 'honest' | 'source'>> {
  const { context, browser, options } = begun;
  const publicKey = (await given?.(begun)) ?? options;
  const honest = await createPasskey(context, browser, browser.page, { publicKey });
  return { honest, source: await findSource(browser, findRpId(context, publicKey.rp.id), honest.id) };
}

/** A registration up to its response, in a fresh browser unless one is given. */
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

/** The same credential in answer to another challenge, attested again. */
export async function withChallenge({ honest, source }: Unsent<RegistrationAttempt>, challenge: string): Promise<JsonObject> {
  return editRegistration(honest, source, { clientData: setClientData({ challenge }) });
}

/** A user with a browser that holds a passkey of theirs. */
export interface Actor {
  readonly context: CaseContext;
  /** The session in which the user is signed in. */
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

/** The user whose registration was accepted. */
export function toActor({ context, session, browser, options, honest }: RegistrationAttempt, { taken }: Answer): Actor {
  return { context, session, browser, passkey: { credentialId: honest.id, rpId: findRpId(context, options.rp.id), taken } };
}

/** The honest response that the browser makes. */
export async function makeAuthentication(
  { options: given }: AuthenticationChange,
  begun: BegunAuthentication,
): Promise<Pick<AuthenticationAttempt, 'honest' | 'source'>> {
  const { context, browser, options } = begun;
  const honest = await authenticate(context, browser, (await given?.(begun)) ?? options);
  return { honest, source: await findSource(browser, findRpId(context, options.rpId), honest.id) };
}

export type LoginOptions = AuthenticationChange & { readonly wants?: Demands; readonly visit?: Session };

/** A login up to its response, in a fresh visit unless one is given. */
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
 * If the owner's name is not known yet, learns it by a plain login of the actor, and then compares who was signed in. Of another user's
 * credential it is only known that it is not the actor's.
 */
async function matchOwner(actor: Actor, answer: Answer, { name, owner }: NonNullable<Answer['unmatched']>): Promise<Answer> {
  const own = await learnName(actor);
  if (own === undefined || (owner !== actor.session.user && !isDeepStrictEqual(own, name))) return answer;
  return matchSignedIn(answer, { user: name, owner: owner === actor.session.user ? own : undefined });
}

/** Whoami's name for a user after a plain login; undefined if that login fails. */
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
 * Answers request options with a passkey that the user registers on another authenticator for this purpose, whatever credentials the
 * options name.
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

/** A target may ask for less at a registration than at a login. */
export function registrationWants({ userVerification: _uv, ...others }: Demands): Demands {
  return others;
}

export const findRpId = ({ origin }: CaseContext, rpId: string | undefined) => rpId ?? new URL(origin).hostname;
