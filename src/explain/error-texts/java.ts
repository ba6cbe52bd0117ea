import { type ErrorText, listTexts } from './row.js';

const YUBICO = {
  from: 'java-webauthn-server',
  version: '2.7.0',
  source: 'Yubico/java-webauthn-server webauthn-server-core/src/main/java/com/yubico/webauthn/FinishAssertionSteps.java',
};
const FOR_J = {
  from: 'webauthn4j',
  version: '0.31.9',
  source: 'webauthn4j/webauthn4j webauthn4j-core/src/main/java/com/webauthn4j/verifier',
};
const KEYCLOAK = {
  from: 'Keycloak',
  version: '26.6',
  source: 'keycloak/keycloak themes/src/main/resources/theme/base/login/messages/messages_en.properties',
};
const KEYCLOAK_REGISTER = {
  ...KEYCLOAK,
  source: 'keycloak/keycloak services/src/main/java/org/keycloak/authentication/requiredactions/WebAuthnRegister.java',
};

/** Error messages of server libraries in Java, and of Keycloak. */
export const JAVA_TEXTS: readonly ErrorText[] = [
  ...listTexts(YUBICO, [
    [
      'origin',
      'Incorrect origin, please see the RelyingParty.origins setting: https://www.shop.example',
      /Incorrect origin(?:, please see the RelyingParty\.origins setting)?: (?<received>[^\s"']+)/i,
    ],
    ['challenge', 'Incorrect challenge.', /Incorrect challenge\b/i],
    ['rpId', 'Wrong RP ID hash.', /Wrong RP ID hash(?! in response)/i],
    [
      'type',
      'The "type" in the client data must be exactly "webauthn.get", was: webauthn.create',
      /"type" in the client data must be exactly/i,
    ],
    ['userPresent', 'User Presence is required.', /User Presence is required/i],
    ['userVerified', 'User Verification is required.', /User Verification is required(?!,? but)(?! for )/i],
    ['signature', 'Invalid assertion signature.', /Invalid assertion signature/i],
    [
      'unknownCredential',
      'Unknown credential. Credential ID: ByteArray(7a1f), user handle: ByteArray(31)',
      /Unknown credential(?:: |\. Credential ID)/,
    ],
    [
      'credentialOwner',
      'User handle ByteArray(31) does not own credential ByteArray(7a1f)',
      /User handle (?:\S+ )?does not own (?:the |this )?credential|User handle in request \([^)]*\) does not match user handle in response/i,
    ],
    ['unknownUser', 'Unknown username: ada', /Unknown (?:username|user handle)\b/i],
    [
      'unknownUser',
      'Could not identify user to authenticate: none of requested username, requested user handle or response user handle are set.',
      /Could not identify user to authenticate/i,
    ],
    ['notAllowedCredential', 'Unrequested credential ID: ByteArray(7a1f)', /Unrequested credential ID/i],
    [
      'algorithm',
      'Unrequested credential key algorithm: got -8, expected one of: [-7, -257]',
      /Unrequested credential key algorithm: got -?\d+, expected one of: \[(?<algorithms>[^\]]*)\]/i,
    ],
    ['registeredAlready', 'Credential ID is already registered: ByteArray(7a1f)', /Credential ID is already registered/i],
    [
      'signCount',
      'Signature counter must increase. Current value: 9, received value: 7',
      /Signature counter must increase\. Current value: (?<signCount>\d+)/i,
    ],
    ['malformedKey', 'Failed to decode public key: Credential ID: 7a1f COSE: a501', /Failed to decode public key: Credential ID/i],
    [
      'attestationTrust',
      'Failed to derive trust for attestation key.',
      /Failed to (?:derive trust for attestation key|check attestation trust path|resolve attestation trust path)/i,
    ],
    ['attestation', 'Invalid attestation signature.', /Invalid attestation signature/i],
  ]),
  ...listTexts(FOR_J, [
    [
      'topOrigin',
      "The collectedClientData topOrigin 'https://portal.example' doesn't match any of the preconfigured server topOrigin.",
      /collectedClientData topOrigin '[^']*' doesn't match/i,
    ],
    [
      'origin',
      "The collectedClientData origin 'https://www.shop.example' doesn't match expected: https://shop.example",
      /collectedClientData (?:origin )?'(?<received>[^']*)' (?:origin )?doesn't match(?: expected: (?<origin>\S+))?/i,
    ],
    ['challenge', 'The actual challenge does not match the expected challenge.', /actual challenge does not match the expected challenge/i],
    [
      'noChallenge',
      "The server doesn't have a challenge. The client must request the server to issue the challenge before WebAuthn operations.",
      /server doesn't have a challenge/i,
    ],
    ['rpId', "rpIdHash doesn't match the hash of preconfigured rpId.", /rpIdHash doesn't match the hash/i],
    [
      'userVerified',
      'Verifier is configured to check user verified, but UV flag in authenticatorData is not set.',
      /(?:Verifier|Validator) is configured to check user verified/i,
    ],
    [
      'userPresent',
      'Verifier is configured to check user present, but UP flag in authenticatorData is not set.',
      /(?:Verifier|Validator) is configured to check user present/i,
    ],
    ['signature', 'Assertion signature is not valid.', /Assertion signature is not valid|^.{0,60}BadSignatureException/i],
    ['signCount', 'Malicious counter value is detected. Cloned authenticators exist in parallel.', /Malicious counter value/i],
    ['type', "ClientData.type must be 'get' on authentication, but it isn't.", /ClientData\.type must be '/i],
    [
      'algorithm',
      'alg not listed in pkOptions.pubKeyCredParams is used.',
      /alg not listed in (?:pk)?Options\.pubKeyCredParams|NotAllowedAlgorithmException/i,
    ],
    ['notAllowedCredential', 'credentialId not listed in allowCredentials is used.', /credentialId not listed in allowCredentials/i],
    [
      'backupEligibility',
      'Although credential record BE flag is set, current BE flag is not set',
      /Although credential record BE flag is/i,
    ],
    ['backupState', 'Backup state bit must not be set if backup eligibility bit is not set', /Backup state bit must not be set/i],
    [
      'crossOrigin',
      'Cross-origin request is prohibited. Relax AuthenticationDataVerifier config if necessary.',
      /Cross-origin request is prohibited/i,
    ],
    [
      'attestationTrust',
      'TrustAnchors are not found for AAGUID: 00000000-0000-0000-0000-000000000000',
      /TrustAnchors? (?:are|is) not found/i,
    ],
    [
      'attestation',
      "AttestationVerifier is not configured to handle the supplied AttestationStatement format 'packed'.",
      /Attestation(?:Verifier|Validator) is not configured to handle|BadAttestationStatementException/i,
    ],
  ]),
  ...listTexts(KEYCLOAK_REGISTER, [['aaguid', 'not acceptable aaguid = 00000000-0000-0000-0000-000000000000', /not acceptable aaguid/i]]),
  ...listTexts(KEYCLOAK, [
    ['unknownUser', 'Unknown user authenticated by the Passkey.', /Unknown user authenticated by the (?:Passkey|Security key)/i],
    [
      'credentialOwner',
      'First authenticated user is not the one authenticated by the Passkey.',
      /not the one authenticated by the (?:Passkey|Security key)/i,
    ],
    ['signature', 'Passkey authentication result is invalid.', /(?:Passkey|Security key) authentication result is invalid/i],
    ['attestation', 'Passkey registration result is invalid.', /(?:Passkey|Security key) registration result is invalid/i],
  ]),
  ...listTexts(
    KEYCLOAK,
    [
      [
        { exception: 'NotAllowedError' },
        'Failed to authenticate by the Passkey.',
        /failed to authenticate by the (?:passkey|security key)/,
      ],
      [
        { exception: 'NotAllowedError', call: 'create' },
        'Failed to register your Passkey.',
        /failed to register your (?:passkey|security key)/,
      ],
    ],
    'words',
  ),
];
