import { type Cause, kinds } from './cause.js';

const ANY = /(?:)/;

/** Causes for servers that crash, fail (5xx), or refuse for the wrong reason. */
const FAILURES: readonly Cause[] = [
  {
    id: 'server-ends',
    severity: 'high',
    proof: 'ended',
    when: 'ended',
    cases: ANY,
    says: 'One request crashes the server, or gets no answer: {requests}.',
    gain: 'Anyone can stop the server for all users.',
  },
  {
    id: 'failure-base64',
    severity: 'low',
    when: 'failed',
    cases: /\.(?:.*-malformed|.*-not-base64|long-members)$/,
    says: 'The server fails (500) on a member that is not base64 or has another type: {requests}.',
    within: ['failure-member', 'failure-signature', 'failure-cbor', 'failure-authenticator-data', 'failure-client-data'],
  },
  ...kinds(
    { severity: 'low', when: 'failed' },
    {
      'failure-member': [
        /\.(?:(?:raw-id|client-data|signature|response|member)-missing|members-of-prototype|attestation-object-number|user-handle-number)$/,
        'The server fails (500) if a member is missing: {requests}.',
      ],
      'failure-body': [/\.(?:body-|deep-nesting|malformed-json)/, 'The server fails (500) on a body that is not JSON: {requests}.'],
      'failure-signature': [/\.(?:signature|rs256|eddsa)-/, 'The server fails (500) on a signature that cannot be read: {requests}.'],
      'failure-certificate': [/\.(?:packed|tpm|android|apple|fido-u2f)-/, 'The server fails (500) on a malformed certificate: {requests}.'],
      'failure-unknown-credential': [
        /\.(?:credential-(?:unknown|revoked|id-(?!length)|of-)|id-not-canonical|id-inherited-name|while-revoked)/,
        'The server fails (500) on a credential ID that it does not know: {requests}.',
      ],
      'failure-authenticator-data': [
        /^login\.(?:authenticator-data|extensions|attested-credential)-|\.authenticator-data-/,
        'The server fails (500) on authenticator data that are truncated or malformed: {requests}.',
      ],
      'failure-cbor': [
        /\.(?:attestation-object|extensions|public-key|attested-credential|credential-id|no-attested|format)-/,
        'The server fails (500) on an attestation object that is not CBOR: {requests}.',
      ],
      'failure-client-data': [
        /\.(?:client-data-(?!missing|malformed)|challenge-|origin-|top-origin-|type-)/,
        'The server fails (500) on client data that are not JSON: {requests}.',
      ],
      failure: [ANY, 'The server fails (500) instead of answering: {requests}.'],
    },
  ),
  {
    id: 'unreadable',
    severity: 'low',
    when: 'unreadable',
    cases: ANY,
    says: 'The answer of the server cannot be read, or the profile does not fit (try --probe): {requests}.',
  },
  {
    id: 'other-reason',
    severity: 'low',
    when: 'refused otherwise',
    cases: ANY,
    says: 'The server refuses for the wrong reason: {requests}.',
  },
  {
    id: 'no-response',
    severity: 'low',
    when: 'no response',
    cases: ANY,
    says: 'The client makes no response to the options of the server: {requests}.',
  },
  {
    id: 'varies',
    severity: 'low',
    when: 'varies',
    cases: ANY,
    says: 'The same requests end differently: {attempts}.',
  },
  {
    id: 'case-error',
    severity: 'low',
    when: 'case error',
    cases: ANY,
    says: 'passkey itself failed, so that nothing is known: {attempts}. Please report it.',
  },
];

/** Causes for servers that refuse valid ceremonies. */
const REFUSALS: readonly Cause[] = [
  {
    id: 'ordinary-refused',
    severity: 'low',
    when: 'refused',
    cases: /\.default$/,
    says: 'The server refuses ordinary registrations or logins, or the profile does not fit (try --probe): {attempts}.',
  },
  {
    id: 'sign-count-of-refused',
    severity: 'medium',
    when: 'refused',
    cases: /\.counter-after-refused$/,
    says: 'The server stores the sign count of a login that it refuses: {logins} after that went wrong.',
    gain: 'Anyone can lock a user out with an unsigned response.',
    within: ['ordinary-refused', 'sign-count-refused'],
  },
  ...kinds(
    { severity: 'note', when: 'refused', within: ['ordinary-refused'] },
    { 'base64-refused': [/-base64$/, 'The server does not accept padded or standard base64, which it need not: {responses}.'] },
  ),
  ...kinds(
    { severity: 'low', when: 'refused', within: ['ordinary-refused'] },
    {
      'root-refused': [
        /\.(?!android-key)[\w-]+-with-root$/,
        'The server refuses chains of certificates that end with the trusted root itself, as those of every Android key do: {registrations}.',
      ],
      'compound-refused': [
        /\.(?:attested-)?compound(?:-|$)/,
        'The server does not verify the statements of a compound attestation, or refuses them all the same: {registrations}.',
      ],
    },
  ),
  {
    id: 'android-key-refused',
    severity: 'low',
    when: 'refused',
    cases: /\.(?:attested-)?android-key(?:-(?!of-rs256$)|$)/,
    says: 'The server refuses valid attestations of Android keys, such as {example}: {registrations}.',
    within: ['ordinary-refused', 'root-refused'],
  },
  ...kinds(
    { severity: 'low', when: 'refused', within: ['ordinary-refused'] },
    {
      'user-verification-unasked': [
        /\.(?:without-user-verification|verified-now-and-then)$/,
        'The options ask for less user verification than the server requires: they do not say "required", but it refused {responses} of users who were not verified, as on a laptop whose lid is closed.',
      ],
      'user-verification-refused': [
        /\.(?:user-verified-unasked|user-verification-required)$/,
        'The server refuses responses because the user was verified, such as {example}: {responses}.',
      ],
      'backup-refused': [
        /\.(?:backed-up|backup-)/,
        'The server refuses passkeys that are synced, or were backed up after their registration: {responses}.',
      ],
      'credential-id-refused': [
        /\.(?:long-credential-id|credential-id-of-\d)/,
        'The server refuses credential IDs of a length that the standard allows: {responses}.',
      ],
      'algorithm-refused': [
        /\.(?:(?:discoverable-)?(?:[erp]s\d+|esp\d+|eddsa|ed25519)|android-key-of-rs256)$/,
        'The server refuses keys or signatures of algorithms that it offers, such as {example}: {responses}.',
      ],
      'second-passkey-refused': [
        /\.(?:each-of-three-passkeys|signature-of-another-passkey)$/,
        'The server refuses a second passkey of a user: {attempts}.',
      ],
      'sign-count-refused': [
        /\.(?:counter-|counting$)/,
        'The server refuses sign counts that the standard allows, such as {example}: {responses}.',
      ],
      'meanwhile-refused': [
        /\.(?:two-|many-at-once|options-asked-twice|from-another-visit|around-login-)/,
        'A ceremony fails if another one begins, in another tab or by another user: {attempts}.',
      ],
      'user-handle-refused': [
        /\.user-handle-/,
        'The server refuses a login that names its credential, because the user handle is missing: {responses}.',
      ],
      'aaguid-refused': [
        /\.(?:aaguid-any|none-with-aaguid|packed-unasked-self)$/,
        'The server did not ask for attestation, and refuses {example}: {registrations}.',
      ],
      'attestation-refused': [
        /\.(?:packed|tpm|android|apple|fido-u2f|compound|attested|none|attestation-packed)(?:-|$)/,
        'The server refuses valid attestation statements, such as {example}: {registrations}.',
      ],
      'cross-origin-refused': [/\.cross-origin-absent$/, 'The server refuses client data without crossOrigin: {responses}.'],
      'client-data-order-refused': [
        /\.client-data-reordered$/,
        'The server refuses client data whose members come in another order: {responses}.',
      ],
      'client-data-bom-refused': [/\.client-data-bom$/, 'The server refuses client data that begin with a byte order mark: {responses}.'],
      'client-data-refused': [
        /\.(?:client-data-|cross-origin-absent|embedded|challenge-|origin-)/,
        'The server refuses client data that the standard allows, such as {example}: {responses}.',
      ],
      'extensions-refused': [
        /\.(?:extension|credential-protection|hmac-secret)/,
        'The server refuses extension outputs that it need not know, such as {example}: {responses}.',
      ],
      'members-refused': [
        /\.(?:transports|attachment|unknown-members|members-reordered|further-members|copies-absent|attestation-object-reordered|hybrid)/,
        'The server refuses members that may be absent, unknown or in another order, such as {example}: {responses}.',
      ],
      'sign-out-elsewhere': [
        /^lifecycle\.sign-out-elsewhere$/,
        'Signing out ends the sessions of the user on other devices, against the policy of the profile: {requests}.',
      ],
      'valid-refused': [ANY, 'The server refuses what a correct one accepts, such as {example}: {responses}.'],
    },
  ),
];

const IDENTITY = "One user gets another's passkeys, session or account.";

const USERS: readonly Cause[] = [
  {
    id: 'passkeys-of-another-user',
    severity: 'critical',
    proof: 'affected',
    cases:
      /^(?:(?:session|lifecycle)\.others-passkeys?|session\.(?:removal|rename)-for-another-user|http\.(?:passkey|revoking)-of-another-user)/,
    says: "A user reaches another user's passkeys: {requests}.",
    gain: IDENTITY,
  },
  ...kinds(
    {
      severity: 'critical',
      proof: 'another',
      gain: IDENTITY,
      within: ['challenge-shared', 'challenge-constant', 'user-verified', 'passkeys-of-another-user'],
    },
    {
      'session-fixation': [
        /^session\.fixation$/,
        'A login keeps the earlier session: {sessions} that an attacker knew became the session of the user.',
      ],
      'user-of-request': [
        /^(?:register|login)\.for-another-user$/,
        'The server takes the user from the request instead of the session: {requests}, such as {example}.',
      ],
      'signed-out-registration': [/^register\.signed-out$/, 'A passkey can be added to an account without signing in: {registrations}.'],
      'sign-in-identity': [
        /\.(?:two-(?:visits|users)|many-at-once|options-(?:asked-twice|of-another-user)|from-another-visit|around-login-|each-of-three)/,
        'The server mixes up users or visits: {attempts} went wrong.',
      ],
    },
  ),
  {
    id: 'session-cookie',
    severity: 'note',
    cases: /^session\.cookie-attributes$/,
    says: 'The cookie of the session lacks attributes that keep it from scripts, other sites or plain http.',
  },
  {
    id: 'session',
    severity: 'high',
    proof: 'kept',
    cases: /^(?:session\.|lifecycle\.sign-out-|http\.token-|http\.list-)/,
    says: 'A session or token stays valid after it has ended, or does not do what it should: {requests}.',
    gain: 'An attacker who has copied a cookie or a token stays signed in.',
  },
];

/** Causes that do not concern a particular part of the response. */
export const SERVER_CAUSES: readonly Cause[] = [...FAILURES, ...REFUSALS, ...USERS];
