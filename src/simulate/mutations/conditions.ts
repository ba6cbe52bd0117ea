import type { CredentialSource } from '../../authenticator/credential-source.js';
import { PasskeyError } from '../../errors.js';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { clause } from '../../kernel/wording.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData, FLAG, OFFSETS } from '../../webauthn/authenticator-data.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { ACCEPTED_TOP_ORIGIN } from '../engine/ceremony.js';
import { type AuthenticationSpec, type CeremonyCase, type RegistrationSpec } from '../engine/ceremony-cases.js';
import type { CaseContext } from '../engine/context.js';
import type { Demands } from '../engine/demands.js';
import { createIdleSession } from '../engine/dry-run.js';
import { finishEdits, UNCHANGED } from '../engine/edits.js';
import { notApplicable, ScenarioEnded } from '../engine/scenario.js';

/**
 * Runs a function that makes a mutated response. If the function ends the case, throws a PasskeyError for the caller instead.
 *
 * @throws PasskeyError `not_applicable` if the mutation does not fit the options or the credential, `usage` if no browser would respond to
 * the options.
 */
export async function apply<T>(id: string, making: () => Promise<T>): Promise<T> {
  try {
    return await making();
  } catch (cause) {
    if (!(cause instanceof ScenarioEnded)) throw cause;
    const { verdict } = cause;
    if (verdict.status === 'not_applicable') {
      throw new PasskeyError('not_applicable', `The mutation ${id} does not apply here: ${verdict.reason}.`);
    }
    const received = verdict.status === 'failed' ? verdict.mismatches[0].received : '';
    throw new PasskeyError(
      'usage',
      `Expected options, an origin and a credential with which a browser makes a response, got ${clause(received)}. Correct the value that it names.`,
    );
  }
}

/** Ends the mutation if it needs a page in a frame and the caller named no accepted top-level origin. */
export function holdPlace({ browser }: CeremonyCase, topOrigin: string | undefined): void {
  if (browser?.page?.topOrigin === ACCEPTED_TOP_ORIGIN && topOrigin === undefined) {
    throw notApplicable('it needs a top-level origin that the relying party accepts (topOrigin)');
  }
}

/**
 * Ends the mutation if it needs options that name a credential but the options name none, or if it needs options that name none but they
 * name one.
 */
export function holdLogin({ login }: Demands, { allowCredentials = [] }: PublicKeyCredentialRequestOptionsJSON): void {
  if (login === 'named' && allowCredentials.length === 0) throw notApplicable('the options name no credential (allowCredentials)');
  if (login === 'discoverable' && allowCredentials.length > 0) throw notApplicable('the options name a credential (allowCredentials)');
}

/**
 * Minimum sign count of an honest login whose count a mutation can let fall. The count before it must be above zero, so this login is at
 * least the second.
 */
const COUNTED = 2;

/** Ends the mutation if it needs an authenticator that counts signatures, and the one that made the response has not counted far enough. */
export function holdCounter({ browser }: AuthenticationSpec, { response }: AuthenticationResponseJSON): void {
  const { kind = 'zero' } = browser?.authenticator?.signCount ?? {};
  const { signCount } = decodeAuthenticatorData(decodeBase64url(response.authenticatorData));
  if (kind !== 'zero' && signCount < COUNTED) {
    throw notApplicable(
      `it needs an authenticator that counts its signatures and has counted before; the count of this one is ${signCount}`,
    );
  }
}

/** Ends the mutation if it needs a credential of another kind, for instance one with another algorithm. */
export function holdCredential(
  { browser = {}, anyAlgorithm }: AuthenticationSpec | RegistrationSpec,
  source: Pick<CredentialSource, 'id' | 'algorithm' | 'discoverable' | 'backupEligible' | 'backupState'>,
): void {
  const { algorithms, alwaysDiscoverable, backupEligible, backupState, credentialIdLength } = browser.authenticator ?? {};
  if (anyAlgorithm !== true && algorithms !== undefined && !algorithms.includes(source.algorithm)) {
    const names = algorithms.map((id) => algorithmName(id)).join(' or ');
    throw notApplicable(`it needs a credential of ${names}, and this one is of ${algorithmName(source.algorithm)}`);
  }
  if (alwaysDiscoverable === true && !source.discoverable) throw notApplicable('it needs a discoverable credential');
  holdBackup(backupEligible, source.backupEligible, 'eligible for backup');
  holdBackup(backupState, source.backupState, 'backed up');
  if (credentialIdLength !== undefined && source.id.length !== credentialIdLength) {
    throw notApplicable(`it needs a credential ID of ${credentialIdLength} bytes, and this one has ${source.id.length}`);
  }
}

function holdBackup(wanted: boolean | undefined, is: boolean, what: string): void {
  if (wanted !== undefined && wanted !== is) throw notApplicable(`it needs a credential that is ${wanted ? '' : 'not '}${what}`);
}

/** Finishes the edits of a response. Ends the mutation if the edits left the response unchanged. */
export function finishMutation({ edits }: CeremonyCase, edited: Parameters<typeof finishEdits>[0]): JsonObject {
  const { body, unchanged } = finishEdits(edited);
  if (edits !== undefined && unchanged) throw notApplicable(UNCHANGED);
  return body;
}

/** Converts the response to the form that JSON would carry, without members that are undefined. */
export function asSent(found: CeremonyCase, honest: object, body: JsonObject): JsonObject {
  const sent = asObject(JSON.parse(JSON.stringify(body)));
  holdBackupFlags(found, { ...honest }, sent);
  return sent;
}

/** Ends a mutation of the backup flags if the change would mean something else for this credential. */
function holdBackupFlags({ browser }: CeremonyCase, honest: JsonObject, sent: JsonObject): void {
  const [before, after] = [readFlags(honest), readFlags(sent)];
  if (before === undefined || after === undefined || ((before ^ after) & (FLAG.be | FLAG.bs)) === 0) return;
  holdBackup(browser?.authenticator?.backupEligible ?? false, (before & FLAG.be) !== 0, 'eligible for backup');
}

/** Reads the flags of the authenticator data (§6.1). Undefined if they cannot be decoded. */
function readFlags({ response }: JsonObject): number | undefined {
  const { attestationObject, authenticatorData } = asObject(response);
  try {
    const data =
      attestationObject === undefined
        ? decodeBase64url(String(authenticatorData))
        : decodeAttestationObject(decodeBase64url(String(attestationObject))).authData;
    return data[OFFSETS.flags];
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return undefined;
  }
}

interface Place extends Pick<CaseContext, 'origin' | 'topOrigin' | 'newPrivateKey'> {
  readonly onRemark: ((text: string) => void) | undefined;
}

/** Makes a context in which one response can be made and changed. It has an origin but no target. */
export function contextAt({ origin, topOrigin, newPrivateKey, onRemark }: Place): CaseContext {
  return {
    origin,
    topOrigin,
    newPrivateKey,
    driver: {
      has: {},
      name: 'none',
      skip: {},
      gates: [],
      opensAccounts: false,
      origin,
      cleansUp: false,
      challenges: [],
      offers: () => false,
      reads: () => false,
      sends: () => true,
      newScope: noTarget,
      forgetAccounts: noTarget,
      openUser: noTarget,
      cleanUp: noTarget,
      close: noTarget,
    },
    session: noTarget,
    inNewSessions: noTarget,
    cleanUp: noTarget,
    api: undefined,
    server: undefined,
    passTime: undefined,
    signal: undefined,
    remark: (text) => onRemark?.(text),
  };
}

/** A placeholder session for a ceremony that was begun elsewhere. */
export const BEGUN_ELSEWHERE = createIdleSession(1, noTarget);

/**
 * Throws, because a mutation has no target to use. A case that needs a target must be marked `severalCeremonies`, which excludes it from
 * the mutations.
 */
function noTarget(): never {
  throw new TypeError('Expected a mutation to change one response only; it asked for a target.');
}
