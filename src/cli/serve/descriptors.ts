import { readdirSync } from 'node:fs';
import { PasskeyError } from '../../errors.js';
import { objectOf } from '../../kernel/json-value.js';
import { DEFAULT_SETTINGS } from '../../server/settings.js';

/** More would help nobody, and each costs memory. */
const MOST = 4_096;
/** Descriptors kept free for ports, the store with its lock and journal, recordings, and modules that are loaded late. */
const KEPT_FREE = 32;

/** Descriptors that loading the server takes at once: Node opens modules in parallel, and ends the process when it runs out. */
const NEEDED = 40;

interface Descriptors {
  /** Node's report, which states how many this process may open. */
  readonly report: object;
  /** How many are open already. */
  readonly inUse: number;
}

/** The number of connections that leaves descriptors for everything else. A fixed one where the system states no limit (on Windows). */
export function maxConnections(descriptors: Descriptors = readDescriptors()): number {
  const free = countFree(descriptors);
  return free === undefined ? DEFAULT_SETTINGS.maxConnections : Math.min(MOST, Math.max(1, free - KEPT_FREE));
}

/** @throws PasskeyError `configuration_invalid` when too few are free to start a server. */
export function requireDescriptors(descriptors: Descriptors = readDescriptors()): void {
  const free = countFree(descriptors);
  if (free === undefined || free >= NEEDED) return;
  throw new PasskeyError(
    'configuration_invalid',
    `Expected at least ${NEEDED} free file descriptors; this process has ${free}. Raise its limit, for example with \`ulimit -n 1024\`.`,
  );
}

function readDescriptors(): Descriptors {
  return { report: process.report.getReport(), inUse: countOpen() };
}

/** Undefined where the system states no limit. */
function countFree({ report, inUse }: Descriptors): number | undefined {
  const { open_files: openFiles } = objectOf(objectOf(report).userLimits);
  const { soft } = objectOf(openFiles);
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
  return typeof soft === 'number' ? Math.max(0, soft - inUse) : undefined;
}

function countOpen(): number {
  try {
    return readdirSync('/dev/fd').length;
  } catch {
    // Windows has no such folder, and states no limit.
    return 0;
  }
}
