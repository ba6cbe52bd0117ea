import { readdirSync } from 'node:fs';
import { asObject } from '../../kernel/json-value.js';
import { DEFAULT_SETTINGS } from '../../server/settings.js';

/** Maximum number of connections that is useful. Each costs memory. */
const MOST = 4_096;
/** File descriptors kept free for ports, the store with its lock, recordings, and modules that are loaded late. */
const KEPT_FREE = 32;

interface Descriptors {
  /** Node's diagnostic report, which states how many descriptors this process may open. */
  readonly report: object;
  /** Number of descriptors that are open. */
  readonly inUse: number;
}

/**
 * The number of connections that leaves enough file descriptors for everything else. A fixed number if the system states no limit, as on
 * Windows.
 *
 * @param perConnection descriptors that each may hold: a front end takes one more, for its file or its dev server.
 */
export function maxConnections(
  perConnection: number,
  { report, inUse }: Descriptors = { report: process.report.getReport(), inUse: countOpen() },
): number {
  const { open_files: openFiles } = asObject(asObject(report).userLimits);
  const { soft } = asObject(openFiles);
  if (soft === 'unlimited') return MOST;
  if (typeof soft !== 'number') return DEFAULT_SETTINGS.maxConnections;
  return Math.min(MOST, Math.max(1, Math.floor((soft - inUse - KEPT_FREE) / perConnection)));
}

function countOpen(): number {
  try {
    return readdirSync('/dev/fd').length;
  } catch {
    // Windows has no such folder, and states no limit.
    return 0;
  }
}
