import { readdirSync } from 'node:fs';
import { asObject } from '../../kernel/json-value.js';
import { DEFAULT_SETTINGS } from '../../server/settings.js';

/** Maximum number of connections, even if the system allows more. More are not useful, since each one costs memory. */
const MOST = 4_096;
/** Number of file descriptors kept free for ports, the store with its lock, recordings, and modules that are loaded late. */
const KEPT_FREE = 32;

interface Descriptors {
  /** Node's diagnostic report. It states how many file descriptors this process may open. */
  readonly report: object;
  /** Number of file descriptors that this process has open. */
  readonly inUse: number;
}

/**
 * Calculates how many connections the server may have, so that enough file descriptors remain for everything else. If the system states no
 * limit, as on Windows, returns a fixed number.
 *
 * @param perConnection number of file descriptors that each connection may use. With a front end, each connection may use one more, for a
 * file or for the dev server.
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
