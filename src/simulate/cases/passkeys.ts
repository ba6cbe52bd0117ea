import { type Actor, prepareActor, readyLogin, readyRegistration, withChallenge } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { beginRegistration, createBrowser, createElsewhere, isFull } from '../engine/ceremony.js';
import type { CaseContext } from '../engine/context.js';
import { padded } from '../engine/edits.js';
import { compareStaying, flowCase, loggedIn } from '../engine/flows.js';
import { compareAnswer, expectTrue, notPrepared, refused } from '../engine/outcome.js';
import { type Lack, notApplicable } from '../engine/scenario.js';
import { PATHS, post } from '../http/http.js';
import { MIXED_UP_BY } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import type { OwnAction, Session } from '../target/driver.js';

const KNOWN = refused('credential_already_registered', 'credential-id-unused', 409);

/** Traits for credential IDs of 32 bytes, whose base64 has padding. */
const PADDED = { authenticator: { credentialIdLength: 32 } } as const;

/** Cases about registering a credential again: the options exclude it, and the server refuses it (§7.1 steps 1 and 27). */
export const KNOWN_CREDENTIALS: readonly Case[] = [
  flowCase({
    id: 'register.exclude-credentials',
    title: 'the options of a second registration exclude the first passkey',
    step: 'credential-id-unused',
    disputed: 'excludeCredentials is recommended (§5.4), but not required.',
    why: 'Otherwise users create a second passkey on an authenticator that has one, and cannot tell the two apart. List the passkeys of the user in excludeCredentials.',
    async run(context) {
      const session = await context.session(1);
      const ready = await readyRegistration(context, session);
      const answer = await ready.send();
      const { excludeCredentials = [] } = await beginRegistration(context, session);
      const ids = excludeCredentials.map(({ id }) => id);
      const id = String(ready.body.id);
      return [
        { what: 'the first registration', answer },
        { mismatches: expectTrue('excludeCredentials', `with ${id}`, ids, ids.includes(id)) },
      ];
    },
  }),
  flowCase({
    id: 'register.credential-known-respelled',
    title: 'a credential that is already registered, with its ID in padded base64url',
    why: 'Two different strings can encode the same credential ID. If you compare strings, an ID that is registered already looks new, and its registration replaces or shadows the existing credential. Compare the decoded bytes, preferably those of the attested credential data.',
    expected: KNOWN,
    async run(context) {
      const session = await context.session(1);
      const ready = await readyRegistration(context, session, { browser: createBrowser(context, PADDED) });
      const first = await ready.send();
      const { challenge } = await beginRegistration(context, session);
      const id = padded(String(ready.body.id));
      const body = { ...(await withChallenge(ready, challenge)), id, rawId: id };
      const again = await session.finishRegistration(body);
      return [
        { what: 'the first registration', answer: first },
        { what: 'the second', answer: again, expected: KNOWN },
      ];
    },
  }),
];

const WHAT: Readonly<Record<OwnAction | 'whoami', string>> = {
  list: 'a user lists their passkeys',
  rename: 'a user renames a passkey',
  remove: 'a user removes a passkey',
  signOut: 'a user signs out',
  password: 'a user signs in with a password',
  stepUp: 'a signed-in user confirms who they are',
  recover: 'a user gets back into an account without a passkey',
  whoami: 'to find out who is signed in',
};

/** Says which request list is missing from the profile. */
export const describeLack = (action: keyof typeof WHAT): Lack => ({
  reason: `the profile does not say how ${WHAT[action]} (${action})`,
  member: action,
});

export function need({ driver }: CaseContext, ...actions: readonly (keyof typeof WHAT)[]): void {
  const missing = actions.find((action) => !driver.offers(action));
  if (missing !== undefined) throw notApplicable(describeLack(missing));
}

/** Requests the signed-in user's list of passkeys. Ends the case if the profile reads no credential IDs from the list. */
async function listed(session: Session) {
  const { answer, credentialIds } = await session.list();
  if (answer.outcome === 'accepted' && credentialIds === undefined) throw notApplicable('the profile takes no credentialIds from the list');
  return { answer, ids: credentialIds ?? [] };
}

const SIGNED_OUT = refused('unauthenticated', undefined, 401);

const OWNED =
  'Otherwise any user could lock others out, or learn about their devices. Look a passkey up by both its ID and the signed-in user, in one query.';

/** Registers a further passkey if users can have several, because a server may refuse to remove the last one. */
export async function addPasskey({ context, session }: Actor): Promise<void> {
  if (!isFull(context, session)) await prepareActor(context, session);
}

/** Checks that a user is not shown a passkey that another user registered. */
export async function compareOwner(
  { driver }: CaseContext,
  session: Session,
  { id, by }: { readonly id: string; readonly by: string },
): Promise<readonly Mismatch[]> {
  const expected = `without ${id}, which ${by} registered`;
  const listed = driver.offers('list') ? (await session.list()).credentialIds : undefined;
  if (listed !== undefined) return expectTrue('the list', expected, listed, !listed.includes(id), MIXED_UP_BY.list);
  // A server that excludes the passkeys of all users has mixed up none.
  const { excludeCredentials = [] } = (await session.beginRegistration()).options ?? {};
  const excluded = excludeCredentials.map((descriptor) => descriptor.id);
  return expectTrue('excludeCredentials', expected, excluded, !excluded.includes(id), MIXED_UP_BY.options);
}

/**
 * Reports session cookies without HttpOnly, Secure or SameSite. Only cookies without which the user is signed out count as session cookies.
 */
async function compareCookies(visit: Session): Promise<readonly Mismatch[]> {
  const { list, isHttps } = visit.cookies();
  if (list.length === 0) throw notApplicable('the target signs its users in without a cookie');
  const found: Mismatch[] = [];
  for (const { name, httpOnly, secure, sameSite } of list) {
    const lacks = [
      ...(httpOnly ? [] : ['HttpOnly']),
      ...(isHttps && !secure ? ['Secure'] : []),
      ...(sameSite === undefined ? ['SameSite'] : []),
    ];
    const isOfSession = lacks.length > 0 && (await visit.withoutCookie(name).whoami())?.outcome === 'refused';
    if (isOfSession) found.push(...expectTrue(`the cookie ${name}`, lacks.join(', '), 'not set', false));
  }
  return found;
}

/** Cases in which users list, rename and remove passkeys: their own, but not those of others. */
export const OWN_PASSKEYS: readonly Case[] = [
  flowCase({
    id: 'session.own-passkeys',
    title: 'a user lists their passkeys, removes one, and lists them again',
    why: 'Users look up which of their devices can log in, and remove a lost one. The list must be up to date.',
    async run(context) {
      need(context, 'list', 'remove');
      const { session, passkey } = await prepareActor(context, await context.session(1));
      if (context.driver.has.policy?.lastPasskey === 'kept') await prepareActor(context, session);
      const before = await listed(session);
      const removal = await session.remove(passkey);
      const after = await listed(session);
      const id = passkey.credentialId;
      return [
        { what: 'the list', answer: before.answer },
        { mismatches: expectTrue('the list', `with ${id}`, before.ids, before.ids.includes(id)) },
        { what: 'the removal', answer: removal },
        { mismatches: expectTrue('the list afterwards', `without ${id}`, after.ids, !after.ids.includes(id)) },
      ];
    },
  }),
  flowCase({
    id: 'session.others-passkeys',
    title: "the list of a user, without another user's passkeys",
    why: OWNED,
    async run(context) {
      need(context, 'list');
      // With a passkey of their own: some servers sign a user up, and in, only by registering one.
      const { session: other } = await prepareActor(context, await context.session(2));
      const { passkey } = await prepareActor(context, await context.session(1));
      const { answer, ids } = await listed(other);
      const id = passkey.credentialId;
      return [{ what: 'the list', answer }, { mismatches: expectTrue('the list', `without ${id}`, ids, !ids.includes(id)) }];
    },
  }),
  flowCase({
    id: 'session.others-passkey-removed',
    title: "a user who tries to remove another user's passkey, and a login with it afterwards",
    why: OWNED,
    tags: ['authentication'],
    async run(context) {
      need(context, 'remove');
      const { session: other } = await prepareActor(context, await context.session(2));
      const actor = await prepareActor(context, await context.session(1));
      const { answer: before } = await loggedIn('', actor);
      if (before.outcome !== 'accepted') throw notPrepared('the login of its user', before);
      await addPasskey(actor);
      // Whatever the answer says: what counts is what became of the passkey.
      await other.remove(actor.passkey);
      const login = async () => (await loggedIn('', actor)).answer;
      return [{ mismatches: await compareStaying('the login of its user', login) }];
    },
  }),
  flowCase({
    id: 'register.signed-out',
    title: 'a registration in a browser in which no user is signed in',
    why: 'A passkey gives access to the account that it is added to. Give registration options for an account, and accept the response, only if its user is signed in.',
    tags: ['session'],
    expected: SIGNED_OUT,
    async run(context) {
      const session = await context.session(1);
      if (context.api !== undefined) {
        const { body } = await readyRegistration(context, session);
        return [
          {
            mismatches: compareAnswer('a response without a token', SIGNED_OUT, await context.api.target.send(post(PATHS.register, body))),
          },
        ];
      }
      need(context, 'whoami');
      const visit = session.newVisit();
      const [inside, outside] = [await session.whoami(), await visit.whoami()];
      if (inside?.outcome !== 'accepted' || outside?.outcome !== 'refused') {
        throw notApplicable('the profile does not say how to tell whether the user of a new account is signed in (whoami)');
      }
      // No other user is the last of the server.
      await loggedIn('', await prepareActor(context, session));
      const { options } = await visit.beginRegistration();
      if (options === undefined) return [];
      const body = { ...(await createElsewhere(context, options)) };
      await visit.finishRegistration(body);
      // A signed-out visitor may open an account of their own.
      return [{ mismatches: await compareOwner(context, session, { id: body.id, by: 'a user who was signed out' }) }];
    },
  }),
  flowCase({
    id: 'session.fixation',
    title: 'the cookies from before a login, used after it',
    why: 'An attacker who plants their own session cookie in a victim’s browser shares the session in which the victim logs in. Create a new session at every login.',
    tags: ['authentication'],
    expected: SIGNED_OUT,
    async run(context) {
      need(context, 'whoami');
      const actor = await prepareActor(context, await context.session(1));
      const ready = await readyLogin(actor);
      const copy = ready.session.fork();
      const answer = await ready.send();
      const witness = await copy.whoami();
      const signedOut = witness?.outcome !== 'accepted';
      return [
        { what: 'the login', answer },
        {
          mismatches: expectTrue(
            'whoami with the cookies from before',
            'no user is signed in',
            witness?.said,
            signedOut,
            MIXED_UP_BY.whoami,
          ),
        },
      ];
    },
  }),
  flowCase({
    id: 'session.cookie-attributes',
    title: 'the attributes of the cookie that keeps a user signed in',
    why: 'Without HttpOnly, an injected script can read the session cookie. Without Secure, an attacker on the network can read it from a plain http request. Without SameSite, browsers differ in which requests from other sites carry it. Set HttpOnly and SameSite=Lax, and Secure if the application uses https.',
    tags: ['authentication'],
    async run(context) {
      need(context, 'whoami');
      const actor = await prepareActor(context, await context.session(1));
      const visit = actor.session.newVisit();
      return [await loggedIn('the login', actor, { visit }), { mismatches: await compareCookies(visit) }];
    },
  }),
  flowCase({
    id: 'session.after-sign-out',
    title: 'the cookies of a session that was ended by signing out',
    why: 'If only the browser deletes the cookies, an attacker who copied them from a shared computer or a log stays signed in. End the session on the server.',
    tags: ['authentication'],
    expected: SIGNED_OUT,
    runsAlone: true,
    async run(context) {
      need(context, 'signOut', 'whoami');
      const actor = await prepareActor(context, await context.session(1));
      const visit = actor.session.newVisit();
      const login = await loggedIn('the login', actor, { visit });
      const copy = visit.fork();
      const signOut = await visit.signOut();
      const witness = await copy.whoami();
      return [
        login,
        { what: 'signing out', answer: signOut },
        { mismatches: expectTrue('whoami afterwards', 'no user is signed in', witness?.said, witness?.outcome === 'refused') },
      ];
    },
  }),
];
