import { type ErrorText, listTexts } from './row.js';

const NET = { from: 'fido2-net-lib', version: '4.0.0', source: 'passwordless-lib/fido2-net-lib Src/Fido2/Fido2ErrorMessages.cs' };
const ASP = {
  from: 'ASP.NET Core Identity',
  version: '10',
  source: 'dotnet/aspnetcore src/Identity/Core/src/PasskeyExceptionExtensions.cs',
};

/** Error messages of server libraries for .NET. */
export const DOTNET_TEXTS: readonly ErrorText[] = [
  ...listTexts(NET, [
    [
      'origin',
      'Fully qualified origin https://www.shop.example of https://www.shop.example not equal to fully qualified original origin https://shop.example (1)',
      /Fully qualified origin (?<received>\S+) of \S+ not equal to fully qualified original origin (?<origin>[^"(]*)/i,
    ],
    ['rpId', 'RPID hash does not match', /RP ?ID hash does not match(?! the hash)/i],
    [
      'userVerified',
      'User Verified flag not set in authenticator data and user verification was required',
      /User Verified flag not set in authenticator data/i,
    ],
    ['userPresent', 'User Present flag not set in authenticator data', /User Present flag not set in authenticator data/i],
    ['signature', 'Signature does not match', /\bSignature does not match\b/i],
    ['signCount', 'SignCount must be greater than the current SignatureCounter', /SignCount must be greater than/i],
    ['type', "AssertionResponse type must be 'webauthn.get'", /A(?:ssertion|ttestation)Response type must be 'webauthn/i],
    [
      'malformedResponse',
      'AssertionResponse RawId is missing',
      /A(?:ssertion|ttestation)Response (?:(?:Raw)?Id is missing|type must be 'public-key')/i,
    ],
    ['malformedKey', 'Stored public key is null or empty', /Stored public key is null/i],
    ['backupPolicy', 'Backup eligibility does not match policy requirement', /Backup (?:eligibility|state) does not match policy/i],
    [
      'algorithm',
      'Credential algorithm does not match policy requirement',
      /Credential algorithm does not match policy|Unrecognized COSE algorithm/i,
    ],
    ['registeredAlready', 'CredentialId is not unique to this user', /CredentialId is not unique/i],
    ['notAllowedCredential', 'Credential ID not in allowed credentials', /Credential ID not in allowed/i],
    ['credentialOwner', 'User is not owner of the public key identified by the credential id', /User is not owner of the public key/i],
    ['missingUserHandle', 'UserHandle was empty DOMString. It should either be null or have a value.', /UserHandle was empty/i],
    [
      'attestation',
      'Malformed AttestationObject',
      /(?:Malformed|Missing|Invalid) AttestationObject|Invalid (?:packed|TPM|android-key|fido-u2f) attestation (?:signature|algorithm)/i,
    ],
    ['attestationTrust', 'Invalid certificate chain', /Invalid certificate chain/i],
    [
      'malformedAuthenticatorData',
      'Authenticator data is less than the minimum structure length of 37',
      /Authenticator data (?:is less than the minimum|may not be null)|Not enough bytes to be a valid AttestedCredentialData/i,
    ],
  ]),
  ...listTexts({ ...NET, from: 'fido2-net-lib or ASP.NET Core Identity' }, [
    [
      'challenge',
      'Authenticator response challenge does not match original challenge',
      /Authenticator response challenge does not match original/i,
    ],
  ]),
  ...listTexts(ASP, [
    [
      'origin',
      "The authenticator response had an invalid origin 'https://www.shop.example'.",
      /authenticator response had an invalid origin '(?<received>[^']*)'/i,
    ],
    ['rpId', 'The authenticator data included an invalid Relying Party ID hash.', /included an invalid Relying Party ID hash/i],
    [
      'type',
      "Expected the client data JSON 'type' field to be 'webauthn.get', got 'webauthn.create'.",
      /Expected the client data JSON 'type' field to be/i,
    ],
    [
      'userPresent',
      "The authenticator data flags did not include the 'UserPresent' flag.",
      /flags did not (?:include|have) the 'UserPresent' flag/i,
    ],
    [
      'userVerified',
      "User verification is required, but the authenticator data flags did not have the 'UserVerified' flag.",
      /flags did not (?:include|have) the 'UserVerified' flag/i,
    ],
    [
      'backupState',
      "The credential is backed up, but the authenticator data flags did not have the 'BackupEligible' flag.",
      /credential is backed up, but the authenticator data flags/i,
    ],
    [
      'backupPolicy',
      'Credential backup eligibility is required, but the credential was not eligible for backup.',
      /Credential backup (?:eligibility )?is (?:required|disallowed)/i,
    ],
    [
      'backupEligibility',
      'The stored credential is eligible for backup, but the provided credential was unexpectedly ineligible for backup.',
      /was unexpectedly (?:in)?eligible for backup/i,
    ],
    [
      'algorithm',
      'The credential public key algorithm does not match any of the supported algorithms.',
      /public key algorithm does not match any of the supported/i,
    ],
    [
      'attestation',
      'The attestation statement was not valid.',
      /attestation statement was not valid|attestation object (?:had an invalid format|did not include)|parsing the attestation object/i,
    ],
    [
      'credentialIdEncoding',
      'The provided credential ID does not match the credential ID in the attested credential data.',
      /credential ID does not match the credential ID in the attested|does not match the credential id in the attested credential data/i,
    ],
    ['registeredAlready', 'The credential is already registered for a user.', /credential is already registered for a user/i],
    [
      'notAllowedCredential',
      'The provided credential ID was not in the list of allowed credentials.',
      /credential ID was not in the list of allowed/i,
    ],
    [
      'credentialOwner',
      'The provided credential does not belong to the specified user.',
      /provided credential does not belong to the specified user/i,
    ],
    [
      'credentialOwner',
      "The provided user handle '31' does not match the credential's user handle '32'.",
      /provided user handle '[^']*' does not match the credential's/i,
    ],
    ['missingUserHandle', 'The authenticator response was missing a user handle.', /response was missing a user handle/i],
    ['signature', 'The assertion signature was invalid.', /assertion signature was invalid/i],
    [
      'signCount',
      "The authenticator's signature counter is unexpectedly less than or equal to the stored signature counter.",
      /signature counter is unexpectedly less than/i,
    ],
    ['malformedKey', 'The credential public key was invalid.', /credential public key was invalid/i],
    [
      'malformedClientData',
      'The client data JSON had an invalid format: missing properties',
      /client data JSON (?:had an invalid format|was unexpectedly null)/i,
    ],
    [
      'malformedAuthenticatorData',
      'The authenticator data had an invalid format.',
      /authenticator data had an invalid (?:format|byte count)|attested credential data had an invalid/i,
    ],
    [
      'malformedResponse',
      'The assertion credential JSON had an invalid format: missing properties',
      /(?:assertion|attestation) credential JSON (?:had an invalid format|was unexpectedly null)|Expected credential type '/i,
    ],
    [
      'noChallenge',
      'The original passkey request options were unexpectedly null.',
      /original passkey (?:request|creation) options (?:were unexpectedly null|had an invalid format)|(?:attestation|assertion) state (?:JSON )?(?:was|were) unexpectedly null|No passkey (?:assertion|attestation) is underway|no (?:original )?passkey options/i,
    ],
  ]),
];
