import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import type { KnownAuthentication, KnownCredential, KnownRegistration } from '../../../src/explain/report/known-ceremony.js';
import { reportAuthentication, reportRegistration } from '../../../src/explain/report/report.js';
import {
  type AuthenticationFields,
  authenticationResponse,
  CREDENTIAL_ID,
  type RegistrationFields,
  registrationResponse,
  USER_HANDLE,
} from '../../relying-party/ceremony.js';
import { COMMON, FIELDS, key } from '../../relying-party/diagnosis/explained.js';
import { START } from '../../relying-party/world.js';

export const knownCeremony = { ...COMMON, options: undefined, at: START } as const;

export const knownRegistration: KnownRegistration = { ...knownCeremony, algorithms: [-7], attestationRoots: [], credentialKnown: false };

export const knownCredential: KnownCredential = {
  publicKey: key.publicKey,
  signCount: 0,
  backupEligible: false,
  backupState: false,
  userHandle: USER_HANDLE,
};

export const knownAuthentication: KnownAuthentication = {
  ...knownCeremony,
  credential: knownCredential,
  allowCredentials: [CREDENTIAL_ID],
};

/** The report on a registration that is good but for these fields, by one who knows all but for `known`. */
export const registered = (fields: Partial<RegistrationFields> = {}, known: Partial<KnownRegistration> = {}) => {
  const expected = { ...knownRegistration, ...known };
  return reportRegistration(readCredential({ ...registrationResponse({ ...FIELDS, ...fields }) }), expected);
};

export const authenticated = (fields: Partial<AuthenticationFields> = {}, known: Partial<KnownAuthentication> = {}) => {
  const expected = { ...knownAuthentication, ...known };
  return reportAuthentication(readCredential({ ...authenticationResponse({ ...FIELDS, ...fields }) }), expected);
};
