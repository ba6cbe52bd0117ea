import { type ErrorText, listTexts } from './row.js';

const PHP = {
  from: 'web-auth/webauthn-framework',
  version: '4.9 and 5',
  source: 'web-auth/webauthn-framework src/webauthn/src/CeremonyStep',
};
const LARAGEAR = {
  from: 'Laragear/WebAuthn',
  version: '2.0.3',
  source: 'Laragear/WebAuthn src/Assertion/Validator/Pipes, src/SharedPipes',
};
const LARAGEAR_REGISTRATION = { ...LARAGEAR, source: 'Laragear/WebAuthn src/Attestation/Validator/Pipes' };
const LBUCHS = { from: 'lbuchs/WebAuthn', version: '2.2.0', source: 'lbuchs/WebAuthn src/WebAuthn.php' };

/** Error messages of server libraries in PHP. */
export const PHP_TEXTS: readonly ErrorText[] = [
  ...listTexts(PHP, [
    ['topOrigin', 'The top origin does not correspond to the host.', /top origin does not correspond/i],
    [
      'origin',
      'Invalid origin. Not in the list of allowed origins.',
      /Invalid origin\.? (?:Not in the list of allowed|Subdomains are not allowed|rpId)|Invalid origin rpId/i,
    ],
    ['origin', 'Invalid scheme. HTTPS required.', /Invalid scheme\. HTTPS required|\brpId mismatch/i],
    ['rpId', 'rpId hash mismatch.', /rpId hash mismatch/i],
    ['userVerified', 'User authentication required.', /User authentication required/],
    ['userPresent', 'User was not present', /User was not present(?! during)/i],
    ['signCount', 'Invalid counter.', /Invalid counter\b/i],
    ['unknownCredential', 'The credential ID is invalid.', /The credential ID is invalid/i],
    ['notAllowedCredential', 'The credential ID is not allowed.', /The credential ID is not allowed/i],
    ['credentialOwner', 'Invalid user handle', /Invalid user ?handle/i],
    ['backupState', 'Backup up bit is set but the backup is not eligible.', /Backup up bit is set/i],
    [
      'attestation',
      'Unsupported attestation statement format.',
      /Unsupported attestation statement format|Invalid attestation (?:statement|object|type)/i,
    ],
    [
      'malformedAuthenticatorData',
      'There is no attested credential data.',
      /There is no attested credential data|Presence of extra bytes/i,
    ],
  ]),
  ...listTexts({ ...LBUCHS, from: 'web-auth/webauthn-framework or lbuchs/WebAuthn' }, [
    ['challenge', 'Invalid challenge.', /\bInvalid challenge\b/i],
  ]),
  ...listTexts({ ...PHP, from: 'python-fido2 or web-auth/webauthn-framework' }, [
    ['signature', 'Invalid signature.', /\bInvalid signature(?!:)/],
  ]),
  ...listTexts(LARAGEAR, [
    [
      'credentialOwner',
      'Assertion Error: User ID is not owner of the stored credential.',
      /User (?:ID )?is not owner of the stored credential/i,
    ],
    ['type', 'Client Data type is not [webauthn.get].', /Client Data type is not \[?webauthn|Response is not for creating WebAuthn/i],
    ['signCount', 'Credential counter not over stored counter.', /Credential counter not over stored/i],
    ['signature', 'Signature is invalid.', /\bSignature is (?:invalid|empty)/i],
    ['malformedKey', 'Public key is invalid: error:0909006C:PEM routines', /\bPublic key is invalid\b/i],
    [
      'malformedAuthenticatorData',
      'Authenticator Data does not exist or is empty.',
      /Authenticator Data (?:does not exist|or Client Data JSON are empty|: Invalid input|is missing or invalid)|Attested data (?:is missing|should be present)/i,
    ],
    ['malformedResponse', 'Response type is not [public-key].', /Response type is not \[?public-key/i],
    ['notAllowedCredential', 'Credential is not on accepted list.', /Credential is not on accepted list/i],
    ['unknownCredential', 'Credential ID does not exist.', /Credential ID does not exist/i],
    ['unknownCredential', 'Credential ID is blacklisted.', /Credential ID is blacklisted/i],
    ['challenge', 'Response challenge is not equal.', /Response challenge is not equal|Response has an empty challenge/i],
    ['noChallenge', 'Challenge does not exist.', /\bChallenge does not exist/i],
    ['origin', 'Response origin is invalid.', /Response (?:origin is invalid|has an empty origin)/i],
    ['origin', 'Response not made to a secure server (localhost or HTTPS).', /Response not made to a secure server/i],
    ['rpId', 'Response has different Relying Party ID hash.', /different Relying Party ID hash/i],
    ['rpId', 'Relying Party ID not scoped to current.', /Relying Party ID (?:not scoped to current|is invalid)/i],
    ['userPresent', 'Response did not have the user present.', /Response did not have the user present/i],
    ['userVerified', 'Response did not verify the user.', /Response did not verify the user/i],
    ['malformedClientData', 'Client Data JSON is invalid or malformed.', /Client Data JSON (?:is (?:invalid|empty)|does not contain)/i],
  ]),
  ...listTexts(LARAGEAR_REGISTRATION, [
    ['registeredAlready', 'Attestation Error: Credential ID already exists in the database.', /Credential ID already exists/i],
    [
      'attestation',
      'Format name [packed] is invalid.',
      /Format name \[[^\]]*\] is invalid|(?:Format|Statement) is missing or invalid|CBOR Object is anything but an array/i,
    ],
  ]),
  ...listTexts(LBUCHS, [
    ['origin', 'invalid origin', /\binvalid origin\b(?! ['"]|\.? (?:in|not in|rpId|subdomains))/i],
    ['rpId', 'invalid rpId hash', /invalid rp_?Id hash/i],
    ['userPresent', 'user not present during authentication', /\buser not present during authentication/],
    ['userVerified', 'user not verificated during authentication', /user not verifi(?:cat)?ed during authentication/i],
    ['signature', 'invalid signature', /\binvalid signature(?!:)/],
    ['signCount', 'signature counter not valid', /signature counter not valid/i],
    ['malformedClientData', 'invalid client data', /invalid client data/i],
    ['malformedKey', 'public key invalid', /\bpublic key invalid\b/i],
    [
      'malformedAuthenticatorData',
      'Invalid authenticatorData input',
      /Invalid authenticatorData input|credential (?:data|id) not included in authenticator data/i,
    ],
    ['attestation', 'invalid attestation format: packed', /invalid att?testation format:|invalid atttestation format/i],
    [
      'attestationTrust',
      'invalid root certificate',
      /WebAuthnException: invalid (?:root|x5c) certificate|error on validating root certificate|invalid root certificate/i,
    ],
    ['base64', 'ByteBuffer: Invalid base64 url string', /ByteBuffer: Invalid base64/i],
  ]),
  ...listTexts(LBUCHS, [['type', 'invalid type', /\binvalid type\b(?! ?:| of| for)/i]], 'words'),
];
