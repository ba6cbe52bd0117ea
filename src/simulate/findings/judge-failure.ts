import type { CaseResult } from '../report/report.js';
import { isAtLeast, type Severity } from '../report/severity.js';
import { findCause, isOfLibrary } from './causes.js';

/** Which failures fail a run. */
export interface FailurePolicy {
  /** Failures that are less serious are tolerated; default: `low`. */
  readonly failOn?: Severity;
  /** Failures that the library of the profile explains fail the run too. */
  readonly failOnLibrary?: boolean;
}

/** Adds its cause to a failure, and the reason why it does not fail the run, if there is one. */
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
