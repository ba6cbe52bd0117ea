import { createAuthenticator, type SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../authenticator/credential-store.js';
import { type KeyPairSource, type RandomSource, systemKeyPairs } from '../../authenticator/key-pair.js';
import type { AuthenticatorTraits } from '../../authenticator/settings.js';
import type { KeyOpener } from '../../authenticator/signing-key.js';
import { scriptedUser } from '../../authenticator/user-verifier.js';
import type { CreationOptionsInput, RequestOptionsInput } from '../../client/dictionaries.js';
import type { JsonObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { AuthenticationResponseJSON, ExtensionsJSON, RegistrationResponseJSON } from '../../webauthn/json.js';
import { editsFor, findRpId, makeAuthentication, makeRegistration } from '../engine/attempts.js';
import { type Browser, browserWith, createBrowser } from '../engine/ceremony.js';
import { type AuthenticationSpec, type RegistrationSpec } from '../engine/ceremony-cases.js';
import type { CaseContext } from '../engine/context.js';
import { holdCreationOptions, holdRequestOptions } from '../engine/demands.js';
import { editAuthentication, editRegistration } from '../engine/edits.js';
import {
  apply,
  asSent,
  BEGUN_ELSEWHERE,
  contextAt,
  finishMutation,
  holdCounter,
  holdCredential,
  holdLogin,
  holdPlace,
} from './conditions.js';
import { findMutationCase } from './mutation.js';

interface Common<Options> {
  /** Id of the mutation, complete or shortened; see `findMutation`. */
  readonly id: string;
  /** The options exactly as the relying party sent them. */
  readonly options: Options;
  /** Origin of the page that performs the ceremony. */
  readonly origin: string;
  /** A top-level origin that the relying party accepts. Mutations with a page in a frame need it. */
  readonly topOrigin?: string;
  /** Called with a remark if a browser would convert a value in the options in a way that the standard does not define. */
  readonly onRemark?: (text: string) => void;
}

export interface RegistrationToMutate extends Common<CreationOptionsInput> {
  /** Traits of the authenticator. The mutation may override them. */
  readonly authenticator?: AuthenticatorTraits;
  /** Makes the credential key pair; default: the system's key generator. */
  readonly newPrivateKey?: KeyPairSource;
  readonly newCredentialId?: RandomSource;
  /** An honest response to these options, which the mutation changes if it can; default: a new response. */
  readonly honest?: RegistrationResponseJSON;
  /** The credential that made `honest`, with its private key. */
  readonly credential?: CredentialSource;
}

export interface AuthenticationToMutate extends Common<RequestOptionsInput> {
  /** The credential to log in with, or the authenticator that holds it. */
  readonly credential: CredentialSource | SoftwareAuthenticator;
  /** An honest response of the credential to these options, which the mutation changes if it can; default: a new response. */
  readonly honest?: AuthenticationResponseJSON;
  /** Opens the key that signs the changed response; default: Node.js signs it, with a different signature each time for most algorithms. */
  readonly openKey?: KeyOpener;
}

/**
 * Responds to creation options as the mutation says, and renews every signature over the data that the mutation changed.
 *
 * @returns the response, which may be malformed on purpose, and its credential with the private key
 * @throws PasskeyError `usage` for an unknown id, and for options to which no browser responds; `not_applicable`, with the reason, if the
 * mutation does not apply.
 */
export async function mutateRegistration(
  asked: RegistrationToMutate,
): Promise<{ readonly response: JsonObject; readonly credential: CredentialSource }> {
  const { origin, topOrigin, newCredentialId, newPrivateKey = systemKeyPairs, honest: given, credential, onRemark } = asked;
  const found = findMutationCase(asked.id, 'registration');
  const options = plainOptions(asked.options);
  return apply(found.id, async () => {
    holdPlace(found, topOrigin);
    holdCreationOptions(found.wants ?? {}, options, 'options');
    const context = contextAt({ origin, topOrigin, newPrivateKey, onRemark });
    const authenticator = { ...(newCredentialId && { newCredentialId }), ...asked.authenticator, ...found.browser?.authenticator };
    const browser = createBrowser(context, { ...found.browser, authenticator });
    const begun = { context, session: BEGUN_ELSEWHERE, browser, options };
    const isTaken = given !== undefined && credential !== undefined && isMadeBy(found, credential);
    const made = isTaken ? { honest: given, source: credential } : await makeRegistration(found, begun);
    const edits = await editsFor(found.edits, begun);
    const edited = await editRegistration(made.honest, made.source, { ...edits, response: undefined });
    const body = finishMutation(found, { honest: made.honest, edited, edits });
    const sent = (await found.rewrite?.({ ...begun, ...made, body })) ?? body;
    return { response: asSent(found, made.honest, sent), credential: made.source };
  });
}

/**
 * Responds to request options as the mutation says, and signs the changed response again.
 *
 * @returns the response, which may be malformed on purpose
 * @throws PasskeyError `usage` for an unknown id, and for options to which no browser responds; `not_applicable`, with the reason, if the
 * mutation does not apply.
 */
export async function mutateAuthentication(asked: AuthenticationToMutate): Promise<{ readonly response: JsonObject }> {
  const { origin, topOrigin, credential, honest: given, onRemark, openKey } = asked;
  const found = findMutationCase(asked.id, 'authentication');
  const { wants = {} } = found;
  const options = plainOptions(asked.options);
  return apply(found.id, async () => {
    holdPlace(found, topOrigin);
    holdRequestOptions(wants, options, 'options');
    holdLogin(wants, options);
    const context = contextAt({ origin, topOrigin, newPrivateKey: systemKeyPairs, onRemark });
    const browser = await openBrowser(context, found, credential);
    const begun = { context, session: BEGUN_ELSEWHERE, browser, options };
    const isTaken = given !== undefined && !isAuthenticator(credential) && !needsOtherBrowser(found);
    const made = isTaken ? { honest: given, source: credential } : await makeAuthentication(found, begun);
    holdCredential(found, made.source);
    holdCounter(found, made.honest);
    const rpId = findRpId(context, options.rpId);
    const passkey = { credentialId: encodeBase64url(made.source.id), taken: {}, rpId };
    const edits = await editsFor(found.edits, begun);
    const edited = await editAuthentication(made.honest, made.source, { ...edits, response: undefined, openKey });
    const body = finishMutation(found, { honest: made.honest, edited, edits });
    const sent = (await found.rewrite?.({ ...begun, ...made, passkey, body })) ?? body;
    return { response: asSent(found, made.honest, sent) };
  });
}

/**
 * Checks whether the mutation can change an existing honest registration of this credential. Otherwise the mutation needs a new
 * registration.
 */
function isMadeBy({ browser, options, anyAlgorithm }: RegistrationSpec, { algorithm }: CredentialSource): boolean {
  if (options !== undefined) return false;
  if (browser === undefined) return true;
  const { authenticator: { algorithms, ...traits } = {}, ...others } = browser;
  const fits = anyAlgorithm === true || algorithms?.includes(algorithm) === true;
  return fits && Object.keys({ ...traits, ...others }).length === 0;
}

function isAuthenticator(credential: CredentialSource | SoftwareAuthenticator): credential is SoftwareAuthenticator {
  return 'getAssertion' in credential;
}

function needsOtherBrowser({ browser, options }: AuthenticationSpec): boolean {
  return browser?.page !== undefined || browser?.user !== undefined || options !== undefined;
}

/**
 * Opens a browser with the credential's authenticator. If the mutation needs a certain user behaviour, the browser gets another
 * authenticator with the same credentials.
 */
async function openBrowser(
  context: CaseContext,
  { browser: { page, user } = {} }: AuthenticationSpec,
  credential: AuthenticationToMutate['credential'],
): Promise<Browser> {
  const isHeld = isAuthenticator(credential);
  if (isHeld && user === undefined) return browserWith(context, credential, page);
  const store = isHeld ? credential.store : createCredentialSourceStore([credential]);
  const counts = (await store.list()).some(({ signCount }) => signCount > 0);
  const authenticator = createAuthenticator({
    store,
    ...(isHeld && { attachment: credential.info.attachment }),
    signCount: { kind: counts ? 'per-credential' : 'zero' },
    ...(user !== undefined && { userVerifier: scriptedUser(...user) }),
  });
  return browserWith(context, authenticator, page);
}

/** Returns the options with their extensions as plain JSON objects. */
function plainOptions<T extends { readonly extensions?: object | undefined }>({
  extensions,
  ...options
}: T): Omit<T, 'extensions'> & { readonly extensions?: ExtensionsJSON } {
  return { ...options, ...(extensions !== undefined && { extensions: { ...extensions } }) };
}
