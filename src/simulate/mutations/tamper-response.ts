import { systemKeyPairs } from '../../authenticator/key-pair.js';
import { PasskeyError } from '../../errors.js';
import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import { REGISTRATION_STEPS } from '../../relying-party/steps/registration.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../../webauthn/json.js';
import { behaviourOf } from '../engine/behaviour.js';
import { createBrowser } from '../engine/ceremony.js';
import { type AuthenticationSpec, type CeremonyCase, editsFor, type RegistrationSpec } from '../engine/ceremony-cases.js';
import { editAuthentication, editRegistration } from '../engine/edits.js';
import { notApplicable } from '../engine/scenario.js';
import { holdCreationOptions, holdRequestOptions } from '../engine/wants.js';
import { applied, holdBackupFlags, holdChange, holdCredential, holdLogin } from './applicable.js';
import { BEGUN_ELSEWHERE, placeOf } from './context.js';
import { isInBrowser } from './in-browser.js';
import { caseOfMutation } from './mutation.js';

interface Common {
  /** Of the mutation, whole or shortened; see `findMutation`. */
  readonly id: string;
}

export interface RegistrationToTamper extends Common {
  /** Which the response answers. */
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly response: RegistrationResponseJSON;
}

export interface AuthenticationToTamper extends Common {
  readonly options: PublicKeyCredentialRequestOptionsJSON;
  readonly response: AuthenticationResponseJSON;
  /** COSEAlgorithmIdentifier of the credential. */
  readonly algorithm: number;
}

/**
 * Changes a registration of any authenticator as the mutation says, without its private key.
 *
 * @throws PasskeyError `usage` for an unknown id, `not_applicable` with the reason.
 */
export async function tamperRegistration({ id, options, response: honest }: RegistrationToTamper): Promise<JsonObject> {
  const found = inBrowserCase(id, 'registration');
  if (found.builtOf.ceremony !== 'registration') throw new TypeError('Expected a mutation of a registration.');
  const { spec } = found.builtOf;
  return applied(found.id, async () => {
    holdCreationOptions(spec.wants ?? {}, options, 'options');
    holdAuthenticator(spec, honest);
    const edits = await editsFor(spec.edits ?? {}, { ...begunOn(honest, spec), options });
    const edited = editRegistration(honest, { ...edits, response: same });
    const body = (edits.response ?? same)(edited);
    holdChange({ honest: { ...honest }, edited, body, edits });
    if (edits.attestation === undefined && edits.attestationObject === undefined) holdStatement(found, honest, edited);
    return sent(found, honest, body);
  });
}

/** Changes a login of any authenticator; its signature stays as it is. Throws as {@link tamperRegistration} does. */
export async function tamperAuthentication({ id, options, response: honest, algorithm }: AuthenticationToTamper): Promise<JsonObject> {
  const found = inBrowserCase(id, 'authentication');
  if (found.builtOf.ceremony !== 'authentication') throw new TypeError('Expected a mutation of an authentication.');
  const { spec } = found.builtOf;
  const { wants = {} } = spec;
  return applied(found.id, async () => {
    holdRequestOptions(wants, options, 'options');
    holdLogin(wants, options);
    const { backupEligible, backupState } = behaviourOf({ ...honest });
    // What names no credential finds only discoverable ones, which bring a user handle.
    const discoverable = honest.response.userHandle !== undefined;
    holdCredential(spec, { id: decodeBase64url(honest.id), algorithm, backupEligible, backupState, discoverable });
    const edits = await editsFor(spec.edits ?? {}, { ...begunOn(honest, spec), options });
    const edited = await editAuthentication(honest, undefined, { ...edits, response: same });
    const body = (edits.response ?? same)(edited);
    holdChange({ honest: { ...honest }, edited, body, edits });
    return sent(found, honest, body);
  });
}

const same = (response: JsonObject): JsonObject => response;

function inBrowserCase(id: string, ceremony: 'registration' | 'authentication'): CeremonyCase {
  const found = caseOfMutation(id, ceremony);
  if (isInBrowser(found)) return found;
  throw new PasskeyError(
    'not_applicable',
    `The mutation ${found.id} needs a new signature or another authenticator, which a finished response cannot get. Answer the options with a software authenticator: POST /dev/answer with "tamper": "${found.id}".`,
  );
}

/** The page on which the response was made. */
function begunOn({ response }: RegistrationResponseJSON | AuthenticationResponseJSON, { browser }: RegistrationSpec | AuthenticationSpec) {
  const { origin, topOrigin } = decodeClientData(decodeBase64url(response.clientDataJSON));
  const context = placeOf({ origin, topOrigin, newPrivateKey: systemKeyPairs, onRemark: undefined });
  return { context, session: BEGUN_ELSEWHERE, browser: createBrowser(context, browser) };
}

/** Holds the authenticator that made a registration against the one that the mutation wants. */
function holdAuthenticator(spec: RegistrationSpec, honest: RegistrationResponseJSON): void {
  const { attested, backupEligible, backupState } = behaviourOf({ ...honest });
  if (attested === undefined) throw notApplicable('the response has no attestation object');
  const { algorithm } = attested;
  // Whether it is discoverable shows at a login only.
  holdCredential(spec, { id: decodeBase64url(honest.id), algorithm, backupEligible, backupState, discoverable: true });
}

const STATEMENT = REGISTRATION_STEPS.findIndex(({ slug }) => slug === 'attestation-statement');

/** Ends a mutation of what an attestation statement has signed, unless a step before that of the statement refuses it. */
function holdStatement({ expected, step: tested }: CeremonyCase, honest: RegistrationResponseJSON, edited: JsonObject): void {
  const { attested } = behaviourOf({ ...honest });
  const { clientDataJSON, attestationObject } = objectOf(edited.response);
  const isSame = clientDataJSON === honest.response.clientDataJSON && attestationObject === honest.response.attestationObject;
  const step = expected.outcome === 'rejected' ? (expected.step ?? tested) : undefined;
  const isEarly = REGISTRATION_STEPS.slice(0, STATEMENT).some(({ slug }) => slug === step);
  if (isSame || isEarly || attested?.format === 'none') return;
  throw notApplicable(`the ${attested?.format} statement of the response has signed what it changes; ask for attestation "none"`);
}

/** As it is sent: without the members that are left out. */
function sent(found: CeremonyCase, honest: RegistrationResponseJSON | AuthenticationResponseJSON, body: JsonObject): JsonObject {
  const plain: JsonObject = JSON.parse(JSON.stringify(body));
  holdBackupFlags(found, { ...honest }, plain);
  return plain;
}
