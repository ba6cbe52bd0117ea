import { PasskeyError } from '../../errors.js';
import { objectOf } from '../../kernel/json-value.js';
import type { Driver, User } from '../target/driver.js';
import { openDriver } from '../target/open-driver.js';
import type { ReadProfile } from '../target/read-profile.js';
import {
  bearer,
  createHttpTarget,
  type HttpAnswer,
  type HttpRequest,
  type HttpTarget,
  OversizedAnswer,
  PATHS,
  post,
  type RetryOptions,
  retryRateLimited,
} from './http.js';
import { createRecovery, type Recovery } from './recovery.js';

/** A running relying party, and how to talk to it. */
export interface RemoteOptions {
  readonly url: string;
  /** Default: that of our own API. */
  readonly profile?: ReadProfile;
  /** Hands requests over in another way than by HTTP, e.g. to an application in this process; stays open. */
  readonly connections?: HttpTarget;
  /** Bearer tokens of up to two of its users, where the profile uses them. */
  readonly tokens?: readonly string[];
  /** Origin of the application whose ceremonies run; default: that of the profile, else of `url`. */
  readonly origin?: string;
  /** Replace variables of the profile. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What the profile reads as `env`, and its commands get; default: nothing. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** PEM certificates that its TLS certificate may lead to, besides the usual ones. */
  readonly ca?: string;
  /** Hosts that are not loopback and may be attacked all the same. */
  readonly allowHosts?: readonly string[];
  /** Shell command that starts the target again after it has died or hangs. */
  readonly restart?: string;
  /** Milliseconds that a target which stopped answering is waited for where nothing restarts it; default: 10 seconds. */
  readonly comeBackWithin?: number;
  /** Lets time pass at a target whose clock is in other hands than the system's, in milliseconds; default: waiting. */
  readonly passTime?: (milliseconds: number) => Promise<void>;
  /** Milliseconds that the target may take for a whole answer; default: 30 seconds. */
  readonly answerWithin?: number;
}

/** Our own API, for cases about its HTTP contract. */
export interface Api {
  readonly target: HttpTarget;
  /** Bearer token; undefined when the run has none for this user. */
  token(user: User): string | undefined;
}

/** A relying party under test that runs elsewhere. */
export interface RemoteTarget {
  readonly url: URL;
  readonly driver: Driver;
  /** Present when the target is our own API. */
  readonly api: Api | undefined;
  /** A top-level origin that it accepts. */
  readonly topOrigin: string | undefined;
  /** Undefined: time passes by waiting. */
  readonly passTime: RemoteOptions['passTime'];
  /**
   * Throws unless the run can begin: that it answers; for our own API that it accepts the tokens, that they belong to different users, and
   * that it accepts ceremonies of the application.
   *
   * @throws PasskeyError `target_unreachable`, or `usage` naming a token by its position; the token itself is secret.
   */
  check(): Promise<void>;
  /** After a connection that broke. */
  recover(): Promise<Recovery>;
  close(): Promise<void>;
}

/** @throws PasskeyError `usage` for a URL that is not that of a server, or of one that may not be attacked. */
export function remoteTarget(options: RemoteOptions & { readonly profile: ReadProfile }, retry: RetryOptions): RemoteTarget {
  const { url: text, profile, tokens = [], answerWithin, restart, comeBackWithin, ca, connections, passTime, ...others } = options;
  const driver = openDriver({ ...others, ...(connections && { connections }), ...profile, url: text, tokens, ca, answerWithin, ...retry });
  const url = new URL(text);
  const target = connections ?? retryRateLimited(createHttpTarget(url, { signal: retry.signal, answerWithin, ca }), retry);
  const isOurs = driver.has.codes === true;
  const recovery = createRecovery({ target, restart, comeBackWithin, signal: retry.signal });
  return {
    url,
    driver,
    api: isOurs ? { target, token: (user) => tokens[user - 1] } : undefined,
    topOrigin: driver.has.topOrigins?.[0],
    passTime,
    check: () => (isOurs ? checkTokens({ target, tokens, origin: driver.origin }) : checkAnswers(target)),
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
  await answerOf(target, { method: 'GET', path: '/' });
}

async function checkTokens(server: OwnServer): Promise<void> {
  const { target, tokens } = server;
  if (tokens.length === 0) return checkAnswers(target);
  const positions = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const position = index + 1;
    const userHandle = await userHandleOf(server, token, position);
    if (userHandle === undefined) continue;
    const same = positions.get(userHandle);
    if (same !== undefined) {
      const message = `--token ${same} and --token ${position} belong to the same user. Give tokens of two different users.`;
      throw new PasskeyError('usage', message);
    }
    positions.set(userHandle, position);
  }
}

/** Registration options are the only answer that identifies the token's user. Undefined for any other answer: the cases report it. */
async function userHandleOf({ target, origin }: OwnServer, token: string, position: number): Promise<string | undefined> {
  const body = { app_name: 'passkey simulate', app_url: origin };
  const answer = await answerOf(target, post(PATHS.registerOptions, body, bearer(token)));
  if (answer === undefined) return undefined;
  const { status, json } = answer;
  if (status === 401) {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} refuses --token ${position} (401). Give the bearer token of one of its users, neither expired nor revoked.`,
    );
  }
  if (status === 403 && objectOf(json).code === 'origin_not_allowed') {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} does not accept ceremonies of ${origin} (403). Use --origin to name an application that the server was started with (--origin).`,
    );
  }
  const { id } = objectOf(objectOf(json).user);
  return typeof id === 'string' ? id : undefined;
}

/** Undefined for an answer that is not read to its end: its arrival is enough here. */
function answerOf(target: HttpTarget, request: HttpRequest): Promise<HttpAnswer | undefined> {
  return target.send(request).catch((error: unknown) => {
    if (error instanceof OversizedAnswer) return undefined;
    throw error;
  });
}
