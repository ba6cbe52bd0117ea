import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../kernel/json-value.js';
import { type Actor, prepareActor } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { type Browser, createBrowser, isFull } from '../engine/ceremony.js';
import type { CaseContext } from '../engine/context.js';
import { loginFor } from '../engine/demands.js';
import { compareStaying, flowCase, loggedIn } from '../engine/flows.js';
import { describeOutcome, expectTrue, notPrepared, refused } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';
import { MIXED_UP_BY } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import type { Answer, Driver, RegisteredPasskey, Session } from '../target/driver.js';
import { addPasskey, compareOwner, describeLack, need } from './passkeys.js';

type Phase = Parameters<Driver['reads']>[1];

const OTHERS = refused('unauthenticated', undefined, 403);

const FROM_SESSION =
  'Any user can name another user in a request. Take the user from the session, never from the body, the query, the path or a header.';

/**
 * Maximum number of variables to try. Each variable is tried in up to three positions with two requests, so a case sends at most 60
 * attacks.
 */
const MAX_NAMES = 10;

interface Claim {
  /** The name of a profile variable that identifies the user. */
  readonly name: string;
  readonly names: JsonObject;
}

const NAMES = ['user.name', 'user.email', 'user.displayName'];

/**
 * Explains why a case does not apply: the profile has no whoami, or a bearer token names the user. Variables that the `account` requests
 * set are not considered, because they are unknown until these requests have run.
 */
const lacksNames =
  (...phases: readonly Phase[]): NonNullable<Case['lacks']> =>
  ({ offers, reads }) => {
    if (!offers('whoami')) return describeLack('whoami');
    const isNamed = NAMES.some((name) => phases.some((phase) => reads(name, phase)));
    return !isNamed && reads('user.token', 'registrationOptions') ? 'a bearer token names the user' : undefined;
  };

/** Lists the false claims to try. In each claim, one variable that names the user has the victim's value instead of the attacker's. */
function listClaims({ driver }: CaseContext, attacker: Session, victim: Session, phases: readonly Phase[]): readonly Claim[] {
  const [own, others] = [attacker.names(), victim.names()];
  const read = Object.keys(others).filter((name) => phases.some((phase) => driver.reads(name, phase)));
  if (read.length === 0) throw notApplicable(`no request of ${phases.join(' and ')} in the profile names the user`);
  const differing = read.filter((name) => !isDeepStrictEqual(own[name], others[name]));
  return differing.slice(0, MAX_NAMES).map((name) => ({ name, names: { [name]: others[name] } }));
}

/** Prepares an attacker who is signed in to their own account, and a victim who has logged in with a passkey. */
async function prepareBoth(
  context: CaseContext,
  ...phases: readonly Phase[]
): Promise<{ readonly attacker: Actor; readonly victim: Actor }> {
  const reason = lacksNames(...phases)(context.driver);
  if (reason !== undefined) throw notApplicable(reason);
  const attacker = await prepareActor(context, await context.session(2));
  const victim = await prepareActor(context, await context.session(1));
  const { answer } = await loggedIn('', victim);
  if (answer.outcome !== 'accepted') throw notPrepared('the login of the other user', answer);
  const witness = await attacker.session.whoami();
  if (witness?.outcome !== 'accepted') throw notApplicable('the account requests of the profile do not sign a user in (whoami)');
  return { attacker, victim };
}

/** Tries to log in as the victim with a passkey that the attacker made. */
async function compareLogin(
  { context, session }: Actor,
  browser: Browser,
  passkey: RegisteredPasskey,
  at: string,
): Promise<readonly Mismatch[]> {
  const visit = session.newVisit();
  const { options } = await visit.beginAuthentication(loginFor({}, context.driver.has), passkey);
  const { allowCredentials = [] } = options ?? {};
  if (options === undefined || (allowCredentials.length > 0 && !allowCredentials.some(({ id }) => id === passkey.credentialId))) return [];
  const response = await unlessRefused(browser.ownPage.get({ publicKey: options }));
  return response === undefined ? [] : compareSignedIn(at, await visit.finishAuthentication({ ...response }));
}

/**
 * Awaits the browser's response. Returns undefined if the browser refuses, because the options belong to another user or exclude the
 * passkey.
 */
async function unlessRefused<Response>(ceremony: Promise<Response>): Promise<Response | undefined> {
  try {
    return await ceremony;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Checks that a login has signed in the owner of the passkey. */
function compareSignedIn(at: string, answer: Answer): readonly Mismatch[] {
  if (answer.signedIn?.user !== 'another') return [];
  return [{ at, expected: 'the owner of the passkey, or no user', received: describeOutcome(answer), deviation: MIXED_UP_BY.whoami }];
}

/** Requests in which the attacker names the victim: the one for the options, the one with the response, or both. */
const PLACES = [
  { what: 'the options', begin: true, finish: false },
  { what: 'the response', begin: false, finish: true },
  { what: 'options and response', begin: true, finish: true },
] as const;

const registration = flowCase({
  id: 'register.for-another-user',
  title: 'a registration by a signed-in user that names another user',
  why: FROM_SESSION,
  wants: { users: 2 },
  controls: ['register.default', 'login.default'],
  lacks: lacksNames('registrationOptions', 'register'),
  expected: OTHERS,
  async run(context) {
    const { attacker, victim } = await prepareBoth(context, 'registrationOptions', 'register');
    const reads = (name: string, phase: Phase) => context.driver.reads(name, phase);
    for (const { name, names } of listClaims(context, attacker.session, victim.session, ['registrationOptions', 'register'])) {
      for (const { what, begin, finish } of PLACES) {
        const isSent = (!begin || reads(name, 'registrationOptions')) && (!finish || reads(name, 'register'));
        if (!isSent || isFull(context, attacker.session)) continue;
        const beginning = begin ? attacker.session.claiming(names) : attacker.session.claiming({});
        const { options } = await beginning.beginRegistration();
        if (options === undefined) continue;
        const browser = createBrowser(context);
        const response = await unlessRefused(browser.ownPage.create({ publicKey: options }));
        if (response === undefined) continue;
        const answer = await beginning.claiming(finish ? names : {}).finishRegistration({ ...response });
        if (answer.outcome !== 'accepted') continue;
        const by = `the other user, with {${name}} of this one in ${what},`;
        const mismatches = [
          ...(await compareLogin(
            victim,
            browser,
            { credentialId: response.id, taken: answer.taken },
            `the login, after ${what} named {${name}}`,
          )),
          ...(await compareOwner(context, victim.session, { id: response.id, by })),
        ];
        if (mismatches.length > 0) return [{ mismatches }];
      }
    }
    return [];
  },
});

const login = flowCase({
  id: 'login.for-another-user',
  title: 'a login with the user’s own passkey that names another user',
  why: FROM_SESSION,
  wants: { users: 2 },
  controls: ['login.default'],
  lacks: lacksNames('authenticate'),
  expected: OTHERS,
  async run(context) {
    const { attacker, victim } = await prepareBoth(context, 'authenticate');
    for (const { name, names } of listClaims(context, attacker.session, victim.session, ['authenticate'])) {
      const visit = attacker.session.newVisit();
      const { options } = await visit.beginAuthentication(loginFor({}, context.driver.has), attacker.passkey);
      if (options === undefined) continue;
      const response = await unlessRefused(attacker.browser.ownPage.get({ publicKey: options }));
      if (response === undefined) continue;
      const answer = await visit.claiming(names).finishAuthentication({ ...response });
      const mismatches = compareSignedIn(`the login, with {${name}} of another user`, answer);
      if (mismatches.length > 0) return [{ mismatches }];
    }
    return [];
  },
});

const removal = flowCase({
  id: 'session.removal-for-another-user',
  title: "the removal of another user's passkey, in a request that names its user",
  why: FROM_SESSION,
  wants: { users: 2 },
  tags: ['authentication'],
  controls: ['login.default', 'lifecycle.removal'],
  lacks: lacksNames('remove'),
  expected: OTHERS,
  async run(context) {
    need(context, 'remove');
    const { attacker, victim } = await prepareBoth(context, 'remove');
    const claims = listClaims(context, attacker.session, victim.session, ['remove']);
    await addPasskey(victim);
    for (const { names } of claims) {
      await attacker.session.claiming(names).remove(victim.passkey);
      const mismatches = await compareStaying('the login of its user', async () => (await loggedIn('', victim)).answer);
      if (mismatches.length > 0) return [{ mismatches }];
    }
    return [];
  },
});

const rename = flowCase({
  id: 'session.rename-for-another-user',
  title: "a new name for another user's passkey, in a request that names its user",
  why: FROM_SESSION,
  wants: { users: 2 },
  tags: ['authentication'],
  controls: ['login.default', 'lifecycle.rename'],
  lacks: (target) => lacksNames('rename')(target) ?? (target.offers('list') ? undefined : describeLack('list')),
  expected: OTHERS,
  async run(context) {
    need(context, 'rename', 'list');
    const { attacker, victim } = await prepareBoth(context, 'rename');
    for (const { name, names } of listClaims(context, attacker.session, victim.session, ['rename'])) {
      const label = `Renamed by simulate ${name} ${victim.passkey.credentialId.slice(0, 8)}`;
      await attacker.session.claiming(names).rename(victim.passkey, label);
      const { labels } = await victim.session.list();
      if (!Array.isArray(labels)) throw notApplicable('the profile does not read labels from the list of passkeys');
      const mismatches = expectTrue(
        'the labels in the list of the other user',
        `without "${label}"`,
        labels,
        !labels.includes(label),
        MIXED_UP_BY.list,
      );
      if (mismatches.length > 0) return [{ mismatches }];
    }
    return [];
  },
});

/** Cases in which a user acts for another user by naming them in a request. */
export const FOR_ANOTHER_USER: readonly Case[] = [registration, login, removal, rename];
