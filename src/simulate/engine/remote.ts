import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { PasskeyError } from '../../errors.js';
import { asObject } from '../../kernel/json-value.js';
import {
  bearer,
  createHttpTarget,
  type HttpAnswer,
  type HttpRequest,
  type HttpTarget,
  OversizedAnswer,
  PATHS,
  post,
  readLost,
} from '../http/http.js';
import { type RetryOptions, retryRateLimited } from '../http/rate-limit.js';
import { type DriverOptions, openDriver } from '../target/open-driver.js';
import { groupLives, HAS_GROUPS, killGroup } from '../target/process-group.js';
import type { ReadProfile } from '../target/read-profile.js';
import type { Recovery, RemoteTarget } from './remote-target.js';

/** A running relying party, with everything that is needed to talk to it. */
export interface RemoteOptions extends Omit<DriverOptions, 'profile' | keyof RetryOptions> {
  /** Profile of the target; default: the profile of our own API. */
  readonly profile?: ReadProfile;
  /** Shell command that restarts the target after it has crashed or hung. */
  readonly restart?: string;
  /** Milliseconds to wait for a target that stopped answering, if there is no command to restart it; default: 10 seconds. */
  readonly comeBackWithin?: number;
  /** Moves the clock of a target that does not use the system clock by a number of milliseconds. Default: the run waits instead. */
  readonly passTime?: RemoteTarget['passTime'];
}

/**
 * Opens a running relying party for a run.
 *
 * @throws PasskeyError `usage` for a malformed URL, or for a server that may not be attacked.
 */
export function remoteTarget(options: RemoteOptions & { readonly profile: ReadProfile }, retry: RetryOptions): RemoteTarget {
  const { tokens = [], answerWithin, restart, comeBackWithin, ca, addresses, connections, passTime } = options;
  const driver = openDriver({ ...options, ...retry });
  const url = new URL(options.url);
  const target = connections ?? retryRateLimited(createHttpTarget(url, { ca, addresses, answerWithin, signal: retry.signal }), retry);
  const isOurs = driver.has.codes === true;
  const recovery = createRecovery({ target, restart, comeBackWithin, signal: retry.signal });
  return {
    url,
    driver,
    api: isOurs ? { target, token: (user) => tokens[user - 1] } : undefined,
    topOrigin: driver.has.topOrigins?.[0],
    passTime,
    check: () => (isOurs ? checkTokens({ target, tokens, origin: driver.origin }) : checkAnswers(target)),
    hasEnded: recovery.hasEnded,
    recover: recovery.recover,
    async close() {
      await recovery.close();
      driver.close();
      if (connections === undefined) target.close();
    },
  };
}

interface OwnServer {
  readonly target: HttpTarget;
  readonly tokens: readonly string[];
  readonly origin: string;
}

async function checkAnswers(target: HttpTarget): Promise<void> {
  await sendRequest(target, { method: 'GET', path: '/' });
}

async function checkTokens(server: OwnServer): Promise<void> {
  const { target, tokens } = server;
  if (tokens.length === 0) return checkAnswers(target);
  const positions = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const position = index + 1;
    const userHandle = await readUserHandle(server, token, position);
    if (userHandle === undefined) continue;
    const same = positions.get(userHandle);
    if (same !== undefined) {
      const message = `--token ${same} and --token ${position} belong to the same user. Give tokens of two different users.`;
      throw new PasskeyError('usage', message);
    }
    positions.set(userHandle, position);
  }
}

/**
 * Reads the user handle of a token's user from registration options, the only response that identifies that user. Undefined for any other
 * response, which the cases report.
 */
async function readUserHandle({ target, origin }: OwnServer, token: string, position: number): Promise<string | undefined> {
  const body = { app_name: 'passkey simulate', app_url: origin };
  const answer = await sendRequest(target, post(PATHS.registerOptions, body, bearer(token)));
  if (answer === undefined) return undefined;
  const { status, json } = answer;
  if (status === 401) {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} refuses --token ${position} (401). Give the bearer token of one of its users, neither expired nor revoked.`,
    );
  }
  if (status === 403 && asObject(json).code === 'origin_not_allowed') {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} does not accept ceremonies of ${origin} (403). Pass --origin with an origin that the server was started with (its own --origin).`,
    );
  }
  const { id } = asObject(asObject(json).user);
  return typeof id === 'string' ? id : undefined;
}

/** Sends a request. Returns undefined if a response arrived but is too long to read, because its contents do not matter here. */
function sendRequest(target: HttpTarget, request: HttpRequest): Promise<HttpAnswer | undefined> {
  return target.send(request).catch((error: unknown) => {
    if (error instanceof OversizedAnswer) return undefined;
    throw error;
  });
}

interface RecoveryOptions {
  readonly target: HttpTarget;
  /** Shell command that restarts the target. The command may keep running; it is ended when the run ends. */
  readonly restart: string | undefined;
  /** Milliseconds to wait for the target if there is no command to restart it; default: 10 seconds. */
  readonly comeBackWithin: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds within which a running target sends some response. */
const ALIVE_WITHIN_MS = 3000;
/** Milliseconds to wait for a target that has no restart command. A supervisor that restarts the target may need this long. */
const COME_BACK_MS = 10_000;
/** Milliseconds within which a restarted target must answer. */
const START_MS = 60_000;
const POLL_MS = 200;
/** Milliseconds that the target has to exit after the first signal before it is killed. */
const END_WITHIN_MS = 2000;

/** Waits for a target that crashed, hangs or resets connections. Restarts the target if there is a command for that. */
export function createRecovery({ target, restart, comeBackWithin = COME_BACK_MS, signal }: RecoveryOptions) {
  let child: ChildProcess | undefined;

  const ask = () => target.send({ method: 'GET', path: '/', cleanUpWithin: ALIVE_WITHIN_MS });

  async function answers(): Promise<boolean> {
    try {
      await ask();
      return true;
    } catch (error) {
      return error instanceof OversizedAnswer;
    }
  }

  async function hasEnded(): Promise<boolean> {
    try {
      await ask();
      return false;
    } catch (error) {
      return readLost(error) === 'refused';
    }
  }

  async function answersWithin(milliseconds: number): Promise<boolean> {
    for (let waited = 0; waited <= milliseconds; waited += POLL_MS) {
      if (await answers()) return true;
      if (signal?.aborted) throw new PasskeyError('interrupted', 'The run was interrupted.');
      await setTimeout(POLL_MS);
    }
    return false;
  }

  /**
   * Ends the restart command and all its processes. Kills them if they do not exit, because a hanging target may ignore the first signal
   * and keep its port.
   */
  async function end(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined) return;
    killGroup(ending, 'SIGTERM');
    for (let waited = 0; waited < END_WITHIN_MS && groupLives(ending); waited += POLL_MS) await setTimeout(POLL_MS);
    killGroup(ending, 'SIGKILL');
  }

  async function start(command: string): Promise<void> {
    await end();
    child = spawn(command, { shell: true, stdio: 'ignore', detached: HAS_GROUPS });
    // What it cannot start never answers.
    child.on('error', () => undefined);
    child.unref();
  }

  async function recover(): Promise<Recovery> {
    if (await answers()) return { remark: 'the connection broke, but the target still answers', alive: true, restarted: false };
    if (restart === undefined) {
      const alive = await answersWithin(comeBackWithin);
      const remark = alive
        ? 'the connection broke; the target answered again after a pause'
        : `the target stopped answering, and did not come back within ${comeBackWithin / 1000} s; --restart CMD would start it again`;
      return { remark, alive, restarted: true };
    }
    await start(restart);
    const alive = await answersWithin(START_MS);
    const remark = alive
      ? 'the target stopped answering and was restarted (--restart)'
      : `the target stopped answering; after --restart it did not answer within ${START_MS / 1000} s`;
    return { remark, alive, restarted: true };
  }

  let recovering: Promise<Recovery> | undefined;
  return {
    hasEnded,
    /**
     * Recovers the target once for all scenarios that run in parallel, because they break together and only one of them may restart the
     * target.
     */
    recover() {
      recovering ??= recover().finally(() => {
        recovering = undefined;
      });
      return recovering;
    },
    close: end,
  };
}
