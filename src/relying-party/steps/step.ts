import { type FailedCheckCode, type FailedStep, PasskeyError } from '../../errors.js';
import { clause } from '../../kernel/wording.js';

/** The revision of the WebAuthn standard from which the step numbers are taken. */
export const STEP_REVISION = 'W3C Web Authentication Level 3, Recommendation of 25 August 2026';

type StepCode = FailedCheckCode | 'credential_already_registered' | 'passkey_not_found' | 'validation_failed';

/** Result of a step. `expected` and `received` are decoded and shortened, and contain no secrets. */
export type StepResult =
  | { readonly status: 'pass'; readonly expected: string; readonly received: string }
  | { readonly status: 'fail'; readonly expected: string; readonly received: string; readonly code: StepCode; readonly hint: string }
  /**
   * A skipped step. Without `open`, the step does not apply. With `open`, it applies but lacks an input, such as the expected origin, so
   * the verdict cannot be `accepted`.
   */
  | { readonly status: 'skip'; readonly reason: string; readonly open?: true };

/** The function that checks one step. It is pure: its result depends only on the facts of the ceremony. */
export type Check<Context> = (context: Context) => StepResult;

/** Identifies a step of a procedure, independently of its result. */
export interface StepIdentity extends Pick<FailedStep, 'section' | 'number' | 'slug' | 'title'> {
  /** Title of the step if it has failed. */
  readonly failure: string;
}

export interface Step<Context> extends StepIdentity {
  readonly check: Check<Context>;
}

export type StepReport = StepIdentity & StepResult;
export type FailedStepReport = StepReport & { readonly status: 'fail' };

export const pass = (expected: string, received: string): StepResult => ({ status: 'pass', expected, received });
export const skip = (reason: string): StepResult => ({ status: 'skip', reason });
export const leaveOpen = (reason: string): StepResult => ({ status: 'skip', reason, open: true });
export const fail = (code: StepCode, found: { expected: string; received: string; hint: string }): StepResult => ({
  status: 'fail',
  code,
  ...found,
});

export function hasFailed(report: StepReport): report is FailedStepReport {
  return report.status === 'fail';
}

function failedStep({ section, number, slug, failure, expected, received, hint }: FailedStepReport): FailedStep {
  return { section, number, slug, title: failure, expected, received, hint };
}

/** Makes the error of a ceremony from the step that failed. */
export function stepError(report: FailedStepReport, cause?: unknown): PasskeyError {
  const { section, number, slug, code, expected, received, hint } = report;
  const message = `§${section} step ${number} (${slug}): expected ${clause(expected)}; received ${clause(received)}. ${hint}`;
  return new PasskeyError(code, message, { step: failedStep(report), cause });
}
