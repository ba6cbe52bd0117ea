import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isBusy, systemErrorCode } from './file-system.js';

// Who waits for a lock has a ticket: a file beside it whose name says which process it is and when it came. The lock itself is a second
// name (a hard link) of the ticket whose turn it is, so that there never is a lock that says nothing. What takes microseconds is done
// synchronously: each turn of the thread pool takes longer, and every change waits for it.

/** A ticket older than this is left behind, even if another process has its process id now: no process waits for so long. */
const OLDEST = 120_000_000_000n;

export interface Ticket {
  readonly name: string;
  readonly path: string;
  /** Content of the lock: JSON of `pid`, `host`, `since` ({@link upTime}), and a `token` that is never used again. */
  readonly content: string;
  /** Stays open, so that no other file gets its inode number. */
  readonly file: FileHandle;
}

/** Milliseconds by the clock that all processes of this host share, and that cannot be set. */
export function upTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** @throws the error of the system. */
export async function drawTicket(lock: string, since = upTime()): Promise<Ticket> {
  const token = randomBytes(12).toString('hex');
  const content = JSON.stringify({ pid: process.pid, host: thisHost(), since, token });
  const name = `${ticketPrefix(lock)}${String(process.hrtime.bigint()).padStart(20, '0')}-${process.pid}-${token}`;
  const path = join(dirname(lock), name);
  const file = await open(path, 'wx', 0o600);
  try {
    writeSync(file.fd, content);
    return { name, path, content, file };
  } catch (error) {
    await file.close();
    await unlink(path).catch(() => {});
    throw error;
  }
}

export async function returnTicket({ path, file }: Ticket): Promise<void> {
  await file.close().catch(() => {});
  await unlink(path).catch(() => {});
}

/** How many living processes of this host have waited for longer. Removes what dead ones have left. */
export async function ticketsBefore(lock: string, { name }: Ticket): Promise<number> {
  const prefix = ticketPrefix(lock);
  const now = process.hrtime.bigint();
  let before = 0;
  for (const other of readdirSync(dirname(lock))) {
    if (!other.startsWith(prefix) || other >= name) continue;
    const [, time = '', pid = ''] = /^(\d{20})-(\d+)-[0-9a-f]{24}$/.exec(other.slice(prefix.length)) ?? [];
    if (time === '') continue;
    if (isRunning(Number(pid)) && now - BigInt(time) < OLDEST) before += 1;
    else await unlink(join(dirname(lock), other)).catch(() => {});
  }
  return before;
}

/** Links are not known everywhere: FAT and some network file systems have none. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EXDEV']);

type Claim =
  | { readonly status: 'held' /** The lock's file, open. */; readonly file: FileHandle }
  | { readonly status: 'refused'; readonly cause: unknown }
  /** The ticket is gone, as after a long pause of this process. */
  | { readonly status: 'no-ticket' };

/** Gives the lock the name at `path`, unless that is taken. @throws the error of the system. */
export async function claim(path: string, { path: ticket, content, file }: Ticket): Promise<Claim> {
  try {
    linkSync(ticket, path);
    return { status: 'held', file };
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === 'EEXIST') return { status: 'refused', cause };
    if (code === 'ENOENT') return { status: 'no-ticket' };
    if (code === undefined || !NO_LINKS.has(code)) {
      if (isBusy(cause)) return { status: 'refused', cause };
      throw cause;
    }
  }
  return await createExclusively(path, content);
}

async function createExclusively(path: string, content: string): Promise<Claim> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST' || isBusy(cause)) return { status: 'refused', cause };
    throw cause;
  }
  try {
    await file.writeFile(content);
    return { status: 'held', file };
  } catch (error) {
    await file.close();
    await unlink(path).catch(() => {});
    throw error;
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH';
  }
}

let host: string | undefined;

/** The scope of a process id: the host; on Linux also the boot and the namespace (a container has its own). */
export function thisHost(): string {
  host ??= [
    hostname(),
    readOrNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    readOrNothing(() => readlinkSync('/proc/self/ns/pid')),
  ]
    .filter((part) => part !== '')
    .join(' ');
  return host;
}

/** Eight hexadecimal digits that identify {@link thisHost} in the name of a file. */
export function hostMark(): string {
  return shortHash(thisHost()).slice(0, 8);
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Only tickets of one host are compared: they share a clock and process ids. */
function ticketPrefix(lock: string): string {
  return `.${basename(lock)}.${hostMark()}-`;
}

function readOrNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
