import { allowedCredential, backupEligibility, responseMembers, signature, signCount, updatedRecord, userHandle } from './assertion.js';
import { backupFlags, extensionOutputs, rpIdHashOfAssertion, userPresent, userVerified } from './authenticator-data.js';
import {
  clientDataChallenge,
  clientDataCrossOrigin,
  clientDataHash,
  clientDataOrigin,
  clientDataText,
  clientDataTopOrigin,
  clientDataType,
  clientExtensionResults,
  parseClientData,
} from './client-data.js';
import type { AuthenticationContext } from './context.js';
import { AUTHENTICATION_TITLES, procedure } from './procedure.js';
import { pass, skip } from './step.js';

/** All steps of W3C WebAuthn L3 §7.2, "Verifying an Authentication Assertion", in order. */
export const AUTHENTICATION_STEPS = procedure<keyof typeof AUTHENTICATION_TITLES, AuthenticationContext>('7.2', AUTHENTICATION_TITLES, {
  options: () => skip('done before the ceremony'),
  get: () => skip('done by the client'),
  response: () => pass('an assertion', 'an assertion'),
  'client-extension-results': clientExtensionResults,
  'allow-credentials': allowedCredential,
  'user-handle': userHandle,
  'response-members': responseMembers,
  'client-data-text': clientDataText,
  'client-data': parseClientData,
  type: clientDataType('webauthn.get'),
  challenge: clientDataChallenge,
  origin: clientDataOrigin,
  'cross-origin': clientDataCrossOrigin,
  'top-origin': clientDataTopOrigin,
  'rp-id-hash': rpIdHashOfAssertion,
  'user-present': userPresent,
  'user-verified': userVerified,
  'backup-flags': backupFlags,
  'backup-eligibility': backupEligibility,
  'client-data-hash': clientDataHash,
  signature,
  'sign-count': signCount,
  'extension-outputs': extensionOutputs,
  'credential-record': updatedRecord,
  continue: () => skip('done if every earlier step passes'),
});
