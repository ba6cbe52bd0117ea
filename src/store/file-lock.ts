import { closeSync, existsSync, fstatSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { readdir, unlink, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PasskeyError } from '../errors.js';
import { type FileNames, isBusy, STORE_NAMES, storeFailure, whileBusy } from './file-system.js';
import { type Claim, claimLock, dropClaim, prepareClaim, removeIfThere } from './lock-claim.js';
import { isRunning, shortHash, startTimeOf, thisHost, upTime } from './process-identity.js';

export interface FileLockOptions {
  /** Milliseconds to wait if another process holds the lock; default: 10,000. */
  readonly waitFor?: number;
  /**
   * Milliseconds without a sign of life after which a lock counts as abandoned, if its process cannot be checked. If the process seems to
   * be running, it must also have held the lock for six times as long. Default: 5,000.
   */
  readonly staleAfter?: number;
  /** Clock of this host that cannot be set, in milliseconds; default: {@link upTime}. */
  readonly now?: () => number;
  /** Names of the protected file, for messages; default: those of the store. */
  readonly names?: FileNames;
}

export interface FileLock {
  /** True if a dead process had left the lock behind. Its temporary files can then be removed. */
  readonly broken: boolean;
  /** Tests whether this process still holds the lock. False if another process took it over, e.g. while this process was suspended. */
  isHeld(): boolean;
  /** Checks that this process still holds the lock. @throws PasskeyError `store_unavailable` if it does not. */
  assertHeld(): void;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the process that holds the lock; undefined if its system does not provide it. */
  readonly start: string | undefined;
  /** Time when the holder started to wait for the lock, by the {@link upTime} of its host. */
  readonly since: number;
}

/**
 * Content and times of a lock file, as seen at one moment. If the lock is abandoned, a later look sees the same; a living holder renews it.
 */
interface Sight {
  readonly mark: string;
  readonly content: string;
  readonly holder: Holder | undefined;
}

const DEFAULT_WAIT = 10_000;
const DEFAULT_STALE = 5_000;
/**
 * If the process of a silent lock seems to run, the lock must have been held for this many times `staleAfter` before it counts as
 * abandoned. The process may be too busy to show a sign of life. Or its id may now belong to another process; in a container even to this
 * one.
 */
const STALE_THOUGH_RUNNING = 6;
const HEARTBEAT = 0.25;
const BUSY_FOR = 1_000;
/** Milliseconds between two attempts. A random part is added, so that waiting processes do not try in step. */
const POLL = 1;
const POLL_SPREAD = 3;
/** Milliseconds that a process waits after releasing the lock, so that a waiting process can take it. */
const YIELD = 25;

/**
 * Acquires a lock between processes: the file at `path`, a hard link to a finished file, which is removed on release. After a release, a
 * waiting process goes first. The lock of a dead process is broken at once. If the state of the process is unknown (another host, or a
 * foreign file), the lock is broken after `staleAfter` without a sign of life. This time is measured by the clock of the waiting process,
 * because the clocks of hosts and file servers may differ.
 *
 * @throws PasskeyError `store_unavailable` if the lock is not free within `waitFor`, or cannot be created.
 */
export async function acquireFileLock(path: string, options: FileLockOptions = {}): Promise<FileLock> {
  const { waitFor = DEFAULT_WAIT, staleAfter = DEFAULT_STALE, now: clock = upTime, names = STORE_NAMES } = options;
  const started = upTime();
  let watched: { sight: Sight; since: number } | undefined;
  let broken = false;
  let claim: Claim | undefined;
  try {
    for (;;) {
      claim ??= prepareClaim(path, clock());
      const claimed = claimLock(path, claim);
      if (claimed.status === 'held') {
        const lock = held(path, { claim, fd: claimed.fd, broken, heartbeat: HEARTBEAT * staleAfter });
        claim = undefined;
        return lock;
      }
      if (claimed.status === 'lost') {
        dropClaim(claim);
        claim = undefined;
        continue;
      }
      const now = upTime();
      const sight = look(path);
      if (sight && sight.mark !== watched?.sight.mark) watched = { sight, since: now };
      if (sight && watched && isAbandoned(sight, { unchanged: now - watched.since, at: clock(), staleAfter })) {
        if (await breakLock(path, sight, claim)) {
          broken = true;
          continue;
        }
      }
      if (now - started > waitFor) throw waitedTooLong({ path, waitFor, names }, sight?.holder);
      // Windows also reports a folder without write permission as busy.
      if (!watched && isBusy(claimed.cause) && now - started > BUSY_FOR) throw claimed.cause;
      noteWaiting(path);
      await sleep(POLL + Math.random() * POLL_SPREAD);
    }
  } catch (error) {
    throw storeFailure('write', path, error, names);
  } finally {
    if (claim) dropClaim(claim);
  }
}

function held(
  path: string,
  { claim, fd, broken, heartbeat }: { readonly claim: Claim; readonly fd: number; readonly broken: boolean; readonly heartbeat: number },
): FileLock {
  removeIfThere(claim.path);
  if (fd !== claim.fd) closeSync(claim.fd);
  const { ino, dev } = fstatSync(fd, { bigint: true });
  const isHeld = (): boolean => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return now?.ino === ino && now.dev === dev;
  };
  const renew = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, heartbeat).unref();
  return {
    broken,
    isHeld,
    assertHeld() {
      if (isHeld()) return;
      throw new PasskeyError(
        'store_unavailable',
        `Another process took over the lock ${path} before the change was written. Nothing was changed; try again.`,
      );
    },
    async release() {
      clearInterval(renew);
      // If it cannot be removed, the next process finds it abandoned and breaks it.
      if (isHeld()) await whileBusy(async () => unlinkSync(path)).catch(() => {});
      closeSync(fd);
      await letOthersGoFirst(path);
    },
  };
}

/** Builds the path of an empty file that exists while a process waits for the lock. */
const waitingPath = (path: string): string => `${path}.waiting`;

function noteWaiting(path: string): void {
  if (existsSync(waitingPath(path))) return;
  try {
    writeFileSync(waitingPath(path), '', { flag: 'wx', mode: 0o600 });
  } catch {
    // Another process waits, too. Where it cannot be written, the lock cannot either.
  }
}

/**
 * Waits until a waiting process has had a chance to take the lock. Otherwise, a process that constantly wants the lock would always get it
 * again first.
 */
async function letOthersGoFirst(path: string): Promise<void> {
  if (!existsSync(waitingPath(path))) return;
  removeIfThere(waitingPath(path));
  const since = upTime();
  while (!existsSync(path) && upTime() - since < YIELD) await sleep(POLL);
}

function look(path: string): Sight | undefined {
  try {
    const stats = statSync(path, { bigint: true });
    // Reading a FIFO or a device might never end.
    const content = stats.isFile() ? readFileSync(path, 'utf8') : '';
    return { mark: `${stats.ino} ${stats.mtimeMs} ${content}`, content: `${stats.ino} ${content}`, holder: parseHolder(content) };
  } catch {
    return undefined;
  }
}

/** Reads the holder from the content of a lock file; undefined if the content is not that of a lock. */
function parseHolder(content: string): Holder | undefined {
  try {
    const { pid, host, start, since }: Partial<Record<keyof Holder, unknown>> = JSON.parse(content);
    if (!Number.isSafeInteger(pid) || Number(pid) <= 0 || typeof host !== 'string' || typeof since !== 'number') return undefined;
    return { pid: Number(pid), host, start: typeof start === 'string' ? start : undefined, since };
  } catch {
    return undefined;
  }
}

/** Tests whether a lock is abandoned. Does not use the time of day, which may be set while a process waits. */
function isAbandoned(
  { holder }: Sight,
  { unchanged, at, staleAfter }: { readonly unchanged: number; readonly at: number; readonly staleAfter: number },
): boolean {
  if (holder?.host !== thisHost()) return unchanged >= staleAfter;
  if (hasEnded(holder)) return true;
  return unchanged >= staleAfter && at - holder.since >= STALE_THOUGH_RUNNING * staleAfter;
}

/** Tests whether a process of this host has ended, even if another process has its id by now. */
function hasEnded({ pid, start }: Holder): boolean {
  if (!isRunning(pid)) return true;
  const now = start === undefined ? undefined : startTimeOf(pid);
  return now !== undefined && now !== start;
}

const MAX_DEAD_BREAKERS = 100;

/**
 * Removes an abandoned lock exactly once. Otherwise, the second of two processes that find the lock would remove the new lock of the first.
 * The right to remove the lock is itself a link, called guard, whose name depends on this lock. The guard of a dead process is not removed;
 * the right to act for that process is another guard.
 */
async function breakLock(path: string, sight: Sight, claim: Claim): Promise<boolean> {
  let of = sight.content;
  for (let dead = 0; dead < MAX_DEAD_BREAKERS; dead += 1) {
    const guard = guardPath(path, of);
    const claimed = claimLock(guard, claim);
    if (claimed.status === 'held') {
      try {
        if (look(path)?.content !== sight.content) return false;
        await unlink(path);
        return true;
      } finally {
        if (claimed.fd !== claim.fd) closeSync(claimed.fd);
        removeIfThere(guard);
      }
    }
    const breaker = look(guard);
    if (breaker?.holder === undefined || breaker.holder.host !== thisHost() || !hasEnded(breaker.holder)) return false;
    of = `${of} ${breaker.content}`;
  }
  return false;
}

/**
 * Removes the guards left by processes that were killed while they broke a lock. Only the holder of the lock may call this, because then no
 * guard can still be in use.
 */
export async function removeGuards(path: string): Promise<void> {
  const prefix = basename(guardPrefix(path));
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const guard = join(dirname(path), name);
    const { holder } = look(guard) ?? {};
    if (holder?.host === thisHost() && hasEnded(holder)) await unlink(guard).catch(() => {});
  }
}

/** Builds the path of a lock's guard from the content `of` of the lock. Guards of dead processes have guards of their own. */
export function guardPath(path: string, of: string): string {
  return `${guardPrefix(path)}${shortHash(of)}`;
}

function guardPrefix(path: string): string {
  return `${path}.break-`;
}

function waitedTooLong(
  { path, waitFor, names }: { readonly path: string; readonly waitFor: number; readonly names: FileNames },
  holder: Holder | undefined,
): PasskeyError {
  const who = holder ? `process ${holder.pid} on ${holder.host.split(' ')[0]}` : 'another process';
  return new PasskeyError(
    'store_unavailable',
    `Waited ${waitFor / 1000} s for the lock ${path}; ${who} holds it. Try again. If no passkey process uses the ${names.noun} any more, delete that file.`,
  );
}
