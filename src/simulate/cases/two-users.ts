import { isDeepStrictEqual } from 'node:util';
import { FLAG } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { type Actor, findRpId, prepareActor, readyLogin, readyRegistration, toActor } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { createBrowser, createPasskey, findSource, performed } from '../engine/ceremony.js';
import type { CaseContext } from '../engine/context.js';
import { loginFor } from '../engine/demands.js';
import { clearFlags, editAuthentication, editRegistration } from '../engine/edits.js';
import { flowCase, loggedIn } from '../engine/flows.js';
import { denied, expectTrue, refused } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';
import { MIXED_UP_BY } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import type { Begun, Session } from '../target/driver.js';
import { OTHER_SITE } from './client-data/origin-edits.js';
import { compareOwner } from './passkeys.js';
import { DISCOVERABLE } from './values.js';

const APART =
  'Two people use a server at the same moment. A value that the whole process shares, such as the last challenge or the current user, then belongs to the later one. Store it with the session or with the challenge.';

/** Prepares two users, each with a passkey. They use new browsers unless the options name existing ones. */
export async function prepareTwo(context: CaseContext, options?: Parameters<typeof prepareActor>[2]): Promise<readonly [Actor, Actor]> {
  const [first, second] = [await context.session(1), await context.session(2)];
  return [await prepareActor(context, first, options), await prepareActor(context, second, options)];
}

const toOwned = ({ passkey }: Actor) => ({ id: passkey.credentialId, by: 'another user' });

const readHandle = async ({ browser, passkey }: Actor): Promise<string> =>
  encodeBase64url((await findSource(browser, passkey.rpId, passkey.credentialId)).user.id);

interface Visitor {
  readonly actor: Actor;
  /** The session in which this user has logged in. */
  readonly visit: Session;
}

/**
 * Checks that each user is signed in only in the session where they logged in. Uses whoami, or registration options if the profile has no
 * whoami.
 */
async function compareVisitors(first: Visitor, second: Visitor): Promise<readonly Mismatch[]> {
  const alone = first.actor.session.newVisit();
  await loggedIn('a later login of the first user', first.actor, { visit: alone });
  const [one, two, later] = [await first.visit.whoami(), await second.visit.whoami(), await alone.whoami()];
  if (one === undefined || two === undefined) return [...(await compareUserId(first, second)), ...(await compareUserId(second, first))];
  const expected = 'each user is signed in where they logged in';
  const known = one.user !== undefined && two.user !== undefined;
  const apart = !known || (!isDeepStrictEqual(one.user, two.user) && isDeepStrictEqual(one.user, later?.user));
  const signedIn = one.outcome === 'accepted' && two.outcome === 'accepted';
  const received = [one.user ?? one.said, two.user ?? two.said];
  return expectTrue(
    'whoami, after both logins',
    expected,
    received,
    signedIn && apart,
    signedIn ? MIXED_UP_BY.whoami : { kind: 'refused' },
  );
}

/** Checks that registration options are for the user who logged in to this session. */
async function compareUserId({ actor, visit }: Visitor, other: Visitor): Promise<readonly Mismatch[]> {
  const { user } = (await visit.beginRegistration()).options ?? {};
  const [own, others] = [await readHandle(actor), await readHandle(other.actor)];
  const expected = 'options for the user who has logged in there';
  return expectTrue('user.id, after both logins', expected, user?.id, user?.id !== others || own === others, MIXED_UP_BY.options);
}

const INTERLEAVED: readonly Case[] = [
  flowCase({
    id: 'register.two-users-interleaved',
    title: 'registrations of two users; the second begins before the first sends a response',
    controls: ['register.default', 'login.default'],
    why: APART,
    tags: ['conforming'],
    async run(context) {
      const [one, two] = [await context.session(1), await context.session(2)];
      const ready = [await readyRegistration(context, one), await readyRegistration(context, two)] as const;
      const answers = [await ready[0].send(), await ready[1].send()] as const;
      const registered = [
        { what: 'the registration of the first user', answer: answers[0] },
        { what: 'the registration of the second user', answer: answers[1] },
      ];
      if (registered.some(({ answer }) => answer.outcome !== 'accepted')) return registered;
      const [first, second] = [toActor(ready[0], answers[0]), toActor(ready[1], answers[1])];
      return [
        ...registered,
        { mismatches: await compareOwner(context, one, toOwned(second)) },
        { mismatches: await compareOwner(context, two, toOwned(first)) },
        await loggedIn('the login of the first user', first),
        await loggedIn('the login of the second user', second),
      ];
    },
  }),
  flowCase({
    id: 'register.around-login-of-another-user',
    title: 'a registration during which another user logs in',
    controls: ['register.default', 'login.default'],
    why: APART,
    tags: ['conforming'],
    async run(context) {
      const [session, another] = [await context.session(1), await context.session(2)];
      const other = await prepareActor(context, another);
      const ready = await readyRegistration(context, session);
      const login = await loggedIn('the login of the other user', other);
      const answer = await ready.send();
      const registered = { what: 'the registration', answer };
      if (answer.outcome !== 'accepted') return [login, registered];
      const actor = toActor(ready, answer);
      const mismatches = await compareOwner(context, other.session, toOwned(actor));
      return [login, registered, { mismatches }, await loggedIn('the login with the new passkey', actor)];
    },
  }),
  flowCase({
    id: 'login.two-users-interleaved',
    title: 'logins of two users; the second begins before the first sends a response',
    why: APART,
    tags: ['conforming'],
    async run(context) {
      const [one, two] = await prepareTwo(context);
      const [first, second] = [await readyLogin(one), await readyLogin(two)];
      const logins = [
        { what: 'the login of the first user', answer: await first.send() },
        { what: 'the login of the second user', answer: await second.send() },
      ];
      if (logins.some(({ answer }) => answer.outcome !== 'accepted')) return logins;
      return [
        ...logins,
        { mismatches: await compareVisitors({ actor: one, visit: first.session }, { actor: two, visit: second.session }) },
      ];
    },
  }),
];

const POLICIES =
  'A response must meet the demands of its own options. A server that checks it against the latest options it gave may use those of another user. Store the demands with the challenge.';

/**
 * Chooses a stricter demand for one ceremony, which a response to ordinary options violates: user verification or another origin. Ends the
 * case if the profile can request neither.
 */
function strictAsks({ driver: { has } }: CaseContext) {
  if (has.asks?.includes('userVerification') === true) return { userVerification: 'required' };
  if (has.asks?.includes('origin') === true) return { origin: OTHER_SITE };
  throw notApplicable('the profile cannot request different options for a single ceremony');
}

/** Ends the case if the target ignored the requested origin, because an ordinary response would then be correct. */
function holdStricter(context: CaseContext, { origin }: { readonly origin?: string }, rpId: string | undefined): void {
  if (origin === undefined || findRpId(context, rpId) !== findRpId(context, undefined)) return;
  throw notApplicable('the target gives the same options for another origin');
}

/** Turns the options of a strict ceremony into ordinary ones, so that the browser makes a response that violates the strict options. */
function asOrdinary<T extends object>({ options }: Begun<T>, asked: string | undefined, ordinary: (options: T) => T): T {
  if (options === undefined || (asked !== undefined && asked !== 'required')) throw notApplicable('the target gives no stricter options');
  return ordinary(options);
}

const WITHOUT_VERIFICATION = { authenticatorData: clearFlags(FLAG.uv) };

const OF_ANOTHER = {
  register: refused('origin_mismatch', 'origin'),
  login: denied('challenge_unknown', 'challenge'),
} as const;

const POLICY: readonly Case[] = [
  flowCase({
    id: 'register.options-of-another-user',
    title: "a response that meets another user's later options, but not its own stricter ones",
    why: POLICIES,
    expected: OF_ANOTHER.register,
    async run(context) {
      const [session, another] = [await context.session(1), await context.session(2)];
      const asks = strictAsks(context);
      const begun = await session.beginRegistration(asks);
      const asked = asks.userVerification && (begun.options?.authenticatorSelection?.userVerification ?? 'preferred');
      holdStricter(context, asks, begun.options?.rp.id);
      const publicKey = asOrdinary(begun, asked, (options) => ({
        ...options,
        rp: { ...options.rp, id: findRpId(context, undefined) },
        authenticatorSelection: { ...options.authenticatorSelection, userVerification: 'discouraged' },
      }));
      const other = await readyRegistration(context, another);
      const browser = createBrowser(context);
      const honest = await createPasskey(context, browser, browser.ownPage, { publicKey });
      const source = await findSource(browser, findRpId(context, publicKey.rp.id), honest.id);
      const answer = await session.finishRegistration(await editRegistration(honest, source, WITHOUT_VERIFICATION));
      return [
        { what: 'the stricter registration', answer, expected: OF_ANOTHER.register },
        { what: 'the other registration', answer: await other.send() },
      ];
    },
  }),
  flowCase({
    id: 'login.options-of-another-user',
    title: "a response that meets another user's later options, but not its own stricter ones",
    why: POLICIES,
    expected: OF_ANOTHER.login,
    async run(context) {
      const asks = strictAsks(context);
      const login = asks.origin === undefined ? loginFor({}, context.driver.has) : 'discoverable';
      const [actor, other] = await prepareTwo(context, { traits: DISCOVERABLE });
      const session = actor.session.newVisit();
      const begun = await session.beginAuthentication(login, actor.passkey, asks);
      holdStricter(context, asks, begun.options?.rpId);
      const publicKey = asOrdinary(begun, asks.userVerification && (begun.options?.userVerification ?? 'preferred'), (options) => ({
        ...options,
        rpId: actor.passkey.rpId,
        userVerification: 'discouraged',
      }));
      const ready = await readyLogin(other, { wants: { login } });
      const honest = await performed(context, actor.browser.ownPage.get({ publicKey }));
      const source = await findSource(actor.browser, actor.passkey.rpId, honest.id);
      const answer = await session.finishAuthentication(await editAuthentication(honest, source, WITHOUT_VERIFICATION));
      return [
        { what: 'the stricter login', answer, expected: OF_ANOTHER.login },
        { what: 'the other login', answer: await ready.send() },
      ];
    },
  }),
];

/** Cases with overlapping ceremonies of two users. */
export const TWO_USERS: readonly Case[] = [...INTERLEAVED, ...POLICY];
