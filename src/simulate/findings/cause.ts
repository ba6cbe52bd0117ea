import type { Severity } from '../report/severity.js';

/** How a target behaved wrongly; see {@link Cause.when}. */
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

/** The observation that proves a critical or high cause. */
type Proof =
  /** whoami, a list or the options show another user than they should. */
  | 'another'
  /** whoami names a user after a sign-in that a correct server would have refused. */
  | 'signedIn'
  /** Another user's passkey, which worked before, is now listed, renamed or gone. */
  | 'affected'
  /** The answer accepts something that a correct server refuses, and whoami confirms it if the profile has whoami. */
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
  /** Describes the mistake in one sentence. `{responses}` becomes their number and noun, and `{example}` the title of the first case. */
  readonly says: string;
  /** Describes what an attacker gains from the mistake. */
  readonly gain?: string;
  /**
   * Ids of broader causes. If a run finds one of them, its finding includes these cases and this cause is not listed separately. The first
   * id that was found wins.
   */
  readonly within?: readonly string[];
}

export type Cause = CauseRow & Proven;

/** A mistake that reveals itself only through several causes that occur together. */
interface CombinedRow extends Omit<CauseRow, 'cases' | 'within'> {
  /** Ids of causes, all of which the run must have found. */
  readonly of: readonly [string, ...string[]];
  /** Matches ids of cases, at least one of which must have passed. Otherwise the mistake is a different one. */
  readonly passed?: RegExp;
  /** Matches ids of cases, none of which may have passed. */
  readonly unpassed?: RegExp;
  /** Ids of further causes whose cases the combined finding includes, if the run found them. */
  readonly takes?: readonly string[];
}

export type CombinedCause = CombinedRow & Proven;

/** Makes causes for several kinds of one mistake. They share severity, gain and explanation. */
export function kinds(
  shared: Pick<CauseRow, 'gain' | 'within' | 'when'> & Proven,
  rows: Readonly<Record<string, readonly [cases: RegExp, says: string]>>,
): Cause[] {
  return Object.entries(rows).map(([id, [cases, says]]) => ({ id, cases, says, ...shared }));
}
