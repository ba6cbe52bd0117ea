import { DEFAULT_POLICY } from '../../relying-party/policy.js';
import type { Case } from '../engine/case.js';
import { apiOf, beginAuthentication, beginRegistration, createBrowser, registerPasskey } from '../engine/ceremony.js';
import { type AuthenticationAttempt, authenticationCase, registrationCase } from '../engine/ceremony-cases.js';
import { denied, refused } from '../engine/compare-answer.js';
import { advanceClock } from '../engine/context.js';
import { editChallenge, setClientData, withClientData } from '../engine/edits.js';
import { PATHS, post } from '../engine/http.js';
import { describeOutcome } from '../engine/oracle.js';
import { failedAt } from '../engine/scenario.js';
import type { Answer, Session } from '../target/driver.js';
import { FOREIGN_CHALLENGE } from './values.js';

const { challengeTtl } = DEFAULT_POLICY;

const sendRawLogin = ({ context, body }: AuthenticationAttempt) => apiOf(context).target.send(post(PATHS.login, body));
const sendLogin = ({ session, body }: AuthenticationAttempt) => session.finishAuthentication(body);

const REGISTRATIONS: readonly Case[] = [
  registrationCase({
    id: 'register.challenge-unknown',
    title: 'a challenge that was never issued',
    edits: { clientData: setClientData({ challenge: FOREIGN_CHALLENGE }) },
    expected: refused('challenge_unknown', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-padded',
    title: 'the right challenge in padded base64',
    edits: { clientData: editChallenge((challenge) => `${challenge}=`) },
    expected: refused('challenge_unknown', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-used',
    title: 'the same response sent twice',
    beforeSending: ({ session, body }) => session.finishRegistration(body),
    expected: refused('challenge_used', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-spent-by-failure',
    title: 'a second response after a refused one',
    beforeSending: ({ session, body }) => session.finishRegistration(withClientData(body, setClientData({ type: 'webauthn.get' }))),
    expected: refused('challenge_used', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-expired',
    title: 'a response after the challenge has expired',
    needs: ['clock'],
    beforeSending: ({ context }) => advanceClock(context, challengeTtl + 1),
    expected: refused('challenge_expired', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-of-another-user',
    title: "a response to another user's options",
    sentBy: 2,
    expected: refused('challenge_unknown', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-of-login',
    title: 'the challenge of an authentication',
    wants: { login: 'discoverable' },
    async options({ context, session, options }) {
      const { challenge } = await beginAuthentication(context, session.newVisit(), undefined, { login: 'discoverable' });
      return { ...options, challenge };
    },
    expected: refused('challenge_unknown', 'challenge'),
  }),
];

const AUTHENTICATIONS: readonly Case[] = [
  authenticationCase({
    id: 'login.challenge-unknown',
    title: 'a challenge that was never issued',
    edits: { clientData: setClientData({ challenge: FOREIGN_CHALLENGE }) },
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-used',
    title: 'the same response sent twice',
    beforeSending: sendLogin,
    expected: denied('challenge_used', 'challenge'),
  }),
  authenticationCase({
    id: 'verify.challenge-used-at-login',
    title: 'a response that login has accepted, sent to verify',
    needs: ['api'],
    wants: { endpoint: 'verify' },
    beforeSending: sendRawLogin,
    expected: denied('challenge_used', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-expired',
    title: 'a response after the challenge has expired',
    needs: ['clock'],
    beforeSending: ({ context }) => advanceClock(context, challengeTtl + 1),
    expected: denied('challenge_expired', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-forgotten',
    title: 'a response after twice the lifetime of the challenge',
    needs: ['clock'],
    beforeSending: ({ context }) => advanceClock(context, 2 * challengeTtl + 1),
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-of-registration',
    title: 'the challenge of a registration',
    async options({ context, options }) {
      const { challenge } = await beginRegistration(context, (await context.session(1)).fork());
      return { ...options, challenge };
    },
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-of-another-passkey',
    title: "the challenge for another of the user's passkeys",
    needs: ['api'],
    async options({ context, session, options }) {
      const other = await registerPasskey(context, await context.session(1), createBrowser(context));
      const { challenge } = await beginAuthentication(context, session.fork(), other);
      return { ...options, challenge };
    },
    expected: denied('challenge_unknown', 'challenge'),
  }),
];

/** A challenge is valid once, for one ceremony, for the user it was issued to, until it expires. */
export const INVALID_CHALLENGES: readonly Case[] = [...REGISTRATIONS, ...AUTHENTICATIONS];

const RACERS = 4;

/** Sends one response several times at once: exactly one may be accepted. The case itself then sends it once more. */
async function race(send: (session: Session) => Promise<Answer>, session: Session): Promise<void> {
  const answers = await Promise.all(Array.from({ length: RACERS }, () => send(session.fork())));
  const won = answers.filter(({ outcome }) => outcome === 'accepted').length;
  if (won !== 1) throw failedAt(`${RACERS} racing responses`, 'one accepted', `${won}: ${answers.map(describeOutcome).join('; ')}`);
}

export const RACES: readonly Case[] = [
  registrationCase({
    id: 'register.one-winner',
    title: 'only one of several racing responses to a challenge succeeds',
    tags: ['race'],
    beforeSending: ({ session, body }) => race((racer) => racer.finishRegistration(body), session),
    expected: refused('challenge_used', 'challenge'),
  }),
  authenticationCase({
    id: 'login.one-winner',
    title: 'only one of several racing responses to a challenge succeeds',
    tags: ['race'],
    beforeSending: ({ session, body }) => race((racer) => racer.finishAuthentication(body), session),
    expected: denied('challenge_used', 'challenge'),
  }),
];
