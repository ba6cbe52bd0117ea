import type { AttestationReport } from '../../relying-party/attestation/verify-attestation.js';
import { type Judgement, judge, runSteps } from '../../relying-party/judge.js';
import { readAuthentication, readRegistration, requireId, requireSameIds } from '../../relying-party/response.js';
import { verifyAuthentication, verifyRegistration } from '../../relying-party/simplewebauthn.js';
import { AUTHENTICATION_STEPS } from '../../relying-party/steps/authentication.js';
import { authenticationContext, type Expectation, registrationContext } from '../../relying-party/steps/context.js';
import { REGISTRATION_STEPS } from '../../relying-party/steps/registration.js';
import { ALGORITHMS } from '../../webauthn/cose-key.js';
import type { JsonObject } from '../../webauthn/json-value.js';
import type { EncodingMistake } from './encoding.js';
import type { KnownAuthentication, KnownCeremony, KnownRegistration } from './known-ceremony.js';
import { missingOfAuthentication, missingOfRegistration } from './missing.js';
import type { Observation } from './observation.js';
import { observeAuthentication } from './observe-authentication.js';
import { observeRegistration } from './observe-registration.js';
import { receiveAuthentication, receiveRegistration } from './received.js';
import { adaptSteps, type LibraryAnswer } from './verdict.js';

/** Every step of a ceremony with its finding, the library's verdict beside it, and what else there is to say. */
export interface CeremonyReport extends Pick<Judgement, 'verdict' | 'steps' | 'failed' | 'difference' | 'decidedBy'> {
  readonly kind: 'registration' | 'authentication';
  readonly library: LibraryAnswer;
  readonly observations: readonly Observation[];
  readonly encoding: readonly EncodingMistake[];
  /** Requirement by requirement; undefined for authentications, and where the attestation object cannot be read. */
  readonly attestation: AttestationReport | undefined;
}

/**
 * Explains a registration, W3C WebAuthn L3 §7.1.
 *
 * @throws PasskeyError `validation_failed` when the response is no RegistrationResponseJSON.
 */
export async function reportRegistration(response: JsonObject, known: KnownRegistration): Promise<CeremonyReport> {
  const { received, mistakes } = receiveRegistration(response);
  const bytes = readRegistration(received);
  const expectation = expectationOf(known);
  const algorithms = known.algorithms ?? ALGORITHMS.map(({ id }) => id);
  const missing = missingOfRegistration(known);
  const { challenge, rpId, origins } = known;
  const library =
    challenge === undefined || rpId === undefined || origins === undefined
      ? undefined
      : await verifyRegistration(bytes, { ...expectation, challenge: challenge.challenge, rpId, origins, algorithms });
  const { attestationRoots, at, credentialKnown } = known;
  const context = registrationContext(bytes, {
    ...expectation,
    algorithms,
    attestationRoots,
    now: at,
    credentialKnown,
  });
  const steps = adaptSteps(runSteps(REGISTRATION_STEPS, context), missing, mistakes);
  return {
    kind: 'registration',
    ...judge(steps, context, library),
    library: answerOf(library),
    observations: observeRegistration(context, { options: known.options, response }),
    encoding: mistakes,
    attestation: context.attestation(),
  };
}

/**
 * Explains an authentication, W3C WebAuthn L3 §7.2.
 *
 * @throws PasskeyError `validation_failed` when the response is no AuthenticationResponseJSON.
 */
export async function reportAuthentication(response: JsonObject, known: KnownAuthentication): Promise<CeremonyReport> {
  const { received, mistakes } = receiveAuthentication(response);
  const bytes = readAuthentication(received);
  requireId(bytes);
  requireSameIds(bytes);
  const expectation = expectationOf(known);
  const missing = missingOfAuthentication(known, bytes.id);
  const credential = typeof known.credential === 'object' ? known.credential : undefined;
  const { challenge, rpId, origins } = known;
  const library =
    challenge === undefined || rpId === undefined || origins === undefined || credential?.publicKey === undefined
      ? undefined
      : await verifyAuthentication(
          bytes,
          { ...expectation, challenge: challenge.challenge, rpId, origins },
          { id: bytes.id, publicKey: credential.publicKey },
        );
  const context = authenticationContext(bytes, {
    ...expectation,
    credential: {
      id: bytes.id,
      publicKey: credential?.publicKey ?? new Uint8Array(),
      signCount: credential?.signCount ?? 0,
      backupEligible: credential?.backupEligible ?? false,
      backupState: credential?.backupState ?? false,
      uvInitialized: false,
      userHandle: credential?.userHandle ?? new Uint8Array(),
    },
    allowCredentials: known.allowCredentials,
  });
  const steps = adaptSteps(runSteps(AUTHENTICATION_STEPS, context), missing, mistakes);
  return {
    kind: 'authentication',
    ...judge(steps, context, library),
    library: answerOf(library),
    observations: observeAuthentication(context, { options: known.options }),
    encoding: mistakes,
    attestation: undefined,
  };
}

function expectationOf({ challenge, rpId, origins, topOrigins, userVerification }: KnownCeremony): Expectation {
  return { challenge: challenge ?? { status: 'unknown' }, rpId: rpId ?? '', origins: origins ?? [], topOrigins, userVerification };
}

function answerOf(library: Awaited<ReturnType<typeof verifyRegistration>> | undefined): LibraryAnswer {
  if (library === undefined) {
    return { verdict: 'not-asked', reason: undefined };
  }
  return library.verdict === 'verified' ? { verdict: 'accepted', reason: undefined } : { verdict: 'rejected', reason: library.reason };
}
