import { PasskeyError } from '../errors.js';
import type { Access, LoginAccess } from '../kernel/access.js';
import { equalBytes } from '../kernel/bytes.js';
import type { OperationContext } from '../kernel/events.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { requestedAppId } from '../webauthn/extensions.js';
import type { Passkey } from './credential-record.js';
import { endCeremony, readChallenge } from './end-ceremony.js';
import { type Judgement, runSteps } from './judge.js';
import { type OperationDependencies, passkeyNotFound, requireLive } from './operation.js';
import type { Ceremony, TakenAuthentication } from './ports.js';
import { type ReceivedAuthentication, readAuthentication, requireSameIds } from './response.js';
import { verifyAuthentication } from './simplewebauthn.js';
import { updatedState } from './steps/assertion.js';
import { AUTHENTICATION_STEPS } from './steps/authentication.js';
import { type AuthenticationContext, loadAuthenticationContext, type RegisteredCredential, readScope } from './steps/context.js';
import { hasFailed, stepError } from './steps/step.js';

export interface AuthenticateInput {
  readonly response: ReceivedAuthentication;
  /** `required` if the user must have been verified, even if the options of the ceremony did not require it. */
  readonly userVerification?: 'required' | undefined;
  readonly context?: OperationContext;
  /** The token or session to open if the assertion is accepted. The store records the login and the new token or session in one change. */
  readonly opens?: LoginAccess | undefined;
}

export interface AuthenticateResult {
  /** The passkey as updated by the assertion. */
  readonly passkey: Passkey;
  /** Whether the authenticator verified the user in this assertion (flag UV). */
  readonly userVerified: boolean;
  readonly opened: Access | undefined;
}

/**
 * Finishes an authentication, W3C WebAuthn L3 §7.2.
 *
 * @throws PasskeyError `validation_failed`, `passkey_not_found`, or the code of the failed check.
 */
export async function authenticate(dependencies: OperationDependencies, input: AuthenticateInput): Promise<AuthenticateResult> {
  const { store } = dependencies;
  const { response, userVerification, context, opens } = input;
  return endCeremony(dependencies, { kind: 'authentication', response, context, owner: undefined, userVerification }, async (ending) => {
    const received = readAuthentication(response);
    const found = await take(store, received, ending.at);
    const passkey = requireLive(found.passkey);
    ending.passkey = passkey;
    requireSameIds(received);
    const { ceremony, expectation } = ending.expect(found.taken, (begun) => otherPurpose(begun, passkey));
    const known = await loadAuthenticationContext(received, {
      ...expectation,
      credential: registeredCredential(passkey),
      allowCredentials: allowedIds(ceremony),
      appId: requestedAppId(ceremony?.options),
    });
    const judgement = await ending.judge(AUTHENTICATION_STEPS, known, (begun) =>
      verifyAuthentication(received, { ...begun, rpId: readScope(known) }, passkey.credential),
    );
    if (isRegression(judgement)) await store.recordCounterRegression(passkey.id, ending.at);
    ending.accepted(judgement);
    return record(dependencies, { passkey, context: known, at: ending.at, opens });
  });
}

/**
 * Tells whether the signature counter is the only failed check. Only the holder of the key can cause that, since the signature verifies.
 */
function isRegression({ failed, steps }: Judgement): boolean {
  return failed?.slug === 'sign-count' && steps.some(({ slug, status }) => slug === 'signature' && status === 'pass');
}

/**
 * Looks up the passkey of a response. Also takes the ceremony from the store, if the response contains a challenge, and its `id` and
 * `rawId` are equal.
 */
async function take(
  store: OperationDependencies['store'],
  { id, rawId, canonicalId, clientData }: ReturnType<typeof readAuthentication>,
  now: number,
): Promise<TakenAuthentication> {
  // An ID that is not canonically encoded matches none.
  if (!canonicalId) throw passkeyNotFound('this credential ID');
  const challenge = readChallenge(clientData);
  if (challenge !== undefined && equalBytes(id, rawId)) return store.takeAuthentication({ challenge, credentialId: id, now });
  return { passkey: await store.findPasskeyByCredentialId(id), taken: { status: 'unknown' } };
}

function otherPurpose(ceremony: Ceremony, { rpId, credential }: Passkey): string | undefined {
  if (ceremony.kind !== 'authentication') {
    return 'a registration; request options from verify/options or login/options';
  }
  if (ceremony.credentialId !== undefined && !equalBytes(ceremony.credentialId, credential.id)) {
    return 'another credential; use the requested one';
  }
  return ceremony.rpId === rpId ? undefined : `the RP ID "${ceremony.rpId}", and this passkey belongs to "${rpId}"`;
}

function registeredCredential({ credential, userHandle }: Passkey): RegisteredCredential {
  return { ...credential, userHandle };
}

/**
 * Lists the credential IDs that are allowed in the ceremony: the requested one or, if the caller replaced the options, those in the
 * options.
 */
function allowedIds(ceremony: Ceremony | undefined): Uint8Array[] {
  if (ceremony?.credentialId !== undefined) {
    return [ceremony.credentialId];
  }
  const listed = ceremony?.options['allowCredentials'];
  return Array.isArray(listed) ? listed.flatMap((entry: { readonly id: string }) => decodeBase64(entry.id)?.bytes ?? []) : [];
}

const MAX_TRIES = 10;

interface Accepted extends Pick<AuthenticateInput, 'opens'> {
  readonly passkey: Passkey;
  readonly context: AuthenticationContext;
  readonly at: number;
}

/**
 * Updates the credential record (§7.2 step 24). If another assertion of the same credential has changed the record in the meantime, runs
 * the steps again with the new record, and step 22 (sign count) may then fail.
 *
 * @throws PasskeyError `passkey_not_found` if the passkey was revoked in the meantime; `counter_regressed`; `store_unavailable` if the
 * record changes too often to be updated.
 */
async function record({ store }: OperationDependencies, { passkey, context, at, opens }: Accepted): Promise<AuthenticateResult> {
  if (context.authenticatorData?.ok !== true) {
    throw new PasskeyError(
      'internal_error',
      'An assertion was accepted although it cannot be read. This is a bug in passkey. Please report it.',
    );
  }
  const authenticatorData = context.authenticatorData.value;
  let known = passkey;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { credential } = known;
    const use = { ...updatedState(credential, authenticatorData), expectedSignCount: credential.signCount, lastUsedAt: at };
    const outcome = await store.recordLogin({ passkeyId: passkey.id, use, opens });
    if (outcome.status === 'recorded') {
      return { passkey: outcome.passkey, userVerified: authenticatorData.flags.uv, opened: outcome.opened };
    }
    const fresh = outcome.passkey;
    if (fresh === undefined || fresh.revokedAt !== undefined) throw passkeyNotFound('this credential ID');
    const again = runSteps(AUTHENTICATION_STEPS, { ...context, credential: registeredCredential(fresh) });
    const regressed = again.find(hasFailed);
    if (regressed !== undefined) {
      if (regressed.slug === 'sign-count') await store.recordCounterRegression(passkey.id, at);
      throw stepError(regressed);
    }
    known = fresh;
  }
  throw new PasskeyError(
    'store_unavailable',
    `Expected to update passkey ${passkey.id}; it changed ${MAX_TRIES} times meanwhile. Try again.`,
  );
}
