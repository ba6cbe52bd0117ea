import { runSteps } from '../../../src/relying-party/judge.js';
import { readAuthentication, readRegistration } from '../../../src/relying-party/response.js';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import { authenticationContext, registrationContext } from '../../../src/relying-party/steps/context.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';
import { hasFailed } from '../../../src/relying-party/steps/step.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import {
  type AuthenticationFields,
  authenticationResponse,
  CREDENTIAL_ID,
  es256Key,
  ORIGIN,
  type RegistrationFields,
  RP_ID,
  registrationResponse,
  USER_HANDLE,
} from '../ceremony.js';
import { START } from '../world.js';

export type RegistrationExpectation = Parameters<typeof registrationContext>[1];
export type AuthenticationExpectation = Parameters<typeof authenticationContext>[1];

export const key = es256Key();
export const challenge = new Uint8Array(32).map((_, index) => index * 7 + 3);

/** What every good ceremony is held against. */
export const COMMON = {
  challenge: { status: 'open', challenge },
  rpId: RP_ID,
  origins: [ORIGIN],
  topOrigins: [],
  userVerification: 'preferred',
} as const;
/** What every good ceremony is made with. */
export const FIELDS = { key, challenge: encodeBase64url(challenge) } as const;

const CREDENTIAL: AuthenticationExpectation['credential'] = {
  id: CREDENTIAL_ID,
  publicKey: key.publicKey,
  signCount: 0,
  backupEligible: false,
  backupState: false,
  uvInitialized: true,
  userHandle: USER_HANDLE,
};

export function registrationOf(fields: Partial<RegistrationFields>, expected: Partial<RegistrationExpectation> = {}) {
  const response = registrationResponse({ ...FIELDS, ...fields });
  const context = registrationContext(readRegistration(response), {
    ...COMMON,
    algorithms: [-7, -257],
    attestationRoots: [],
    now: START,
    credentialKnown: undefined,
    ...expected,
  });
  return { response, context, failed: runSteps(REGISTRATION_STEPS, context).filter(hasFailed) };
}

export function authenticationOf(fields: Partial<AuthenticationFields>, expected: Partial<AuthenticationExpectation> = {}) {
  const response = authenticationResponse({ ...FIELDS, ...fields });
  const context = authenticationContext(readAuthentication(response), {
    ...COMMON,
    credential: CREDENTIAL,
    allowCredentials: [CREDENTIAL_ID],
    ...expected,
  });
  return { response, context, failed: runSteps(AUTHENTICATION_STEPS, context).filter(hasFailed) };
}

export const credentialWith = (change: Partial<typeof CREDENTIAL>): Partial<AuthenticationExpectation> => ({
  credential: { ...CREDENTIAL, ...change },
});
