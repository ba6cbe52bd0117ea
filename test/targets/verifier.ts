import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';

/** A library that verifies responses. What it throws, whatever that is, is a refusal. */
export interface Verifier {
  /** The credential to store; undefined where the attestation does not verify. */
  registration(response: RegistrationResponseJSON, expected: ExpectedOfRegistration): Promise<WebAuthnCredential | undefined>;
  /** The sign count to store; undefined where the signature does not verify. */
  authentication(response: AuthenticationResponseJSON, expected: ExpectedOfAuthentication): Promise<number | undefined>;
}

interface Expected {
  /** base64url */
  readonly challenge: string;
  readonly origins: readonly string[];
  readonly rpId: string;
  readonly requireUserVerification: boolean;
}

export interface ExpectedOfRegistration extends Expected {
  readonly algorithms: readonly number[];
}

export interface ExpectedOfAuthentication extends Expected {
  readonly credential: WebAuthnCredential;
  /** base64url of the user handle that the credential was made with. */
  readonly userHandle: string;
}

export const common = ({ challenge, origins, rpId, requireUserVerification }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: [...origins],
  expectedRPID: rpId,
  requireUserVerification,
});

/** @simplewebauthn/server, given everything that its documentation asks for. */
export const simpleWebAuthn: Verifier = {
  async registration(response, expected) {
    const { registrationInfo } = await verifyRegistrationResponse({
      ...common(expected),
      response,
      supportedAlgorithmIDs: [...expected.algorithms],
    });
    return registrationInfo?.credential;
  },
  async authentication(response, expected) {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...common(expected),
      response,
      credential: expected.credential,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  },
};
