import { type ErrorText, listTexts } from './row.js';

const SIMPLE_SERVER = { from: 'SimpleWebAuthn', version: '13.3.2' };
const SIMPLE = { ...SIMPLE_SERVER, source: 'MasterKale/SimpleWebAuthn packages/server/src/authentication/verifyAuthenticationResponse.ts' };
const SIMPLE_REGISTRATION = {
  ...SIMPLE,
  source: 'MasterKale/SimpleWebAuthn packages/server/src/registration/verifyRegistrationResponse.ts',
};
const SIMPLE_HELPERS = { ...SIMPLE, source: 'MasterKale/SimpleWebAuthn packages/server/src/helpers' };
const PASSWORDLESS = { from: '@passwordless-id/webauthn', version: '2.3.5', source: 'passwordless-id/webauthn src/server.ts' };

/** Error messages of server libraries in JavaScript. */
export const JAVASCRIPT_TEXTS: readonly ErrorText[] = [
  ...listTexts(SIMPLE, [
    [
      'topOrigin',
      'Unexpected cross-origin authentication response top origin of "https://shop.example", expected https://portal.example',
      /cross-origin authentication response top origin of "[^"]*", expected(?: one of)?:? (?<topOrigin>.*)/i,
    ],
    [
      'topOrigin',
      'Detected cross-origin authentication response from top origin of "https://shop.example", but no expected top origins',
      /Detected cross-origin authentication response from top origin/i,
    ],
    [
      'origin',
      'Unexpected authentication response origin "http://localhost:5173", expected "http://localhost:3000"',
      /Unexpected (?:registration|authentication|attestation|assertion) response origin "(?<received>[^"]*)", expected (?:one of:? )?"?(?<origin>[^"]*)/i,
    ],
    [
      'noChallenge',
      'Unexpected authentication response challenge "J4fCEAQ3GbEzE4QLNSWjKQ", expected "undefined"',
      /Unexpected \w+ response challenge "[^"]*", expected "(?:undefined|null)?"/i,
    ],
    [
      'challenge',
      'Unexpected registration response challenge "J4fCEAQ3GbEzE4QLNSWjKQ", expected "mVt6QwXy0b8KcR2ZdJ5nLg"',
      /Unexpected \w+ response challenge "[^"]*", expected "(?!(?:undefined|null)?")|Unexpected \w+ response challenge "[^"]*"(?!, expected)/i,
    ],
    [
      'challenge',
      'Custom challenge verifier returned false for registration response challenge "J4fCEAQ3GbEzE4QLNSWjKQ"',
      /Custom challenge verifier returned false/i,
    ],
    [
      'type',
      'Unexpected authentication response type "webauthn.create", expected "webauthn.get"',
      /Unexpected (?:registration|authentication|attestation|assertion) response type/i,
    ],
    [
      'userVerified',
      'User verification required, but user could not be verified',
      /User verification (?:was )?required, but user could not be verified/i,
    ],
    ['userPresent', 'User not present during authentication', /\bUser not present during authentication(?!\.?\s*[\w\\]*WebAuthnException)/],
    ['signature', '{ verified: false }', /\bverified["']?\s*[:=]\s*false\b/i],
    [
      'signCount',
      'Response counter value 3 was lower than expected 4',
      /Response counter value \d+ was lower than expected (?<signCount>\d+)/i,
    ],
    ['missingCredentialId', 'Missing credential ID', /\b(?:Missing|No) credential ID\b(?! was)/i],
    ['credentialIdEncoding', 'Credential ID was not base64url-encoded', /Credential ID (?:was|is) not (?:a )?(?:valid )?base64[ -]?url/i],
    [
      'malformedResponse',
      'Unexpected credential type undefined, expected "public-key"',
      /Unexpected credential type [^,]*, expected "public-key"/i,
    ],
    ['malformedResponse', 'Credential missing response', /Credential missing (?:required )?(?:response|id|rawId)\b/i],
    [
      'malformedResponse',
      'Credential response clientDataJSON was not a string',
      /Credential response (?:clientDataJSON|authenticatorData|signature|userHandle|attestationObject) was not a/i,
    ],
  ]),
  ...listTexts(SIMPLE_REGISTRATION, [
    ['userPresent', 'User presence was required, but user was not present', /User presence was required, but (?:user )?was not present/i],
    [
      'algorithm',
      'Unexpected public key alg "-8", expected one of "-7, -257"',
      /Unexpected public key alg "[^"]*", expected one of "(?<algorithms>[^"]*)"/i,
    ],
    [
      'attestation',
      'Unsupported Attestation Format: packed',
      /Unsupported Attestation (?:Format|type)|None attestation had unexpected attestation statement/i,
    ],
    [
      'malformedAuthenticatorData',
      'No credential ID was provided by authenticator',
      /No (?:credential ID|public key|AAGUID) was (?:provided by authenticator|present during registration)/i,
    ],
  ]),
  ...listTexts(SIMPLE_HELPERS, [
    [
      'malformedAuthenticatorData',
      'Authenticator data was 0 bytes, expected at least 37 bytes',
      /Authenticator data was \d+ bytes, expected at least/i,
    ],
    [
      'malformedAuthenticatorData',
      'Leftover bytes detected while parsing authenticator data',
      /Leftover bytes (?:detected while parsing authenticator data|decoding AuthenticatorData)/i,
    ],
    [
      'malformedKey',
      'Public key was missing alg (EC2)',
      /(?:Public key was missing|Public key had invalid) \w+[^(]*\((?:EC2|RSA|OKP)\)|Credential public key was missing (?:kty|alg|numeric alg)/i,
    ],
    [
      'attestationTrust',
      'No specified trust anchor was valid for verifying x5c',
      /No specified trust anchor was valid|certificate path could not be validated|Could not validate certificate path/i,
    ],
    [
      'base64',
      'allowCredential id "a+b/c=" is not a valid base64url string',
      /(?:allow|exclude)Credentials? id "[^"]*" is not a valid base64url/i,
    ],
    ['userIdLength', 'String values for `userID` are no longer supported.', /String values for `?userID`? are no longer supported/i],
  ]),
  ...listTexts(PASSWORDLESS, [
    ['origin', 'Unexpected ClientData origin: https://www.shop.example', /Unexpected ClientData origin: (?<received>[^\s"']+)/i],
    ['challenge', 'Unexpected ClientData challenge: J4fCEAQ3GbEzE4QLNSWjKQ', /Unexpected ClientData challenge:/i],
    ['type', 'Unexpected ClientData type: webauthn.create', /Unexpected ClientData type:/i],
    ['rpId', 'Unexpected RpIdHash: SZYN5YgOjGh0NBcPZHZgW4 vs eHl6MTIzNDU2Nzg5', /Unexpected RpIdHash/i],
    ['userPresent', 'Unexpected authenticator flags: missing userPresent', /Unexpected authenticator flags: missing userPresent/i],
    [
      'userVerified',
      'Unexpected authenticator flags: missing userVerified',
      /Unexpected authenticator flags: missing userVerified|User verification required but not satisfied/i,
    ],
    [
      'signCount',
      'Unexpected authenticator counter: 7 (should be > 9)',
      /Unexpected authenticator counter: \d+ \(should be >? ?(?<signCount>\d+)\)/i,
    ],
    ['signature', 'Invalid signature: MEUCIQDx', /\bInvalid signature: /i],
    ['unknownCredential', 'Credential ID mismatch: AAEC vs AQID', /Credential ID mismatch/i],
    [
      'algorithm',
      "Unknown or unsupported crypto algorithm: EdDSA. Only 'RS256' and 'ES256' are supported.",
      /Unknown or unsupported crypto algorithm|Unknown algorithm code/i,
    ],
    ['base64', 'Provided challenge is not properly encoded in Base64url', /challenge is not properly encoded in Base64url/i],
  ]),
];
