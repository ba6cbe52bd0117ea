import { type Cause, kinds } from './cause.js';

const TAKEN_OVER = "An attacker takes over another user's account.";
const FOUND = 'An attacker who finds an old code, in a mailbox, a log or a browser, takes over the account.';
const STAYS = 'An attacker who got in keeps access after the user has tried to end it.';
const PHISHED = 'Phishing the password is enough: the passkey protects nothing.';
const LEFT_OPEN = 'An attacker who finds an unlocked browser, or steals a cookie, adds a passkey of their own and stays.';

/** Causes for mistakes about accounts: removed passkeys, sessions, passwords and recovery. */
export const LIFECYCLE_CAUSES: readonly Cause[] = [
  ...kinds(
    { severity: 'critical', proof: 'signedIn', gain: TAKEN_OVER },
    {
      'recovery-check': [
        /^lifecycle\.recovery-code-/,
        'A recovery does not require the complete code of its own user: {requests} went wrong, such as {example}.',
      ],
      'recovery-code-shown': [
        /^lifecycle\.shown-recovery-code$/,
        'An answer contains the recovery code that is sent to the user: {requests}.',
      ],
      'password-check': [
        /^lifecycle\.password-(?:wrong|empty|cut|lower-case|of-another-user)$/,
        'The server accepts a password other than that of the user: {requests}, such as {example}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'critical', proof: 'affected', gain: TAKEN_OVER },
    {
      'signed-out-changes': [
        /^lifecycle\.signed-out-/,
        'The passkeys of a user can be reached without signing in: {requests}, such as {example}.',
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
        'After a login or a registration, the signed-in user is not the one who made it: {requests}, such as {example}.',
      ],
    },
  ),
  {
    id: 'session-repeats',
    severity: 'high',
    proof: 'kept',
    cases: /^session\.repeated-id$/,
    says: 'A session ID is reused: the cookies of an ended session were valid again after the next login, in {sessions}.',
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
    says: 'A recovery code works more than once, or forever: {requests}, such as {example}.',
    gain: FOUND,
  },
  {
    id: 'recovery-fixation',
    severity: 'high',
    proof: 'kept',
    cases: /^lifecycle\.(?:recovery|password)-fixation$/,
    says: 'A recovery, or a sign-in with a password, keeps the earlier session: {sessions} that an attacker knew became that of the user.',
    gain: STAYS,
  },
  {
    id: 'password-bypass',
    severity: 'high',
    proof: 'accepted',
    cases: /^lifecycle\.password(?:$|-adds|-removes)/,
    says: 'A password alone is enough for an action that requires a passkey by the policy of the profile: {requests}, such as {example}.',
    gain: PHISHED,
  },
  ...kinds(
    { severity: 'high', proof: 'accepted', gain: LEFT_OPEN },
    {
      'step-up-passkey': [
        /^lifecycle\.step-up-with-(?:passkey-of|other|removed)/,
        'A step-up accepts a response that is not from a passkey of the signed-in user: {requests}, such as {example}.',
      ],
      'step-up-verification': [
        /^lifecycle\.step-up-not-verified$/,
        'A step-up does not require user verification: {requests} succeeded without it.',
      ],
    },
  ),
  {
    id: 'step-up-reuse',
    severity: 'high',
    proof: 'kept',
    cases: /^lifecycle\.step-up-twice$/,
    says: 'The response of a step-up is accepted twice: {requests}.',
    gain: 'An attacker who has seen one step-up of a user can step up again at any time.',
    within: ['step-up-passkey'],
  },
  {
    id: 'step-up',
    severity: 'high',
    proof: 'accepted',
    cases: /^lifecycle\.step-up-/,
    says: 'A step-up counts although it did not succeed, or not in that session: {requests}, such as {example}.',
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
        'A recovery does not end everything that the profile says: {requests}, such as {example}.',
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
        'Answers reveal which users exist, against the policy of the profile: {requests}, such as {example}.',
      ],
    },
  ),
  ...kinds(
    {
      severity: 'high',
      proof: 'signedIn',
      gain: 'A user who was locked, disabled or never verified can sign in with a passkey, and so can an attacker in their place.',
    },
    {
      'gate-bypass': [
        /^lifecycle\.gate-(?:login|verify)/,
        'A passkey signs in a user who is in a state that must prevent it, according to the profile (gates): {requests}, such as {example}.',
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
    says: 'An open session of a user who was locked or disabled stays valid, against the profile (gates): {requests}, such as {example}.',
    gain: STAYS,
  },
  {
    id: 'gate-unset',
    severity: 'medium',
    cases: /^lifecycle\.gate-lifted$/,
    says: 'A gate of the profile does not even stop a sign-in with a password: its steps have no effect, or the server ignores this state.',
  },
  {
    id: 'account-lockout',
    severity: 'low',
    cases: /^lifecycle\.(?:recovery|sign-out)-(?:unfinished|refused|of-another-user)$/,
    says: 'An action of one user ends passkeys or sessions of another: {requests}, such as {example}.',
    gain: 'Anyone can lock users out of their accounts.',
  },
];
