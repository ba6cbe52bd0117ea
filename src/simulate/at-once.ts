import { readyLogin, readyRegistration, type Sending, toActor } from './engine/attempts.js';
import { inContext, type RunContext } from './engine/context.js';
import { notPrepared } from './engine/outcome.js';
import type { RemoteOptions } from './engine/remote.js';
import type { Answer, Driver } from './target/driver.js';
import { countUsers } from './target/profile-schema.js';

/** Number of cases that run in parallel if the target allows it. */
const AT_ONCE = 4;

/**
 * Minimum number of cases for which checking whether they can run in parallel is worthwhile. With fewer cases, the check takes longer than
 * it saves.
 */
const FEWEST = 2 * AT_ONCE;

interface JobsOptions extends Pick<RemoteOptions, 'restart' | 'passTime'> {
  /** Number of cases in the run. */
  readonly cases: number;
}

/**
 * Chooses how many cases run in parallel: several if the profile keeps cases apart and the target accepts two overlapping ceremonies.
 *
 * @throws PasskeyError `target_unreachable`, `interrupted`
 */
export async function chooseJobs(run: RunContext, { cases, restart, passTime }: JobsOptions): Promise<number> {
  const { remote } = run;
  if (remote === undefined || cases < FEWEST || restart !== undefined || passTime !== undefined || !keepsApart(remote.driver)) return 1;
  return (await acceptsOverlapping(run)) ? AT_ONCE : 1;
}

/**
 * Whether cases can run in parallel: either each case has its own accounts, or cases that share an account do not disturb each other. Cases
 * marked `runsAlone` never run in parallel.
 */
function keepsApart({ has, offers, reads }: Driver): boolean {
  if (has.passkeys === 1) return false;
  const users = countUsers(has);
  if (users === Number.POSITIVE_INFINITY) return reads('user', 'account') || reads('user', 'registrationOptions');
  const deletesAccount = offers('cleanup') && !reads('registered', 'cleanup');
  return users > 1 && has.passkeys === undefined && !deletesAccount;
}

/** Whether the target accepts two overlapping registrations and two overlapping logins. Some servers hold only one challenge at a time. */
async function acceptsOverlapping(run: RunContext): Promise<boolean> {
  const { status } = await inContext(run, { key: 'overlapping', setup: {} }, async (context) => {
    const registrations = [];
    for (const each of [context, context.inNewSessions()]) registrations.push(await readyRegistration(each, await each.session(1)));
    const actors = [];
    for (const each of registrations) actors.push(toActor(each, await sendAccepted(each)));
    const logins = [];
    for (const each of actors) logins.push(await readyLogin(each));
    for (const each of logins) await sendAccepted(each);
    return { status: 'passed' };
  });
  return status === 'passed';
}

async function sendAccepted({ ceremony, send }: Sending): Promise<Answer> {
  const answer = await send();
  if (answer.outcome !== 'accepted') throw notPrepared(`the overlapping ${ceremony}`, answer);
  return answer;
}
