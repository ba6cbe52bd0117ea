import { count } from '../../../kernel/wording.js';
import { decodeBase64url } from '../../../webauthn/base64url.js';
import { prepareActor } from '../../engine/attempts.js';
import type { Case } from '../../engine/case.js';
import { beginAuthentication, beginRegistration } from '../../engine/ceremony.js';
import type { CaseContext } from '../../engine/context.js';
import { flowCase } from '../../engine/flows.js';
import { findGuessable, MIN_SAMPLES } from '../../engine/guessable.js';
import { expectTrue } from '../../engine/outcome.js';
import type { Mismatch } from '../../report/report.js';
import type { GivenChallenge, User } from '../../target/driver.js';

/** The least number of bytes that a challenge must have (§13.4.3). */
const MIN_BYTES = 16;

/** A function that requests ceremony options for the given user. */
type Ask = (user: User) => Promise<unknown>;

interface Kind {
  readonly name: 'register' | 'login';
  readonly phase: GivenChallenge['phase'];
  readonly prepare: (context: CaseContext) => Promise<Ask>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'register',
    phase: 'registrationOptions',
    prepare: async (context) => async (user) => beginRegistration(context, await context.session(user)),
  },
  {
    name: 'login',
    phase: 'authenticationOptions',
    async prepare(context) {
      const actors = new Map<User, ReturnType<typeof prepareActor>>();
      return async (user) => {
        const actor = actors.get(user) ?? prepareActor(context, await context.session(user));
        actors.set(user, actor);
        const { session, passkey } = await actor;
        return beginAuthentication(context, session.newVisit(), passkey);
      };
    },
  },
];

/** Lists the challenges of one kind that this run has received. If there are fewer than `least`, requests further ones first. */
async function collect(context: CaseContext, { phase, prepare }: Kind, least: number): Promise<readonly GivenChallenge[]> {
  const listed = () => context.driver.challenges.filter((each) => each.phase === phase);
  if (listed().length < least) {
    const ask = await prepare(context);
    for (let asked = listed().length; asked < least; asked++) await ask(1);
  }
  return listed();
}

const RANDOM =
  'For each set of options, draw 16 bytes or more from a cryptographic generator, such as crypto.getRandomValues, and use nothing else (§13.4.3).';
const SHORT = `A challenge that can be guessed, or that is repeated, makes old responses valid. ${RANDOM}`;
const GUESSED = `An attacker who can predict a challenge gets a response to it in advance, and uses it later. ${RANDOM}`;
const SHARED = `If several users get the same challenge, the response of one is valid for the options of another, and one user uses up the challenge of all. ${RANDOM}`;

const BY = { counter: 'they count', clock: 'they hold the time', constant: 'most of them never changes' } as const;

function compareGuessable(given: readonly GivenChallenge[]): readonly Mismatch[] {
  const found = findGuessable(given.map(({ challenge, at }) => ({ bytes: decodeBase64url(challenge), at })));
  const said = found && `${BY[found.by]}; ${found.bits} bits at most are left`;
  return expectTrue(`${given.length} challenges of the run`, 'random ones', said, found === undefined);
}

/** Reports challenges that more than one user or browser received. Open challenges are secret, so the report does not show them. */
function compareShared(all: readonly GivenChallenge[], whose: 'user' | 'browser'): readonly Mismatch[] {
  // Shorter challenges may be equal by chance, and another case says that they are too short.
  const given = all.filter(({ challenge, recipient }) => {
    const isUser = typeof recipient === 'number';
    return isUser === (whose === 'user') && decodeBase64url(challenge).length >= MIN_BYTES;
  });
  const recipients = new Map<string, unknown>();
  for (const { challenge, recipient } of given) if (!recipients.has(challenge)) recipients.set(challenge, recipient);
  const isShared = given.some(({ challenge, recipient }) => recipients.get(challenge) !== recipient);
  return expectTrue(`${given.length} challenges of the run`, `each for one ${whose}`, `one for several ${whose}s`, !isShared);
}

const casesOf = (kind: Kind): Case[] => [
  flowCase({
    id: `${kind.name}.challenge-length`,
    title: `challenges of ${MIN_BYTES} bytes or more`,
    step: 'challenge',
    why: SHORT,
    async run(context) {
      const lengths = (await collect(context, kind, 1)).map(({ challenge }) => decodeBase64url(challenge).length);
      const shortest = Math.min(...lengths);
      return [{ mismatches: expectTrue('the shortest challenge', `${MIN_BYTES} bytes`, count(shortest, 'byte'), shortest >= MIN_BYTES) }];
    },
  }),
  flowCase({
    id: `${kind.name}.challenge-guessable`,
    title: 'challenges that cannot be predicted from others or from the time',
    step: 'challenge',
    why: GUESSED,
    run: async (context) => [{ mismatches: compareGuessable(await collect(context, kind, MIN_SAMPLES)) }],
  }),
  flowCase({
    id: `${kind.name}.challenge-shared`,
    title: 'options for two users, each with its own challenge',
    step: 'challenge',
    wants: { users: 2 },
    why: SHARED,
    async run(context) {
      const ask = await kind.prepare(context);
      await ask(1);
      await ask(2);
      return [{ mismatches: compareShared(await collect(context, kind, 0), 'user') }];
    },
  }),
];

/** Cases about all challenges of the run together: their length, randomness and recipients (§13.4.3). */
export const CHALLENGES_OF_RUN: readonly Case[] = [
  ...KINDS.flatMap((kind) => casesOf(kind)),
  flowCase({
    id: 'login.challenge-shared-by-browsers',
    title: 'options that name no user, for two browsers, each with its own challenge',
    step: 'challenge',
    wants: { login: 'discoverable' },
    why: SHARED,
    async run(context) {
      const session = await context.session(1);
      for (const visit of [session.newVisit(), session.newVisit()]) {
        await beginAuthentication(context, visit, undefined, { login: 'discoverable' });
      }
      const given = context.driver.challenges.filter(({ phase }) => phase === 'authenticationOptions');
      return [{ mismatches: compareShared(given, 'browser') }];
    },
  }),
];
