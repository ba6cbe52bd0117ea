import { type ErrorText, listTexts } from './row.js';

const GO = { from: 'go-webauthn', version: '0.16.5', source: 'go-webauthn/webauthn protocol/client.go' };
const GO_AUTHENTICATOR = { ...GO, source: 'go-webauthn/webauthn protocol/authenticator.go' };
const GO_PROTOCOL = { ...GO, source: 'go-webauthn/webauthn protocol/credential.go, protocol/assertion.go, protocol/attestation.go' };
const GO_LOGIN = { ...GO, source: 'go-webauthn/webauthn webauthn/login.go, webauthn/registration.go' };
const RUST = { from: 'webauthn-rs', version: '0.5.2', source: 'kanidm/webauthn-rs webauthn-rs-core/src/error.rs' };

/** Error messages of server libraries in Go and Rust. */
export const GO_AND_RUST_TEXTS: readonly ErrorText[] = [
  ...listTexts(GO, [
    ['topOrigin', 'Error validating top origin', /Error validating top ?origin/i],
    [
      'origin',
      'Error validating origin: Expected Values: [http://localhost:3000], Received: http://localhost:5173',
      /Error validating origin(?:[^]*?Expected Values?: \[(?<origin>[^\]]*)\](?:,? Received: (?<received>[^\s"',}]+))?)?/i,
    ],
    ['challenge', 'Error validating challenge', /Error validating challenge|Stored challenge and received challenge do not match/i],
    ['type', 'Error validating ceremony type', /Error validating ceremony type/i],
    ['crossOrigin', 'Error validating cross origin flag', /Error validating cross.?origin flag|cross origin flag is invalid/i],
  ]),
  ...listTexts(GO_AUTHENTICATOR, [
    ['rpId', 'RP Hash mismatch. Expected 49960de5 and Received 0a1b2c3d', /RP Hash mismatch/i],
    ['userPresent', 'User presence required but flag not set by authenticator', /User presence required but flag not set/i],
    ['userVerified', 'User verification required but flag not set by authenticator', /User verification required but flag not set/i],
    [
      'malformedAuthenticatorData',
      'Authenticator data length too short',
      /Authenticator (?:attestation )?data (?:credential id )?length too (?:short|long)|Attested credential flag (?:set but data is missing|not set)|Error verifying the authenticator data/i,
    ],
  ]),
  ...listTexts(GO_PROTOCOL, [
    [
      'signature',
      'Error validating the assertion signature',
      /Error validating the assertion signature|Assertion Signature against auth data|Signature is not valid for the credential public key/i,
    ],
    [
      'algorithm',
      'Credential public key algorithm not supported',
      /Credential public key algorithm (?:is )?not supported|^.{0,80}Unsupported public key algorithm/i,
    ],
    ['missingCredentialId', 'CredentialAssertionResponse with ID missing', /Credential(?:Assertion|Creation)Response with ID missing/i],
    [
      'credentialIdEncoding',
      'CredentialAssertionResponse with ID not base64url encoded',
      /Credential(?:Assertion|Creation)Response with ID (?:not base64|that (?:decodes|does not match))|ID not base64\.RawURLEncoded|\bID does not match rawId/i,
    ],
    [
      'malformedResponse',
      'Parse error for Assertion',
      /Parse error for (?:Assertion|Registration)|Error parsing attestation response|CredentialAssertionResponse with bad type|Error parsing the authenticator response/i,
    ],
    [
      'attestation',
      'Invalid attestation format',
      /Invalid attestation (?:format|data)(?!:)|Error validating the attestation data provided|Attestation format none with attestation present/i,
    ],
    ['aaguid', 'Credential has an AAGUID which is not permitted', /AAGUID which is (?:not permitted|prohibited)/i],
    [
      'attestationTrust',
      'Failed to validate credential record metadata',
      /Failed to validate credential record metadata|Error validating x5c cert chain/i,
    ],
  ]),
  ...listTexts(GO_LOGIN, [
    [
      'backupEligibility',
      'Backup Eligible flag inconsistency detected during login validation',
      /Backup Eligible flag inconsistency|BackupEligible flag (?:inconsistency|mismatch)/i,
    ],
    [
      'backupState',
      'Backup State Flag is true but Backup Eligible flag is false which is invalid',
      /Backup State Flag is true but Backup Eligible/i,
    ],
    ['expiredChallenge', 'Session has Expired', /Session has Expired/],
    [
      'unknownCredential',
      'Unable to find the credential for the returned credential ID',
      /Unable to find the credential for the returned/i,
    ],
    ['unknownCredential', 'Found no credentials for user', /Found no credentials for user/i],
    [
      'notAllowedCredential',
      'User does not own all credentials from the allowed credential list',
      /User does not own all credentials|not in the sessions? allowed credential list/i,
    ],
    [
      'credentialOwner',
      'User handle and User ID do not match',
      /User handle and User ID do not match|credential ID provided is not owned by the user|ID mismatch for User and Session/i,
    ],
    [
      'missingUserHandle',
      'Client-side Discoverable Assertion was attempted with a blank User Handle',
      /Discoverable Assertion was attempted with a blank/i,
    ],
    [
      'unknownUser',
      'Failed to lookup Client-side Discoverable Credential: handler returned a nil user',
      /Failed to look ?up Client-side Discoverable Credential/i,
    ],
  ]),
  ...listTexts(RUST, [
    ['origin', 'The clients relying party origin does not match our servers information', /clients relying party origin does not match/i],
    [
      'rpId',
      'The clients relying party id hash does not match the hash of our relying party id',
      /clients relying party id hash does not match/i,
    ],
    [
      'challenge',
      'The client response challenge differs from the latest challenge issued to the userId',
      /client response challenge differs/i,
    ],
    ['noChallenge', 'There are no challenges associated to the UserId', /There are no challenges associated/i],
    ['type', 'The JSON from the client did not indicate webauthn.<method> correctly', /JSON from the client did not indicate webauthn/i],
    ['userVerified', 'The user verified bit is not set, and required by policy', /user verified bit is not set/i],
    ['userPresent', 'The user present bit is not set, and required', /user present bit is not set/i],
    ['unknownCredential', 'The credential requested could not be found', /credential requested could not be found/i],
    ['algorithm', 'A credential alg that was not allowed in the request was attempted.', /credential alg that was not allowed/i],
    [
      'backupEligibility',
      'The backup (passkey) eligibility of this device has changed, meaning it must be re-enrolled for security validation',
      /backup \(passkey\) eligibility of this device has changed/i,
    ],
    ['backupState', 'This key has an invalid backup state flag', /key has an invalid backup state/i],
    [
      'registeredAlready',
      'A credential that was excluded in the request attempted to register.',
      /credential that was excluded in the request attempted|The credential already exists/i,
    ],
    ['signCount', 'The credential may have be compromised and should be inspected', /credential may have (?:been|be) compromised/i],
    ['attestationTrust', 'The attestation trust could not be established', /attestation trust could not be established/i],
    [
      'aaguid',
      'The attestation CA that was trusted limits the aaguids allowed, this device is not a member of that set',
      /limits the aaguids allowed/i,
    ],
  ]),
];
