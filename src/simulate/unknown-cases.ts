import { ALL_CASES } from './cases/all-cases.js';
import type { EarlierReport } from './engine/earlier-report.js';
import { CAUSES, COMBINED_CAUSES } from './findings/causes.js';

/** Cases of an earlier report that do not exist in this version of the program. */
interface UnknownCases {
  readonly ids: readonly string[];
  /**
   * True if this version of the program knows neither the case nor the cause of any failure in the report. A run cannot be compared with a
   * report of this kind.
   */
  readonly nothingMatches: boolean;
}

/**
 * Finds the cases of an earlier report that this version of the program no longer has. Ignores fixtures, because users add and remove them.
 */
export function findUnknownCases({ results }: EarlierReport): UnknownCases {
  const cases = new Set(ALL_CASES.map(({ id }) => id));
  const causes = new Set([...CAUSES, ...COMBINED_CAUSES].map(({ id }) => id));
  const isUnknown = ({ id, replay }: EarlierReport['results'][number]) => replay === undefined && !cases.has(id);
  const failed = results.filter(({ status }) => status === 'failed');
  const isStranger = (result: EarlierReport['results'][number]) => isUnknown(result) && !causes.has(result.cause ?? '');
  return {
    ids: results.filter((result) => isUnknown(result)).map(({ id }) => id),
    nothingMatches: failed.length > 0 && failed.every((result) => isStranger(result)),
  };
}
