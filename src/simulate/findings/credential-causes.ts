import { type Cause, kinds } from './cause.js';

const AS_ANOTHER = "An attacker's passkey signs in as another user.";
const CLAIMED = "An attacker puts a passkey in place of another user's.";
const CHOSEN = 'An attacker chooses key, flags or RP ID in the response, since no signature covers these copies.';

const CREDENTIALS: readonly Cause[] = [
  {
    id: 'another-user-signed-in',
    severity: 'critical',
    proof: 'another',
    when: 'another user',
    cases: /(?:)/,
    says: 'The server signs in a user who does not own the passkey, as whoami shows: {logins}.',
    gain: AS_ANOTHER,
    within: ['user-handle', 'credential-known'],
  },
  ...kinds(
    { severity: 'low', when: 'owner' },
    {
      'user-handle-ignored': [
        /\.user-handle-(?:foreign|of-another-user(?:-named)?|longer)$/,
        "The server ignores the user handle: it accepted {responses} with a handle that is not the owner's, and signed in the owner each time.",
      ],
      'credential-not-asked-for': [
        /\.(?:credential-of-another-user|challenge-of-another-(?:user|passkey))$/,
        'The server accepts a credential other than those that it asked for, and signs in its owner: {logins}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'critical', proof: 'another', gain: AS_ANOTHER },
    {
      'user-handle': [
        /\.user-handle-(?:foreign|of-another-user(?:-named)?|longer)$/,
        "The server does not compare the user handle with the owner of the passkey: it accepted {responses} with another user's handle.",
      ],
      'credential-of-another-user': [
        /\.(?:credential-of-another-user|challenge-of-another-(?:user|passkey))$/,
        'The server accepts a credential other than those that it asked for: {logins}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'critical', proof: 'signedIn', gain: AS_ANOTHER },
    {
      'credential-unknown': [
        /\.(?:credential-(?:unknown|id-cut)|id-not-canonical)$/,
        'The server does not look a credential up by its whole ID: {logins} with another ID went wrong.',
      ],
      'credential-removed': [
        /\.(?:credential-revoked|while-revoked|(?:recovery-)?removed-passkey(?:-begun|-discoverable)?|removal-at-once)$/,
        'A removed passkey still signs in: the server accepted {logins} with one.',
      ],
    },
  ),
  {
    id: 'credential-not-allowed',
    severity: 'medium',
    cases: /\.credential-not-allowed$/,
    says: 'The server accepts another passkey of the user than those that it asked for: {logins}.',
    gain: 'A weaker passkey passes for the one that was requested.',
    within: ['credential-of-another-user', 'credential-not-asked-for'],
  },
  {
    id: 'credential-known',
    severity: 'critical',
    proof: 'signedIn',
    cases: /\.(?:credential-known(?:-|$)|(?:key-of-claimed-credential-id|credential-id-claimed|same-id-at-once)$)/,
    says: 'The server registers a credential ID that already exists, such as {example}: {attempts} went wrong.',
    gain: CLAIMED,
  },
  {
    id: 'credential-id-unsigned',
    severity: 'high',
    proof: 'accepted',
    cases: /^register\.credential-id-other$/,
    says: 'The server stores a credential ID that was not signed: it accepted {registrations} with a different one.',
    gain: CLAIMED,
  },
  {
    id: 'credential-id-unsigned',
    severity: 'high',
    proof: 'accepted',
    when: 'refused',
    cases: /^register\.credential-id-other$/,
    says: 'The server stores the unsigned copy of the credential ID instead of the one in the attestation object: {registrations}.',
    gain: CLAIMED,
  },
  {
    id: 'unsigned-copies',
    severity: 'high',
    proof: 'accepted',
    cases: /\.(?:copy-of-|key-of-(?:authenticator-data-)?copy$|attested-(?:key|state)-|copies-absent$)/,
    says: 'The server trusts the unsigned copies of parts of the attestation object: {attempts} with changed copies went wrong.',
    gain: CHOSEN,
    within: ['rp-id', 'user-present', 'algorithm'],
  },
  {
    id: 'unsigned-copies-read',
    severity: 'low',
    when: 'refused',
    cases: /\.attested-(?:key|state)-/,
    says: 'The server reads the unsigned copies of parts of the attestation object: {attempts} in which only a copy is wrong were refused.',
    within: ['unsigned-copies'],
  },
  {
    id: 'credential-of-refused-registration',
    severity: 'high',
    proof: 'kept',
    cases: /\.credential-of-refused-registration$/,
    says: 'The server stores the credential of a registration that it refuses: {logins} with one were accepted.',
    gain: 'A passkey that failed a check can be used anyway.',
    within: ['user-present'],
  },
  {
    id: 'user-handle-missing',
    severity: 'low',
    cases: /\.user-handle-(?:missing|empty)$/,
    says: 'The server accepts a login without user handle, although it named no user: {responses}.',
    within: ['user-handle', 'user-handle-ignored'],
  },
  ...kinds(
    { severity: 'low' },
    {
      'credential-id': [
        /\.(?:raw-id-other|raw-id-missing|id-empty|credential-id-empty|type-other)$/,
        'The server does not check id, rawId and type of the credential: it accepted {responses} such as {example}.',
      ],
      'user-handle-shared': [
        /\.user-handle-of-each-user$/,
        'The server gives several users the same user handle: a passkey of one replaces that of another on the same authenticator ({registrations}).',
      ],
      'credential-id-length': [
        /\.credential-id-too-long$/,
        'The server registers credential IDs of more than 1023 bytes: {registrations}.',
      ],
    },
  ),
  {
    id: 'credentials-listed',
    severity: 'medium',
    cases: /\.credentials-listed$/,
    says: 'Options for a login that names no user list the credentials of users: {requests}.',
    gain: 'Anyone learns which users and authenticators exist.',
  },
  {
    id: 'exclude-credentials-of-others',
    severity: 'low',
    cases: /\.exclude-credentials-own$/,
    says: 'excludeCredentials has entries that are not passkeys of the user: {registrations}.',
    gain: 'A user learns of the authenticators of others, and cannot register one that is shared.',
  },
  ...kinds(
    { severity: 'note' },
    {
      'user-handle-changing': [/\.user-handle-kept$/, 'The user handle of an account changes with each registration: {registrations}.'],
      'user-handle-naming': [/\.user-handle-anonymous$/, 'The user handle is the address or the name of the user: {registrations}.'],
    },
  ),
  {
    id: 'exclude-credentials',
    severity: 'note',
    cases: /\.exclude-credentials$/,
    says: 'The options do not list the passkeys that the user has in excludeCredentials: {registrations}.',
  },
];

const SIGN_COUNT: readonly Cause[] = [
  {
    id: 'sign-count',
    severity: 'medium',
    cases: /\.counter-(?:repeated|regressed|zero)$/,
    says: 'The server does not compare the sign count: it accepted {logins} whose count had not grown.',
    gain: 'A copied authenticator goes unnoticed.',
  },
  ...kinds(
    { severity: 'medium', gain: 'A copied authenticator goes unnoticed.', within: ['sign-count'] },
    {
      'sign-count-stored': [
        /\.counter-(?:repeated|regressed)-after-login$/,
        'The server does not store the sign count of a login: it accepted {logins} whose count had not grown since the last.',
      ],
      'sign-count-form': [
        /\.counter-(?:after-signed-range|wrapped|as-text|sixteen-bits)$/,
        'The server does not read the sign count as an unsigned 32-bit number: it accepted {logins} whose count had not grown.',
      ],
      'sign-count-race': [
        /\.same-count-at-once$/,
        'The server compares and stores the sign count in two steps: {logins} at the same moment were both accepted.',
      ],
    },
  ),
];

const FOLDED: readonly Cause[] = (['accepted', 'refused'] as const).map((when) => ({
  id: 'credential-id-case',
  severity: 'medium',
  when,
  cases: /\.credential-(?:id-other-case|ids-differing-in-case)$/,
  says: 'The server compares credential IDs without regard to case: {attempts} with two that differ in the case of a letter went wrong.',
  gain: 'A user can take the ID of another user, who is then locked out.',
  within: when === 'accepted' ? ['credential-unknown'] : ['credential-unknown', 'ordinary-refused'],
}));

const CUT = 'The server does not store whole credential IDs: {attempts} with long ones, or with two that differ at the end, went wrong.';
const LONG_ID = /\.(?:credential-id-of-\d|credential-ids-differing-at-the-end$)/;

const LENGTHS: readonly Cause[] = (['no response', 'refused', 'accepted'] as const).map((when) => ({
  id: 'credential-id-cut',
  severity: 'medium',
  when,
  cases: LONG_ID,
  says: CUT,
  gain: 'Security keys with long IDs are locked out, and a user can take the ID of another.',
  ...(when !== 'accepted' && { within: ['ordinary-refused'] }),
}));

/** Causes for mistakes about the passkey and user of a response, and about the sign count. */
export const CREDENTIAL_CAUSES: readonly Cause[] = [...CREDENTIALS, ...FOLDED, ...LENGTHS, ...SIGN_COUNT];
