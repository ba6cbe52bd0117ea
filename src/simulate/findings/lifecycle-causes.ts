import { type Cause, kinds } from './cause.js';

const TAKEN_OVER = "An attacker takes over another user's account.";
const FOUND = 'An attacker who finds an old code, in a mailbox, a log or a browser, takes over the account.';
const STAYS = 'An attacker who got in stays in, although the user has acted.';
const PHISHED = 'Phishing the password is enough: the passkey protects nothing.';
const LEFT_OPEN = 'An attacker who finds an unlocked browser, or steals a cookie, adds a passkey of their own and stays.';

/** Causes for mistakes about accounts: removed passkeys, sessions, passwords and recovery. */
export const LIFECYCLE_CAUSES: readonly Cause[] = [
  ...kinds(
    { severity: 'critical', proof: 'signedIn', gain: TAKEN_OVER },
    {
      'recovery-check': [
        /^lifecycle\.recovery-code-/,
        'A recovery does not need the whole code of its own user: {requests} went wrong, such as {example}.',
      ],
      'recovery-code-shown': [
        /^lifecycle\.shown-recovery-code$/,
        'An answer has the code for a recovery, which is sent to the user: {requests}.',
      ],
      'password-check': [
        /^lifecycle\.password-(?:wrong|empty|cut|lower-case|of-another-user)$/,
        'The server accepts a password that is not that of the user: {requests}, such as {example}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'critical', proof: 'affected', gain: TAKEN_OVER },
    {
      'signed-out-changes': [
        /^lifecycle\.signed-out-/,
        'No user need be signed in to reach the passkeys of a user: {requests}, such as {example}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'critical', proof: 'another', gain: TAKEN_OVER },
    {
      'sign-up-known-address': [
        /^lifecycle\.sign-up-known-address$/,
        'A sign-up with the address of a user who has an account leads into that account: {requests}.',
      ],
      'session-user': [
        /^session\.(?:login-over-another-user|registration-keeps-user)$/,
        'A login or a registration leaves another user signed in than the one who made it: {requests}, such as {example}.',
      ],
    },
  ),
  {
    id: 'session-repeats',
    severity: 'high',
    proof: 'kept',
    cases: /^session\.repeated-id$/,
    says: 'A session ID is given again: cookies of a session that had ended were good after the next login, in {sessions}.',
    gain: 'An attacker who has copied a cookie is signed in again as soon as its user is.',
  },
  {
    id: 'sign-up-race',
    severity: 'medium',
    cases: /^lifecycle\.sign-ups-at-once$/,
    says: 'Two sign-ups at the same moment open two accounts with one address: {requests}.',
    gain: 'Two people have accounts with one address, and a recovery gives one of them to the other.',
  },
  {
    id: 'recovery-reuse',
    severity: 'high',
    proof: 'kept',
    cases: /^lifecycle\.recovery-(?:twice|at-once|late)/,
    says: 'A code for a recovery works more than once, or for ever: {requests}, such as {example}.',
    gain: FOUND,
  },
  {
    id: 'recovery-fixation',
    severity: 'high',
    proof: 'kept',
    cases: /^lifecycle\.(?:recovery|password)-fixation$/,
    says: 'A recovery, or a sign-in with a password, keeps the session from before: {sessions} that an attacker knew became that of the user.',
    gain: STAYS,
  },
  {
    id: 'password-bypass',
    severity: 'high',
    proof: 'accepted',
    cases: /^lifecycle\.password(?:$|-adds|-removes)/,
    says: 'A password alone does what needs a passkey by the policy of the profile: {requests}, such as {example}.',
    gain: PHISHED,
  },
  ...kinds(
    { severity: 'high', proof: 'accepted', gain: LEFT_OPEN },
    {
      'step-up-passkey': [
        /^lifecycle\.step-up-with-(?:passkey-of|other|removed)/,
        'A step-up takes what is no response of a passkey of the signed-in user: {requests}, such as {example}.',
      ],
      'step-up-verification': [
        /^lifecycle\.step-up-not-verified$/,
        'A step-up does not need user verification: {requests} counted whose user was not verified.',
      ],
    },
  ),
  {
    id: 'step-up-reuse',
    severity: 'high',
    proof: 'kept',
    cases: /^lifecycle\.step-up-twice$/,
    says: 'The response of a step-up is good again: {requests}.',
    gain: 'An attacker who has seen one step-up of a user makes all later ones.',
    within: ['step-up-passkey'],
  },
  {
    id: 'step-up',
    severity: 'high',
    proof: 'accepted',
    cases: /^lifecycle\.step-up-/,
    says: 'A step-up counts where it has not succeeded, or not in that session: {requests}, such as {example}.',
    gain: LEFT_OPEN,
    within: ['fresh-sign-in'],
  },
  {
    id: 'fresh-sign-in',
    severity: 'medium',
    cases: /^lifecycle\.stale-/,
    says: 'Passkeys are changed long after the sign-in, against the policy of the profile: {requests}, such as {example}.',
    gain: LEFT_OPEN,
  },
  ...kinds(
    { severity: 'medium', gain: STAYS },
    {
      'recovery-ends': [
        /^lifecycle\.recovery-(?:passkey|session|registration|password|older)/,
        'A recovery does not end what the profile says: {requests}, such as {example}.',
      ],
      'removed-sessions': [
        /^lifecycle\.removed-passkey-of-session$/,
        'A session outlives the passkey that opened it, against the policy of the profile: {requests}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'medium' },
    {
      'last-passkey': [
        /^lifecycle\.last-passkey/,
        'A user can remove the last passkey, against the policy of the profile: {requests}, such as {example}.',
      ],
      'unknown-users': [
        /^lifecycle\.unknown-user/,
        'Answers tell which users exist, against the policy of the profile: {requests}, such as {example}.',
      ],
    },
  ),
  ...kinds(
    {
      severity: 'high',
      proof: 'signedIn',
      gain: 'A user who was locked, disabled or never verified goes in by a passkey, and so does an attacker in their place.',
    },
    {
      'gate-bypass': [
        /^lifecycle\.gate-(?:login|verify)/,
        'A passkey signs in a user who may not sign in, by a state that the profile names (gates): {requests}, such as {example}.',
      ],
      'gate-recovery': [
        /^lifecycle\.gate-recovery$/,
        'A recovery opens an account that is locked, disabled or unverified, against the profile (gates): {requests}.',
      ],
    },
  ),
  {
    id: 'gate-sessions',
    severity: 'high',
    proof: 'kept',
    cases: /^lifecycle\.gate-(?:session|adds-passkey|registration-begun)$/,
    says: 'An open session of a user who was locked or disabled goes on, against the profile (gates): {requests}, such as {example}.',
    gain: STAYS,
  },
  {
    id: 'gate-unset',
    severity: 'medium',
    cases: /^lifecycle\.gate-lifted$/,
    says: 'A gate of the profile stops not even a sign-in with a password: its steps have no effect, or the server does not look at this state.',
  },
  {
    id: 'account-lockout',
    severity: 'low',
    cases: /^lifecycle\.(?:recovery|sign-out)-(?:unfinished|refused|of-another-user)$/,
    says: 'What one person does ends passkeys or sessions of another: {requests}, such as {example}.',
    gain: 'Anybody locks users out of their accounts.',
  },
];
