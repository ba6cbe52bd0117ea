import { attestationFormats } from '../../authenticator/attestation/named-formats.js';
import { createAuthenticator, type SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import type { AuthenticatorOptions, AuthenticatorTraits } from '../../authenticator/settings.js';
import { scriptedUser, type UserOutcome } from '../../authenticator/user-verifier.js';
import { type Client, type ClientOptions, createClient } from '../../client/client.js';
import type { CreatedCredential } from '../../client/dictionaries.js';
import { equalBytes } from '../../kernel/bytes.js';
import type { JsonObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { formatAaguid, parseAaguid } from '../../webauthn/aaguid.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import type {
  AuthenticationResponseJSON,
  ExtensionsJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '../../webauthn/json.js';
import { bearer, type HttpAnswer, PATHS } from '../http/http.js';
import { listAttestations, refusesNone, traitsFor } from '../target/attestation-for.js';
import type { Answer, Begun, RegisteredPasskey, Session, User } from '../target/driver.js';
import type { CaseContext } from './context.js';
import { type Demands, holdCreationOptions, holdRequestOptions, listDemands, loginFor } from './demands.js';
import { notPrepared } from './outcome.js';
import { failedAt, notApplicable } from './scenario.js';
import { openUsualKey, usualCredentialId } from './usual-values.js';

/** How a browser, its authenticator and its user differ from ordinary ones. */
export interface BrowserTraits {
  readonly authenticator?: AuthenticatorTraits & Pick<AuthenticatorOptions, 'newCredentialId' | 'chooseAccount'>;
  /** How the user responds to each prompt. Default: as the prompt requests. */
  readonly user?: readonly UserOutcome[];
  /**
   * The page that runs the ceremony. Its origin must still match the RP ID. The value `accepted` of `topOrigin` stands for a top-level
   * origin that the target accepts.
   */
  readonly page?: Pick<ClientOptions, 'topOrigin' | 'crossOrigin' | 'fetch'> & { readonly origin?: (origin: string) => string };
}

/** A browser with a software authenticator. */
export interface Browser {
  /**
   * Whether each created passkey needs an attestation statement. True if the target refuses registrations without one and the case did not
   * choose the attestation itself.
   */
  readonly mustAttest: boolean;
  readonly authenticator: SoftwareAuthenticator;
  /** Client for the application's own page. */
  readonly ownPage: Client;
  /** Client for the page that the traits describe. */
  readonly page: Client;
}

/** Placeholder for a top-level origin that the target accepts. */
export const ACCEPTED_TOP_ORIGIN = 'accepted';

export function createBrowser(context: CaseContext, { authenticator: traits, user, page }: BrowserTraits = {}): Browser {
  const { newPrivateKey, driver } = context;
  const authenticator = createAuthenticator({
    newPrivateKey,
    newCredentialId: usualCredentialId,
    openKey: openUsualKey,
    ...traitsFor(driver.has),
    ...traits,
    ...(user !== undefined && { userVerifier: scriptedUser(...user) }),
  });
  return { ...browserWith(context, authenticator, page), mustAttest: refusesNone(driver.has) && traits?.attestation === undefined };
}

/** Creates a browser around an existing authenticator. */
export function browserWith(
  { origin, topOrigin: accepted, remark }: CaseContext,
  authenticator: SoftwareAuthenticator,
  { origin: pageOrigin, topOrigin: named, ...embedding }: NonNullable<BrowserTraits['page']> = {},
): Browser {
  const topOrigin = named === ACCEPTED_TOP_ORIGIN ? accepted : named;
  const onRemark = ({ message }: { readonly message: string }) => remark(`options: ${message}`);
  const common = { authenticator, onRemark };
  return {
    mustAttest: false,
    authenticator,
    ownPage: createClient({ ...common, origin }),
    page: createClient({ ...common, origin: pageOrigin?.(origin) ?? origin, ...embedding, ...(topOrigin !== undefined && { topOrigin }) }),
  };
}

/** Returns the options of a ceremony. If the target sent none, ends the case as failed. */
function requireOptions<T>(what: string, { answer, options }: Begun<T>): T {
  if (answer.outcome !== 'accepted' || options === undefined) {
    throw notPrepared(nameRequest(answer, what), answer, 'options');
  }
  return options;
}

/** Checks whether the user of a session already has the maximum number of passkeys that the target allows. */
export function isFull({ driver: { has } }: CaseContext, session: Session): boolean {
  return session.passkeys() >= (has.passkeys ?? Number.POSITIVE_INFINITY);
}

/**
 * Begins a registration. Ends the case if the options that the target sends do not meet the case's demands.
 *
 * @param hopes optional demands: they are passed on if the profile supports them, and the ceremony continues if the target does not meet
 * them.
 */
export async function beginRegistration(
  context: CaseContext,
  session: Session,
  wants: Demands = {},
  hopes: Demands = {},
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { has } = context.driver;
  if (isFull(context, session)) throw notApplicable(`the target allows each user at most ${count(has.passkeys ?? 0, 'passkey')}`);
  const begun = await session.beginRegistration(listDemands({ ...hopes, ...wants }, has));
  if (begun.answer.outcome === 'refused' && session.passkeys() > 0) context.remark(ONE_ONLY);
  const options = requireOptions('registration options', begun);
  holdCreationOptions(wants, options);
  return options;
}

/** Begins an authentication in the same way as {@link beginRegistration}. */
export async function beginAuthentication(
  { driver: { has } }: CaseContext,
  session: Session,
  passkey: RegisteredPasskey | undefined,
  wants: Demands = {},
  hopes: Demands = {},
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const begun = await session.beginAuthentication(loginFor(wants, has), passkey, listDemands({ ...hopes, ...wants }, has));
  const options = requireOptions('authentication options', begun);
  holdRequestOptions(wants, options);
  return options;
}

/**
 * Reasons why a case is not applicable, by the name of the client's error, for options that the authenticator cannot satisfy. A remote
 * target chooses its options by its own policy, so that such an error is not a failure of the target.
 */
const POLICY_REASONS: ReadonlyMap<string, string> = new Map([
  ['NotSupportedError', 'the server under test does not offer the algorithm'],
  [
    'ConstraintError',
    'the server under test requires user verification or a discoverable credential, which the authenticator does not support',
  ],
]);

/** Waits for the response that the browser makes. Ends the case if the client reports an error. */
export async function performed<T>(context: CaseContext, ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const reason = context.server === undefined ? POLICY_REASONS.get(name) : undefined;
    if (reason !== undefined) throw notApplicable(reason);
    const deviation = { kind: 'no_response', error: name } as const;
    throw failedAt({ at: 'the client', expected: 'a response', received: `${name}: ${message}`, deviation });
  }
}

/**
 * Checks whether the software authenticator can attest a key with this algorithm in a format that the target accepts. Always true if the
 * target requires no attestation.
 */
export function canAttest({ driver: { has } }: CaseContext, algorithm: number): boolean {
  if (!refusesNone(has)) return true;
  const formats = attestationFormats({ attestation: listAttestations(has) });
  return formats.some(({ fmt, attests }) => fmt !== 'none' && (attests?.(algorithm) ?? true));
}

/** Lists the AAGUIDs of the authenticators that the target accepts. An empty list means that the target accepts every authenticator. */
export const listModels = ({ models = [] }: CaseContext['driver']['has']): readonly Uint8Array[] => models.map(parseAaguid);

/**
 * Ends a case if the target does not accept its authenticator model, because a refusal would then say nothing about what the case tests.
 */
export function holdModel({ driver: { has } }: CaseContext, authenticatorData: Uint8Array): void {
  const { aaguid } = decodeAuthenticatorData(authenticatorData).attestedCredentialData ?? {};
  const models = listModels(has);
  if (aaguid === undefined || models.length === 0 || models.some((model) => equalBytes(model, aaguid))) return;
  throw notApplicable(`the target does not accept authenticators with the AAGUID ${formatAaguid(aaguid)} (has.models)`);
}

/** Creates a passkey on a page of the browser. */
export async function createPasskey(
  context: CaseContext,
  { mustAttest }: Browser,
  page: Client,
  options: { readonly publicKey: PublicKeyCredentialCreationOptionsJSON },
): Promise<CreatedCredential> {
  const created = await performed(context, page.create(options));
  const { fmt, authData } = decodeAttestationObject(decodeBase64url(created.response.attestationObject));
  const { formats = [], decides = {} } = context.driver.has;
  holdModel(context, authData);
  const isModel = decodeAuthenticatorData(authData).attestedCredentialData?.aaguid.some((byte) => byte !== 0) === true;
  if (mustAttest && fmt === 'fido-u2f' && isModel && decides['register.fido-u2f-with-aaguid'] !== 'accepted') {
    throw notApplicable('the target accepts U2F attestation, but U2F authenticators have no AAGUID');
  }
  if (!mustAttest || fmt !== 'none') return created;
  throw notApplicable(
    options.publicKey.attestation === undefined || options.publicKey.attestation === 'none'
      ? `the target requests no attestation, and accepts only the formats ${formats.join(', ')}`
      : `the target accepts only the formats ${formats.join(', ')}, and the software authenticator makes none of them for such a key`,
  );
}

/** Creates a passkey in a fresh browser. */
export async function createElsewhere(context: CaseContext, publicKey: PublicKeyCredentialCreationOptionsJSON): Promise<CreatedCredential> {
  const browser = createBrowser(context);
  return createPasskey(context, browser, browser.ownPage, { publicKey });
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
    throw notApplicable('the server under test requires user verification, which the authenticator does not support');
  }
  return performed(context, page.get({ publicKey }));
}

/** A passkey that was registered on the application's own page, and the RP ID for which it was created. */
export interface PreparedPasskey extends RegisteredPasskey {
  readonly rpId: string;
}

const ONE_ONLY = 'The user already has a passkey. If your server allows each user only one, put "has": { "passkeys": 1 } into the profile.';

/**
 * Registers a passkey for the session's user on the application's own page, to prepare a case.
 *
 * @param more optional demands in addition to those of the case, and extensions that the page requests.
 */
export async function registerPasskey(
  context: CaseContext,
  session: Session,
  browser: Browser,
  wants: Demands = {},
  { hopes, extensions }: { readonly hopes?: Demands; readonly extensions?: ExtensionsJSON | undefined } = {},
): Promise<PreparedPasskey> {
  const options = await beginRegistration(context, session, wants, hopes);
  const publicKey = { ...options, ...(extensions && { extensions: { ...options.extensions, ...extensions } }) };
  const response = await createPasskey(context, browser, browser.ownPage, { publicKey });
  const answer = await session.finishRegistration({ ...response });
  if (answer.outcome !== 'accepted') {
    if (session.passkeys() > 0) context.remark(ONE_ONLY);
    throw notPrepared(nameRequest(answer, 'the registration'), answer);
  }
  return { credentialId: response.id, taken: answer.taken, rpId: options.rp.id ?? new URL(context.origin).hostname };
}

/** Names, for reports, the request that decided the outcome. Returns `otherwise` if no request was sent. */
export function nameRequest({ decisive }: Answer, otherwise: string): string {
  return decisive?.request ?? otherwise;
}

/** Finds the authenticator's record of the credential with this ID, including the private key. */
export async function findSource({ authenticator }: Browser, rpId: string, id: string): Promise<CredentialSource> {
  const source = await authenticator.store.find(rpId, decodeBase64url(id));
  if (source !== undefined) return source;
  const deviation = { kind: 'no_response' } as const;
  throw failedAt({ at: 'the authenticator', expected: 'the credential that answered', received: 'nothing', deviation });
}

// Our own API.

/** Provides access to our own API, for cases that test its HTTP contract. Ends the case as not applicable on any other target. */
export function requireApi({ api }: CaseContext): NonNullable<CaseContext['api']> {
  if (api === undefined) throw notApplicable('tests the HTTP contract of passkey serve');
  return api;
}

/** Makes the Authorization header for a user. Ends the case as not applicable if the run has no token for that user. */
export function authorization(context: CaseContext, user: User): ReturnType<typeof bearer> {
  const token = requireApi(context).token(user);
  if (token === undefined) throw notApplicable(`needs the bearer token of ${user === 1 ? 'a' : 'a second'} user (--token)`);
  return bearer(token);
}

/** Makes the body of a request for registration options at our own API. */
export function registrationRequest({ origin }: CaseContext): JsonObject {
  return { app_name: 'passkey simulate', app_url: origin };
}

/** Reads the ID that our own API gave to a passkey. */
export function readId({ taken }: RegisteredPasskey): number {
  return Number(taken.id);
}

/** Revokes a passkey of user 1 at our own API. */
export async function revokePasskey(context: CaseContext, passkey: RegisteredPasskey): Promise<HttpAnswer> {
  const path = `${PATHS.passkeys}/${readId(passkey)}`;
  return requireApi(context).target.send({ method: 'DELETE', path, headers: authorization(context, 1) });
}
