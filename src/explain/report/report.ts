import type { AttestationReport } from '../../relying-party/attestation/verify-attestation.js';
import { libraryDifference } from '../../relying-party/differences.js';
import { explainAuthentication, explainRegistration } from '../../relying-party/explain.js';
import { readAuthentication, readRegistration, requireId, requireSameIds } from '../../relying-party/response.js';
import { verifyAuthentication, verifyRegistration } from '../../relying-party/simplewebauthn.js';
import { authenticationContext, type Expectation, registrationContext } from '../../relying-party/steps/context.js';
import { ALGORITHMS } from '../../webauthn/cose-key.js';
import type { ReadCredential } from '../annotate/read-credential.js';
import type { EncodingMistake } from './encoding.js';
import type { KnownAuthentication, KnownCeremony, KnownRegistration } from './known-ceremony.js';
import { missingOfAuthentication, missingOfRegistration } from './missing.js';
import type { Observation } from './observation.js';
import { observeAuthentication } from './observe-authentication.js';
import { observeRegistration } from './observe-registration.js';
import { receiveAuthentication, receiveRegistration } from './received.js';
import { type Judged, judge, type LibraryAnswer } from './verdict.js';

/** Every step of a ceremony with its finding, the library's verdict beside it, and what else there is to say. */
export interface CeremonyReport extends Judged {
  readonly kind: 'registration' | 'authentication';
  readonly library: LibraryAnswer;
  /** Why the library says otherwise; undefined where it does not. */
  readonly difference: string | undefined;
  readonly observations: readonly Observation[];
  readonly encoding: readonly EncodingMistake[];
  /** Requirement by requirement; undefined for authentications, and where the attestation object cannot be read. */
  readonly attestation: AttestationReport | undefined;
}

/**
 * Explains a registration, W3C WebAuthn L3 §7.1.
 *
 * @param clock the machine's time (ms), by which the library judges certificates.
 * @throws PasskeyError `validation_failed` when the response is no RegistrationResponseJSON.
 */
export async function reportRegistration(credential: ReadCredential, known: KnownRegistration, clock: number): Promise<CeremonyReport> {
  const { received, mistakes } = receiveRegistration(credential);
  const bytes = readRegistration(received);
  requireId(bytes);
  requireSameIds(bytes);
  const expectation = expectationOf(known);
  const algorithms = known.algorithms ?? ALGORITHMS.map(({ id }) => id);
  const missing = missingOfRegistration(known);
  const { challenge, rpId, origins } = known;
  const library =
    challenge === undefined || rpId === undefined || origins === undefined
      ? undefined
      : await verifyRegistration(bytes, { ...expectation, challenge: challenge.challenge, rpId, origins, algorithms });
  const { attestationRoots, at, credentialKnown, absentAuthorizations } = known;
  const context = registrationContext(bytes, {
    ...expectation,
    algorithms,
    attestationRoots,
    now: at,
    credentialKnown,
    absentAuthorizations,
    library,
  });
  const judged = judge(explainRegistration(context), missing, mistakes);
  return {
    kind: 'registration',
    ...judged,
    library: answerOf(library),
    difference: library && differenceOf(judged, () => libraryDifference(context, library, { failed: judged.failed, clock })),
    observations: observeRegistration(context, { options: known.options, response: credential.response }),
    encoding: mistakes,
    attestation: context.attestation(),
  };
}

/**
 * Explains an authentication, W3C WebAuthn L3 §7.2.
 *
 * @param clock the machine's time (ms).
 * @throws PasskeyError `validation_failed` when the response is no AuthenticationResponseJSON.
 */
export async function reportAuthentication(response: ReadCredential, known: KnownAuthentication, clock: number): Promise<CeremonyReport> {
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
    library,
  });
  const judged = judge(explainAuthentication(context), missing, mistakes);
  return {
    kind: 'authentication',
    ...judged,
    library: answerOf(library),
    difference: library && differenceOf(judged, () => libraryDifference(context, library, { failed: judged.failed, clock })),
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

/** Where something was left out there is nothing to compare. */
function differenceOf({ verdict }: Judged, difference: () => string | undefined): string | undefined {
  return verdict === 'undecided' ? undefined : difference();
}
