import type { Case } from '../../engine/case.js';
import { setClientData } from '../../engine/client-data-edits.js';
import { flipBit } from '../../engine/edits.js';
import { FOREIGN_CHALLENGE } from '../values.js';
import { type AccountPolicy, lifecycleCases, type Rule } from './stage.js';
import {
  add,
  begin,
  enterPassword,
  keepCookies,
  login,
  remove,
  rename,
  stepUp,
  stepUpTwice,
  stepUpUnverified,
  stepUpWithPasskey,
  wait,
  whoami,
} from './steps.js';

/** Makes the rule for an action that follows a sign-in with a password. The policy says whether a password is enough for the action. */
const opens = (what: NonNullable<AccountPolicy['passwordOpens']>[number]): Rule => ({
  key: 'passwordOpens',
  decide: ({ passwordOpens = [] }) => (passwordOpens.includes(what) ? 'accepted' : 'refused'),
});

/** Makes the rule for an action that follows an old sign-in. The policy says whether the action requires a fresh sign-in. */
const freshFor = (what: NonNullable<AccountPolicy['freshFor']>[number]): Rule => ({
  key: 'freshSeconds',
  decide: ({ freshFor: changes = ['add', 'remove'] }) => (changes.includes(what) ? 'refused' : 'accepted'),
});

const SECRET =
  'A passkey protects an account only as well as the other ways into it. Compare the whole password with the hash of this user.';
const BYPASS =
  'If a password gives the same access as a passkey, phishing the password is enough. Require a passkey or a second factor if the user has one.';
const FRESH =
  'An attacker who finds an unlocked browser, or steals a cookie, can add their own passkey and keep access. Require a new sign-in before a passkey is added or removed.';
const STEP_UP =
  'A step-up is valid only in the session in which it succeeded, and only as long as the policy says. Store its time with the session.';

const PASSWORDS: readonly Case[] = [
  ...lifecycleCases(BYPASS, {
    password: ['a sign-in with the password of a user who has a passkey', [enterPassword({ expect: opens('session') })]],
    'password-adds-passkey': [
      'a new passkey in a session that a password opened',
      [enterPassword({ expect: 'any' }), add({ in: 'second', expect: opens('add') })],
    ],
    'password-removes-passkey': [
      'a passkey removed in a session that a password opened',
      [add(), enterPassword({ expect: 'any' }), remove({ in: 'second', expect: opens('remove') })],
    ],
  }),
  ...lifecycleCases(SECRET, {
    'password-wrong': ['a sign-in with a wrong password', [enterPassword({ password: (own) => `${own}x`, expect: 'refused' })]],
    'password-empty': ['a sign-in with an empty password', [enterPassword({ password: () => '', expect: 'refused' })]],
    'password-cut': [
      'a sign-in with the password without its last character',
      [enterPassword({ password: (own) => own.slice(0, -1), expect: 'refused' })],
    ],
    'password-lower-case': [
      'a sign-in with the password in lower case',
      [enterPassword({ password: (own) => own.toLowerCase(), expect: 'refused' })],
    ],
    'password-of-another-user': [
      "a sign-in with another user's password",
      [enterPassword({ password: (_own, others) => others, expect: 'refused' })],
    ],
  }),
  ...lifecycleCases(
    'An attacker who plants their own session cookie in a victim’s browser shares the session in which the victim signs in. Create a new session at every sign-in.',
    {
      'password-fixation': [
        'the cookies from before a sign-in with a password, used after it',
        [begin('login', { in: 'second' }), keepCookies('second', 'third'), enterPassword({ expect: 'any' }), whoami('third', 'refused')],
      ],
    },
  ),
];

const STALE = [login(), wait('freshSeconds')];

const FRESHNESS: readonly Case[] = [
  ...lifecycleCases('Users add the passkey of a new device in a session that another passkey opened.', {
    'login-adds-passkey': ['a new passkey in a session that a passkey opened', [login(), add({ in: 'first' })]],
  }),
  ...lifecycleCases(FRESH, {
    'stale-adds-passkey': ['a new passkey, long after the sign-in', [...STALE, add({ in: 'first', expect: freshFor('add') })]],
    'stale-removes-passkey': [
      'a passkey removed, long after the sign-in',
      [add(), ...STALE, remove({ in: 'first', expect: freshFor('remove') })],
    ],
    'stale-renames-passkey': ['a passkey renamed, long after the sign-in', [...STALE, rename({ in: 'first', expect: freshFor('rename') })]],
    'login-refreshes': [
      'a new passkey after a new login, long after the first one',
      [...STALE, login({ in: 'second' }), add({ in: 'second' })],
    ],
  }),
  ...lifecycleCases(STEP_UP, {
    'step-up-adds-passkey': [
      'a new passkey after a step-up, long after the sign-in',
      [...STALE, stepUp({ in: 'first' }), add({ in: 'first' })],
    ],
    'step-up-removes-passkey': [
      'a passkey removed after a step-up, long after the sign-in',
      [add(), ...STALE, stepUp({ in: 'first' }), remove({ in: 'first' })],
    ],
    'step-up-of-another-session': [
      'a new passkey after a step-up in another session of the user',
      [login({ in: 'second' }), ...STALE, stepUp({ in: 'second' }), add({ in: 'first', expect: freshFor('add') })],
    ],
    'step-up-refused': [
      'a new passkey after a step-up with a wrong password',
      [...STALE, stepUp({ in: 'first', password: (own) => `${own}x`, expect: 'refused' }), add({ in: 'first', expect: freshFor('add') })],
    ],
    'step-up-late': [
      'a new passkey long after a step-up',
      [...STALE, stepUp({ in: 'first' }), wait('freshSeconds'), add({ in: 'first', expect: freshFor('add') })],
    ],
  }),
];

const WITH_PASSKEY =
  'A step-up with a passkey is an authentication (§7.2), and needs all of its checks. Verify it with the same code as a login, and accept only a passkey of the signed-in user.';

const PASSKEY_STEP_UPS: readonly Case[] = [
  ...lifecycleCases('A signed-in user confirms with a passkey that they are still present.', {
    'step-up-with-passkey': ['a step-up with a passkey of the user', [stepUpWithPasskey()]],
  }),
  ...lifecycleCases(
    'A step-up must prove that the user is present, not just someone who holds their device. Set userVerification "required" in its options, and check the UV flag of the response.',
    { 'step-up-not-verified': ['a step-up with a passkey whose user was not verified', [stepUpUnverified()]] },
  ),
  ...lifecycleCases(
    'An attacker who has seen one step-up response can send it again and again. Delete the challenge with the first response.',
    { 'step-up-twice': ['a step-up response that is sent twice', [stepUpTwice()]] },
  ),
  ...lifecycleCases(WITH_PASSKEY, {
    'step-up-with-passkey-of-another-user': [
      "a step-up with another user's passkey",
      [stepUpWithPasskey({ of: 'other', expect: 'refused' })],
    ],
    'step-up-with-other-signature': [
      'a step-up with one bit of the signature flipped',
      [stepUpWithPasskey({ edits: { signature: flipBit(-1) }, expect: 'refused' })],
    ],
    'step-up-with-other-challenge': [
      'a step-up with a challenge that the server did not issue',
      [stepUpWithPasskey({ edits: { clientData: setClientData({ challenge: FOREIGN_CHALLENGE }) }, expect: 'refused' })],
    ],
    'step-up-with-removed-passkey': [
      'a step-up with a passkey that the user has removed',
      [add(), remove(), stepUpWithPasskey({ expect: 'refused' })],
    ],
  }),
];

/** Cases about signing in with a password, the freshness of a sign-in, and step-ups. */
export const SIGN_INS: readonly Case[] = [...PASSWORDS, ...FRESHNESS, ...PASSKEY_STEP_UPS];
