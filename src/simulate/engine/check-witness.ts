import { isDeepStrictEqual } from 'node:util';
import { PasskeyError } from '../../errors.js';
import type { Answer, User } from '../target/driver.js';
import { prepareActor, readyLogin } from './attempts.js';
import { inContext, type RunContext } from './context.js';
import { describeOutcome, readDeviation } from './outcome.js';

/**
 * Checks the profile's `whoami` with a plain login, because a wrong `whoami` would turn every login of the run into a failure. Does not
 * report a failure of the plain login itself, because the cases report it.
 *
 * @throws PasskeyError `usage` if `whoami` contradicts the plain login.
 */
export async function checkWitness(run: RunContext): Promise<void> {
  const { remote } = run;
  if (remote === undefined || remote.api !== undefined || !remote.driver.offers('whoami')) return;
  for (const user of [1, 2] as const) await checkUser(run, user);
}

async function checkUser(run: RunContext, user: User): Promise<void> {
  await inContext(run, { key: 'whoami', setup: {} }, async (context) => {
    const actor = await prepareActor(context, await context.session(user));
    const { session: visit, body } = await readyLogin(actor);
    const login = await visit.finishAuthentication(body, { witness: false });
    const [witness, account] = [await visit.whoami(), await actor.session.whoami()];
    // A server that fails for a moment contradicts nothing.
    if (login.outcome !== 'accepted' || witness === undefined || isUnanswered(witness)) return { status: 'passed' };
    if (witness.outcome !== 'accepted') throw contradiction(describeOutcome(login), witness.said);
    const named = account?.outcome === 'accepted' && account.user !== undefined && witness.user !== undefined;
    if (named && !isDeepStrictEqual(account.user, witness.user)) {
      throw contradiction(describeOutcome(login), `${JSON.stringify(witness.user)} instead of ${JSON.stringify(account.user)}`);
    }
    actor.session.identify(witness.user);
    return { status: 'passed' };
  });
}

function isUnanswered(answer: Answer): boolean {
  const { kind } = readDeviation(answer);
  return kind === 'no_answer' || kind === 'failed';
}

function contradiction(login: string, came: string): PasskeyError {
  return new PasskeyError(
    'usage',
    `Expected "whoami" of the profile to name the user of a plain login that was ${login}; got ${came}. Correct its "accept" or "take", or remove "whoami".`,
  );
}
