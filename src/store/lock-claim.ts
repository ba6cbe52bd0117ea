import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBusy, systemErrorCode } from './file-system.js';
import { hostMark, ownStartTime, thisHost, upTime } from './process-identity.js';

// A lock is a second name (a hard link) of a finished file, so that a lock always names its holder, even if that was killed. What takes
// microseconds is done synchronously: each turn of the thread pool takes longer, and every change waits for it.

/** A finished file that a process turns into its lock by linking it. */
export interface Claim {
  readonly path: string;
  /** Content of the file: JSON with `pid`, `host`, `start` ({@link ownStartTime}), `since` ({@link upTime}), and a unique `token`. */
  readonly content: string;
  /** Descriptor of the file. It stays open, so that no other file gets the same inode number. */
  readonly fd: number;
}

/**
 * Creates the file of a claim for the lock at the path `lock`.
 *
 * @throws the error of the system.
 */
export function prepareClaim(lock: string, since = upTime()): Claim {
  const token = randomBytes(12).toString('hex');
  const start = ownStartTime();
  const content = JSON.stringify({ pid: process.pid, host: thisHost(), ...(start !== undefined && { start }), since, token });
  // The name of a temporary file, so that it is removed like one if this process is killed.
  const path = join(dirname(lock), `.${basename(lock)}.${hostMark()}.${process.pid}.${token.slice(0, 12)}.tmp`);
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeSync(fd, content);
    return { path, content, fd };
  } catch (error) {
    dropClaim({ path, content, fd });
    throw error;
  }
}

/** Removes the file of a claim. A lock that was made from the claim stays. */
export function dropClaim({ path, fd }: Claim): void {
  closeSync(fd);
  removeIfThere(path);
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already, or cannot be removed: then the next process finds it abandoned.
  }
}

/** Error codes of file systems without hard links, such as FAT. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EXDEV']);

type ClaimResult =
  | { readonly status: 'held' /** Descriptor of the lock's file. */; readonly fd: number }
  | { readonly status: 'refused'; readonly cause: unknown }
  /** The file of the claim was removed meanwhile, e.g. during a long pause of this process. */
  | { readonly status: 'lost' };

/** Turns the claim into the lock at `path`, unless a lock exists. @throws the error of the system. */
export function claimLock(path: string, { path: claim, content, fd }: Claim): ClaimResult {
  try {
    linkSync(claim, path);
    return { status: 'held', fd };
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === 'EEXIST') return { status: 'refused', cause };
    if (code === 'ENOENT') return { status: 'lost' };
    if (code === undefined || !NO_LINKS.has(code)) {
      if (isBusy(cause)) return { status: 'refused', cause };
      throw cause;
    }
  }
  return createExclusively(path, content);
}

function createExclusively(path: string, content: string): ClaimResult {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST' || isBusy(cause)) return { status: 'refused', cause };
    throw cause;
  }
  try {
    writeSync(fd, content);
    return { status: 'held', fd };
  } catch (error) {
    closeSync(fd);
    removeIfThere(path);
    throw error;
  }
}
