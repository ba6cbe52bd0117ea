import { PasskeyError } from '../../errors.js';
import { IN_PROCESS_ORIGIN, startInProcess } from '../engine/in-process.js';
import { type RemoteOptions, remoteTarget } from '../engine/remote.js';
import { createHttpTarget, type HttpTarget } from '../http/http.js';
import { retryRateLimited } from '../http/rate-limit.js';
import { checkProfile } from '../target/compile-profile.js';
import type { Answer, Login, Scope, Session } from '../target/driver.js';
import { type DriverOptions, openDriver } from '../target/open-driver.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import { type ReadProfile, readProfile } from '../target/read-profile.js';
import { MAX_LISTED } from './report.js';
import { forEachAtOnce } from './schedule.js';

/** The relying party that a load run tests. */
export interface LoadTarget {
  /** `in-process` for our own server in this process, otherwise the URL of the target. */
  readonly name: string;
  readonly origin: string;
  readonly has: TargetCapabilities;
  /** The kinds of login that the target offers; at least one. */
  readonly logins: readonly Login[];
  /** True if the target refuses a sign count that has not grown. */
  readonly refusesOldCounts: boolean;
  /** True if an account must be made before each registration. */
  readonly makesAccounts: boolean;
  /**
   * Opens a session for the user of the next registration: a new user if the target allows any number, otherwise each of its users in turn.
   *
   * @returns the session and the scope for `keep`; if the target refused to make the account, its response instead of the session
   */
  openUser(): Promise<{ readonly session: Session | Answer; readonly scope: Scope }>;
  /** Notes that this user's account or passkeys must be deleted at the end. */
  keep(scope: Scope): void;
  /** Makes later requests wait and try again when the target responds with 429. */
  waitWhenPutOff(): void;
  /**
   * Deletes the accounts and passkeys that the run left behind, if the profile says how. It does so even after an interruption.
   *
   * @returns the first few failures.
   */
  cleanUp(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface OpenOptions {
  /** A running server; default: our own server in this process. */
  readonly target?: RemoteOptions | undefined;
  readonly signal: AbortSignal;
  readonly onPause?: ((milliseconds: number) => void) | undefined;
}

/**
 * Opens the target of a load run, and checks that it responds.
 *
 * @throws PasskeyError `usage` as `openDriver` does; `target_unreachable` if the target does not respond at all.
 */
export async function openTarget(options: OpenOptions): Promise<LoadTarget> {
  const ownProfile = await readProfile('passkey', '.');
  const { target } = options;
  return target === undefined ? openInProcess(ownProfile, options) : openRemote({ profile: ownProfile, ...target }, options);
}

/** Number of users in our own server. It is large, so that each user has only a few passkeys, as in real life. */
const USERS_IN_PROCESS = 500;

async function openInProcess(profile: ReadProfile, options: OpenOptions): Promise<LoadTarget> {
  const server = startInProcess();
  try {
    // What limits strangers limits a load.
    const settings = { rateLimit: undefined, maxConnections: 2 * MAX_UNDER_WAY };
    const { target, accounts } = await server.open({ settings });
    const tokens: string[] = [];
    for (let user = 1; user <= USERS_IN_PROCESS; user += 1) {
      const owner = await accounts.addOwner({ email: `user${user}@example.org`, name: `User ${user}` });
      tokens.push((await accounts.createToken({ owner })).token);
    }
    const driver = { profile, url: target.url.href, origin: IN_PROCESS_ORIGIN, tokens };
    const load = loadTarget('in-process', driver, options);
    return {
      ...load,
      // All ends with the server.
      keep() {},
      async close() {
        await load.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function openRemote(remote: RemoteOptions & { readonly profile: ReadProfile }, options: OpenOptions): Promise<LoadTarget> {
  const { signal, onPause } = options;
  const asked = remoteTarget(remote, { signal, onPause });
  try {
    await asked.check();
  } finally {
    await asked.close();
  }
  return loadTarget(asked.url.origin, remote, options);
}

/** Maximum number of simultaneous ceremonies. Each one holds a connection. */
export const MAX_UNDER_WAY = 10_000;

const CLEAN_UPS_AT_ONCE = 10;

function loadTarget(name: string, driverOptions: DriverOptions, { signal, onPause }: OpenOptions): LoadTarget {
  const { profile: read, tokens = [], url, ca, answerWithin } = driverOptions;
  const { profile } = read;
  const connections = switchable(createHttpTarget(new URL(url), { signal, ca, answerWithin }), { signal, onPause });
  const compiled = checkProfile(profile, read.where);
  const users = compiled.uses('user.token') ? tokens.length : profile.has?.users;
  const has = { ...profile.has, ...(users !== undefined && { users }) };
  const measured = { ...driverOptions, profile: { ...read, profile: { ...profile, has } }, connections: connections.target, signal };
  const driver = openDriver(measured, compiled);
  const { logins = ['named', 'discoverable'] } = driver.has;
  const kept = new Set<Scope>();
  let opened = 0;

  return {
    name,
    origin: driver.origin,
    has: driver.has,
    logins,
    refusesOldCounts: driver.has.counter !== 'ignore',
    makesAccounts: compiled.lists.account.length > 0 && typeof users !== 'number',
    async openUser() {
      const scope = driver.newScope();
      const session = await scope.openUser(typeof users === 'number' ? 1 + (opened++ % users) : 1);
      if (session === undefined) throw new PasskeyError('usage', `The profile ${profile.name} has no user for a run. Give --token.`);
      return { session, scope };
    },
    keep: (scope) => kept.add(scope),
    waitWhenPutOff: connections.wait,
    async cleanUp() {
      const left: string[] = [];
      await forEachAtOnce([...kept], CLEAN_UPS_AT_ONCE, async (scope) => {
        const remaining = await scope.cleanUp();
        left.push(...remaining.slice(0, Math.max(0, MAX_LISTED - left.length)));
      });
      return left;
    },
    async close() {
      driver.close();
      connections.target.close();
    },
  };
}

/**
 * Wraps an HTTP target so that it returns a 429 like any other response until `wait` is called. From then on it waits after a 429 and sends
 * the request again.
 */
function switchable(target: HttpTarget, retry: Parameters<typeof retryRateLimited>[1]): { readonly target: HttpTarget; wait(): void } {
  const waiting = retryRateLimited(target, retry);
  let current = target;
  return {
    // Each request of a load counts.
    target: { ...target, send: (request) => current.send({ ...request, once: true }) },
    wait() {
      current = waiting;
    },
  };
}
