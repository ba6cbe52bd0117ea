import { PasskeyError } from '../errors.js';
import type { OperationContext } from '../kernel/events.js';
import type { OwnerRef } from '../kernel/owner.js';
import { formatAaguid, providerName } from '../webauthn/aaguid.js';
import type { NewPasskey, Passkey } from './credential-record.js';
import { endCeremony, readChallenge } from './end-ceremony.js';
import { runSteps } from './judge.js';
import { keptExtensionResults, requireModestSize } from './limits.js';
import type { OperationDependencies } from './operation.js';
import type { Ceremony } from './ports.js';
import { type ReceivedRegistration, readRegistration } from './response.js';
import { verifyRegistration } from './simplewebauthn.js';
import { readTrust } from './steps/attestation.js';
import { loadRegistrationContext, type RegistrationContext } from './steps/context.js';
import { initialState } from './steps/registered-credential.js';
import { REGISTRATION_STEPS } from './steps/registration.js';
import { hasFailed, stepError } from './steps/step.js';

export interface RegisterInput {
  /** Owner of the new passkey. Must be the owner for whom the ceremony was begun. */
  readonly owner: OwnerRef;
  readonly response: ReceivedRegistration;
  /** Label of the passkey. If absent or empty, the name of the passkey provider according to the AAGUID is used, or "Passkey". */
  readonly label?: string | null | undefined;
  readonly context?: OperationContext;
}

/**
 * Finishes a registration, W3C WebAuthn L3 §7.1.
 *
 * @throws PasskeyError `validation_failed`, the code of the failed check, `credential_already_registered`, `too_many_passkeys`, or
 * `payload_too_large`.
 */
export async function register(dependencies: OperationDependencies, input: RegisterInput): Promise<Passkey> {
  const { store, policy } = dependencies;
  const { owner, response, context } = input;
  return endCeremony(dependencies, { kind: 'registration', response, context, owner }, async (ending) => {
    const received = readRegistration(response);
    const challenge = readChallenge(received.clientData);
    const taken = challenge && (await store.takeCeremony(challenge, ending.at));
    const { ceremony, expectation } = ending.expect(taken ?? { status: 'unknown' }, (begun) => otherPurpose(begun, owner));
    const known = await loadRegistrationContext(received, {
      ...expectation,
      mediation: ceremony?.mediation,
      algorithms: ceremony?.algorithms ?? [],
      attestationRoots: policy.attestationRoots,
      selfAttestation: policy.selfAttestation,
      metadata: policy.metadata,
      now: ending.at,
      credentialKnown: (await store.findPasskeyByCredentialId(received.id)) !== undefined,
    });
    const judgement = await ending.judge(REGISTRATION_STEPS, known, (begun) => verifyRegistration(known, begun));
    const { kept, dropped } = keptExtensionResults(known.clientExtensionResults);
    const passkey = newPasskey({ ...known, clientExtensionResults: kept }, ending.accepted(judgement), input);
    requireModestSize(passkey);
    ending.droppedExtensionBytes = dropped;
    ending.passkey = await insert(dependencies, passkey, known);
    return ending.passkey;
  });
}

function otherPurpose({ kind, owner }: Ceremony, registering: OwnerRef): string | undefined {
  if (kind !== 'registration' || owner === undefined) {
    return 'an authentication; request options from register/options';
  }
  return owner.type === registering.type && owner.id === registering.id ? undefined : 'another user; register as the user who requested it';
}

/** Makes the passkey that the store will contain (§7.1 steps 27 and 29). */
function newPasskey(context: RegistrationContext, ceremony: Ceremony, { owner, label, response }: RegisterInput): NewPasskey {
  const { clientData, attestationObject, authenticatorData } = context;
  const attestation = context.attestation();
  const attested = authenticatorData?.ok === true ? authenticatorData.value.attestedCredentialData : undefined;
  if (!clientData.ok || !attestationObject.ok || !attestation || authenticatorData?.ok !== true || !attested || !ceremony.userHandle) {
    throw new PasskeyError(
      'internal_error',
      'A registration was accepted although it cannot be read. This is a bug in passkey. Please report it.',
    );
  }
  const aaguid = formatAaguid(attested.aaguid);
  return {
    owner: { type: owner.type, id: owner.id },
    userHandle: ceremony.userHandle,
    rpId: ceremony.rpId,
    rpName: ceremony.rpName ?? ceremony.rpId,
    origin: clientData.value.origin,
    label: label?.trim() ? label : (providerName(aaguid) ?? 'Passkey'),
    credential: {
      id: attested.credentialId,
      publicKey: attested.credentialPublicKey,
      transports: keptTransports(response.response.transports ?? []),
      ...initialState(authenticatorData.value),
      attestationObject: context.attestationObjectBytes,
      attestationClientDataJSON: context.clientDataJSON,
    },
    aaguid,
    attestation: {
      format: attestationObject.value.fmt,
      trust: readTrust(attestation),
    },
    authenticatorAttachment: response.authenticatorAttachment ?? undefined,
    clientExtensionResults: context.clientExtensionResults,
    challenge: ceremony.challenge,
    createdAt: context.now,
  };
}

const MAX_TRANSPORTS = 16;
const MAX_TRANSPORT_LENGTH = 32;

/**
 * Selects the transports to store. Keeps unknown transports (§5.2.1.1), but limits their number, since the options of every later ceremony
 * of the user repeat them.
 */
export function keptTransports(transports: readonly string[]): string[] {
  const plausible = transports.filter((transport) => typeof transport === 'string' && transport.length <= MAX_TRANSPORT_LENGTH);
  return [...new Set(plausible)].slice(0, MAX_TRANSPORTS);
}

/**
 * Inserts the new passkey into the store. If two registrations of one credential run at the same time, the store accepts one, and the other
 * fails at §7.1 step 26.
 */
async function insert({ store, maxPasskeys }: OperationDependencies, passkey: NewPasskey, context: RegistrationContext): Promise<Passkey> {
  try {
    return await store.insertPasskey(passkey, { maxLive: maxPasskeys });
  } catch (error) {
    const failed =
      error instanceof PasskeyError && error.code === 'credential_already_registered'
        ? runSteps(REGISTRATION_STEPS, { ...context, credentialKnown: true }).find(hasFailed)
        : undefined;
    throw failed === undefined ? error : stepError(failed, error);
  }
}
