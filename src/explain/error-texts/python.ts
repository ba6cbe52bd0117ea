import { type ErrorText, listTexts } from './row.js';

const PY = {
  from: 'py_webauthn',
  version: '2.8.0',
  source: 'duo-labs/py_webauthn webauthn/registration/verify_registration_response.py',
};
const PY_LOGIN = { ...PY, source: 'duo-labs/py_webauthn webauthn/authentication/verify_authentication_response.py' };
const PY_JSON = { ...PY, source: 'duo-labs/py_webauthn webauthn/helpers/parse_authentication_credential_json.py' };
const FIDO2 = { from: 'python-fido2', version: '2.2.1', source: 'Yubico/python-fido2 fido2/server.py' };

/** Error messages of server libraries in Python. */
export const PYTHON_TEXTS: readonly ErrorText[] = [
  ...listTexts({ ...PY, from: 'SimpleWebAuthn or py_webauthn' }, [['rpId', 'Unexpected RP ID hash', /Unexpected RP ID hash/i]]),
  ...listTexts(PY, [
    [
      'origin',
      'Unexpected client data origin "https://www.shop.example", expected "https://shop.example"',
      /Unexpected client data origin "(?<received>[^"]*)", expected (?:one of )?["[](?<origin>[^"\]]*)/i,
    ],
    ['challenge', 'Client data challenge was not expected challenge', /Client data challenge was not expected/i],
    ['type', 'Unexpected client data type "webauthn.create", expected "webauthn.get"', /Unexpected client data type "/],
    [
      'userVerified',
      'User verification is required but user was not verified during attestation',
      /User verification is required,? but user was not verified during/i,
    ],
    ['userPresent', 'User was not present during authentication', /User was not present during (?:attestation|authentication)/i],
    ['algorithm', 'Unsupported credential public key alg "-8", expected one of: [-7, -257]', /Unsupported credential public key alg "/i],
    ['malformedResponse', 'id and raw_id were not equivalent', /\bid and raw_?id were not equivalent/i],
  ]),
  ...listTexts(PY_LOGIN, [
    ['signature', 'Could not verify authentication signature', /Could not verify authentication signature/i],
    [
      'signCount',
      'Response sign count of 7 was not greater than current count of 9',
      /Response sign count of \d+ was not greater than current count of (?<signCount>\d+)/i,
    ],
  ]),
  ...listTexts(PY_JSON, [
    [
      'malformedResponse',
      'Credential response missing required signature',
      /Credential response missing required \w+|Credential was not a JSON object|Unable to decode credential as JSON|InvalidJSONStructure/i,
    ],
    [
      'malformedClientData',
      'client_data_json missing required property "challenge"',
      /client_data_json missing required property|Unable to decode client_data_json/i,
    ],
  ]),
  ...listTexts(FIDO2, [
    ['origin', 'Invalid origin in CollectedClientData.', /Invalid origin in (?:Collected)?ClientData/i],
    ['type', 'Incorrect type in CollectedClientData.', /Incorrect type in (?:Collected)?ClientData/i],
    ['challenge', 'Wrong challenge in response.', /Wrong challenge in response/i],
    ['rpId', 'Wrong RP ID hash in response.', /Wrong RP ID hash in response/i],
    [
      'userVerified',
      'User verification required, but User Verified flag not set.',
      /User verification required, but user verified flag not set/i,
    ],
    ['userPresent', 'User Present flag not set.', /\bUser Present flag not set(?! in authenticator)/i],
    ['unknownCredential', 'Unknown credential ID.', /^(?:.*[^\w ])?\s*Unknown credential ID\b/i],
    ['algorithm', 'Server has no allowed algorithms.', /Server has no allowed algorithms/i],
  ]),
];
