import { ALL_CASES } from './cases/all-cases.js';
import type { EarlierReport } from './engine/earlier-report.js';
import { CAUSES, COMBINED_CAUSES } from './findings/causes.js';

/** Cases of an earlier report that this version does not have. */
interface UnknownCases {
  readonly ids: readonly string[];
  /** None of its failures belongs to this version, by case or by cause: a run cannot be compared with it. */
  readonly nothingMatches: boolean;
}

/** Finds the cases of an earlier report that another version had. Fixtures come and go. */
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
