import type { CaseResult } from '../report/report.js';
import { isAtLeast, type Severity } from '../report/severity.js';
import { findCause, isOfLibrary } from './causes.js';

/** Decides which failed cases make the whole run fail. */
export interface FailurePolicy {
  /** The least severity that fails the run; less serious failures are tolerated. Default: `low`. */
  readonly failOn?: Severity;
  /** If true, failures caused by a known fault of the profile's library fail the run too. */
  readonly failOnLibrary?: boolean;
}

/** Adds the cause of the failure to the result of a failed case. If this failure does not fail the run, adds the reason for that too. */
export function judgeFailure(
  result: CaseResult,
  { failOn = 'low', failOnLibrary = false, inBaseline }: FailurePolicy & { readonly inBaseline: (failed: CaseResult) => boolean },
): CaseResult {
  const { known: _, known_by: __, tolerated: ___, ...failed } = result;
  const cause = findCause(failed);
  const judged = { ...failed, cause: cause.id };
  if (inBaseline(judged)) return { ...judged, known: true, known_by: 'baseline' };
  if (isOfLibrary(failed, cause)) return failOnLibrary ? judged : { ...judged, known: true, known_by: 'library' };
  return isAtLeast(cause.severity, failOn) ? judged : { ...judged, tolerated: true };
}
