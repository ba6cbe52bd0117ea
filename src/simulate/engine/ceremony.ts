import { createAuthenticator, type SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import type { AuthenticatorTraits } from '../../authenticator/settings.js';
import { scriptedUser, type UserOutcome } from '../../authenticator/user-verifier.js';
import { type Client, createClient } from '../../client/client.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '../../webauthn/json.js';
import { type JsonObject, objectOf } from '../../webauthn/json-value.js';
import { describeAnswer } from './compare-answer.js';
import type { CaseContext, User } from './context.js';
import { bearer, type HttpAnswer, PATHS, post } from './http.js';
import { failedAt, notApplicable } from './scenario.js';

/** How a browser, its authenticator and its user differ from the ordinary. */
export interface BrowserTraits {
  readonly authenticator?: AuthenticatorTraits;
  /** What the user does at each prompt; default: whatever is asked. */
  readonly user?: readonly UserOutcome[];
  /** The page that runs the ceremony; its RP ID must still fit. */
  readonly page?: { readonly origin?: (origin: string) => string; readonly topOrigin?: string; readonly crossOrigin?: boolean };
}

/** A browser with a software authenticator. */
export interface Browser {
  readonly authenticator: SoftwareAuthenticator;
  /** On the application's own page. */
  readonly ownPage: Client;
  /** On the page that the traits describe. */
  readonly page: Client;
}

export function createBrowser(
  { newPrivateKey, origin }: CaseContext,
  { authenticator: traits, user, page = {} }: BrowserTraits = {},
): Browser {
  const { origin: pageOrigin, ...embedding } = page;
  const authenticator = createAuthenticator({
    newPrivateKey,
    ...traits,
    ...(user !== undefined && { userVerifier: scriptedUser(...user) }),
  });
  return {
    authenticator,
    ownPage: createClient({ authenticator, origin }),
    page: createClient({ authenticator, origin: pageOrigin?.(origin) ?? origin, ...embedding }),
  };
}

/** The body of the answer to a preparing request. Anything but 200 ends the case as failed. */
async function prepared(at: string, request: Promise<HttpAnswer>): Promise<JsonObject> {
  const answer = await request;
  if (answer.status !== 200) throw failedAt(`${at} (preparation)`, '200', describeAnswer(answer));
  return objectOf(answer.json);
}

/** Authorization of a user; without a token for that user the case is not applicable. */
export async function authorization(context: CaseContext, user: User): Promise<ReturnType<typeof bearer>> {
  const token = await context.token(user);
  if (token === undefined) throw notApplicable(`needs the bearer token of ${user === 1 ? 'a' : 'a second'} user (--token)`);
  return bearer(token);
}

/** Body of a request for registration options. */
export function registrationRequest({ origin }: CaseContext) {
  return { app_name: 'passkey simulate', app_url: origin };
}

export async function askCreationOptions(context: CaseContext, user: User = 1): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const request = post(PATHS.registerOptions, registrationRequest(context), await authorization(context, user));
  const options = await prepared(`POST ${request.path}`, context.target.send(request));
  // The client checks them, and names the member that is wrong.
  return options as JsonObject & PublicKeyCredentialCreationOptionsJSON;
}

/** The endpoints that begin an authentication: for one credential, or for a discoverable one. */
export type BeginEndpoint = 'verify/options' | 'login/options';

export async function askRequestOptions(
  context: CaseContext,
  from: BeginEndpoint,
  credentialId: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const request =
    from === 'verify/options'
      ? post(PATHS.verifyOptions, { credential_id: credentialId })
      : post(PATHS.loginOptions, { app_url: context.origin });
  const options = await prepared(`POST ${request.path}`, context.target.send(request));
  return options as JsonObject & PublicKeyCredentialRequestOptionsJSON;
}

/** A client's errors for options that the authenticator cannot meet. The options of a remote server follow its own policy. */
const POLICY_REASONS: ReadonlyMap<string, string> = new Map([
  ['NotSupportedError', 'the server under test does not offer the algorithm'],
  ['ConstraintError', 'the server under test requires user verification or a discoverable credential, which the authenticator cannot do'],
]);

/** The browser's response; an error ends the case. */
export async function performed<T>(context: CaseContext, ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const reason = context.server === undefined ? POLICY_REASONS.get(name) : undefined;
    if (reason !== undefined) throw notApplicable(reason);
    throw failedAt('the client', 'a response', `${name}: ${message}`);
  }
}

/** Performs an authentication on the browser's page. */
export async function authenticate(
  context: CaseContext,
  { authenticator, page }: Browser,
  publicKey: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  const canVerify = authenticator.info?.userVerification ?? true;
  // A client has one error for every refused authentication, so that `performed` could not tell.
  if (context.server === undefined && publicKey.userVerification === 'required' && !canVerify) {
    throw notApplicable('the server under test requires user verification, which the authenticator cannot do');
  }
  return performed(context, page.get({ publicKey }));
}

/** Sends a registration response, and notes the passkey that it creates. */
export async function sendRegistration(context: CaseContext, body: unknown, user: User = 1): Promise<HttpAnswer> {
  const answer = await context.target.send(post(PATHS.register, body, await authorization(context, user)));
  const { id } = objectOf(objectOf(answer.json).passkey);
  if (answer.status === 200 && typeof id === 'number') context.registered(id, user);
  return answer;
}

export interface RegisteredPasskey {
  /** Base64url. */
  readonly credentialId: string;
  /** The API's id. */
  readonly id: number;
}

/** Registers a passkey on the application's own page, as preparation. */
export async function registerPasskey(context: CaseContext, { ownPage }: Browser): Promise<RegisteredPasskey> {
  const options = await askCreationOptions(context);
  const response = await performed(context, ownPage.create({ publicKey: options }));
  const body = await prepared(`POST ${PATHS.register}`, sendRegistration(context, response));
  const { id } = objectOf(body.passkey);
  if (typeof id !== 'number') throw failedAt(`POST ${PATHS.register} (preparation)`, 'passkey.id, a number', String(id));
  return { credentialId: response.id, id };
}

/** Revokes a passkey of user 1. */
export async function revokePasskey(context: CaseContext, { id }: RegisteredPasskey): Promise<HttpAnswer> {
  return context.target.send({ method: 'DELETE', path: `${PATHS.passkeys}/${id}`, headers: await authorization(context, 1) });
}

/** The authenticator's side of the credential that answered. */
export async function sourceOf({ authenticator }: Browser, { rpId }: CaseContext, id: string): Promise<CredentialSource> {
  const source = await authenticator.store.find(rpId, decodeBase64url(id));
  if (source === undefined) throw failedAt('the authenticator', 'the credential that answered', 'nothing');
  return source;
}
