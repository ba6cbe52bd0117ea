import { systemKeyPairs } from '../../authenticator/key-pair.js';
import { PasskeyError } from '../../errors.js';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { REGISTRATION_STEPS } from '../../relying-party/steps/registration.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../../webauthn/json.js';
import { editsFor } from '../engine/attempts.js';
import { readBehaviour } from '../engine/behaviour.js';
import { createBrowser } from '../engine/ceremony.js';
import { type AuthenticationSpec, type CeremonyCase, type RegistrationSpec } from '../engine/ceremony-cases.js';
import { holdCreationOptions, holdRequestOptions } from '../engine/demands.js';
import { editAuthentication, editRegistration } from '../engine/edits.js';
import { notApplicable } from '../engine/scenario.js';
import { apply, asSent, BEGUN_ELSEWHERE, contextAt, finishMutation, holdCredential, holdLogin } from './conditions.js';
import { findMutationCase } from './mutation.js';
import { findRefusingStep, isInBrowser } from './needs.js';

/** A registration or authentication response that is complete enough to be changed. */
export type ResponseJson =
  | { readonly kind: 'registration'; readonly response: RegistrationResponseJSON }
  | { readonly kind: 'authentication'; readonly response: AuthenticationResponseJSON };

/**
 * Recognizes a registration or authentication response by its members.
 *
 * @throws PasskeyError `validation_failed` for a value that is neither.
 */
export function readResponseJson(response: unknown): ResponseJson {
  if (isRegistrationJson(response)) return { kind: 'registration', response };
  if (isAuthenticationJson(response)) return { kind: 'authentication', response };
  throw new PasskeyError(
    'validation_failed',
    'Expected RegistrationResponseJSON or AuthenticationResponseJSON with the strings id and response.clientDataJSON; got something else. Call toJSON() on a PublicKeyCredential of a browser to get it.',
  );
}

function hasTexts(response: unknown, ...members: readonly string[]): boolean {
  const { id, response: inner } = asObject(response);
  return typeof id === 'string' && members.every((member) => typeof asObject(inner)[member] === 'string');
}

function isRegistrationJson(response: unknown): response is RegistrationResponseJSON {
  return hasTexts(response, 'clientDataJSON', 'attestationObject');
}

function isAuthenticationJson(response: unknown): response is AuthenticationResponseJSON {
  return hasTexts(response, 'clientDataJSON', 'authenticatorData', 'signature');
}

interface Common {
  /** Id of the mutation, complete or shortened; see `findMutation`. */
  readonly id: string;
}

interface RegistrationToTamper extends Common {
  /** The creation options that the response answers. */
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly response: RegistrationResponseJSON;
}

interface AuthenticationToTamper extends Common {
  readonly options: PublicKeyCredentialRequestOptionsJSON;
  readonly response: AuthenticationResponseJSON;
  /** COSE algorithm identifier of the credential. */
  readonly algorithm: number;
}

/**
 * Applies a mutation to a finished registration of any authenticator. The private key is not needed.
 *
 * @throws PasskeyError `usage` for an unknown id; `not_applicable`, with the reason, if the mutation does not apply.
 */
export async function tamperRegistration({ id, options, response: honest }: RegistrationToTamper): Promise<JsonObject> {
  const found = findMutationCase(id, 'registration');
  holdInBrowser(found);
  return apply(found.id, async () => {
    holdCreationOptions(found.wants ?? {}, options, 'options');
    holdAuthenticator(found, honest);
    const edits = await editsFor(found.edits, { ...beginOn(honest, found), options });
    const edited = await editRegistration(honest, undefined, { ...edits, response: undefined });
    const body = finishMutation(found, { honest, edited, edits });
    if (edits.attestation === undefined && edits.attestationObject === undefined) holdStatement(found, honest, edited);
    return asSent(found, honest, body);
  });
}

/**
 * Applies a mutation to a finished login of any authenticator, without renewing its signature. Throws as {@link tamperRegistration} does.
 */
export async function tamperAuthentication({ id, options, response: honest, algorithm }: AuthenticationToTamper): Promise<JsonObject> {
  const found = findMutationCase(id, 'authentication');
  holdInBrowser(found);
  const { wants = {} } = found;
  return apply(found.id, async () => {
    holdRequestOptions(wants, options, 'options');
    holdLogin(wants, options);
    const { backupEligible, backupState } = readBehaviour({ ...honest });
    // What names no credential finds only discoverable ones, which bring a user handle.
    const discoverable = honest.response.userHandle !== undefined;
    holdCredential(found, { id: decodeBase64url(honest.id), algorithm, backupEligible, backupState, discoverable });
    const edits = await editsFor(found.edits, { ...beginOn(honest, found), options });
    const edited = await editAuthentication(honest, undefined, { ...edits, response: undefined });
    const body = finishMutation(found, { honest, edited, edits });
    return asSent(found, honest, body);
  });
}

function holdInBrowser(found: CeremonyCase): void {
  if (isInBrowser(found)) return;
  throw new PasskeyError(
    'not_applicable',
    `The mutation ${found.id} needs a new signature or another authenticator, which a finished response cannot get. Answer the options with a software authenticator: POST /dev/answer with "tamper": "${found.id}".`,
  );
}

/** Recreates the ceremony's context from the origin of the page on which the response was made. */
function beginOn({ response }: RegistrationResponseJSON | AuthenticationResponseJSON, { browser }: RegistrationSpec | AuthenticationSpec) {
  const { origin, topOrigin } = decodeClientData(decodeBase64url(response.clientDataJSON));
  const context = contextAt({ origin, topOrigin, newPrivateKey: systemKeyPairs, onRemark: undefined });
  return { context, session: BEGUN_ELSEWHERE, browser: createBrowser(context, browser) };
}

/** Ends the mutation if it needs another kind of authenticator than the one that made the registration. */
function holdAuthenticator(spec: RegistrationSpec, honest: RegistrationResponseJSON): void {
  const { attested, backupEligible, backupState } = readBehaviour({ ...honest });
  if (attested === undefined) throw notApplicable('the response has no attestation object');
  const { algorithm } = attested;
  // Whether it is discoverable shows at a login only.
  holdCredential(spec, { id: decodeBase64url(honest.id), algorithm, backupEligible, backupState, discoverable: true });
}

const STATEMENT = REGISTRATION_STEPS.findIndex(({ slug }) => slug === 'attestation-statement');

/**
 * Ends the mutation if it changes data that the attestation statement signs, unless the server refuses the change before it verifies the
 * statement.
 */
function holdStatement(found: CeremonyCase, honest: RegistrationResponseJSON, edited: JsonObject): void {
  const { attested } = readBehaviour({ ...honest });
  const { clientDataJSON, attestationObject } = asObject(edited.response);
  const isSame = clientDataJSON === honest.response.clientDataJSON && attestationObject === honest.response.attestationObject;
  const step = findRefusingStep(found);
  const isEarly = REGISTRATION_STEPS.slice(0, STATEMENT).some(({ slug }) => slug === step);
  if (isSame || isEarly || attested?.format === 'none') return;
  throw notApplicable(`the ${attested?.format} statement of the response signs the data that it changes; request attestation "none"`);
}
