import type { Severity } from '../report/severity.js';

/** What a target did that is wrong: see {@link Cause.when}. */
export type Conduct =
  | 'accepted'
  | 'owner'
  | 'another user'
  | 'refused'
  | 'refused otherwise'
  | 'failed'
  | 'ended'
  | 'unreadable'
  | 'no response'
  | 'varies'
  | 'case error';

/** A row of the table of causes: one mistake of a server, and the cases that show it. */
export interface Cause {
  /** Stable: users and scripts tell findings apart by it. */
  readonly id: string;
  readonly severity: Severity;
  /** Matches the ids of the cases. */
  readonly cases: RegExp;
  /** The wrong answer that shows this mistake; default: `accepted`, or `another user`. */
  readonly when?: Conduct;
  /** The mistake in a sentence; `{responses}` stands for their number and that noun, `{example}` for the title of the first case. */
  readonly says: string;
  /** An attacker's gain. */
  readonly gain?: string;
  /** Broader causes. If one of them is found in the same run, its finding takes these cases, and this cause is not listed; the first listed wins. */
  readonly within?: readonly string[];
}

/** A mistake that shows as several causes at once, none of which names it. */
export interface CombinedCause extends Omit<Cause, 'cases' | 'within'> {
  /** Ids of causes, all of which are found. */
  readonly of: readonly [string, ...string[]];
  /** Matches the ids of cases, one of which passed: where none did, it is not this mistake. */
  readonly passed?: RegExp;
}

/** A row for each of several kinds of one mistake, which share severity, gain and explanation. */
export function kinds(
  shared: Pick<Cause, 'severity' | 'gain' | 'within' | 'when'>,
  rows: Readonly<Record<string, readonly [cases: RegExp, says: string]>>,
): Cause[] {
  return Object.entries(rows).map(([id, [cases, says]]) => ({ id, cases, says, ...shared }));
}
