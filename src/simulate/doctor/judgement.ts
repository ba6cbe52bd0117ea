import type { Facts } from './facts.js';

/** `skip`: there is nothing to check, which is no pass. */
export type CheckStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** The result of a check, and its grounds, in words. */
export interface Judgement {
  readonly status: CheckStatus;
  readonly found: string;
}

/** `fail`: browsers or apps refuse ceremonies, or the site is not safe. `warn`: some do, or it is probably not meant. */
export type Problem = readonly [status: 'warn' | 'fail', found: string];

/** @typeParam Evidence input of the check */
interface Check<Evidence> {
  /** The rule, in a sentence. */
  readonly title: string;
  readonly fix: string;
  /** URL of the rule. */
  readonly source: string;
  judge(evidence: Evidence): Judgement;
}

/** Checks by id. */
export type Checks<Evidence = Facts> = Readonly<Record<string, Check<Evidence>>>;

export const skip = (found: string): Judgement => ({ status: 'skip', found });

/** @param passed describes the findings if there is no problem */
export function conclude(problems: readonly Problem[], passed: string): Judgement {
  if (problems.length === 0) return { status: 'pass', found: passed };
  const status = problems.some(([each]) => each === 'fail') ? 'fail' : 'warn';
  return { status, found: problems.map(([, found]) => found).join('; ') };
}
