import { isFailedCheck, PasskeyError } from '../errors.js';
import type { OperationContext } from '../kernel/events.js';
import type { OwnerRef } from '../kernel/owner.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import type { Passkey } from './credential-record.js';
import { type Judgement, judge, refusal, runSteps, stepsPass } from './judge.js';
import type { OperationDependencies } from './operation.js';
import type { Policy } from './policy.js';
import type { Ceremony, TakenCeremony } from './ports.js';
import type {
  AuthenticationContext,
  ChallengeState,
  ClientDataContext,
  Expectation,
  LibraryVerdict,
  RegistrationContext,
} from './steps/context.js';
import type { Step } from './steps/step.js';

interface Response {
  readonly kind: 'registration' | 'authentication';
  /** The credential as the client sent it. */
  readonly response: object;
  readonly context: OperationContext | undefined;
  readonly owner: OwnerRef | undefined;
  /** `required` if the user must have been verified, even if the options of the ceremony did not require it. */
  readonly userVerification?: 'required' | undefined;
}

/** Functions with which an operation ends a ceremony. Their findings become part of the event that is emitted afterwards. */
interface Ending {
  /** Time of the response, in milliseconds since the epoch. */
  readonly at: number;
  /** The passkey of the response, as soon as it is known. */
  passkey: Passkey | undefined;
  /** For a registration: number of bytes of `clientExtensionResults` that were not stored. */
  droppedExtensionBytes: number | undefined;
  /**
   * Makes the expectations for the response from the ceremony that was taken from the store.
   *
   * @param elsewhere returns the purpose of the ceremony, if the response has another purpose; completes "issued for …".
   */
  expect(taken: TakenCeremony, elsewhere: (ceremony: Ceremony) => string | undefined): Expected;
  /** Runs every step and then, if no step refuses, calls the verification library. */
  judge<Context extends RegistrationContext | AuthenticationContext>(
    procedure: readonly Step<Context>[],
    context: Context,
    askLibrary: (ceremony: Ceremony) => Promise<LibraryVerdict>,
  ): Promise<Judgement>;
  /**
   * Returns the ceremony if the response was accepted.
   *
   * @throws PasskeyError the refusal, if the response was not accepted.
   */
  accepted(judgement: Judgement): Ceremony;
}

interface Expected {
  /** The ceremony for which the challenge was issued; undefined if there is none. */
  readonly ceremony: Ceremony | undefined;
  readonly expectation: Expectation;
}

/** Ends a ceremony and emits an event with its outcome. Emits no event if the store fails, since that is not an outcome of the ceremony. */
export async function endCeremony<Result>(
  { policy, now, emit }: OperationDependencies,
  { kind, response, context = {}, owner, userVerification: atLeast }: Response,
  run: (ending: Ending) => Promise<Result>,
): Promise<Result> {
  const at = now();
  let ceremony: Ceremony | undefined;
  let challengeState: ChallengeState | undefined;
  let credentialKnown: boolean | undefined;
  let judgement: Judgement | undefined;
  const ending: Ending = {
    at,
    passkey: undefined,
    droppedExtensionBytes: undefined,
    expect(taken, elsewhere) {
      if (taken.status === 'unknown') {
        challengeState = NOTHING_EXPECTED.challenge;
        return { ceremony, expectation: NOTHING_EXPECTED };
      }
      ceremony = { ...taken.ceremony, userVerification: atLeast ?? taken.ceremony.userVerification };
      const { rpId, origins, topOrigins, userVerification } = ceremony;
      const why = elsewhere(ceremony);
      challengeState = why === undefined ? { status: taken.status, challenge: ceremony.challenge } : { status: 'elsewhere', why };
      return { ceremony, expectation: { challenge: challengeState, rpId, origins, topOrigins, userVerification } };
    },
    async judge(procedure, known, askLibrary) {
      if ('credentialKnown' in known) credentialKnown = known.credentialKnown;
      const steps = runSteps(procedure, known);
      const library = ceremony !== undefined && stepsPass(steps) ? await askLibrary(ceremony) : undefined;
      judgement = judge(steps, known, library);
      return judgement;
    },
    accepted(made) {
      if (made.verdict !== 'accepted' || ceremony === undefined) throw refusal(made);
      return ceremony;
    },
  };
  const finished = (outcome: 'verified' | 'rejected', error: PasskeyError | undefined) =>
    emit({
      type: 'ceremony-finished',
      at,
      context,
      kind,
      outcome,
      ceremony,
      challenge: challengeState,
      credentialKnown,
      response: { ...response },
      passkey: ending.passkey,
      owner,
      error,
      // What the store finds out last, such as a second registration of a credential at the same moment, fails a step too.
      decidedBy: judgement?.verdict === 'accepted' && error !== undefined ? 'steps' : judgement?.decidedBy,
      difference: judgement?.difference,
      policy: effectivePolicy(policy, ceremony),
      ...(ending.droppedExtensionBytes !== undefined && { droppedExtensionBytes: ending.droppedExtensionBytes }),
    });
  try {
    const result = await run(ending);
    finished('verified', undefined);
    return result;
  } catch (error) {
    if (error instanceof PasskeyError && isRefusal(error)) finished('rejected', error);
    throw error;
  }
}

/**
 * Reads the challenge in the client data, which identifies the ceremony. Also reads a challenge in a wrong encoding, so that it can be
 * marked as spent. §7.1 step 8 and §7.2 step 11 check the encoding.
 */
export function readChallenge(clientData: ClientDataContext['clientData']): Uint8Array | undefined {
  return clientData.ok ? decodeBase64(clientData.value.challenge)?.bytes : undefined;
}

const NOTHING_EXPECTED: Expectation = {
  challenge: { status: 'unknown' },
  rpId: '',
  origins: [],
  topOrigins: [],
  userVerification: 'preferred',
};

function isRefusal({ code }: PasskeyError): boolean {
  return isFailedCheck(code) || code === 'passkey_not_found' || code === 'validation_failed' || code === 'credential_already_registered';
}

/** Combines the relying party's policy with the options of the ceremony, which override it. */
function effectivePolicy(policy: Policy, ceremony: Ceremony | undefined): Policy {
  if (ceremony === undefined) return policy;
  const { algorithms, userVerification, topOrigins, issuedAt, expiresAt } = ceremony;
  return { ...policy, algorithms, userVerification, topOrigins, challengeTtl: expiresAt - issuedAt };
}
