import { ALL_CASES } from './cases/all-cases.js';
import type { EarlierReport } from './engine/earlier-report.js';
import { CAUSES, COMBINED_CAUSES } from './findings/causes.js';

/** Cases of an earlier report that do not exist in this version. */
interface UnknownCases {
  readonly ids: readonly string[];
  /**
   * True if this version knows neither the case nor the cause of any failure in the report. A run cannot be compared with such a report.
   */
  readonly nothingMatches: boolean;
}

/** Finds the cases of an earlier report that this version no longer has. Ignores fixtures, which users add and remove. */
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
