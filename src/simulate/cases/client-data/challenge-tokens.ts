import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { type EitherAttempt, prepareActor, readyLogin, readyRegistration } from '../../engine/attempts.js';
import type { Case } from '../../engine/case.js';
import { beginAuthentication, beginRegistration, nameRequest } from '../../engine/ceremony.js';
import { type CaseContext, passTime } from '../../engine/context.js';
import { flowCase } from '../../engine/flows.js';
import { denied, notPrepared, refused } from '../../engine/outcome.js';
import { notApplicable, SLOW_TAG } from '../../engine/scenario.js';
import type { CarriedCeremony, ChallengeToken, Session } from '../../target/driver.js';

const KEPT = 'the target stores its challenges: its options carry no token that holds one';

/** Excludes targets with our own API, because they keep challenges on the server instead of in a token. */
const lacks: NonNullable<Case['lacks']> = ({ has }) => (has.codes === true ? KEPT : undefined);

/** Returns the challenge token of the ceremony that this session has begun, or ends the case if there is none. */
function requireToken(session: Session): CarriedCeremony {
  const carried = session.carried();
  if (carried === undefined) throw notApplicable(KEPT);
  return carried;
}

/** A ceremony whose response is ready to send, and a second browser of the same user, in which the ceremony did not begin. */
interface Ready {
  readonly context: CaseContext;
  readonly attempt: EitherAttempt;
  readonly elsewhere: Session;
}

type Forgery = (token: ChallengeToken) => ChallengeToken;
const unchanged: Forgery = (token) => token;

/** Applies a forgery to the challenge in the options if the challenge itself is the token. */
const answering =
  (forgery: Forgery) =>
  <Options extends { readonly challenge: string }>({
    session,
    options,
  }: {
    readonly session: Session;
    readonly options: Options;
  }): Options => {
    const { token } = session.carried() ?? {};
    return token?.in === 'challenge' ? { ...options, challenge: forgery(token).text } : options;
  };

const READY: Readonly<Record<CeremonyKind, (context: CaseContext, forgery?: Forgery) => Promise<Ready>>> = {
  async registration(context, forgery = unchanged) {
    const session = await context.session(1);
    const elsewhere = session.fork();
    return { context, elsewhere, attempt: await readyRegistration(context, session, { options: answering(forgery) }) };
  },
  async authentication(context, forgery = unchanged) {
    const actor = await prepareActor(context, await context.session(1));
    return { context, elsewhere: actor.session.newVisit(), attempt: await readyLogin(actor, { options: answering(forgery) }) };
  },
};

const ON_SERVER =
  'Keep a list of used tokens until they expire, and check and add to it in one step; or keep open challenges on the server.';

/**
 * Distance from the end of a token to the character that a case changes. That character belongs to the signature, which comes last. The
 * very last character is avoided because it may have unused bits.
 */
const BEFORE_END = 6;

function forge({ text, ...token }: ChallengeToken): ChallengeToken {
  const at = Math.max(0, text.length - BEFORE_END);
  return { ...token, text: `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}` };
}

/** Ends the case if the target accepts a response without the token: changing the token would then prove nothing. */
async function holdReading(context: CaseContext, kind: CeremonyKind): Promise<void> {
  const { attempt, elsewhere } = await READY[kind](context);
  const carried = requireToken(attempt.session);
  if (carried.token.in === 'challenge') return;
  const answer = await attempt.send(elsewhere.carrying({ ...carried, token: { ...carried.token, text: '' } }));
  if (answer.outcome === 'accepted') throw notApplicable('the target accepts a response without the token of its challenge');
}

/** Milliseconds by which the clocks of two machines may differ. */
const TOLERANCE_MS = 2_000;
/** The longest time that a case waits for a token to expire, in milliseconds. */
const LONGEST_MS = 3_600_000;

interface Row {
  readonly title: string;
  readonly why: string;
  readonly tags?: readonly string[];
  readonly code: string;
  readonly forgery?: Forgery;
  readonly send: (ready: Ready, carried: CarriedCeremony) => ReturnType<EitherAttempt['send']>;
}

const ROWS: Readonly<Record<string, Row>> = {
  'token-used-elsewhere': {
    title: 'a second response to options that have been answered, with their token, from another browser',
    why: `A token that the client keeps is valid whenever it is sent. An attacker who has seen a response once, in a log or with malware, can sign in with it from anywhere. ${ON_SERVER}`,
    code: 'challenge_used',
    async send({ attempt, elsewhere }, carried) {
      const first = await attempt.send(undefined, await attempt.answerAgain());
      if (first.outcome !== 'accepted') throw notPrepared(nameRequest(first, 'the ceremony'), first);
      return attempt.send(elsewhere.carrying(carried));
    },
  },
  'token-forged': {
    title: 'a response with a token in whose signature one character was changed',
    why: 'An attacker who can make tokens chooses the challenge, so any response seen once is valid again. Verify the signature of the token before you read it, with a server key and a fixed algorithm.',
    code: 'challenge_unknown',
    forgery: forge,
    async send({ context, attempt, elsewhere }, carried) {
      await holdReading(context, attempt.ceremony);
      return attempt.send(elsewhere.carrying({ ...carried, token: forge(carried.token) }));
    },
  },
  'token-expired': {
    title: 'a response after the expiry time in its token',
    why: 'The token states when it expires, but the server does not check. An attacker who finds a token in a log or on a shared computer can use it forever. Compare the expiry time with the clock, and refuse expired tokens.',
    tags: [SLOW_TAG],
    code: 'challenge_expired',
    async send({ context, attempt, elsewhere }, carried) {
      const { lifetime } = carried.token;
      if (lifetime === undefined) throw notApplicable('the token of the challenge does not say in plain text when it expires');
      if (lifetime > LONGEST_MS) throw notApplicable('the token of the challenge is valid for more than an hour');
      await passTime(context, lifetime + TOLERANCE_MS);
      return attempt.send(elsewhere.carrying(carried));
    },
  },
};

const NAMES = { registration: 'register', authentication: 'login' } as const;
const KINDS = ['registration', 'authentication'] as const;

const OF_OTHERS =
  'A token is valid only for the ceremony it was made for. Include the kind of ceremony, the user and the RP ID in the signed token, and compare them with those of the request.';
const UNKNOWN = 'challenge_unknown';

/** Checks whether registration requests identify the user, by an open session or a bearer token. */
async function isSignedIn({ driver }: CaseContext, session: Session): Promise<boolean> {
  return driver.reads('user.token', 'register') || (await session.whoami())?.outcome === 'accepted';
}

/** Cases for targets that do not store challenges, but send them to the client in a token, a cookie or the challenge itself (§13.4.3). */
export const CHALLENGE_TOKENS: readonly Case[] = [
  ...Object.entries(ROWS).flatMap(([what, { code, forgery, send, ...row }]) =>
    KINDS.map((kind) =>
      flowCase({
        ...row,
        lacks,
        id: `${NAMES[kind]}.${what}`,
        expected: (kind === 'registration' ? refused : denied)(code, 'challenge'),
        async run(context) {
          const ready = await READY[kind](context, forgery);
          return send(ready, requireToken(ready.attempt.session));
        },
      }),
    ),
  ),
  flowCase({
    id: 'register.token-of-another-user',
    lacks,
    title: "a response to another user's options, with their token",
    wants: { users: 2 },
    why: OF_OTHERS,
    expected: refused(UNKNOWN, 'challenge'),
    async run(context) {
      const { attempt } = await READY.registration(context);
      const carried = requireToken(attempt.session);
      const other = await context.session(2);
      if (!(await isSignedIn(context, other))) throw notApplicable('the user who registers has no session at the target');
      return attempt.send(other.carrying(carried));
    },
  }),
  flowCase({
    id: 'register.token-of-login',
    lacks,
    controls: ['register.default', 'login.default'],
    title: 'a registration in answer to the challenge of a login, with its token',
    why: OF_OTHERS,
    wants: { login: 'discoverable' },
    expected: refused(UNKNOWN, 'challenge'),
    async run(context) {
      const session = await context.session(1);
      const visit = session.newVisit();
      const { challenge } = await beginAuthentication(context, visit, undefined, { login: 'discoverable' });
      const carried = requireToken(visit);
      const attempt = await readyRegistration(context, session, { options: ({ options }) => ({ ...options, challenge }) });
      return attempt.send(session.carrying(carried));
    },
  }),
  flowCase({
    id: 'login.token-of-registration',
    lacks,
    title: 'a login in answer to the challenge of a registration, with its token',
    why: OF_OTHERS,
    expected: denied(UNKNOWN, 'challenge'),
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const home = actor.session.fork();
      const { challenge } = await beginRegistration(context, home);
      const carried = requireToken(home);
      const attempt = await readyLogin(actor, { options: ({ options }) => ({ ...options, challenge }) });
      return attempt.send(attempt.session.carrying(carried));
    },
  }),
];
