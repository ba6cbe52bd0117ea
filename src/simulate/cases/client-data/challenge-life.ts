import { DEFAULT_POLICY } from '../../../relying-party/policy.js';
import { type EitherAttempt } from '../../engine/attempts.js';
import type { Case } from '../../engine/case.js';
import {
  authenticate,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  nameRequest,
  registerPasskey,
  requireApi,
} from '../../engine/ceremony.js';
import { authenticationCase, both, registrationCase } from '../../engine/ceremony-cases.js';
import { setClientData } from '../../engine/client-data-edits.js';
import { advanceClock } from '../../engine/context.js';
import { withClientData } from '../../engine/edits.js';
import { bothFlows } from '../../engine/flows.js';
import { denied, describeOutcome, expectTrue, notPrepared, readRaceDeviation, refused } from '../../engine/outcome.js';
import { failedAt } from '../../engine/scenario.js';
import { PATHS, post } from '../../http/http.js';
import type { Answer, Session } from '../../target/driver.js';

const { challengeTtl } = DEFAULT_POLICY;

const ONCE =
  'An attacker who gets hold of a response, from a log or a proxy, can use it again. Keep open challenges on the server, and delete each in the same step that reads it.';
const KEPT =
  'A challenge that is stored in a cookie or token of the client is valid again whenever the client sends it again. Keep a list of open or of used challenges on the server.';
const AFTER_REFUSAL =
  'A challenge that stays open after a refused response lets an attacker try again and again. Delete it when you read it. If your server keeps it on purpose, say "afterRefusal": "kept" in its profile.';
const EXPIRED =
  'A response that an attacker finds later, in a log or a backup, is still valid. Give every challenge a lifetime of a few minutes, and refuse it afterwards.';
const OTHERS =
  'A response is valid only for the options it was made for. If the server accepts the challenge of other options, an attacker can combine parts of different ceremonies. Store each challenge with the kind of ceremony, the user and the session it was issued for, and compare with that challenge.';

function accepted(answer: Answer): Answer {
  if (answer.outcome === 'accepted') return answer;
  throw notPrepared(nameRequest(answer, 'the ceremony'), answer);
}

/** Uses up the challenge by first sending another response to the same options. */
async function answerFirst({ answerAgain, send }: EitherAttempt, sender?: Session): Promise<void> {
  accepted(await send(sender, await answerAgain()));
}

const OTHER_TYPE = { registration: 'webauthn.get', authentication: 'webauthn.create' } as const;

const CHALLENGE_USED = { code: 'challenge_used', step: 'challenge' } as const;

const USED: readonly Case[] = [
  ...both({
    what: 'challenge-used',
    title: 'a second response to options that have been answered',
    beforeSending: (attempt) => answerFirst(attempt),
    why: ONCE,
    ...CHALLENGE_USED,
  }),
  authenticationCase({
    id: 'verify.challenge-used-at-login',
    title: 'a response that login has accepted, sent to verify',
    needs: ['api'],
    beforeSending: ({ context, body }) => requireApi(context).target.send(post(PATHS.login, body)),
    why: ONCE,
    expected: denied('challenge_used', 'challenge'),
  }),
  ...both({
    what: 'challenge-used-kept-cookies',
    title: 'a second response to answered options, with the cookies from before the first',
    beforeSending: (attempt) => answerFirst(attempt, attempt.session.fork()),
    why: KEPT,
    ...CHALLENGE_USED,
  }),
  registrationCase({
    id: 'register.challenge-used-later',
    title: 'a second response to answered options, after new options were given',
    async beforeSending(attempt) {
      await answerFirst(attempt);
      await beginRegistration(attempt.context, attempt.session);
    },
    why: ONCE,
    expected: refused('challenge_used', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-used-later',
    severalCeremonies: true,
    title: 'the response of an earlier login, sent in a new one',
    async rewrite({ context, session, browser, passkey }) {
      const visit = session.newVisit();
      const response = await authenticate(context, browser, await beginAuthentication(context, visit, passkey));
      accepted(await visit.finishAuthentication({ ...response }));
      return { ...response };
    },
    why: ONCE,
    expected: denied('challenge_used', 'challenge'),
  }),
  ...both({
    what: 'challenge-spent-by-failure',
    title: 'a second response after a refused one',
    wants: { afterRefusal: 'spent' },
    beforeSending: ({ ceremony, body, send }) => send(undefined, withClientData(body, setClientData({ type: OTHER_TYPE[ceremony] }))),
    why: AFTER_REFUSAL,
    ...CHALLENGE_USED,
  }),
];

const EXPIRIES: readonly Case[] = [
  ...both({
    what: 'challenge-expired',
    title: 'a response after the challenge has expired',
    needs: ['clock'],
    beforeSending: ({ context }) => advanceClock(context, challengeTtl + 1),
    why: EXPIRED,
    code: 'challenge_expired',
    step: 'challenge',
  }),
  authenticationCase({
    id: 'login.challenge-forgotten',
    title: 'a response after twice the lifetime of the challenge',
    needs: ['clock'],
    beforeSending: ({ context }) => advanceClock(context, 2 * challengeTtl + 1),
    why: EXPIRED,
    expected: denied('challenge_unknown', 'challenge'),
  }),
];

const OF_OTHERS: readonly Case[] = [
  registrationCase({
    id: 'register.challenge-of-another-user',
    title: "a response to another user's options",
    sentBy: 2,
    wants: { users: 2 },
    why: 'An attacker could make another user create a passkey, and register it with their own account. Store each challenge with the session that requested it.',
    expected: refused('challenge_unknown', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-of-login',
    severalCeremonies: true,
    controls: ['register.default', 'login.default'],
    title: 'the challenge of an authentication',
    wants: { login: 'discoverable' },
    async options({ context, session, options }) {
      const { challenge } = await beginAuthentication(context, session.newVisit(), undefined, { login: 'discoverable' });
      return { ...options, challenge };
    },
    why: OTHERS,
    expected: refused('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-of-registration',
    severalCeremonies: true,
    title: 'the challenge of a registration',
    async options({ context, options }) {
      const { challenge } = await beginRegistration(context, (await context.session(1)).fork());
      return { ...options, challenge };
    },
    why: OTHERS,
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-of-another-user',
    severalCeremonies: true,
    title: "the challenge of another user's login",
    wants: { login: 'named', users: 2 },
    async options({ context, options }) {
      const other = await context.session(2);
      const passkey = await registerPasskey(context, other, createBrowser(context));
      const { challenge } = await beginAuthentication(context, other.newVisit(), passkey, { login: 'named' });
      return { ...options, challenge };
    },
    why: OTHERS,
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-of-another-passkey',
    severalCeremonies: true,
    title: "the challenge for another of the user's passkeys",
    needs: ['api'],
    async options({ context, session, options }) {
      const other = await registerPasskey(context, await context.session(1), createBrowser(context));
      const { challenge } = await beginAuthentication(context, session.fork(), other);
      return { ...options, challenge };
    },
    why: OTHERS,
    expected: denied('challenge_unknown', 'challenge'),
  }),
];

const RACERS = 4;
const ATOMIC =
  'If you read and delete the challenge in two steps, several simultaneous requests find it open. Do it in one step: a DELETE that returns the row, GETDEL, or a lock.';

/**
 * Sends one response in several simultaneous requests, of which the target must accept exactly one. The case itself then sends the same
 * response once more.
 */
async function race(send: (session: Session) => Promise<Answer>, session: Session): Promise<void> {
  const answers = await Promise.all(Array.from({ length: RACERS }, () => send(session.fork())));
  const won = answers.filter(({ outcome }) => outcome === 'accepted').length;
  if (won === 1) return;
  const received = `${won}: ${answers.map(describeOutcome).join('; ')}`;
  throw failedAt({ at: `${RACERS} racing responses`, expected: 'one accepted', received, deviation: readRaceDeviation(answers, 1) });
}

const RACES: readonly Case[] = both({
  what: 'one-winner',
  title: 'only one of several racing responses to a challenge succeeds',
  tags: ['race'],
  beforeSending: ({ session, send }) => race(send, session),
  why: ATOMIC,
  ...CHALLENGE_USED,
});

/** Cases about how long a challenge is valid: once, for one ceremony of one user, until it expires (§7.1 step 8, §7.2 step 11, §13.4.3). */
export const CHALLENGE_LIVES: readonly Case[] = [...USED, ...EXPIRIES, ...OF_OTHERS, ...RACES];

const FRESH =
  'A challenge that is issued twice makes an old response valid again (§13.4.3). Draw at least 16 bytes from a cryptographic generator for each set of options.';

/** Describes whether two challenges are equal. Open challenges are secret, so the report must not show them. */
const differs = (first: string, second: string) =>
  expectTrue('the challenge of the next options', 'another one', first === second ? 'the same' : 'another one', first !== second);

/** Cases that require a new challenge for each ceremony (§7.1 step 8, §7.2 step 11). */
export const FRESH_CHALLENGES: readonly Case[] = bothFlows({
  what: 'challenge-fresh',
  title: 'options after a ceremony, with a new challenge',
  step: 'challenge',
  why: FRESH,
  async run({ ready }) {
    const first = await ready();
    const answer = await first.send();
    const { options } = await ready();
    return [{ what: 'the first ceremony', answer }, { mismatches: differs(first.options.challenge, options.challenge) }];
  },
});
