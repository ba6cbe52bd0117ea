import { fstatSync, statSync } from 'node:fs';
import { readdir, readFile, stat, unlink, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PasskeyError } from '../errors.js';
import { type FileNames, isBusy, STORE_NAMES, storeFailure, whileBusy } from './file-system.js';
import { claim, drawTicket, isRunning, returnTicket, shortHash, type Ticket, thisHost, ticketsBefore, upTime } from './lock-ticket.js';

export interface FileLockOptions {
  /** Milliseconds to wait for another process. Default 10,000. */
  readonly waitFor?: number;
  /**
   * Milliseconds without a sign of life after which a lock counts as abandoned if its process cannot be checked; if the process seems
   * to run, it must also have held the lock for six times as long. Default 5,000.
   */
  readonly staleAfter?: number;
  /** Milliseconds that a free lock waits for those whose turn it is: they may be suspended. Default 100. */
  readonly patience?: number;
  /** Milliseconds by a clock of this host that cannot be set. Default {@link upTime}. */
  readonly now?: () => number;
  /** Names of the protected file, for messages. Default: the store's. */
  readonly names?: FileNames;
}

export interface FileLock {
  /** Whether a dead process left the lock behind: its temporary files can be removed now. */
  readonly broken: boolean;
  /** @throws PasskeyError `store_unavailable` when another process took the lock over, e.g. while this one was suspended. */
  assertHeld(): void;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When it drew its ticket, by its host's {@link upTime}. */
  readonly since: number;
}

/** Content and times of a lock file. Two looks at an abandoned lock see the same mark; a living holder renews it. */
interface Sight {
  readonly mark: string;
  readonly content: string;
  readonly holder: Holder | undefined;
}

const DEFAULT_WAIT = 10_000;
const DEFAULT_STALE = 5_000;
/** A process can be too busy to show a sign of life. Or its id belongs to another by now; in a container even to this very process. */
const STALE_THOUGH_RUNNING = 6;
const HEARTBEAT = 0.25;
const BUSY_FOR = 1_000;
const DEFAULT_PATIENCE = 100;
const POLL = 1;
const LONGEST_POLL = 10;

/**
 * A lock between processes: the file at `path`, a link to a finished file, removed on release. The longest waiter gets it next. The lock of
 * a dead process is broken at once. If its state is unknown (another host, or a foreign file), it is broken after `staleAfter` without a
 * sign of life, by the clock of the waiter: the clocks of hosts and file servers need not agree.
 *
 * @throws PasskeyError `store_unavailable` when it is not free within `waitFor`, or cannot be created.
 */
export async function acquireFileLock(path: string, options: FileLockOptions = {}): Promise<FileLock> {
  const { waitFor = DEFAULT_WAIT, staleAfter = DEFAULT_STALE, patience = DEFAULT_PATIENCE } = options;
  const { now: clock = upTime, names = STORE_NAMES } = options;
  const started = upTime();
  let watched: { sight: Sight; since: number } | undefined;
  let freeSince: number | undefined;
  let broken = false;
  let ticket: Ticket | undefined;
  try {
    for (;;) {
      ticket ??= await drawTicket(path, clock());
      const before = await ticketsBefore(path, ticket);
      let refused: unknown;
      if (before === 0 || upTime() - (freeSince ?? Infinity) > patience) {
        const claimed = await claim(path, ticket);
        if (claimed.status === 'held') {
          const lock = await held(path, { ticket, claimed: claimed.file, broken, heartbeat: HEARTBEAT * staleAfter });
          ticket = undefined;
          return lock;
        }
        if (claimed.status === 'no-ticket') {
          await returnTicket(ticket);
          ticket = undefined;
          continue;
        }
        refused = claimed.cause;
      }
      const now = upTime();
      const sight = await look(path);
      freeSince = sight === undefined ? (freeSince ?? now) : undefined;
      if (sight && sight.mark !== watched?.sight.mark) watched = { sight, since: now };
      if (sight && watched && isAbandoned(sight, { unchanged: now - watched.since, at: clock(), staleAfter })) {
        if (await breakLock(path, sight, ticket)) {
          broken = true;
          continue;
        }
      }
      if (now - started > waitFor) throw waitedTooLong({ path, waitFor, names }, sight?.holder);
      // Windows also reports a folder without write permission as busy.
      if (!watched && isBusy(refused) && now - started > BUSY_FOR) throw refused;
      await sleep(Math.min(LONGEST_POLL, POLL * (1 + before)));
    }
  } catch (error) {
    throw storeFailure('write', path, error, names);
  } finally {
    if (ticket) await returnTicket(ticket);
  }
}

async function held(
  path: string,
  { ticket, claimed, broken, heartbeat }: { ticket: Ticket; claimed: Ticket['file']; broken: boolean; heartbeat: number },
): Promise<FileLock> {
  // The lock is held already; the process that releases it waits for this.
  const returned = unlink(ticket.path).catch(() => {});
  if (claimed !== ticket.file) await ticket.file.close();
  const { ino, dev } = fstatSync(claimed.fd, { bigint: true });
  const isOurs = (): boolean => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return now?.ino === ino && now.dev === dev;
  };
  const renew = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, heartbeat).unref();
  return {
    broken,
    assertHeld() {
      if (isOurs()) return;
      throw new PasskeyError(
        'store_unavailable',
        `Another process took over the lock ${path} before the change was written. Nothing was changed; try again.`,
      );
    },
    async release() {
      clearInterval(renew);
      await returned;
      // If it cannot be removed, the next process finds it abandoned and breaks it.
      if (isOurs()) await whileBusy(() => unlink(path)).catch(() => {});
      await claimed.close().catch(() => {});
    },
  };
}

async function look(path: string): Promise<Sight | undefined> {
  try {
    const stats = await stat(path, { bigint: true });
    // Reading a FIFO or a device might never end.
    const content = stats.isFile() ? await readFile(path, 'utf8') : '';
    return { mark: `${stats.ino} ${stats.mtimeMs} ${content}`, content: `${stats.ino} ${content}`, holder: parseHolder(content) };
  } catch {
    return undefined;
  }
}

/** Undefined for anything but a lock. */
function parseHolder(content: string): Holder | undefined {
  try {
    const { pid, host, since }: Partial<Record<keyof Holder, unknown>> = JSON.parse(content);
    if (!Number.isSafeInteger(pid) || Number(pid) <= 0 || typeof host !== 'string' || typeof since !== 'number') return undefined;
    return { pid: Number(pid), host, since };
  } catch {
    return undefined;
  }
}

/** The time of day plays no part: it may be set while a process waits. */
function isAbandoned(
  { holder }: Sight,
  { unchanged, at, staleAfter }: { readonly unchanged: number; readonly at: number; readonly staleAfter: number },
): boolean {
  if (holder?.host !== thisHost()) return unchanged >= staleAfter;
  if (holder.pid !== process.pid && !isRunning(holder.pid)) return true;
  return unchanged >= staleAfter && at - holder.since >= STALE_THOUGH_RUNNING * staleAfter;
}

const MAX_DEAD_BREAKERS = 100;

/**
 * Removes an abandoned lock, once: otherwise the second of two processes that find it would remove the new lock of the first. The right to
 * remove it is itself a link, the guard, named after this lock. The guard of a dead process is not removed: the right to replace that
 * process is another guard.
 */
async function breakLock(path: string, sight: Sight, ticket: Ticket): Promise<boolean> {
  let of = sight.content;
  for (let dead = 0; dead < MAX_DEAD_BREAKERS; dead += 1) {
    const guard = guardPath(path, of);
    const claimed = await claim(guard, ticket);
    if (claimed.status === 'held') {
      try {
        if ((await look(path))?.content !== sight.content) return false;
        await unlink(path);
        return true;
      } finally {
        if (claimed.file !== ticket.file) await claimed.file.close();
        await unlink(guard).catch(() => {});
      }
    }
    const breaker = await look(guard);
    if (breaker?.holder === undefined || breaker.holder.host !== thisHost() || isRunning(breaker.holder.pid)) return false;
    of = `${of} ${breaker.content}`;
  }
  return false;
}

/** Removes what processes left that were killed while they broke a lock. Only for its holder: there is none then that a guard could be for. */
export async function removeGuards(path: string): Promise<void> {
  const prefix = basename(guardPrefix(path));
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const guard = join(dirname(path), name);
    const { holder } = (await look(guard)) ?? {};
    if (holder?.host === thisHost() && !isRunning(holder.pid)) await unlink(guard).catch(() => {});
  }
}

/** The path of the guard of a lock, from the content of the lock, with the guards of dead processes. */
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
