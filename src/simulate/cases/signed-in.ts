import { isDeepStrictEqual } from 'node:util';
import { prepareActor, readyRegistration } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { loginFor } from '../engine/demands.js';
import { flowCase, loggedIn } from '../engine/flows.js';
import { describeOutcome, expectTrue, refused } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';
import { DIFFERS, MIXED_UP_BY } from '../report/deviation.js';
import { describeLack, need } from './passkeys.js';

const SIGNED_OUT = refused('unauthenticated', undefined, 401);

type Lacks = NonNullable<Case['lacks']>;

const lacksWhoami: Lacks = ({ offers }) => (offers('whoami') ? undefined : describeLack('whoami'));

const lacksSignOut: Lacks = (target) => lacksWhoami(target) ?? (target.offers('signOut') ? undefined : describeLack('signOut'));

/** Ignores the error of a browser that refuses options meant for other passkeys. Throws any other error. */
function passDomException(error: unknown): undefined {
  if (!(error instanceof DOMException)) throw error;
}

const OVER = flowCase({
  id: 'session.login-over-another-user',
  title: 'a login in a browser in which another user is signed in',
  why: 'On a shared computer the second user would continue as the first. An attacker who signs in to a victim’s browser with their own account would get whatever the victim enters. End the open session at every login, and begin a new one for the owner of the passkey.',
  tags: ['authentication'],
  wants: { users: 2 },
  controls: ['login.default'],
  lacks: lacksWhoami,
  expected: SIGNED_OUT,
  async run(context) {
    need(context, 'whoami');
    const first = await prepareActor(context, await context.session(2));
    const second = await prepareActor(context, await context.session(1));
    const visit = first.session.newVisit();
    const logins = [
      await loggedIn('the login of the first user', first, { visit }),
      await loggedIn('the login of the second user', second),
    ];
    if (logins.some(({ answer }) => answer.outcome !== 'accepted')) return logins;
    const over = visit.claiming(second.session.names());
    const { options } = await over.beginAuthentication(loginFor({}, context.driver.has), second.passkey);
    // A server may refuse a login where a user is signed in, or have it answered by that user.
    if (options === undefined) return [];
    const response = await second.browser.ownPage.get({ publicKey: options }).catch(passDomException);
    if (response === undefined) return [];
    const answer = await over.finishAuthentication({ ...response });
    if (answer.signedIn?.user !== 'another') return [];
    const expected = 'the owner of the passkey is signed in, or the login is refused';
    const at = 'whoami after the login';
    return [{ mismatches: [{ at, expected, received: describeOutcome(answer), deviation: MIXED_UP_BY.whoami }] }];
  },
});

const KEEPS = flowCase({
  id: 'session.registration-keeps-user',
  title: 'the user who is signed in after a registration during which another user logs in',
  why: 'A registration adds a passkey to the account of the signed-in user, and must not sign in another user. Take the user from the session, and do not change the session.',
  tags: ['registration'],
  wants: { users: 2 },
  controls: ['register.default', 'login.default'],
  lacks: lacksWhoami,
  expected: SIGNED_OUT,
  async run(context) {
    need(context, 'whoami');
    const session = await context.session(1);
    const before = await session.whoami();
    if (before?.outcome !== 'accepted') throw notApplicable('the account requests of the profile do not sign a user in (whoami)');
    if (before.user === undefined) throw notApplicable('whoami takes no user');
    const other = await prepareActor(context, await context.session(2));
    const ready = await readyRegistration(context, session);
    const login = await loggedIn('the login of the other user', other);
    const answer = await ready.send();
    const after = await session.whoami();
    // It may sign its user out.
    const same = after?.outcome !== 'accepted' || isDeepStrictEqual(after.user, before.user);
    return [
      login,
      { what: 'the registration', answer },
      { mismatches: expectTrue('whoami after the registration', 'the same user as before', after?.user, same, MIXED_UP_BY.whoami) },
    ];
  },
});

const REPEATED = flowCase({
  id: 'session.repeated-id',
  title: 'the cookies of a session that has ended, after new logins',
  why: 'If a session ID is derived from the user, or reused, the next login makes the old session valid again, and with it any copied cookies. Make a new ID of random bytes at every login.',
  tags: ['authentication'],
  wants: { users: 2 },
  controls: ['login.default', 'lifecycle.sign-out'],
  lacks: lacksSignOut,
  expected: SIGNED_OUT,
  runsAlone: true,
  async run(context) {
    need(context, 'signOut', 'whoami');
    const actor = await prepareActor(context, await context.session(1));
    const other = await prepareActor(context, await context.session(2));
    const visit = actor.session.newVisit();
    const login = await loggedIn('the login', actor, { visit });
    const copy = visit.fork();
    await visit.signOut();
    // What is good all the time is the matter of another case.
    if ((await copy.whoami())?.outcome !== 'refused') return [login];
    const logins = [await loggedIn('the next login of the user', actor), await loggedIn('the login of another user', other)];
    const witness = await copy.whoami();
    const received = witness?.user ?? witness?.said;
    return [
      login,
      ...logins,
      { mismatches: expectTrue('whoami with the old cookies', 'no user is signed in', received, witness?.outcome !== 'accepted', DIFFERS) },
    ];
  },
});

/** Cases about who is signed in after ceremonies in a browser that another user also uses. */
export const SIGNED_IN: readonly Case[] = [OVER, KEEPS, REPEATED];
