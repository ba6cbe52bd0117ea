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

/** The relying party under load. */
export interface LoadTarget {
  /** `in-process`, or its URL. */
  readonly name: string;
  readonly origin: string;
  readonly has: TargetCapabilities;
  /** Never empty. */
  readonly logins: readonly Login[];
  /** Whether it refuses a sign count that did not grow. */
  readonly refusesOldCounts: boolean;
  /** Whether each registration makes an account first. */
  readonly makesAccounts: boolean;
  /**
   * The user of the next registration: a fresh one if the target has any number of users, otherwise all of them by turns.
   *
   * @returns the session, or the answer of the account's request that was not accepted; and the scope for `keep`.
   */
  openUser(): Promise<{ readonly session: Session | Answer; readonly scope: Scope }>;
  /** Remembers that something of this user is to be deleted. */
  keep(scope: Scope): void;
  /** From now on, requests that the target puts off (429) are repeated after the pause that it asks for. */
  waitWhenPutOff(): void;
  /**
   * Deletes the remaining accounts and passkeys if the profile says how, even after an interruption.
   *
   * @returns the first few failures.
   */
  cleanUp(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface OpenOptions {
  /** A running server; default: the real server in process. */
  readonly target?: RemoteOptions | undefined;
  readonly signal: AbortSignal;
  readonly onPause?: ((milliseconds: number) => void) | undefined;
}

/**
 * @throws PasskeyError `usage` as `openDriver` does, `target_unreachable` when it does not answer at all.
 */
export async function openTarget(options: OpenOptions): Promise<LoadTarget> {
  const ownProfile = await readProfile('passkey', '.');
  const { target } = options;
  return target === undefined ? openInProcess(ownProfile, options) : openRemote({ profile: ownProfile, ...target }, options);
}

/** Enough users that lists of passkeys stay as short as in real life. */
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

/** Ceremonies that may be under way at once. Each holds a connection. */
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

/** Under load, a postponement (429) is an answer like any other; afterwards it is a reason to wait. */
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
