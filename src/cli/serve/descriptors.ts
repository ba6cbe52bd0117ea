import { objectOf } from '../../kernel/json-value.js';
import { DEFAULT_SETTINGS } from '../../server/settings.js';

/** More would help nobody, and each costs memory. */
const MOST = 4_096;

/**
 * How many connections the server may hold: three quarters of the files that this process may open, so that the store and recordings
 * always find some. Where the system does not say (on Windows), a fixed number.
 */
export function maxConnections(report: object = process.report.getReport()): number {
  const { open_files: openFiles } = objectOf(objectOf(report).userLimits);
  const { soft } = objectOf(openFiles);
  if (soft === 'unlimited') return MOST;
  return typeof soft === 'number' ? Math.min(MOST, Math.max(1, Math.floor(0.75 * soft))) : DEFAULT_SETTINGS.maxConnections;
}
