import { decodeBase64 } from '../webauthn/base64url.js';
import { decodeClientData } from '../webauthn/client-data.js';
import type { Ceremony, CeremonyStore, TakenCeremony } from './ports.js';
import { decoded, type Expectation } from './steps/context.js';

/**
 * Takes the ceremony that the client data names, which spends it. The challenge is read leniently here, so that one in a wrong
 * encoding is spent too; whether it is written as the standard wants it, §7.1 step 8 and §7.2 step 11 say.
 */
export async function takeNamedCeremony(store: CeremonyStore, clientDataJSON: Uint8Array, now: number): Promise<TakenCeremony> {
  const clientData = decoded(() => decodeClientData(clientDataJSON));
  const challenge = clientData.ok ? decodeBase64(clientData.value.challenge)?.bytes : undefined;
  return challenge === undefined ? { status: 'unknown' } : store.takeCeremony(challenge, now);
}

/**
 * What a response is held against.
 *
 * @param elsewhere what the ceremony was begun for, where that is not what the response is for; completes "issued for …".
 */
export function expectationOf(taken: TakenCeremony, elsewhere: (ceremony: Ceremony) => string | undefined): Expectation {
  if (taken.status === 'unknown') {
    return { challenge: taken, rpId: '', origins: [], topOrigins: [], userVerification: 'preferred' };
  }
  const { challenge, rpId, origins, topOrigins, userVerification } = taken.ceremony;
  const why = elsewhere(taken.ceremony);
  return {
    challenge: why === undefined ? { status: taken.status, challenge } : { status: 'elsewhere', why },
    rpId,
    origins,
    topOrigins,
    userVerification,
  };
}
