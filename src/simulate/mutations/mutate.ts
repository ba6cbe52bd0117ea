import { createAuthenticator, type SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../authenticator/credential-store.js';
import { type KeyPairSource, type RandomSource, systemKeyPairs } from '../../authenticator/key-pair.js';
import type { AuthenticatorTraits } from '../../authenticator/settings.js';
import { scriptedUser } from '../../authenticator/user-verifier.js';
import type { CreationOptionsInput, RequestOptionsInput } from '../../client/dictionaries.js';
import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { AuthenticationResponseJSON, ExtensionsJSON, RegistrationResponseJSON } from '../../webauthn/json.js';
import { type Browser, browserWith, createBrowser } from '../engine/ceremony.js';
import { type AuthenticationSpec, editsFor, makeAuthentication, makeRegistration, rewritten, rpIdOf } from '../engine/ceremony-cases.js';
import type { CaseContext } from '../engine/context.js';
import { editAuthentication, editRegistration } from '../engine/edits.js';
import { holdCreationOptions, holdRequestOptions } from '../engine/wants.js';
import { applied, holdBackupFlags, holdChange, holdCounter, holdCredential, holdLogin, holdPlace } from './applicable.js';
import { attestedAgain } from './attested-again.js';
import { BEGUN_ELSEWHERE, placeOf } from './context.js';
import { caseOfMutation } from './mutation.js';

interface Common<Options> {
  /** Of the mutation, whole or shortened; see `findMutation`. */
  readonly id: string;
  /** As the relying party gave them. */
  readonly options: Options;
  /** Of the page. */
  readonly origin: string;
  /** A top-level origin that the relying party accepts, for mutations of a page in a frame. */
  readonly topOrigin?: string;
  /** Told what a browser makes of the options beyond the standard. */
  readonly onRemark?: (text: string) => void;
}

export interface RegistrationToMutate extends Common<CreationOptionsInput> {
  /** What the authenticator is like, where the mutation says nothing else. */
  readonly authenticator?: AuthenticatorTraits;
  /** Default: the system's. */
  readonly newPrivateKey?: KeyPairSource;
  readonly newCredentialId?: RandomSource;
  /** An honest response to these options, to be changed where the mutation needs no other browser; default: one is made. */
  readonly honest?: RegistrationResponseJSON;
  /** The private side of `honest`. */
  readonly credential?: CredentialSource;
}

export interface AuthenticationToMutate extends Common<RequestOptionsInput> {
  /** The credential that answers, or the authenticator that holds it. */
  readonly credential: CredentialSource | SoftwareAuthenticator;
  /** An honest response of it to these options, to be changed where the mutation needs no other browser; default: one is made. */
  readonly honest?: AuthenticationResponseJSON;
}

/**
 * Answers creation options, changes the response as the mutation says and makes every signature anew that covers the change.
 *
 * @returns the response, malformed where the mutation is about that, and the private side of its credential
 * @throws PasskeyError `usage` for an unknown id and for options that no browser answers, `not_applicable` with the reason.
 */
export async function mutateRegistration(
  asked: RegistrationToMutate,
): Promise<{ readonly response: JsonObject; readonly credential: CredentialSource }> {
  const { origin, topOrigin, newCredentialId, newPrivateKey = systemKeyPairs, honest: given, credential, onRemark } = asked;
  const found = caseOfMutation(asked.id, 'registration');
  if (found.builtOf.ceremony !== 'registration') throw new TypeError('Expected a mutation of a registration.');
  const { spec } = found.builtOf;
  const options = plainOptions(asked.options);
  return applied(found.id, async () => {
    holdPlace(found, topOrigin);
    holdCreationOptions(spec.wants ?? {}, options, 'options');
    const context = placeOf({ origin, topOrigin, newPrivateKey, onRemark });
    const authenticator = { ...(newCredentialId && { newCredentialId }), ...asked.authenticator, ...spec.browser?.authenticator };
    const browser = createBrowser(context, { ...spec.browser, authenticator });
    const begun = { context, session: BEGUN_ELSEWHERE, browser, options };
    const isTaken = given !== undefined && credential !== undefined && spec.browser === undefined && spec.options === undefined;
    const made = isTaken ? { honest: given, source: credential } : await makeRegistration(spec, begun);
    const edits = await editsFor(spec.edits ?? {}, begun);
    const edited = await attestedAgain(editRegistration(made.honest, { ...edits, response: same }), { ...made, edits });
    const body = (edits.response ?? same)(edited);
    const honest = { ...made.honest };
    if (spec.edits !== undefined) holdChange({ honest, edited, body, edits });
    const sent = plain(await rewritten(spec, { ...begun, ...made, body }));
    holdBackupFlags(found, honest, sent);
    return { response: sent, credential: made.source };
  });
}

/**
 * Answers request options, changes the response as the mutation says and signs it again.
 *
 * @returns the response, malformed where the mutation is about that
 * @throws PasskeyError `usage` for an unknown id and for options that no browser answers, `not_applicable` with the reason.
 */
export async function mutateAuthentication(asked: AuthenticationToMutate): Promise<{ readonly response: JsonObject }> {
  const { origin, topOrigin, credential, honest: given, onRemark } = asked;
  const found = caseOfMutation(asked.id, 'authentication');
  if (found.builtOf.ceremony !== 'authentication') throw new TypeError('Expected a mutation of an authentication.');
  const { spec } = found.builtOf;
  const { wants = {} } = spec;
  const options = plainOptions(asked.options);
  return applied(found.id, async () => {
    holdPlace(found, topOrigin);
    holdRequestOptions(wants, options, 'options');
    holdLogin(wants, options);
    const context = placeOf({ origin, topOrigin, newPrivateKey: systemKeyPairs, onRemark });
    const browser = await browserOf(context, spec, credential);
    const begun = { context, session: BEGUN_ELSEWHERE, browser, options };
    const isTaken = given !== undefined && !isAuthenticator(credential) && !needsOtherBrowser(spec);
    const made = isTaken ? { honest: given, source: credential } : await makeAuthentication(spec, begun);
    holdCredential(spec, made.source);
    holdCounter(spec, made.honest);
    const rpId = rpIdOf(context, options.rpId);
    const passkey = { credentialId: encodeBase64url(made.source.id), taken: {}, rpId };
    const edits = await editsFor(spec.edits ?? {}, begun);
    const edited = await editAuthentication(made.honest, made.source, { ...edits, response: same });
    const body = (edits.response ?? same)(edited);
    const honest = { ...made.honest };
    if (spec.edits !== undefined) holdChange({ honest, edited, body, edits });
    const sent = plain(await rewritten(spec, { ...begun, ...made, passkey, body }));
    holdBackupFlags(found, honest, sent);
    return { response: sent };
  });
}

function isAuthenticator(credential: CredentialSource | SoftwareAuthenticator): credential is SoftwareAuthenticator {
  return 'getAssertion' in credential;
}

function needsOtherBrowser({ browser, options }: AuthenticationSpec): boolean {
  return browser?.page !== undefined || browser?.user !== undefined || options !== undefined;
}

/** A browser with the authenticator that holds the credential, or with one that does what the mutation asks of its user. */
async function browserOf(
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

/** With extensions as JSON has them. */
function plainOptions<T extends { readonly extensions?: object | undefined }>({
  extensions,
  ...options
}: T): Omit<T, 'extensions'> & { readonly extensions?: ExtensionsJSON } {
  return { ...options, ...(extensions !== undefined && { extensions: { ...extensions } }) };
}

const same = (response: JsonObject): JsonObject => response;

/** As it is sent: without the members that are left out. */
function plain(response: JsonObject): JsonObject {
  return objectOf(JSON.parse(JSON.stringify(response)));
}
