import { equalBytes } from '../kernel/bytes.js';
import type { JsonObject } from '../kernel/json-value.js';
import type { ChallengeState } from '../relying-party/steps/context.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import type { CeremonyKind, RequirementLevel } from '../webauthn/enumerations.js';
import type { ReadCredential } from './annotate/read-credential.js';
import type { KnownError } from './document-schema.js';
import type { Expectations } from './expectations.js';
import { lookUp } from './metadata.js';
import type { KnownAuthentication, KnownCeremony, KnownCredential, KnownRegistration } from './report/known-ceremony.js';
import type { Observation } from './report/observations.js';
import type { ServerAnswer } from './server-answer.js';

/** A credential and the known facts about its ceremony, ready to be explained. */
export type CeremonyInput = {
  /** Distinguishes this ceremony from others of the same input, e.g. the name of a fixture. */
  readonly name: string | undefined;
  readonly credential: ReadCredential;
  /** The outcome of the ceremony that the recording states. */
  readonly expected: JsonObject | undefined;
  /** The relying party's response to the request with the credential, if recorded. */
  readonly answer: ServerAnswer | undefined;
  /** Whether the request with the credential was recorded without a response. */
  readonly isUnanswered?: boolean;
  /** A mistake in the client's session that the recording shows, such as a missing cookie. */
  readonly recordedError?: KnownError | undefined;
  /** A mistake that is certainly in the request, even if the server's error names another one. */
  readonly certainError?: KnownError | undefined;
  /** Remarks to add to the report of the ceremony. They come from the FIDO metadata, or from the server that began the ceremony. */
  readonly observations: readonly Observation[];
  /** Facts that are missing in the input and were looked up elsewhere, each with its source. */
  readonly knownFrom: readonly KnownFrom[];
} & (
  | { readonly kind: 'registration'; readonly known: KnownRegistration }
  | { readonly kind: 'authentication'; readonly known: KnownAuthentication }
);

/** Facts that a recording contains about its ceremony. Expectations of the caller override them. */
export interface Recorded
  extends Partial<Pick<KnownCeremony, 'rpId' | 'origins' | 'challenge' | 'topOrigins' | 'userVerification' | 'options'>>,
    Partial<Pick<KnownRegistration, 'mediation' | 'algorithms' | 'attestationRoots' | 'selfAttestation' | 'credentialKnown'>>,
    Partial<Pick<KnownAuthentication, 'credential' | 'allowCredentials'>>,
    Pick<KnownCeremony, 'at'> {
  readonly name?: string;
  readonly expected?: JsonObject;
  readonly answer?: ServerAnswer | undefined;
}

/** Facts that were missing in the input and were looked up elsewhere, with their source. */
export interface KnownFrom {
  /** `ceremony`: the facts come from a ceremony that the server began; `passkey`: from a credential record in its store. */
  readonly source: 'ceremony' | 'passkey';
  /** Names of the facts, such as `challenge`, `origins`, `public_key`. */
  readonly facts: readonly string[];
  /** One sentence that names the ceremony or passkey. */
  readonly message: string;
}

/** Facts about one ceremony that its input lacks. */
export interface Known {
  readonly recorded: Partial<Recorded>;
  readonly from: readonly KnownFrom[];
  readonly observations: readonly Observation[];
}

/** Looks up facts about the response of a ceremony; undefined if there are none. */
export type Knowledge = (kind: CeremonyKind, credential: ReadCredential) => Promise<Known | undefined>;

/** Combines the facts of a recording and the caller's expectations into one ceremony. */
export function makeCeremony(
  kind: 'registration' | 'authentication',
  credential: ReadCredential,
  recorded: Recorded,
  expectations: Expectations,
): CeremonyInput {
  const { name, expected, answer } = recorded;
  const common = {
    rpId: expectations.rpId ?? recorded.rpId,
    origins: expectations.origins ?? recorded.origins,
    challenge: expectations.challenges ? challengeState(credential, expectations.challenges) : recorded.challenge,
    topOrigins: expectations.topOrigins ?? recorded.topOrigins ?? [],
    userVerification: UV_LEVELS.get(expectations.requireUv) ?? recorded.userVerification,
    options: recorded.options,
    at: expectations.at ?? recorded.at,
  };
  if (kind === 'authentication') {
    const { allowCredentials = [] } = recorded;
    const known = { ...common, credential: completeRecord(recorded.credential, expectations), allowCredentials, appId: expectations.appId };
    return { name, credential, expected, answer, observations: [], knownFrom: [], kind, known };
  }
  const model = expectations.metadata && lookUp(expectations.metadata, credential);
  const { credentialKnown } = recorded;
  const algorithms = expectations.algorithms ?? recorded.algorithms;
  const attestationRoots = [...(expectations.roots ?? recorded.attestationRoots ?? []), ...(model?.roots ?? [])];
  const mediation = expectations.mediation ?? recorded.mediation;
  const selfAttestation = expectations.selfAttestation ?? recorded.selfAttestation;
  const known = { ...common, mediation, algorithms, attestationRoots, selfAttestation, credentialKnown };
  return { name, credential, expected, answer, observations: model?.observations ?? [], knownFrom: [], kind, known };
}

/** Levels of `userVerification`, by whether user verification is required. */
const UV_LEVELS: ReadonlyMap<boolean | undefined, RequirementLevel> = new Map([
  [true, 'required'],
  [false, 'preferred'],
]);

/** Completes a ceremony with facts that the caller has looked up. */
export function withKnown(input: CeremonyInput, { from, observations }: Known): CeremonyInput {
  return { ...input, knownFrom: [...input.knownFrom, ...from], observations: [...input.observations, ...observations] };
}

const UNKNOWN: KnownCredential = {
  publicKey: undefined,
  signCount: undefined,
  backupEligible: undefined,
  backupState: undefined,
  userHandle: undefined,
};

function completeRecord(
  recorded: KnownAuthentication['credential'],
  { publicKey, signCount, backupEligible }: Expectations,
): KnownAuthentication['credential'] {
  if (recorded === 'unregistered') return recorded;
  if (recorded === undefined && [publicKey, signCount, backupEligible].every((value) => value === undefined)) return undefined;
  const base = recorded ?? UNKNOWN;
  return {
    ...base,
    publicKey: publicKey ?? base.publicKey,
    signCount: signCount ?? base.signCount,
    backupEligible: backupEligible ?? base.backupEligible,
  };
}

/**
 * Chooses one of the possible decodings of the expected challenge: the one that equals the challenge in the client data, otherwise the
 * first.
 */
export function challengeState(
  credential: ReadCredential,
  readings: readonly Uint8Array[],
): Extract<ChallengeState, { readonly challenge: Uint8Array }> | undefined {
  const received = readChallenge(credential);
  const challenge = readings.find((reading) => received !== undefined && equalBytes(reading, received)) ?? readings[0];
  return challenge && { status: 'open', challenge };
}

/** Reads the challenge in the client data. Returns undefined if the client data cannot be read; one of the steps reports that. */
export function readChallenge({ clientDataJSON: { decoded } }: ReadCredential): Uint8Array | undefined {
  return decoded?.ok === true ? decodeBase64(decoded.value.challenge)?.bytes : undefined;
}
