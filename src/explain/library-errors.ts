import type { Explanation } from './browser-errors/failed-call.js';

/** Errors of well-known libraries, as they stand in their sources. They suggest expectations and a step; they decide no verdict. */
interface LibraryError {
  readonly library: string;
  /** Groups are named for the expectations that they hold. */
  readonly pattern: RegExp;
  readonly meaning: keyof typeof MEANINGS;
  /** Repository and file that has the text. */
  readonly source: string;
}

/** In `next`, `{option}` stands for what checks the step in the library; see {@link findFix}. */
export interface Meaning extends Explanation {
  /** Slug of the step that the server refused at. */
  readonly step: string;
  /** User verification is required, as the error says. */
  readonly requiresUv?: true;
}

export const MEANINGS = {
  origin: {
    step: 'origin',
    title: 'The server expects another origin than that of the page',
    causes: [
      "The server's setting does not name the origin of the page: scheme, host and port must be the same, without a slash at the end.",
      'The page was opened under another name: 127.0.0.1 instead of localhost, or with "www.".',
      'A proxy ends TLS, and the server takes its own origin for http.',
    ],
    next: 'Set {option} to the origin in the client data, or open the page at the one that the server expects.',
  },
  topOrigin: {
    step: 'top-origin',
    title: 'The server does not expect the page that embeds this one',
    causes: ['The page was in an iframe of another origin.'],
    next: 'Set {option} to the origin of the outer page, or open the page by itself.',
  },
  rpId: {
    step: 'rp-id-hash',
    title: 'The server expects another RP ID than the options asked for',
    causes: ['The expected RP ID is not the `rp.id` or `rpId` of the options: a domain, without scheme and port.'],
    next: 'Take {option} and that of the options from one setting. A passkey belongs to one RP ID for good.',
  },
  challenge: {
    step: 'challenge',
    title: 'The response answers another challenge than the server expects',
    causes: [
      'Another tab, or another request for options, has replaced the challenge of the session.',
      "The cookie was not sent, so that the session is another: fetch needs credentials: 'include' where the server has another origin.",
      'The response was sent before: a challenge can be used once.',
    ],
    next: 'Keep the challenge with the session when you make the options, and verify against that one; ask for new options for each attempt.',
  },
  noChallenge: {
    step: 'challenge',
    title: 'The server has no challenge for this response',
    causes: [
      "The cookie of the session was not sent: fetch needs credentials: 'include' where the server has another origin, and the cookie SameSite=None; Secure.",
      'The response was sent before: the challenge was deleted when it was used.',
      'The session has expired, or was lost when the server started again.',
    ],
    next: 'Look for the Cookie header of the request, and for Set-Cookie in the answer with the options.',
  },
  type: {
    step: 'type',
    title: 'The response is of the other ceremony',
    causes: ['A registration was sent to the login route, or the other way round.'],
    next: 'Send what create() gives to the registration, and what get() gives to the login.',
  },
  userVerified: {
    step: 'user-verified',
    title: 'The server requires user verification, and the user was not verified',
    causes: ['The options ask for "preferred" or "discouraged", so that the authenticator may leave out PIN and biometrics.'],
    next: 'Ask for userVerification "required" in the options, or do not require it ({option}).',
    requiresUv: true,
  },
  userPresent: {
    step: 'user-present',
    title: 'The authenticator did not test that the user is present',
    causes: ['The passkey was made without a dialog (conditional create).'],
    next: 'Accept a conditional create without user presence, or ask again with a dialog.',
  },
  signature: {
    step: 'signature',
    title: 'The stored key does not verify the signature',
    causes: [
      'The key is that of another credential: look it up by the ID of the response.',
      'The key was changed on its way into or out of the database: it is bytes, not text.',
    ],
    next: 'Compare the key with that of the registration: give it as --public-key.',
  },
  signCount: {
    step: 'sign-count',
    title: 'The counter has not grown',
    causes: ['The response was verified before, or the stored counter is that of another credential.', 'The authenticator was cloned.'],
    next: 'Store the new counter after each login, for the credential that answered.',
  },
  unknownCredential: {
    step: 'user-handle',
    title: 'The server does not know this credential',
    causes: ['It was deleted on the server, or is stored under its ID in another encoding.', 'It belongs to another user or database.'],
    next: 'Look it up by the bytes of its ID. Signal passkeys that are gone to the browser (signalUnknownCredential).',
  },
  algorithm: {
    step: 'algorithm',
    title: 'The key has an algorithm that the server does not accept',
    causes: ['The options offer more algorithms than the verification accepts.'],
    next: 'Give the same list to both ({option}).',
  },
} as const satisfies Readonly<Record<string, Meaning>>;

const SIMPLE_REGISTRATION = 'MasterKale/SimpleWebAuthn packages/server/src/registration/verifyRegistrationResponse.ts';
const SIMPLE_LOGIN = 'MasterKale/SimpleWebAuthn packages/server/src/authentication/verifyAuthenticationResponse.ts';
const YUBICO_PYTHON = 'Yubico/python-fido2 fido2/server.py';
const GO_CLIENT = 'go-webauthn/webauthn protocol/client.go';
const GO_AUTHENTICATOR = 'go-webauthn/webauthn protocol/authenticator.go';
const PYTHON = 'duo-labs/py_webauthn webauthn/registration/verify_registration_response.py';
const PYTHON_LOGIN = 'duo-labs/py_webauthn webauthn/authentication/verify_authentication_response.py';
const RUST = 'kanidm/webauthn-rs webauthn-rs-core/src/error.rs';
const YUBICO = 'Yubico/java-webauthn-server webauthn-server-core/src/main/java/com/yubico/webauthn/FinishAssertionSteps.java';
const FOR_J = 'webauthn4j/webauthn4j webauthn4j-core/src/main/java/com/webauthn4j/verifier';
const NET = 'passwordless-lib/fido2-net-lib Src/Fido2/Fido2ErrorMessages.cs';
const PHP = 'web-auth/webauthn-framework src/webauthn/src/CeremonyStep';
const RUBY = 'cedarcode/webauthn-ruby lib/webauthn/authenticator_response.rb';
const RUBY_LOGIN = 'cedarcode/webauthn-ruby lib/webauthn/authenticator_assertion_response.rb';

type Row = readonly [pattern: RegExp, meaning: LibraryError['meaning'], source: string];

const of = (library: string, ...rows: readonly Row[]): LibraryError[] =>
  rows.map(([pattern, meaning, source]) => ({ library, pattern, meaning, source }));

export const LIBRARY_ERRORS: readonly LibraryError[] = [
  ...of(
    'SimpleWebAuthn',
    [/Unexpected (?:registration|authentication) response origin "[^"]*", expected (?:one of: |")(?<origin>[^"]*)/, 'origin', SIMPLE_LOGIN],
    [/Unexpected (?:registration|authentication) response challenge "[^"]*", expected "(?:undefined|null)?"/, 'noChallenge', SIMPLE_LOGIN],
    [/Unexpected (?:registration|authentication) response challenge "/, 'challenge', SIMPLE_LOGIN],
    [/Custom challenge verifier returned false for registration response challenge/, 'challenge', SIMPLE_LOGIN],
    [/Unexpected (?:registration|authentication) response type/, 'type', SIMPLE_LOGIN],
    [
      /Unexpected cross-origin authentication response top origin of "[^"]*", expected(?: one of)?: (?<topOrigin>[^"]*)/,
      'topOrigin',
      SIMPLE_LOGIN,
    ],
    [/Detected cross-origin authentication response from top origin of/, 'topOrigin', SIMPLE_LOGIN],
    [/User verification (?:was )?required, but user could not be verified/, 'userVerified', SIMPLE_LOGIN],
    [/User presence was required, but user was not present/, 'userPresent', SIMPLE_REGISTRATION],
    [/User not present during authentication/, 'userPresent', SIMPLE_LOGIN],
    [/\bverified"?:\s*false/, 'signature', SIMPLE_LOGIN],
    [/Response counter value \d+ was lower than expected (?<signCount>\d+)/, 'signCount', SIMPLE_LOGIN],
    [/Unexpected public key alg "[^"]*", expected one of "(?<algorithms>[^"]*)"/, 'algorithm', SIMPLE_REGISTRATION],
  ),
  ...of('SimpleWebAuthn or py_webauthn', [/Unexpected RP ID hash/, 'rpId', PYTHON]),
  ...of(
    'py_webauthn',
    [/Unexpected client data origin "[^"]*", expected (?:one of )?["[](?<origin>[^"\]]*)/, 'origin', PYTHON],
    [/Client data challenge was not expected challenge/, 'challenge', PYTHON],
    [/Unexpected client data type "/, 'type', PYTHON],
    [/User verification is required but user was not verified during (?:attestation|authentication)/, 'userVerified', PYTHON],
    [/User was not present during (?:attestation|authentication)/, 'userPresent', PYTHON],
    [/Could not verify authentication signature/, 'signature', PYTHON_LOGIN],
    [/Response sign count of \d+ was not greater than current count of (?<signCount>\d+)/, 'signCount', PYTHON_LOGIN],
    [/Unsupported credential public key alg "/, 'algorithm', PYTHON],
  ),
  ...of(
    'python-fido2',
    [/Invalid origin in (?:Collected)?ClientData\./, 'origin', YUBICO_PYTHON],
    [/Wrong challenge in response\./, 'challenge', YUBICO_PYTHON],
    [/Wrong RP ID hash in response\./, 'rpId', YUBICO_PYTHON],
    [/User verification required, but User Verified flag not set\./, 'userVerified', YUBICO_PYTHON],
    [/User Present flag not set\./, 'userPresent', YUBICO_PYTHON],
    [/Unknown credential ID\./, 'unknownCredential', YUBICO_PYTHON],
  ),
  ...of(
    'go-webauthn',
    [/Error validating top ?[oO]rigin/, 'topOrigin', GO_CLIENT],
    [/Error validating origin(?:[^]*?Expected Values: \[(?<origin>[^\]]*)\])?/, 'origin', GO_CLIENT],
    [/Error validating challenge/, 'challenge', GO_CLIENT],
    [/Error validating ceremony type/, 'type', GO_CLIENT],
    [/RP Hash mismatch\. Expected/, 'rpId', GO_AUTHENTICATOR],
    [/User presence required but flag not set by authenticator/, 'userPresent', GO_AUTHENTICATOR],
    [/User verification required but flag not set by authenticator/, 'userVerified', GO_AUTHENTICATOR],
    [/Error validating the assertion signature/, 'signature', 'go-webauthn/webauthn protocol/assertion.go'],
  ),
  ...of(
    'webauthn-rs',
    [/The clients relying party origin does not match our servers information/, 'origin', RUST],
    [/The clients relying party id hash does not match the hash of our relying party id/, 'rpId', RUST],
    [/The client response challenge differs from the latest challenge issued to the userId/, 'challenge', RUST],
    [/There are no challenges associated to the UserId/, 'noChallenge', RUST],
    [/The JSON from the client did not indicate webauthn\.<method> correctly/, 'type', RUST],
    [/The user verified bit is not set, and required by policy/, 'userVerified', RUST],
    [/The user present bit is not set, and required/, 'userPresent', RUST],
    [/The credential requested could not be found/, 'unknownCredential', RUST],
    [/A credential alg that was not allowed in the request was attempted/, 'algorithm', RUST],
  ),
  ...of(
    'java-webauthn-server',
    [/Incorrect origin: /, 'origin', YUBICO],
    [/Incorrect challenge\./, 'challenge', YUBICO],
    [/Wrong RP ID hash\./, 'rpId', YUBICO],
    [/The "type" in the client data must be exactly "/, 'type', YUBICO],
    [/User Presence is required\./, 'userPresent', YUBICO],
    [/User Verification is required\./, 'userVerified', YUBICO],
    [/Invalid assertion signature\./, 'signature', YUBICO],
    [/Unknown credential(?:: |\. Credential ID)|User handle \S+ does not own credential /, 'unknownCredential', YUBICO],
  ),
  ...of(
    'webauthn4j',
    [/The collectedClientData (?:origin )?'[^']*' (?:origin )?doesn't match/, 'origin', `${FOR_J}/OriginVerifierImpl.java`],
    [/The actual challenge does not match the expected challenge/, 'challenge', `${FOR_J}/ChallengeVerifier.java`],
    [/The server doesn't have a challenge\./, 'noChallenge', `${FOR_J}/ChallengeVerifier.java`],
    [/rpIdHash doesn't match the hash of preconfigured rpId\./, 'rpId', `${FOR_J}/RpIdHashVerifier.java`],
    [/Verifier is configured to check user verified, but UV flag/, 'userVerified', `${FOR_J}/CoreRegistrationDataVerifier.java`],
    [/Assertion signature is not valid\./, 'signature', `${FOR_J}/internal/AssertionSignatureVerifier.java`],
  ),
  ...of(
    'fido2-net-lib',
    [
      /Fully qualified origin \S+ of \S+ not equal to fully qualified original origin (?<origin>[^"(]*)/,
      'origin',
      'passwordless-lib/fido2-net-lib Src/Fido2/AuthenticatorResponse.cs',
    ],
    [/Authenticator response challenge does not match original challenge/, 'challenge', NET],
    [/RPID hash does not match/, 'rpId', NET],
    [/User Verified flag not set in authenticator data and user verification was required/, 'userVerified', NET],
    [/User Present flag not set in authenticator data/, 'userPresent', NET],
    [/Signature does not match/, 'signature', NET],
    [/SignCount must be greater than the current SignatureCounter/, 'signCount', NET],
  ),
  ...of(
    'web-auth/webauthn-framework',
    [/Invalid origin\. (?:Not in the list of allowed origins|Subdomains are not allowed)\./, 'origin', `${PHP}/CheckAllowedOrigins.php`],
    [/Invalid scheme\. HTTPS required\.|rpId mismatch\./, 'origin', `${PHP}/CheckOrigin.php`],
    [/rpId hash mismatch\./, 'rpId', `${PHP}/CheckRelyingPartyIdIdHash.php`],
    [/Invalid challenge\./, 'challenge', `${PHP}/CheckChallenge.php`],
    [/User authentication required\./, 'userVerified', `${PHP}/CheckUserVerification.php`],
    [/Invalid counter\./, 'signCount', 'web-auth/webauthn-framework src/webauthn/src/Counter/ThrowExceptionIfInvalid.php'],
  ),
  ...of('python-fido2 or web-auth/webauthn-framework', [/Invalid signature\./, 'signature', `${PHP}/CheckSignature.php`]),
  ...of(
    'webauthn-ruby',
    [/WebAuthn::OriginVerificationError/, 'origin', RUBY],
    [/WebAuthn::TopOriginVerificationError/, 'topOrigin', RUBY],
    [/WebAuthn::RpIdVerificationError/, 'rpId', RUBY],
    [/WebAuthn::ChallengeVerificationError/, 'challenge', RUBY],
    [/WebAuthn::TypeVerificationError/, 'type', RUBY],
    [/WebAuthn::UserPresenceVerificationError/, 'userPresent', RUBY],
    [/WebAuthn::UserVerifiedVerificationError/, 'userVerified', RUBY],
    [/WebAuthn::SignatureVerificationError/, 'signature', RUBY_LOGIN],
    [/WebAuthn::CredentialVerificationError/, 'unknownCredential', RUBY_LOGIN],
  ),
];
