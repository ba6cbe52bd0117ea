import { closeSync, realpathSync, statSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { appendLines, BatchQueue } from '../appended-file.js';
import { acquireFileLock } from '../file-lock.js';
import { resolveTarget, whileBusy } from '../file-system.js';
import type { AuditEntry, AuditLog } from './entry.js';
import {
  AUDIT_LOG,
  AUDIT_NAMES,
  AuditFileReader,
  asideNumbers,
  asidePath,
  auditFailure,
  auditLockPath,
  auditPath,
  openForAppending,
} from './file-reader.js';

interface FileAuditOptions {
  /** Called once, with the reason, if entries are lost. */
  readonly onFailure?: (reason: string) => void;
  /** Size in bytes from which a file of the log is archived; default: 5 MB. */
  readonly size?: number;
  /** Number of files to keep, including the one in use; default: 5. */
  readonly keep?: number;
}

const DEFAULT_SIZE = 5_000_000;
const DEFAULT_KEEP = 5;

/**
 * Creates an audit log in files next to a JSON store. Any number of processes can append to it. The format is JSON Lines, and each batch of
 * entries is one write at the end of the file. A full file is archived under a lock, and the oldest archive removed. An entry is written
 * before its change is acknowledged, so it survives the end of the process. It is not flushed, so a power failure may lose the last
 * entries.
 *
 * @param path of the store.
 */
export function createFileAudit(path: string, options: FileAuditOptions = {}): AuditLog {
  const { onFailure = () => {}, size = DEFAULT_SIZE, keep = DEFAULT_KEEP } = options;
  let puttingAside: Promise<void> | undefined;
  const write = (target: string, entries: readonly AuditEntry[]): void => {
    try {
      if (appendEntries(target, entries) < size) return;
    } catch (error) {
      throw auditFailure('write', target, error);
    }
    // Others may hold its lock: what comes meanwhile is written all the same.
    puttingAside ??= putAside(target, size, keep)
      .catch((error: unknown) => queue.failed(auditFailure('write', target, error)))
      .finally(() => {
        puttingAside = undefined;
      });
  };
  const queue = new BatchQueue<AuditEntry>(
    (entries) => {
      const target = findTarget(path);
      return target === undefined ? resolveTarget(path).then((resolved) => write(resolved, entries)) : write(target, entries);
    },
    AUDIT_LOG,
    onFailure,
  );
  return {
    append: (entry) => queue.append(entry),
    async settled() {
      await queue.settled();
      await puttingAside;
    },
    read: ({ via } = {}) => new AuditFileReader(path, via),
  };
}

function findTarget(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * Appends entries to the file in use.
 *
 * @returns the new size of the file in bytes.
 */
function appendEntries(target: string, entries: readonly AuditEntry[]): number {
  const fd = openForAppending(target);
  try {
    return appendLines(
      fd,
      entries.map((entry) => JSON.stringify(entry)),
    );
  } finally {
    closeSync(fd);
  }
}

/** Milliseconds to wait for the lock. If the file cannot be archived now, it is archived after a later entry. */
const PATIENCE = 2_000;

async function putAside(target: string, size: number, keep: number): Promise<void> {
  const path = auditPath(target);
  const lock = await acquireFileLock(auditLockPath(target), { waitFor: PATIENCE, names: AUDIT_NAMES });
  try {
    // Another process may have done it meanwhile.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < size) return;
    const numbers = await asideNumbers(target);
    const next = (numbers.at(-1) ?? 0) + 1;
    lock.assertHeld();
    await whileBusy(() => rename(path, asidePath(target, next)));
    const tooOld = [...numbers, next].filter((n) => n <= next - (keep - 1));
    for (const n of tooOld) await whileBusy(() => unlink(asidePath(target, n)));
  } finally {
    await lock.release();
  }
}
