import { describe, expect, test } from 'vitest';
import { explainErrorText } from '../../../src/explain/error-text.js';
import { explain } from '../../../src/explain/library.js';
import { parseFixture } from '../../../src/fixture/read.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { recorded } from '../../cli/explain/run-explain.js';
import { WRAPPINGS } from './wrappings.js';

const RP_ID = 'rp.id does not match the origin of the page';
const FRAME = 'This frame may not use passkeys';
const REGISTERED = 'This authenticator already has a passkey for this user';
const MANAGER = 'A password manager returned an object that is not a PublicKeyCredential';
const ASSETS = 'Android does not link the app to the RP ID';
const APPLE = 'Apple does not link the app to the RP ID';
const NO_WEBAUTHN = 'The page has no WebAuthn';
const NO_OPTIONS = 'The code of the page has no options';
const NETWORK = 'The request did not reach the server, or its answer was withheld';
const CORS = 'The API does not allow the origin of the page (CORS)';
const UNKNOWN_PASSKEY = 'The server does not know this credential';
const UNKNOWN_USER = 'The server does not find the user';
const EXPIRED = 'The challenge has expired';
const NO_CHALLENGE = 'The server has no challenge for this response';
const PENDING = 'Another request is pending';
const ORIGIN = 'The server expects another origin than that of the page';

/** Wordings of other versions, browsers and applications than those in the table. */
const WORDINGS: readonly (readonly [title: string, ...texts: readonly string[]])[] = [
  [
    'The browser does not trust the TLS certificate of the page',
    'Passkeys do not work on a site with certificate errors',
    'WebAuthn failed: the site has an invalid TLS certificate',
  ],
  ['The credential belongs to another user', 'User handle does not own the credential'],
  ['The page did not have the focus', 'NotAllowedError: The document is not focused.', 'The page must be focused to use passkeys'],
  [
    'The call was not made in a click',
    'NotAllowedError: Must be handling a user gesture to use the WebAuthn API',
    'NotAllowedError: The request requires transient user activation',
    'NotAllowedError: no user activation',
  ],
  [
    PENDING,
    'NotAllowedError: A request is already pending.',
    'NotAllowedError: Only one navigator.credentials.get request may be outstanding at one time.',
    'InvalidStateError: A request is already in progress',
  ],
  [
    'rp.id does not match the page, and no file of related origins allows it',
    'SecurityError: Subsequently, fetching the .well-known/webauthn resource of the claimed RP ID resulted in a JSON parse error.',
    'SecurityError: the .well-known/webauthn resource of the claimed RP ID was successful, but no listed origin matched the caller',
  ],
  [RP_ID, 'SecurityError: rp.id cannot be used with the current origin', 'The relying party ID does not match the domain of the page'],
  [FRAME, "NotAllowedError: 'publickey-credentials-create' is not allowed in this document", 'CredentialsContainer request is not allowed'],
  [REGISTERED, 'InvalidStateError: credential was excluded', 'InvalidStateError'],
  ['The credential manager of the device failed', 'NotReadableError: An error occurred while talking to the Android credential manager'],
  [
    MANAGER,
    'TypeError: credential.toJSON is not a function',
    "TypeError: 'get rawId' called on an object that does not implement interface PublicKeyCredential",
    'TypeError: Can only call PublicKeyCredential.toJSON on instances of PublicKeyCredential',
    'Uncaught TypeError: Illegal invocation at JSON.stringify (<anonymous>)',
  ],
  [
    ASSETS,
    'androidx.credentials.exceptions.publickeycredential.GetPublicKeyCredentialDomException: [50152] RP ID cannot be validated',
    'createPasskey failed with exception: The incoming request cannot be validated',
    'create error [Error: androidx.credentials.exceptions.domerrors.SecurityError@d37e6d3]',
  ],
  [
    'No password manager on the device can create a passkey',
    'android.credentials.CreateCredentialException.TYPE_NO_CREATE_OPTIONS',
    'CreateCredentialNoCreateOptionException',
  ],
  [
    'The device has no passkey for this request',
    'android.credentials.GetCredentialException.TYPE_NO_CREDENTIAL',
    'No viable credential is available for the user.',
  ],
  ['Google Play services refused the request', '[50107] Something else', 'com.google.android.gms [50171]'],
  [
    'Google Password Manager cannot decrypt its passkeys on this device',
    'E/Auth.Api.Credentials: cmih: [50162] Unsuccessful result from folsom activity.',
    "Can't find proper key to decrypt the private key from WebauthnCredentialSpecifics",
    'androidx.credentials.TYPE_GET_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION [50162]',
  ],
  [
    APPLE,
    'NSLocalizedFailureReason=Application with identifier V46X94865S.app.example is not associated with domain demo.example',
    'Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1004 "Unable to verify webcredentials association of TEAM.app with domain shop.example"',
  ],
  [
    'The user closed the dialog, or the device has no passkey for it',
    'ASAuthorizationController credential request failed with error: Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1001 "(null)"',
    'The operation couldn’t be completed. (com.apple.AuthenticationServices.AuthorizationError error 1001.)',
  ],
  [
    NO_WEBAUTHN,
    "'PublicKeyCredential' is undefined",
    'TypeError: navigator.credentials is undefined',
    "Cannot read property 'create' of undefined",
  ],
  [
    NO_OPTIONS,
    "TypeError: Cannot read property 'publicKey' of undefined",
    "TypeError: Cannot destructure property 'publicKey' of 'options' as it is undefined.",
    'TypeError: options is undefined',
    "TypeError: Cannot read properties of null (reading 'challenge')",
    "TypeError: null is not an object (evaluating 't.publicKey.challenge')",
  ],
  [
    NETWORK,
    'AxiosError: Network Error',
    'TypeError: Network request failed',
    'POST http://localhost:3000/login net::ERR_CONNECTION_REFUSED',
    'Load failed',
  ],
  [
    CORS,
    'Fetch API cannot load http://localhost:3000/login due to access control checks.',
    "Access to XMLHttpRequest at 'http://localhost:3000/x' from origin 'http://localhost:5173' has been blocked by CORS policy: Response to preflight request doesn't pass access control check",
  ],
  [
    UNKNOWN_PASSKEY,
    'PASSKEY_NOT_FOUND',
    'No passkey found for this credential',
    'Could not find authenticator 12345 for user 1',
    "This passkey isn't registered",
    'AuthenticatorNotFoundError',
  ],
  [UNKNOWN_USER, 'USER_NOT_FOUND', 'No such user', "The account doesn't exist", 'No user found with this handle', 'UserNotFoundException'],
  [
    EXPIRED,
    'challenge_expired',
    'The challenge has expired',
    'Your passkey challenge timed out, please try again',
    'Invalid or expired challenge',
  ],
  [NO_CHALLENGE, 'No challenge in session', 'CHALLENGE_NOT_FOUND', 'Challenge has already been used'],
  [
    'The response answers another challenge than the server expects',
    'challenge mismatch',
    "The challenge doesn't match",
    'Unexpected challenge',
  ],
  ['The stored key does not verify the signature', 'SIGNATURE_VERIFICATION_FAILED', 'Could not verify the signature'],
  [
    'The backup eligibility differs from the registration',
    'BackupEligible flag inconsistency',
    'backup eligibility of the credential changed',
  ],
  ['The key has an algorithm that the server does not accept', 'Unsupported public key algorithm', 'algorithm -8 is not in the list'],
  [
    'The server does not accept this model of authenticator (AAGUID)',
    'web_authn_registration_error_detail="not acceptable aaguid = adce0002-35bc-c60a-648b-0b25f1f05503"',
    'AAGUID adce0002-35bc-c60a-648b-0b25f1f05503 is not allowed by policy',
  ],
  ['The server requires user verification, and the user was not verified', 'user not verified', 'User verification failed'],
  [
    '`id` and `rawId` of the credential are not the same base64url text',
    'Credential ID is not a valid base64url string',
    'ID not base64.RawURLEncoded',
  ],
];

describe('other wordings of known errors', () => {
  test.each(WORDINGS.flatMap(([title, ...texts]) => texts.map((text): [string, string] => [text, title])))('%s', (text, title) => {
    const missed = Object.entries(WRAPPINGS).filter(([, wrap]) => explainErrorText(wrap(text))[0]?.title !== title);
    expect(missed.map(([name]) => name)).toEqual([]);
  });
});

describe('origins in a text are compared', () => {
  test.each<[string, string, RegExp, readonly string[]]>([
    [
      'Unexpected registration response origin "https://cs.example", expected "http://cs.example"',
      'Expected http://cs.example; received https://cs.example.',
      /^Only the scheme differs.*Behind a proxy/,
      ['--origin http://cs.example'],
    ],
    [
      'Unexpected client data origin "android:apk-key-hash:-jd8Tqk_R_mSBj6Xwkm_9r08EpyPE8LD22xwEbYIGoA", expected "https://x.example"',
      'Expected https://x.example; received android:apk-key-hash:-jd8Tqk_R_mSBj6Xwkm_9r08EpyPE8LD22xwEbYIGoA.',
      /^The call came from an Android app whose certificate has the SHA-256 FA:37:7C/,
      ['--origin https://x.example'],
    ],
    [
      'java.lang.IllegalArgumentException: Incorrect origin: android:apk-key-hash:qvuLMyLL__vtfHay6y_KGGHYL5Qkkf5aufucFCAtWVE',
      'Received android:apk-key-hash:qvuLMyLL__vtfHay6y_KGGHYL5Qkkf5aufucFCAtWVE, the origin of an Android app.',
      /^The call came from an Android app/,
      [],
    ],
    [
      'Unexpected authentication response origin "http://127.0.0.1:3000", expected "http://localhost:3000"',
      'Expected http://localhost:3000; received http://127.0.0.1:3000.',
      /^Both are this machine/,
      ['--origin http://localhost:3000'],
    ],
    [
      'Unexpected authentication response origin "https://shop.example", expected "https://shop.example/"',
      'Expected https://shop.example/; received https://shop.example.',
      /^The expected origin is written with a slash/,
      ['--origin https://shop.example/'],
    ],
    [
      'Error validating origin: Expected Values: [https://a.example https://b.example], Received: https://www.a.example',
      'Expected https://a.example or https://b.example; received https://www.a.example.',
      /^Only "www\." differs/,
      ['--origin https://a.example', '--origin https://b.example'],
    ],
    [
      'the origin http://localhost:5173 does not equal http://localhost:3000\n    at check (http://localhost:5173/src/login.js:3:9)',
      'Expected http://localhost:3000; received http://localhost:5173.',
      /^Only the port differs/,
      ['--origin http://localhost:3000'],
    ],
    [
      'origin mismatch: got http://localhost:5174, want http://localhost:3000',
      'Expected http://localhost:3000; received http://localhost:5174.',
      /^Only the port differs/,
      ['--origin http://localhost:3000'],
    ],
    [
      'OriginMismatch: expected https://shop.example, got https://login.shop.example',
      'Expected https://shop.example; received https://login.shop.example.',
      /^login\.shop\.example is a subdomain/,
      ['--origin https://shop.example'],
    ],
    [
      "The authenticator response had an invalid origin 'https://app.example'.",
      'Received https://app.example, which the server does not expect.',
      /^Set /,
      [],
    ],
  ])('%s', (text, cause, next, flags) => {
    const [known] = explainErrorText(text);
    expect(known).toMatchObject({ title: ORIGIN, next: expect.stringMatching(next), expectations: flags.map((flag) => ({ flag })) });
    expect(known?.causes[0]).toBe(cause);
  });
});

const registration = parseFixture(recorded('registration-discoverable'), 'a');
const [ES256] = [-7];

describe('a text and JSON that are given together', () => {
  const options = {
    rp: { id: 'shop.example', name: 'Shop' },
    user: { id: 'AQID', name: 'ada', displayName: 'Ada' },
    challenge: 'mVt6QwXy0b8KcR2ZdJ5nLg',
    pubKeyCredParams: [{ type: 'public-key', alg: ES256 }],
  };

  test('the options say more of an exception', async () => {
    const read = await explain(`SecurityError: The operation is insecure.\n${JSON.stringify(options)}`, {
      origin: 'https://other.example',
    });
    expect(read).toMatchObject({
      input: { kind: 'creation-options' },
      known_errors: [{ title: 'rp.id "shop.example" does not match the origin https://other.example' }],
    });
  });

  test('the error of a server stands beside the steps of the response', async () => {
    const text = `Error: Unexpected registration response origin "https://a.example", expected "https://b.example"\n`;
    for (const input of [`${text}${JSON.stringify(registration.response)}`, JSON.stringify({ error: text, body: registration.response })]) {
      const read = await explain(input);
      expect(read).toMatchObject({
        ceremony: 'registration',
        known_errors: [{ step: 'origin', expectations: [{ flag: '--origin https://b.example' }] }],
      });
    }
  });
});

describe('what is no error has no meaning', () => {
  const samples: Readonly<Record<string, string>> = {
    'a sentence': 'The quick brown fox jumps over the lazy dog.',
    'a question': 'How do I add a passkey to my account on a new phone?',
    'a description':
      'A passkey is a credential that replaces a password. The user confirms with a fingerprint, and the server verifies a signature over its challenge.',
    'a heading': '# Challenges, origins and counters\n\nThe server creates a challenge, and the browser writes the origin.',
    'a log of requests':
      '127.0.0.1 - - [15/Jan/2026:10:30:00 +0000] "POST /login/finish HTTP/1.1" 200 512 "https://shop.example/" "Mozilla/5.0"',
    'a line of a log':
      '2026-01-15T10:30:00.123Z INFO [auth] user 42 logged in with passkey 7a1f, challenge verified, origin https://shop.example',
    'a log in JSON': '{"level":30,"time":1768473000123,"msg":"registered a new credential","origin":"https://shop.example","counter":4}',
    'a success': '{"verified":true,"user":{"id":42,"name":"ada"},"message":"Welcome back"}',
    base64: encodeBase64(encodeUtf8('challenge not found and user not found, over and over')),
    hexadecimal: '6368616c6c656e676520657870697265643a2075736572206e6f7420666f756e64',
    'a JWT': 'eyJhbGciOiJIUzI1NiJ9.eyJjaGFsbGVuZ2UiOiJhYmMifQ.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
    PEM: '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
    'a response': JSON.stringify(registration.response),
    'a response that is cut': JSON.stringify(registration.response).slice(0, -20),
    'a fixture': recorded('registration-discoverable'),
    options:
      '{"challenge":"mVt6QwXy0b8KcR2ZdJ5nLg","rpId":"shop.example","allowCredentials":[],"userVerification":"required","timeout":60000}',
    'client data': '{"type":"webauthn.get","challenge":"mVt6QwXy0b8KcR2ZdJ5nLg","origin":"https://shop.example","crossOrigin":false}',
    code: 'if (!user) return res.status(404).json({ ok: false });\nconst options = await generateAuthenticationOptions({ rpID, allowCredentials });',
    headers: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: sid=8f3bA1xQz0Lm2VnT7kPc; Path=/; HttpOnly\r\n',
    'an unrelated error': 'TypeError: x is not a function\n    at main (app.js:3:9)',
    'another unrelated error': 'Error: listen EADDRINUSE: address already in use :::3000',
    SQL: 'ERROR: relation "passkeys" has no column "counter" at character 42',
  };

  test.each(Object.entries(samples))('%s', (_, text) => {
    expect(explainErrorText(text)).toEqual([]);
  });

  test('the nearest known error is named', async () => {
    await expect(explain('Peculiar origin of the authentication response')).rejects.toThrow(
      /^The input: This error is unknown; add the HAR or the response\. The most similar known one \(Laragear\/WebAuthn\): Response origin is invalid\.$/,
    );
  });
});
