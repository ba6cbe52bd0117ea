import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { open, readFile, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PasskeyError } from '../errors.js';
import { type FileNames, isBusy, STORE_NAMES, storeFailure, systemErrorCode, whileBusy } from './file-system.js';

export interface FileLockOptions {
  /** Milliseconds to wait for another process. Default 10,000. */
  readonly waitFor?: number;
  /**
   * Milliseconds after which a lock without a sign of life counts as abandoned if its process cannot be checked; six times as
   * long if the process seems to run. Default 5,000.
   */
  readonly staleAfter?: number;
  /** Of the file that it protects, for messages. Default: the store's. */
  readonly names?: FileNames;
}

export interface FileLock {
  /** Whether a dead process left the lock behind: its temporary files can be removed now. */
  readonly broken: boolean;
  /** @throws PasskeyError `store_unavailable` when another process took the lock over, e.g. while this one was suspended. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** What a lock file shows. Two looks at an abandoned lock see the same mark; a living holder renews it. */
interface Sight {
  readonly mark: string;
  readonly content: string;
  readonly mtimeMs: number;
  readonly holder: Holder | undefined;
}

const DEFAULT_WAIT = 10_000;
const DEFAULT_STALE = 5_000;
/** A process can be too busy to show a sign of life. Or its id belongs to another by now; in a container even to this very process. */
const STALE_THOUGH_RUNNING = 6;
const GUARD_STALE = 1.5;
const HEARTBEAT = 0.25;
const BUSY_FOR = 1_000;
const POLL_MIN = 2;
const POLL_SPREAD = 20;

/**
 * A lock between processes: the file at `path`, created exclusively, removed on release. If its process is dead, it is broken at
 * once. If that cannot be known (another host, half written), it is broken after `staleAfter` without a sign of life, by the clock
 * of the waiter: the clocks of hosts and file servers need not agree.
 *
 * @throws PasskeyError `store_unavailable` when it is not free within `waitFor`, or cannot be created.
 */
export async function acquireFileLock(path: string, options: FileLockOptions = {}): Promise<FileLock> {
  const { waitFor = DEFAULT_WAIT, staleAfter = DEFAULT_STALE, names = STORE_NAMES } = options;
  const content = JSON.stringify({ pid: process.pid, host: thisHost(), token: randomBytes(12).toString('hex') });
  const started = performance.now();
  let watched: { sight: Sight; since: number } | undefined;
  let broken = false;
  for (;;) {
    const refused = await createExclusively(path, content, names);
    if (refused === undefined) break;
    const now = performance.now();
    const sight = await look(path);
    if (sight && sight.mark !== watched?.sight.mark) watched = { sight, since: now };
    if (sight && watched) {
      const unchanged = now - watched.since;
      if (isAbandoned(sight, unchanged, staleAfter)) {
        broken = (await breakLock(path, sight.mark, unchanged >= GUARD_STALE * staleAfter)) || broken;
      }
    }
    const waited = performance.now() - started;
    if (waited > waitFor) throw waitedTooLong({ path, waitFor, names }, sight?.holder);
    // Windows also reports a folder without write permission as busy.
    if (!watched && isBusy(refused) && waited > BUSY_FOR) throw storeFailure('write', path, refused, names);
    await sleep(POLL_MIN + Math.random() * POLL_SPREAD);
  }
  return held(path, content, broken, HEARTBEAT * staleAfter);
}

function held(path: string, content: string, broken: boolean, heartbeat: number): FileLock {
  const isOurs = async (): Promise<boolean> => (await look(path))?.content === content;
  const renew = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, heartbeat).unref();
  return {
    broken,
    async assertHeld() {
      if (await isOurs()) return;
      throw new PasskeyError(
        'store_unavailable',
        `Another process took over the lock ${path} before the change was written. Nothing was changed; try again.`,
      );
    },
    async release() {
      clearInterval(renew);
      if (!(await isOurs())) return;
      // If it cannot be removed, the next process finds it abandoned and breaks it.
      await whileBusy(() => unlink(path)).catch(() => {});
    },
  };
}

/** Returns the error when the file exists already; undefined when it was created. */
async function createExclusively(path: string, content: string, names = STORE_NAMES): Promise<unknown> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST' || isBusy(error)) return error;
    throw storeFailure('write', path, error, names);
  }
  try {
    await file.writeFile(content);
  } catch (error) {
    await unlink(path).catch(() => {});
    throw storeFailure('write', path, error, names);
  } finally {
    await file.close();
  }
  return undefined;
}

async function look(path: string): Promise<Sight | undefined> {
  try {
    const stats = await stat(path);
    // Reading a FIFO or a device might never end.
    if (!stats.isFile()) return undefined;
    const content = await readFile(path, 'utf8');
    const { mtimeMs } = stats;
    return { mark: `${mtimeMs} ${content}`, mtimeMs, content, holder: parseHolder(content) };
  } catch {
    return undefined;
  }
}

/** Undefined while the holder is still writing it, or has died doing so. */
function parseHolder(content: string): Holder | undefined {
  try {
    const { pid, host }: Partial<Record<keyof Holder, unknown>> = JSON.parse(content);
    return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof host === 'string' ? { pid: Number(pid), host } : undefined;
  } catch {
    return undefined;
  }
}

function isAbandoned({ holder, mtimeMs }: Sight, unchanged: number, staleAfter: number): boolean {
  if (holder?.host !== thisHost()) return unchanged >= staleAfter;
  if (holder.pid !== process.pid && !isRunning(holder.pid)) return true;
  return unchanged >= staleAfter && Date.now() - mtimeMs >= STALE_THOUGH_RUNNING * staleAfter;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH';
  }
}

/**
 * Of several waiters that find the same abandoned lock, only the one that creates the guard removes it, and only if it has not
 * changed. Otherwise the second would remove the new lock of the first.
 */
async function breakLock(path: string, mark: string, guardIsAbandoned: boolean): Promise<boolean> {
  const guard = `${path}.break`;
  if ((await createExclusively(guard, '')) !== undefined) {
    if (guardIsAbandoned) await unlink(guard).catch(() => {});
    return false;
  }
  try {
    if ((await look(path))?.mark !== mark) return false;
    await unlink(path);
    return true;
  } catch {
    return false;
  } finally {
    await unlink(guard).catch(() => {});
  }
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

let host: string | undefined;

/** The scope of a process id: the host; on Linux also the boot and the namespace (a container has its own). */
function thisHost(): string {
  host ??= [
    hostname(),
    readOrNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    readOrNothing(() => readlinkSync('/proc/self/ns/pid')),
  ]
    .filter((part) => part !== '')
    .join(' ');
  return host;
}

function readOrNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
