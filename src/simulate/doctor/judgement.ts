import type { Facts } from './facts.js';

/** The result of a check. `skip` means that there was nothing to check; it does not count as a pass. */
export type CheckStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** The result of a check and what it is based on, in words. */
export interface Judgement {
  readonly status: CheckStatus;
  readonly found: string;
}

/**
 * A problem that a check found. `fail`: browsers or apps refuse ceremonies, or the site is unsafe. `warn`: some clients refuse ceremonies,
 * or the configuration is probably a mistake.
 */
export type Problem = readonly [status: 'warn' | 'fail', found: string];

/**
 * A check of a deployment.
 *
 * @typeParam Evidence facts that the check judges
 */
interface Check<Evidence> {
  /** The rule that the check enforces, as one sentence. */
  readonly title: string;
  readonly fix: string;
  /** URL of the document that states the rule. */
  readonly source: string;
  judge(evidence: Evidence): Judgement;
}

/** Checks of a deployment, by id. */
export type Checks<Evidence = Facts> = Readonly<Record<string, Check<Evidence>>>;

export const skip = (found: string): Judgement => ({ status: 'skip', found });

/**
 * Combines the problems that a check found into its result, whose status is that of the most serious problem.
 *
 * @param passed text to report if there are no problems
 */
export function conclude(problems: readonly Problem[], passed: string): Judgement {
  if (problems.length === 0) return { status: 'pass', found: passed };
  const status = problems.some(([each]) => each === 'fail') ? 'fail' : 'warn';
  return { status, found: problems.map(([, found]) => found).join('; ') };
}
