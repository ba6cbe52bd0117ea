import type { Case } from '../engine/case.js';
import type { CaseContext } from '../engine/context.js';
import { flowCase, loggedIn, prepareActor } from '../engine/flows.js';
import { expectTrue, refused } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';
import type { OwnAction, Session } from '../target/driver.js';

const WHAT: Readonly<Record<OwnAction, string>> = {
  list: 'lists their passkeys',
  remove: 'removes a passkey',
  signOut: 'signs out',
};

function need({ driver }: CaseContext, ...actions: readonly OwnAction[]): void {
  const missing = actions.find((action) => !driver.offers(action));
  if (missing !== undefined) throw notApplicable(`the profile does not say how a user ${WHAT[missing]} (${missing})`);
}

/** The list of the signed-in user; undefined in the list: it names no credential IDs. */
async function listed(session: Session) {
  const { answer, credentialIds } = await session.list();
  if (answer.outcome === 'accepted' && credentialIds === undefined) throw notApplicable('the list takes no credentialIds');
  return { answer, ids: credentialIds ?? [] };
}

const OWNED =
  'Whoever has an account could lock others out, or learn of their devices. Look a passkey up by its ID and by the user who is signed in, in one query.';

/** What users do with their own passkeys and sessions, and not with those of others. */
export const OWN_PASSKEYS: readonly Case[] = [
  flowCase({
    id: 'session.own-passkeys',
    title: 'a user lists their passkeys, removes one, and lists them again',
    why: 'Users look up which of their devices can log in, and remove a lost one. The list must say what is so.',
    tags: ['session'],
    async run(context) {
      need(context, 'list', 'remove');
      const { session, passkey } = await prepareActor(context, await context.session(1));
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
    tags: ['session'],
    async run(context) {
      need(context, 'list');
      const { passkey } = await prepareActor(context, await context.session(1));
      const { answer, ids } = await listed(await context.session(2));
      const id = passkey.credentialId;
      return [{ what: 'the list', answer }, { mismatches: expectTrue('the list', `without ${id}`, ids, !ids.includes(id)) }];
    },
  }),
  flowCase({
    id: 'session.others-passkey-removed',
    title: "a user who would remove another user's passkey, which then logs in",
    why: OWNED,
    tags: ['session', 'authentication'],
    async run(context) {
      need(context, 'remove');
      const actor = await prepareActor(context, await context.session(1));
      // Whatever the answer says: what counts is what became of the passkey.
      await (await context.session(2)).remove(actor.passkey);
      return [await loggedIn('the login of its user', actor)];
    },
  }),
  flowCase({
    id: 'session.after-sign-out',
    title: 'the cookies of a session that was ended by signing out',
    why: 'Whoever copied the cookies, from a shared computer or a log, stays signed in if only the browser forgets them. End the session on the server.',
    tags: ['session', 'authentication'],
    expected: refused('unauthenticated', undefined, 401),
    async run(context) {
      need(context, 'signOut');
      const actor = await prepareActor(context, await context.session(1));
      const visit = actor.session.newVisit();
      const login = await loggedIn('the login', actor, { visit });
      const copy = visit.fork();
      const signOut = await visit.signOut();
      const witness = await copy.whoami();
      if (witness === undefined) throw notApplicable('the profile does not say how to ask who is signed in (whoami)');
      return [
        login,
        { what: 'signing out', answer: signOut },
        { mismatches: expectTrue('whoami afterwards', 'nobody is signed in', witness.said, witness.outcome === 'refused') },
      ];
    },
  }),
];
