import { SIGNING_ALGORITHMS } from '../../../authenticator/algorithms.js';
import type { AccountChooser } from '../../../authenticator/settings.js';
import { FLAG } from '../../../webauthn/authenticator-data.js';
import { prepareActor, readyLogin, readyRegistration } from '../../engine/attempts.js';
import type { Case } from '../../engine/case.js';
import { beginAuthentication, beginRegistration, createBrowser } from '../../engine/ceremony.js';
import { setClientData } from '../../engine/client-data-edits.js';
import { clearFlags, setFlags } from '../../engine/edits.js';
import { bothFlows, flowCase, loggedIn } from '../../engine/flows.js';
import { denied, refused } from '../../engine/outcome.js';
import { prepareTwo } from '../two-users.js';
import { DISCOVERABLE } from '../values.js';

/** Algorithms with which every supported version of Node.js can sign. */
const CLASSICAL = SIGNING_ALGORITHMS.filter(({ key }) => key.type !== 'ml-dsa');

/** Cases with several passkeys of one user, or with several users. */
const USERS: readonly Case[] = [
  flowCase({
    id: 'login.each-of-three-passkeys',
    title: 'three passkeys of one user, each of which logs in',
    why: 'Users have a phone, a laptop and a security key. A server that stores one passkey per user locks out users who add another. Store passkeys in a separate table.',
    async run(context) {
      const session = await context.session(1);
      const first = await prepareActor(context, session);
      const second = await prepareActor(context, session);
      const third = await prepareActor(context, session);
      return [await loggedIn('the first', first), await loggedIn('the third', third), await loggedIn('the second', second)];
    },
  }),
  flowCase({
    id: 'login.two-users-one-authenticator',
    title: 'passkeys of two users on one authenticator, and a login with the older passkey',
    why: 'Families and teams share devices. Look up the account by the credential, not by the device, the session or the last registration.',
    async run(context) {
      // Where a login names no user, the browser asks which account to use.
      let picks: 'oldest' | 'newest' = 'oldest';
      const chooseAccount: AccountChooser = (accounts) => (picks === 'oldest' ? accounts.at(-1) : accounts[0]);
      const browser = createBrowser(context, { authenticator: { chooseAccount } });
      const [first, second] = await prepareTwo(context, { browser });
      const older = await loggedIn('the first user', first);
      picks = 'newest';
      return [older, await loggedIn('the second user', second)];
    },
  }),
  flowCase({
    id: 'login.every-offered-algorithm',
    title: 'a registration and a login with every algorithm that the options offer',
    why: 'Some authenticator will choose each algorithm that pubKeyCredParams lists. Offer only algorithms that you can verify.',
    tags: ['algorithm'],
    async run(context) {
      const session = await context.session(1);
      const { pubKeyCredParams } = await beginRegistration(context, session);
      const offered = new Set(pubKeyCredParams.map(({ alg }) => Number(alg)));
      const events = [];
      for (const { id, name } of CLASSICAL.filter((algorithm) => offered.has(algorithm.id))) {
        const actor = await prepareActor(context, session, { traits: { authenticator: { algorithms: [id] } } });
        events.push(await loggedIn(name, actor));
      }
      return events;
    },
  }),
];

/** Cases with several consecutive ceremonies of one user. */
const SEQUENCES: readonly Case[] = [
  flowCase({
    id: 'login.backup-state-changing',
    title: 'a passkey that is backed up, then no longer, then again',
    why: 'BS gives the current state, and changes when a user turns synchronization on or off. Only BE never changes (§7.2, backup state).',
    async run(context) {
      const traits = { authenticator: { backupEligible: true } };
      const actor = await prepareActor(context, await context.session(1), { traits });
      return [
        await loggedIn('backed up', actor, { edits: { authenticatorData: setFlags(FLAG.bs) } }),
        await loggedIn('no longer backed up', actor, { edits: { authenticatorData: clearFlags(FLAG.bs) } }),
        await loggedIn('backed up again', actor, { edits: { authenticatorData: setFlags(FLAG.bs) } }),
      ];
    },
  }),
  flowCase({
    id: 'login.verified-now-and-then',
    title: 'a user who is verified at one login and not at the next',
    why: 'If verification is only preferred, a closed laptop with an external keyboard sends responses without it. Do not compare a login with earlier ones.',
    wants: { userVerification: 'preferred', unverified: true },
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const wants = { userVerification: 'preferred' } as const;
      return [
        await loggedIn('verified', actor, { wants, edits: { authenticatorData: setFlags(FLAG.uv) } }),
        await loggedIn('not verified', actor, { wants, edits: { authenticatorData: clearFlags(FLAG.uv) } }),
      ];
    },
  }),
  flowCase({
    id: 'login.twice-in-one-visit',
    title: 'a second login in the same visit, right after the first',
    why: 'People confirm a payment right after they have signed in. The first challenge is used up, but the next options have a new one.',
    // Others may give no options to who is signed in.
    needs: ['api'],
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const visit = actor.session.newVisit();
      return [await loggedIn('the first', actor, { visit }), await loggedIn('the second', actor, { visit })];
    },
  }),
  flowCase({
    id: 'login.from-another-visit',
    title: 'a login in a second browser while the first is still signed in',
    why: 'Users have several devices. A login must neither end other sessions nor require that they have ended.',
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      return [await loggedIn('the first visit', actor), await loggedIn('the second visit', actor)];
    },
  }),
  flowCase({
    id: 'login.options-asked-twice',
    title: 'options requested twice in one visit, and a response to the second',
    why: 'A page requests options when it loads, for autofill, and again for its button. The latest options must work.',
    // Flows of several pages give options where their page is, once.
    needs: ['api'],
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const visit = actor.session.newVisit();
      await beginAuthentication(context, visit, actor.passkey);
      return [await loggedIn('the second options', actor, { visit })];
    },
  }),
  flowCase({
    id: 'register.options-asked-twice',
    title: 'options requested twice in one session, and a response to the second',
    why: 'Users close the dialog and try again. The latest options must work.',
    async run(context) {
      const session = await context.session(1);
      await beginRegistration(context, session);
      return [{ what: 'the second options', answer: await (await readyRegistration(context, session)).send() }];
    },
  }),
  ...bothFlows({
    what: 'after-refused',
    title: 'a response right after one that was refused',
    why: 'A refused response must use up its challenge and nothing else. Otherwise an attacker who causes refusals locks the user out. Leave no incomplete passkey behind.',
    async run({ ceremony, ready }) {
      const [type, refuse] = ceremony === 'registration' ? (['webauthn.get', refused] as const) : (['webauthn.create', denied] as const);
      const wrong = await ready({ clientData: setClientData({ type }) });
      return [
        { what: 'the wrong one', answer: await wrong.send(), expected: refuse('type_mismatch', 'type') },
        { what: 'the right one', answer: await (await ready()).send() },
      ];
    },
  }),
];

/** Cases with overlapping ceremonies. */
const SIDE_BY_SIDE: readonly Case[] = [
  flowCase({
    id: 'login.two-visits',
    title: 'logins in two visits, both begun before either ends',
    why: 'Two people, or two devices, sign in at the same time. Store the challenge with each visit, not in one variable for all.',
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const [first, second] = [await readyLogin(actor), await readyLogin(actor)];
      return [
        { what: 'the visit that began first', answer: await first.send() },
        { what: 'the visit that began second', answer: await second.send() },
      ];
    },
  }),
  flowCase({
    id: 'login.two-users',
    title: 'discoverable logins of two users, both begun before either ends',
    why: 'If one variable holds the challenge for all visits, only one person can sign in at a time. Store it with each visit.',
    wants: { login: 'discoverable' },
    async run(context) {
      const wants = { login: 'discoverable' } as const;
      const [first, second] = await prepareTwo(context, { traits: DISCOVERABLE });
      const [one, two] = [await readyLogin(first, { wants }), await readyLogin(second, { wants })];
      return [
        { what: 'the first user', answer: await one.send() },
        { what: 'the second user', answer: await two.send() },
      ];
    },
  }),
  flowCase({
    id: 'register.two-users',
    title: 'registrations of two users, both begun before either ends',
    why: 'If one variable holds the challenge for all sessions, only one person can register at a time, or two are mixed up. Store it with each session.',
    async run(context) {
      const [one, two] = [await context.session(1), await context.session(2)];
      const [first, second] = [await readyRegistration(context, one), await readyRegistration(context, two)];
      return [
        { what: 'the first user', answer: await first.send() },
        { what: 'the second user', answer: await second.send() },
      ];
    },
  }),
];

export const CONFORMING_FLOWS: readonly Case[] = [...USERS, ...SEQUENCES, ...SIDE_BY_SIDE];
