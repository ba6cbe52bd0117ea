import type { Severity } from '../report/severity.js';

/** Wrong behaviour of a target; see {@link Cause.when}. */
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

/** An observation that proves a cause which is critical or high. */
type Proof =
  /** whoami, a list or the options name a user other than the one who may be there. */
  | 'another'
  /** whoami names a user after a sign-in that a correct server refuses. */
  | 'signedIn'
  /** Another user's passkey is listed, renamed or gone; it signed in before. */
  | 'affected'
  /** The answer, and whoami if the profile has it, accept something that a correct server refuses. */
  | 'accepted'
  /** The options that the target gave in the run. */
  | 'given'
  /** A second request finds the old challenge, session or passkey still good. */
  | 'kept'
  /** No connection is made or no answer comes; earlier requests were answered. */
  | 'ended';

/** A condition on a failure, with the severity and the name of its cause. */
type Proven =
  | { readonly severity: 'critical' | 'high'; readonly proof: Proof }
  | { readonly severity: Exclude<Severity, 'critical' | 'high'>; readonly proof?: never };

/** A row of the table of causes: one mistake of a server, and the cases that show it. */
interface CauseRow {
  /** Stable: users and scripts tell findings apart by it. */
  readonly id: string;
  /** Matches the ids of the cases. */
  readonly cases: RegExp;
  /** The wrong answer that shows this mistake; default: `accepted`, or `another user`. */
  readonly when?: Conduct;
  /** The mistake in a sentence; `{responses}` is replaced by their number and noun, `{example}` by the title of the first case. */
  readonly says: string;
  /** An attacker's gain. */
  readonly gain?: string;
  /** Broader causes. If one of them is found in the same run, its finding takes these cases, and this cause is not listed; the first listed wins. */
  readonly within?: readonly string[];
}

export type Cause = CauseRow & Proven;

/** A mistake that shows as several causes at once, without a cause of its own. */
interface CombinedRow extends Omit<CauseRow, 'cases' | 'within'> {
  /** Ids of causes; all of them must be found. */
  readonly of: readonly [string, ...string[]];
  /** Matches ids of cases; one of them must have passed, otherwise it is another mistake. */
  readonly passed?: RegExp;
  /** Matches the ids of cases, none of which passed. */
  readonly unpassed?: RegExp;
  /** Ids of causes whose cases it takes, where they are found as well. */
  readonly takes?: readonly string[];
}

export type CombinedCause = CombinedRow & Proven;

/** A row for each of several kinds of one mistake, which share severity, gain and explanation. */
export function kinds(
  shared: Pick<CauseRow, 'gain' | 'within' | 'when'> & Proven,
  rows: Readonly<Record<string, readonly [cases: RegExp, says: string]>>,
): Cause[] {
  return Object.entries(rows).map(([id, [cases, says]]) => ({ id, cases, says, ...shared }));
}
