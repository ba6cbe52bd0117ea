import { count } from '../../kernel/wording.js';
import { attestationFormat, attestationObject, attestationStatement, attestationTrust, backupFlag, trustAnchors } from './attestation.js';
import { backupFlags, extensionOutputs, rpIdHash, userPresentAtRegistration, userVerified } from './authenticator-data.js';
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
import type { RegistrationContext } from './context.js';
import { procedure, REGISTRATION_TITLES } from './procedure.js';
import { credentialId, credentialIdUnused, newRecord, registeredAlgorithm } from './registered-credential.js';
import { pass, skip } from './step.js';

/** All steps of W3C WebAuthn L3 §7.1, "Registering a New Credential", in order. */
export const REGISTRATION_STEPS = procedure<keyof typeof REGISTRATION_TITLES, RegistrationContext>('7.1', REGISTRATION_TITLES, {
  options: () => skip('done before the ceremony'),
  create: () => skip('done by the client'),
  response: ({ clientDataJSON, attestationObjectBytes }) =>
    pass(
      'clientDataJSON and attestationObject',
      [clientDataJSON, attestationObjectBytes].map(({ length }) => count(length, 'byte')).join(', '),
    ),
  'client-extension-results': clientExtensionResults,
  'client-data-text': clientDataText,
  'client-data': parseClientData,
  type: clientDataType('webauthn.create'),
  challenge: clientDataChallenge,
  origin: clientDataOrigin,
  'cross-origin': clientDataCrossOrigin,
  'top-origin': clientDataTopOrigin,
  'client-data-hash': clientDataHash,
  'attestation-object': attestationObject,
  'rp-id-hash': rpIdHash,
  'user-present': userPresentAtRegistration,
  'user-verified': userVerified,
  'backup-flags': backupFlags,
  'backup-eligibility': backupFlag('be'),
  'backup-state': backupFlag('bs'),
  algorithm: registeredAlgorithm,
  'attestation-format': attestationFormat,
  'attestation-statement': attestationStatement,
  'trust-anchors': trustAnchors,
  'attestation-trust': attestationTrust,
  'credential-id': credentialId,
  'credential-id-unused': credentialIdUnused,
  'credential-record': newRecord,
  'extension-outputs': extensionOutputs,
  store: () => skip('done if every earlier step passes'),
});
