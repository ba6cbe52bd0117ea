import type { Case } from '../../engine/case.js';
import { describeOutcome, readRaceDeviation } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import { expectOutcome, lifecycleCases, type Rule, type Step, type Who } from './stage.js';
import {
  add,
  begin,
  finish,
  keepCookies,
  list,
  login,
  remove,
  rename,
  renamed,
  signOut,
  staysGood,
  staysSignedIn,
  whoami,
} from './steps.js';

const LAST: Rule = { key: 'lastPasskey', decide: ({ lastPasskey }) => (lastPasskey === 'kept' ? 'refused' : 'accepted') };

const OPENED: Rule = { key: 'removedSessions', decide: ({ removedSessions }) => (removedSessions === 'ended' ? 'refused' : 'accepted') };

const ELSEWHERE: Rule = { key: 'signOutEnds', decide: ({ signOutEnds }) => (signOutEnds === 'sessions' ? 'refused' : 'accepted') };

/**
 * Makes a step that removes passkeys in simultaneous requests. The target must accept exactly `accepted` of these requests, or at least one
 * if `accepted` is undefined.
 */
const removeAtOnce = (passkeys: readonly Who[], accepted?: number): Step => ({
  lists: ['remove'],
  control: 'removal',
  async run(stage) {
    const { session } = await stage.actor('user');
    const actors = await Promise.all(passkeys.map((who) => stage.actor(who)));
    const answers = await Promise.all(actors.map(({ passkey }) => session.fork().remove(passkey)));
    const failed = answers.flatMap((answer) => expectOutcome(stage, 'two removals at once', answer, 'any'));
    const count = answers.filter(({ outcome }) => outcome === 'accepted').length;
    if (failed.length > 0 || (accepted === undefined ? count > 0 : count === accepted)) return failed;
    const received = answers.map(describeOutcome).join('; ');
    const deviation = readRaceDeviation(answers, accepted ?? answers.length);
    return [
      {
        at: 'two removals at once',
        expected: accepted === undefined ? 'at least one accepted' : `${accepted} accepted`,
        received,
        deviation,
      },
    ];
  },
});

/** Ends the case if the user still has passkeys from an earlier case. */
const ONLY_ONE: Step = {
  lists: [],
  async run(stage) {
    const { session } = await stage.actor('user');
    const { excludeCredentials = [] } = (await session.beginRegistration()).options ?? {};
    if (excludeCredentials.length > 1) throw notApplicable('the user still has passkeys from earlier cases');
    return [];
  },
};

const GONE = 'A removed passkey is often on a lost or stolen device. It must stop working as soon as the server has answered the removal.';
const OTHERS =
  'Otherwise any user could change the passkeys of others. Look a passkey up by both its ID and the signed-in user, in one query.';
const SIGNED_IN = 'Changing passkeys changes who can sign in. Accept it only in a session in which the user is signed in.';
const ENDED =
  'If only the browser deletes the cookies, an attacker who copied them from a shared computer or a log stays signed in. End the session on the server.';
const LOCKED_OUT =
  'A user without a passkey or another way in is locked out. Count and remove passkeys in one step, so that two requests cannot remove the last two.';

const DISCOVERABLE = { wants: { login: 'discoverable' } } as const;

const REMOVALS: readonly Case[] = [
  ...lifecycleCases('Users remove the passkeys of devices that they no longer have.', {
    removal: ['a user who removes one of two passkeys', [add(), remove({ of: 'added' })]],
  }),
  ...lifecycleCases(GONE, {
    'removed-passkey': ['a login with a passkey that its user has removed', [add(), remove(), login({ expect: 'refused' })]],
    'removed-passkey-discoverable': [
      'a login that names no user, with a passkey that its user has removed',
      [add(), remove(), login({ ...DISCOVERABLE, expect: 'refused' })],
      DISCOVERABLE.wants,
    ],
    'removed-passkey-begun': [
      'a login that began before its passkey was removed, and is sent afterwards',
      [add(), begin('login'), remove(), finish('refused')],
    ],
    'removed-passkey-of-session': [
      'the session that a passkey opened, after the passkey was removed',
      [add(), login(), whoami('first'), remove(), whoami('first', OPENED)],
    ],
  }),
  ...lifecycleCases('Users remove a passkey and change their mind. Do not list removed passkeys in excludeCredentials.', {
    'removed-passkey-again': [
      'a device that registers a new passkey after its old one was removed',
      [add(), remove(), add({ in: 'home' }), login({ of: 'added' })],
    ],
  }),
  ...lifecycleCases('A user who removes one passkey keeps the others.', {
    'other-passkey-stays': [
      'a login and a session with another passkey than the removed one',
      [login(), add(), remove({ of: 'added' }), whoami('first'), login({ in: 'second' })],
    ],
  }),
  ...lifecycleCases('The server may refuse a second click or a repeated request, but it must not remove anything else.', {
    'removal-twice': [
      'a passkey removed twice, while the other one stays',
      [add(), remove({ of: 'added' }), remove({ of: 'added', expect: 'any' }), login()],
    ],
  }),
  ...lifecycleCases('Two requests remove one passkey. One of them may find it gone, but neither may fail or remove anything else.', {
    'removal-at-once': [
      'one passkey removed by two requests at once, while the other one stays',
      [add(), removeAtOnce(['added', 'added']), login(), login({ of: 'added', in: 'second', expect: 'refused' })],
    ],
  }),
  ...lifecycleCases(LOCKED_OUT, {
    'last-passkey': ['the removal of the only passkey', [ONLY_ONE, remove({ expect: LAST })]],
  }),
  ...lifecycleCases(
    LOCKED_OUT,
    {
      'last-passkeys-at-once': ['the removal of both passkeys, at once', [ONLY_ONE, add(), removeAtOnce(['user', 'added'], 1)]],
      'last-passkey-kept': ['a login with the only passkey, whose removal was refused', [ONLY_ONE, remove({ expect: 'refused' }), login()]],
    },
    LAST,
  ),
];

const STRANGERS: readonly Case[] = [
  ...lifecycleCases('Users look up which of their passkeys can sign in.', {
    list: ['the list of a user who has signed in', [login(), list({ in: 'first' })]],
  }),
  ...lifecycleCases('Users distinguish their passkeys by their names.', {
    rename: ['a user who renames a passkey', [rename(), renamed('accepted')]],
  }),
  ...lifecycleCases(OTHERS, {
    'others-passkey-renamed': [
      "a user who tries to rename another user's passkey",
      [login({ by: 'other' }), rename({ by: 'other', of: 'user', expect: 'any' }), renamed('refused')],
    ],
    'others-passkeys-in-one-browser': [
      'the list of a user who signs in after another one, in the same browser',
      [
        login(),
        signOut(),
        keepCookies('first', 'second'),
        login({ by: 'other', in: 'second' }),
        list({ by: 'other', in: 'second', expect: 'refused' }),
      ],
    ],
  }),
  ...lifecycleCases(SIGNED_IN, {
    'signed-out-removes': [
      'a passkey removed in a browser in which no user is signed in',
      [add(), login({ in: 'second' }), remove({ in: 'outside', expect: 'any' }), staysGood('first')],
    ],
    'signed-out-renames': [
      'a passkey renamed in a browser in which no user is signed in',
      [rename({ in: 'outside', expect: 'any' }), renamed('refused')],
    ],
    'signed-out-lists': ['the list of passkeys in a browser in which no user is signed in', [list({ in: 'outside', expect: 'refused' })]],
  }),
];

const SIGN_OUTS: readonly Case[] = [
  ...lifecycleCases('Users sign out on computers that they share with others.', {
    'sign-out': ['a user who signs out', [login(), signOut()]],
  }),
  ...lifecycleCases(ENDED, {
    'sign-out-adds': [
      'a new passkey with the cookies of a session that has ended',
      [login(), keepCookies('first', 'second'), signOut(), add({ in: 'second', expect: 'refused' })],
    ],
    'sign-out-registration-begun': [
      'a registration that began before its user signed out, and is sent afterwards',
      [login(), keepCookies('first', 'second'), begin('registration', { in: 'second' }), signOut(), finish('refused')],
    ],
    'sign-out-removes': [
      'a passkey removed with the cookies of a session that has ended',
      [add(), login(), keepCookies('first', 'second'), signOut(), remove({ in: 'second', expect: 'any' }), staysGood('third')],
    ],
    'sign-out-lists': [
      'the list of passkeys with the cookies of a session that has ended',
      [login(), keepCookies('first', 'second'), signOut(), list({ in: 'second', expect: 'refused' })],
    ],
    'sign-out-elsewhere': [
      'another session of a user who signs out',
      [login(), login({ in: 'second' }), signOut(), whoami('second', ELSEWHERE)],
    ],
  }),
  ...lifecycleCases('Users who sign out end only their own session.', {
    'sign-out-of-another-user': [
      'the session of a user, after another one has signed out',
      [login(), login({ by: 'other' }), signOut({ by: 'other' }), staysSignedIn('first')],
    ],
  }),
  ...lifecycleCases('Data that signing out leaves in a browser must not prevent the next login.', {
    'login-after-sign-out': ['a login in the browser in which the user has signed out', [login(), signOut(), login(), whoami('first')]],
  }),
];

/** Cases about removing and renaming passkeys, by their owner and by other users, and about signing out. */
export const REMOVALS_AND_SIGN_OUTS: readonly Case[] = [...REMOVALS, ...STRANGERS, ...SIGN_OUTS];
