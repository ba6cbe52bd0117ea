import { prepareActor, readyLogin, readyRegistration, withChallenge } from '../engine/attempts.js';
import { type Case, withTag } from '../engine/case.js';
import { beginRegistration, revokePasskey } from '../engine/ceremony.js';
import { both } from '../engine/ceremony-cases.js';
import { type CaseContext, passTime } from '../engine/context.js';
import { setSignCount } from '../engine/edits.js';
import { bothFlows, flowCase } from '../engine/flows.js';
import { denied, refused } from '../engine/outcome.js';
import { SLOW_TAG } from '../engine/scenario.js';

const NOT_FOUND = refused('passkey_not_found', undefined, 404);

/** Cases with simultaneous requests. The expected outcome is the same in whatever order the server handles them. */
const CONCURRENT_FLOWS: readonly Case[] = [
  ...bothFlows({
    what: 'two-responses-at-once',
    title: 'two responses to one challenge, sent at once',
    why: 'Each challenge is valid for one passkey or one login. Read and delete it in one step: a server that reads first and deletes later accepts both responses.',
    code: 'challenge_used',
    step: 'challenge',
    async run({ ready }) {
      const attempt = await ready();
      const bodies = [attempt.body, await attempt.answerAgain()];
      const answers = await Promise.all(bodies.map((body) => attempt.send(attempt.session.fork(), body)));
      return [{ what: 'two responses at once', answers, accepted: 1 }];
    },
  }),
  flowCase({
    id: 'register.same-id-at-once',
    title: 'one credential ID registered by two users at once',
    why: 'A credential ID belongs to one account (§7.1, credential ID). Let the database enforce that with a unique index: a server that looks first and inserts later registers it for both users.',
    expected: refused('credential_already_registered', undefined, 409),
    async run(context) {
      const [first, second] = [await context.session(1), await context.session(2)];
      const ready = await readyRegistration(context, first);
      const { challenge } = await beginRegistration(context, second);
      const again = await withChallenge(ready, challenge);
      const answers = await Promise.all([first.finishRegistration(ready.body), second.finishRegistration(again)]);
      return [{ what: 'registrations by two users at once', answers, accepted: 1 }];
    },
  }),
  flowCase({
    id: 'login.same-count-at-once',
    title: 'two logins with the same sign count, sent at once',
    why: 'The sign count reveals a cloned authenticator. Compare and store it in one step: a server that reads it, verifies and stores later accepts both the clone and the original.',
    // §7.2 step 22 does not say that comparing and storing are one.
    needs: ['api'],
    wants: { counter: true },
    expected: denied('counter_regressed', 'sign-count'),
    async run(context) {
      const traits = { authenticator: { signCount: { kind: 'per-credential', start: 7 } } } as const;
      const actor = await prepareActor(context, await context.session(1), { traits });
      const edits = { authenticatorData: setSignCount(20) };
      const ready = [await readyLogin(actor, { edits }), await readyLogin(actor, { edits })];
      return [{ what: 'two logins with sign count 20 at once', answers: await Promise.all(ready.map((each) => each.send())), accepted: 1 }];
    },
  }),
  flowCase({
    id: 'login.many-at-once',
    title: 'six logins in separate visits, sent at once',
    why: 'Logins of different visits must not affect each other. Look for locks that fail and for values that requests share.',
    tags: ['conforming'],
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const ready = [];
      for (let visit = 0; visit < 6; visit += 1) ready.push(await readyLogin(actor));
      const answers = await Promise.all(ready.map((each) => each.send()));
      return [{ what: 'six logins at once', answers, accepted: answers.length }];
    },
  }),
  flowCase({
    id: 'register.many-at-once',
    title: 'registrations of two users, sent at once',
    why: 'Registrations of different users must not affect each other. Look for locks that fail and for values that requests share.',
    tags: ['conforming'],
    async run(context) {
      const [one, two] = [await context.session(1), await context.session(2)];
      const ready = [await readyRegistration(context, one), await readyRegistration(context, two)];
      const answers = await Promise.all(ready.map((each) => each.send()));
      return [{ what: 'two registrations at once', answers, accepted: answers.length }];
    },
  }),
  flowCase({
    id: 'login.while-revoked',
    title: 'a login while its passkey is being revoked, and a login afterwards',
    why: 'A login that was sent before the removal may still succeed; one sent afterwards must not. Look the passkey up when the response arrives.',
    needs: ['api'],
    expected: NOT_FOUND,
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const [during, after] = [await readyLogin(actor), await readyLogin(actor)];
      const [login] = await Promise.all([during.send(), revokePasskey(context, actor.passkey)]);
      return [
        ...(login.outcome === 'refused' ? [] : [{ what: 'the login meanwhile', answer: login }]),
        { what: 'the login afterwards', answer: await after.send(), expected: NOT_FOUND },
      ];
    },
  }),
];

export const CONCURRENT: readonly Case[] = CONCURRENT_FLOWS.map(withTag('race'));

/** Makes a function that waits for a fraction of the challenge's lifetime plus some milliseconds. */
function waiting(part: number, milliseconds = 0) {
  return ({ context }: { readonly context: CaseContext }): Promise<void> => {
    const { challengeSeconds = 0 } = context.driver.has;
    return passTime(context, challengeSeconds * 1000 * part + milliseconds);
  };
}

/** Milliseconds to add to a wait, because the clocks of two machines may differ and a challenge may be stored just after it was made. */
const TOLERANCE_MS = 2_000;

/** Cases that take minutes at a running server, so they run only if requested. */
export const SLOW_CASES: readonly Case[] = [
  ...both({
    what: 'answered-late',
    title: 'a response after the challenge has expired',
    why: 'An attacker who finds an old challenge in a page, a log or a proxy could use it forever. Store when you issued a challenge, and refuse it after a few minutes (§13.4.3).',
    tags: [SLOW_TAG],
    wants: { challengeSeconds: true },
    beforeSending: waiting(1, TOLERANCE_MS),
    code: 'challenge_expired',
    step: 'challenge',
  }),
  ...both({
    what: 'answered-in-time',
    title: 'a response after half of the lifetime of its challenge',
    why: 'People need time to find their phone or security key. A challenge must stay valid as long as the profile says, and at least as long as the timeout in the options.',
    tags: [SLOW_TAG, 'conforming'],
    wants: { challengeSeconds: true },
    beforeSending: waiting(1 / 2),
  }),
];
