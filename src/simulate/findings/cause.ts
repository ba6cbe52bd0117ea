import type { Severity } from '../report/severity.js';

/** How a target behaved wrongly, as far as {@link Cause.when} distinguishes it. */
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

/** The kind of observation that proves a cause of critical or high severity. */
type Proof =
  /** whoami, a list or the options name a different user than they should. */
  | 'another'
  /** whoami names a user after a sign-in that a correct server would have refused. */
  | 'signedIn'
  /** Another user's passkey, which worked before, is now listed, renamed or gone. */
  | 'affected'
  /** The response accepts something that a correct server refuses, and whoami confirms it if the profile has whoami. */
  | 'accepted'
  /** The options that the target returned during the run are wrong in themselves. */
  | 'given'
  /** A second request shows that an old challenge, session or passkey is still valid. */
  | 'kept'
  /** The target stopped answering or accepting connections, after it had answered earlier requests. */
  | 'ended';

/** A severity, and the kind of proof that critical and high causes need. */
type Proven =
  | { readonly severity: 'critical' | 'high'; readonly proof: Proof }
  | { readonly severity: Exclude<Severity, 'critical' | 'high'>; readonly proof?: never };

/** A row in the table of causes: one mistake of a server, and the cases that reveal it. */
interface CauseRow {
  /** Id of the cause. It never changes, because users and scripts identify findings by it. */
  readonly id: string;
  /** Matches the ids of the cases that reveal the mistake. */
  readonly cases: RegExp;
  /** How the target must have behaved for this cause to apply; default: `accepted` or `another user`. */
  readonly when?: Conduct;
  /**
   * Describes the mistake in one sentence. `{responses}` is replaced with the number of responses and the noun, and `{example}` with the
   * title of the first case.
   */
  readonly says: string;
  /** Describes what an attacker gains from the mistake. */
  readonly gain?: string;
  /**
   * Ids of broader causes. If a run finds a broader cause, the finding of that cause includes the cases of this one, and this cause is not
   * listed separately. If the run finds several, the first id in this list wins.
   */
  readonly within?: readonly string[];
}

export type Cause = CauseRow & Proven;

/** A mistake that reveals itself only through several causes that occur together. */
interface CombinedRow extends Omit<CauseRow, 'cases' | 'within'> {
  /** Ids of the causes that the run must all have found. */
  readonly of: readonly [string, ...string[]];
  /** Matches ids of cases. At least one of these cases must have passed; otherwise the mistake is a different one. */
  readonly passed?: RegExp;
  /** Matches ids of cases. None of these cases may have passed. */
  readonly unpassed?: RegExp;
  /** Ids of further causes whose cases the combined finding includes, if the run found them. */
  readonly takes?: readonly string[];
}

export type CombinedCause = CombinedRow & Proven;

/** Makes causes for several kinds of one mistake. These causes share severity, gain and explanation. */
export function kinds(
  shared: Pick<CauseRow, 'gain' | 'within' | 'when'> & Proven,
  rows: Readonly<Record<string, readonly [cases: RegExp, says: string]>>,
): Cause[] {
  return Object.entries(rows).map(([id, [cases, says]]) => ({ id, cases, says, ...shared }));
}
