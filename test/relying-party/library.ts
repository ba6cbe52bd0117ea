import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../src/webauthn/json.js';
import { CREDENTIAL_ID, ORIGIN, RP_ID, type TestKey } from './ceremony.js';

/** The library by itself, told what a careful relying party would tell it. */
export const libraryRegistration = ({ id, rawId, response }: RegistrationResponseJSON, expectedChallenge: string) =>
  verifyRegistrationResponse({
    response: {
      id,
      rawId,
      type: 'public-key',
      response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge,
    expectedOrigin: ORIGIN,
    expectedRPID: RP_ID,
    supportedAlgorithmIDs: [-7, -257],
  });

export const libraryAuthentication = (sent: AuthenticationResponseJSON, expectedChallenge: string, { publicKey }: TestKey, counter = 0) =>
  verifyAuthenticationResponse({
    response: {
      id: sent.id,
      rawId: sent.rawId,
      type: 'public-key',
      response: {
        clientDataJSON: sent.response.clientDataJSON,
        authenticatorData: sent.response.authenticatorData,
        signature: sent.response.signature,
      },
      clientExtensionResults: {},
    },
    expectedChallenge,
    expectedOrigin: ORIGIN,
    expectedRPID: RP_ID,
    credential: { id: encodeBase64url(CREDENTIAL_ID), publicKey: Uint8Array.from(publicKey), counter },
  });
