import type { AttestationReport } from '../../relying-party/attestation/verify-attestation.js';
import { type Judgement, judge, runSteps } from '../../relying-party/judge.js';
import { verifyAuthentication, verifyRegistration } from '../../relying-party/simplewebauthn.js';
import { AUTHENTICATION_STEPS } from '../../relying-party/steps/authentication.js';
import { type Expectation, loadAuthenticationContext, loadRegistrationContext, readScope } from '../../relying-party/steps/context.js';
import { REGISTRATION_STEPS } from '../../relying-party/steps/registration.js';
import type { StepReport } from '../../relying-party/steps/step.js';
import { ALGORITHMS } from '../../webauthn/algorithms.js';
import { requestedAppId } from '../../webauthn/extensions.js';
import type { ReadCredential } from '../annotate/read-credential.js';
import type { EncodingMistake } from './encoding.js';
import {
  type KnownAuthentication,
  type KnownCeremony,
  type KnownRegistration,
  type Missing,
  missingId,
  missingOfAuthentication,
  missingOfRegistration,
  readClues,
} from './known-ceremony.js';
import { type Observation, observeAuthentication, observeRegistration } from './observations.js';
import { receiveAuthentication, receiveRegistration } from './received.js';

interface LibraryAnswer {
  readonly verdict: 'accepted' | 'rejected' | 'not-asked';
  readonly reason: string | undefined;
}

/** The result of every step of a ceremony, the verdict of the verification library, and all remarks. */
export interface CeremonyReport extends Pick<Judgement, 'verdict' | 'steps' | 'failed' | 'disagreement' | 'difference' | 'decidedBy'> {
  readonly kind: 'registration' | 'authentication';
  readonly library: LibraryAnswer;
  readonly observations: readonly Observation[];
  readonly encoding: readonly EncodingMistake[];
  /** The result of each requirement on the attestation; undefined for an authentication, or if the attestation object cannot be read. */
  readonly attestation: AttestationReport | undefined;
}

/**
 * Checks a registration, W3C WebAuthn L3 §7.1, and reports on every step.
 *
 * @throws PasskeyError `validation_failed` if the response is not a RegistrationResponseJSON.
 */
export async function reportRegistration(credential: ReadCredential, known: KnownRegistration): Promise<CeremonyReport> {
  const { bytes, mistakes, absent } = receiveRegistration(credential);
  const expectation = makeExpectation(known);
  const algorithms = known.algorithms ?? ALGORITHMS.map(({ id }) => id);
  const { rpId, origins, mediation } = known;
  const { attestationRoots, selfAttestation, metadata, at, credentialKnown } = known;
  const context = await loadRegistrationContext(bytes, {
    ...expectation,
    mediation,
    algorithms,
    attestationRoots,
    selfAttestation,
    metadata,
    now: at,
    credentialKnown,
  });
  const missing = new Map([...missingOfRegistration(known, readClues(context)), ...missingId(absent)]);
  const unaffordable = hasUnreadCertificates(context.attestation());
  const challenge = issuedChallenge(known);
  const library =
    challenge === undefined || rpId === undefined || origins === undefined || unaffordable
      ? undefined
      : await verifyRegistration(context, { ...expectation, challenge, rpId, origins, algorithms, mediation });
  const steps = adaptSteps(runSteps(REGISTRATION_STEPS, context), missing, mistakes).map(withMediationHint);
  return {
    kind: 'registration',
    ...judge(steps, context, library),
    library: describeAnswer(library, unaffordable ? UNREAD_CERTIFICATES : undefined),
    observations: observeRegistration(context, { options: known.options, response: credential.response }),
    encoding: mistakes,
    attestation: context.attestation(),
  };
}

/**
 * Checks an authentication, W3C WebAuthn L3 §7.2, and reports on every step.
 *
 * @throws PasskeyError `validation_failed` if the response is not an AuthenticationResponseJSON.
 */
export async function reportAuthentication(response: ReadCredential, known: KnownAuthentication): Promise<CeremonyReport> {
  const { bytes, mistakes, absent } = receiveAuthentication(response);
  const expectation = makeExpectation(known);
  const credential = typeof known.credential === 'object' ? known.credential : undefined;
  const context = await loadAuthenticationContext(bytes, {
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
    appId: known.appId ?? requestedAppId(known.options),
  });
  const missing = new Map([...missingOfAuthentication(known, bytes, readClues(context)), ...missingId(absent)]);
  const { rpId, origins } = known;
  const challenge = issuedChallenge(known);
  const library =
    challenge === undefined || rpId === undefined || origins === undefined || credential?.publicKey === undefined
      ? undefined
      : await verifyAuthentication(
          bytes,
          { ...expectation, challenge, rpId: readScope(context), origins },
          { id: bytes.id, publicKey: credential.publicKey },
        );
  const steps = adaptSteps(runSteps(AUTHENTICATION_STEPS, context), missing, mistakes);
  return {
    kind: 'authentication',
    ...judge(steps, context, library),
    library: describeAnswer(library),
    observations: observeAuthentication(context, { options: known.options }),
    encoding: mistakes,
    attestation: undefined,
  };
}

function makeExpectation({ challenge, rpId, origins, topOrigins, userVerification }: KnownCeremony): Expectation {
  return {
    challenge: challenge ?? { status: 'unknown' },
    rpId: rpId ?? '',
    origins: origins ?? [],
    topOrigins,
    userVerification: userVerification ?? 'preferred',
  };
}

function issuedChallenge({ challenge }: KnownCeremony): Uint8Array | undefined {
  return challenge !== undefined && 'challenge' in challenge ? challenge.challenge : undefined;
}

const UNREAD_CERTIFICATES = 'a certificate of the statement is malformed or too large';

/**
 * Tells whether certificates were refused without being parsed. They are not passed to the verification library, since certificates can be
 * crafted to be slow to parse.
 */
function hasUnreadCertificates(report: AttestationReport | undefined): boolean {
  return report?.checks.some(({ slug, status }) => status === 'fail' && /(?:^|\/)certificates$/.test(slug)) === true;
}

/**
 * Describes the verdict of the verification library.
 *
 * @param whyNot why the library was not called; undefined if one of the library's inputs is missing.
 */
function describeAnswer(library: Awaited<ReturnType<typeof verifyRegistration>> | undefined, whyNot?: string): LibraryAnswer {
  if (library === undefined) {
    return { verdict: 'not-asked', reason: whyNot };
  }
  return library.verdict === 'verified' ? { verdict: 'accepted', reason: undefined } : { verdict: 'rejected', reason: library.reason };
}

const MEDIATION_HINT =
  'The authenticator must require a touch or similar (UP is not set). Only a conditional create needs none; if this was one, say so: `mediation` "conditional" (--mediation conditional).';

/**
 * Adds a hint that the expectation `mediation` may have been forgotten. Unlike a server, `explain` may not know how the page called
 * `create()`.
 */
function withMediationHint(report: StepReport): StepReport {
  return report.slug === 'user-present' && report.status === 'fail' ? { ...report, hint: MEDIATION_HINT } : report;
}

/** JSON Pointers of the members whose wrong encoding can make a step fail, by slug of the step. */
const FIELD_OF_STEP: Readonly<Record<string, string>> = {
  'client-data-text': '/response/clientDataJSON',
  'client-data': '/response/clientDataJSON',
  'attestation-object': '/response/attestationObject',
  'rp-id-hash': '/response/authenticatorData',
  signature: '/response/signature',
  'user-handle': '/response/userHandle',
};

/**
 * Replaces the result of each step that could not run with the reason. Adds a hint to each failed step that an encoding mistake explains.
 */
function adaptSteps(reports: readonly StepReport[], missing: Missing, mistakes: readonly EncodingMistake[]): StepReport[] {
  return reports.map((report): StepReport => {
    const { section, number, slug, title, failure } = report;
    const instead = missing.get(slug);
    // A key that cannot be read, or not be used, is wrong whatever was offered.
    const fails = slug === 'algorithm' && report.status === 'fail';
    return instead === undefined || fails ? withFieldHint(report, mistakes) : { section, number, slug, title, failure, ...instead };
  });
}

/** Adds a hint to a step that failed because its bytes were decoded from the wrong encoding. The encoding is then the mistake to fix. */
function withFieldHint(report: StepReport, mistakes: readonly EncodingMistake[]): StepReport {
  const mistake = mistakes.find(
    ({ pointer, mistake: kind }) => pointer === FIELD_OF_STEP[report.slug] && ['hexadecimal', 'encoded-twice', 'cut-off'].includes(kind),
  );
  return report.status === 'fail' && mistake !== undefined ? { ...report, hint: mistake.message } : report;
}
