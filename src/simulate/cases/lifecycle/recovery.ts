import { isDeepStrictEqual } from 'node:util';
import type { Case } from '../../engine/case.js';
import { describeOutcome, expectTrue, readRaceDeviation } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import { type AccountPolicy, lifecycleCases, type Rule, type Step } from './stage.js';
import {
  add,
  ask,
  begin,
  enterPassword,
  finish,
  keepCookies,
  list,
  login,
  recover,
  remove,
  staysGood,
  staysSignedIn,
  wait,
  whoami,
} from './steps.js';

/**
 * Makes the rule for access gained before a recovery, such as an earlier session. The server must refuse this access afterwards if the
 * policy says that a recovery ends it.
 */
const ends = (what: NonNullable<AccountPolicy['recoveryEnds']>[number]): Rule => ({
  key: 'recoveryEnds',
  decide: ({ recoveryEnds = [] }) => (recoveryEnds.includes(what) ? 'refused' : 'accepted'),
});

/** Uses one recovery code in two browsers at the same moment. */
const RECOVER_AT_ONCE: Step = {
  lists: ['recover'],
  refuses: true,
  async run(stage) {
    const visits = [await stage.visit('second', 'user'), await stage.visit('third', 'user')];
    const recoveryToken = stage.codes.user.at(-1) ?? '';
    const answers = await Promise.all(visits.map((visit) => visit.enter('recover', { recoveryToken })));
    const received = answers.map(describeOutcome);
    const deviation = readRaceDeviation(answers, 1);
    return expectTrue(
      'two recoveries at once',
      'one accepted',
      received,
      answers.filter(({ outcome }) => outcome === 'accepted').length === 1,
      deviation,
    );
  },
};

/** Ends the case unless the profile's account requests sign the user in. A bearer token alone does not sign the user in. */
const SIGNED_IN: Step = {
  lists: ['whoami'],
  async run(stage) {
    const witness = await (await stage.visit('home', 'user')).whoami();
    if (witness?.outcome !== 'accepted') throw notApplicable('the account requests of the profile do not sign a user in (whoami)');
    return [];
  },
};

/** Checks with whoami that the owner of the account is signed in after a recovery, or is not signed in if `isUser` is false. */
const owner = (isUser: boolean): Step => ({
  lists: ['whoami'],
  refuses: !isUser,
  async run(stage) {
    const witness = await (await stage.visit('second', 'user')).whoami();
    if (!isUser && stage.signedIn === undefined) throw notApplicable('whoami takes no user');
    const same = stage.signedIn === undefined || isDeepStrictEqual(stage.signedIn, witness?.user);
    const holds = (witness?.outcome === 'accepted' && same) === isUser;
    return expectTrue('whoami', isUser ? 'the user is signed in' : 'the user is not signed in', witness?.user ?? witness?.said, holds);
  },
});

const flip = (text: string): string => text.replace(/[a-z0-9](?=[^a-z0-9]*$)/i, (last) => (last === '1' ? '2' : '1'));

const ONCE =
  'If a code works twice, an attacker who finds it later in a mailbox, a log or a browser gets in. Mark it as used in the same step that accepts it.';
const OWNER =
  'A recovery replaces every passkey, so an attacker who gets past its check owns the account. Look up the code, and take the user from its row, not from the request.';
const ENDS =
  'Users recover an account because a device is lost or stolen. Everything that the recovery should end must end at once, on the server.';
const REMOVED =
  'A removed passkey is often on a lost or stolen device. A recovery that restores the account from a copy, or undoes every removal, makes it valid again for the thief.';
const NOTHING = 'Anyone can request the recovery of any account. Until it is finished, nothing may change for the user.';
const WORKS = 'Users who have lost every passkey have no other way in.';

const DISCOVERABLE = { wants: { login: 'discoverable' } } as const;

/**
 * Cases about account recovery. A recovery must work once and only for the owner of the account, and must end earlier access as the policy
 * says.
 */
export const RECOVERIES: readonly Case[] = [
  ...lifecycleCases(WORKS, {
    recovery: ['a recovery, which signs its user in', [ask(), recover(), owner(true)]],
    'recovery-new-passkey': [
      'a new passkey after a recovery, and a login with it',
      [ask(), recover(), add({ in: 'second' }), login({ of: 'added', in: 'third' })],
    ],
  }),
  ...lifecycleCases(
    'A server that discards the code after one wrong attempt lets an attacker keep a user out of their account. Allow a few attempts.',
    {
      'recovery-after-wrong-code': [
        'a recovery with the right code, after a wrong one',
        [ask(), recover({ in: 'third', edit: flip, expect: 'any' }), recover()],
      ],
    },
  ),
  ...lifecycleCases(ONCE, {
    'recovery-twice': ['a recovery with a code that was used', [ask(), recover(), recover({ in: 'third', expect: 'refused' })]],
    'recovery-at-once': ['two recoveries with one code, at once', [ask(), RECOVER_AT_ONCE]],
    'recovery-late': ['a recovery after its time limit', [ask(), wait('recoverySeconds'), recover({ expect: 'refused' })]],
  }),
  ...lifecycleCases(ENDS, {
    'recovery-older-code': [
      'a recovery with an older code, once a newer one was sent',
      [ask(), ask(), recover({ older: true, expect: ends('codes') })],
    ],
    'recovery-passkey': ['a login with the passkey from before a recovery', [ask(), recover(), login({ expect: ends('passkeys') })]],
    'recovery-passkey-discoverable': [
      'a login that names no user, with the passkey from before a recovery',
      [ask(), recover(), login({ ...DISCOVERABLE, expect: ends('passkeys') })],
      DISCOVERABLE.wants,
    ],
    'recovery-passkey-begun': [
      'a login that began before a recovery, and is sent afterwards',
      [begin('login'), ask(), recover(), finish(ends('passkeys'))],
    ],
    'recovery-passkey-listed': [
      'the list of passkeys after a recovery',
      [ask(), recover(), list({ in: 'second', expect: ends('passkeys') })],
    ],
    // Not one that a passkey has opened: it may end with the passkey.
    'recovery-session': [
      'the session in which the account was made, after a recovery',
      [SIGNED_IN, ask(), recover(), whoami('home', ends('sessions'))],
    ],
    'recovery-registration-begun': [
      'a registration that began before a recovery, and is sent afterwards',
      [SIGNED_IN, begin('registration'), ask(), recover(), finish(ends('sessions'))],
    ],
    'recovery-password': [
      'the password from before a recovery',
      [ask(), recover(), enterPassword({ in: 'first', expect: ends('password') })],
    ],
  }),
  ...lifecycleCases(REMOVED, {
    'recovery-removed-passkey': [
      'a login with a passkey that its user had removed before a recovery',
      [add(), remove(), ask(), recover(), login({ expect: 'refused' })],
    ],
    'recovery-removed-passkey-discoverable': [
      'a login that names no user, with a passkey that its user had removed before a recovery',
      [add(), remove(), ask(), recover(), login({ ...DISCOVERABLE, expect: 'refused' })],
      DISCOVERABLE.wants,
    ],
  }),
  ...lifecycleCases(OWNER, {
    'recovery-code-changed': [
      'a recovery with a code in which one character is wrong',
      [ask(), recover({ edit: flip, expect: 'refused' })],
    ],
    'recovery-code-empty': ['a recovery with an empty code', [ask(), recover({ edit: () => '', expect: 'refused' })]],
    'recovery-code-cut': [
      'a recovery with the first half of the code',
      [ask(), recover({ edit: (text) => text.slice(0, Math.ceil(text.length / 2)), expect: 'refused' })],
    ],
    'recovery-code-of-another-user': [
      'a recovery of a user with a code that another user got',
      [ask(), ask('other'), recover({ code: 'other', expect: 'any' }), owner(false)],
    ],
  }),
  ...lifecycleCases(
    'An attacker who plants their own session cookie in a victim’s browser shares the session of the recovery. Create a new session when the recovery is finished.',
    {
      'recovery-fixation': [
        'the cookies from before a recovery, used after it',
        [ask(), begin('login', { in: 'second' }), keepCookies('second', 'third'), recover(), whoami('third', 'refused')],
      ],
    },
  ),
  ...lifecycleCases(NOTHING, {
    'recovery-of-another-user': [
      'passkey and session of a user, after another user recovered their account',
      [login(), whoami('first'), ask('other'), recover({ by: 'other' }), staysSignedIn('first'), staysGood('third')],
    ],
    'recovery-unfinished': [
      'passkey and session of a user, after a recovery was requested',
      [login(), whoami('first'), ask(), staysSignedIn('first'), staysGood('third')],
    ],
    'recovery-refused': [
      'passkey and session of a user, after a recovery with a wrong code',
      [login(), whoami('first'), ask(), recover({ edit: flip, expect: 'refused' }), staysSignedIn('first'), staysGood('third')],
    ],
  }),
];
