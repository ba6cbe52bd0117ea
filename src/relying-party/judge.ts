import type { FailedCheckCode, PasskeyError } from '../errors.js';
import { acceptedAgainst, refusedAgainst } from './differences.js';
import type { AuthenticationContext, LibraryVerdict, RegistrationContext } from './steps/context.js';
import { type FailedStepReport, hasFailed, type Step, type StepReport, skip, stepError } from './steps/step.js';

/**
 * `undecided`: nothing failed, but an essential step could not run, or the verification library refuses for an unknown reason. A relying
 * party refuses such a ceremony.
 */
export type Verdict = 'accepted' | 'rejected' | 'undecided';

/** The verdict on a ceremony, and the reasons for it. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly steps: readonly StepReport[];
  /** The failed step that explains the refusal; undefined unless the verdict is `rejected`. */
  readonly failed: FailedStepReport | undefined;
  /** Set if every step accepts but the verification library refuses for an unknown reason. The verdict is then `undecided`. */
  readonly disagreement: FailedStepReport | undefined;
  /** The verdict of the verification library; undefined if it was not called. */
  readonly library: LibraryVerdict | undefined;
  /** Why the steps and the verification library disagree; undefined if they agree. */
  readonly difference: string | undefined;
  /** Whose verdict decided the ceremony. */
  readonly decidedBy: 'steps' | 'library' | 'both';
}

/** Runs every step of a procedure, in order. */
export function runSteps<Context>(procedure: readonly Step<Context>[], context: Context): StepReport[] {
  return procedure.map(({ check, ...step }) => ({ ...step, ...check(context) }));
}

/**
 * Tells whether the verification library should be called. It is not called for data that a step refuses, since such data may be crafted to
 * be slow to process, for example certificates.
 */
export function stepsPass(steps: readonly StepReport[]): boolean {
  return !steps.some((step) => hasFailed(step) || isOpen(step));
}

/**
 * Decides on a ceremony. Accepts it if every step passes or does not apply and the verification library accepts it too. A refusal of the
 * library is ignored if its reason is in the table of differences.
 */
export function judge(
  steps: readonly StepReport[],
  context: RegistrationContext | AuthenticationContext,
  library: LibraryVerdict | undefined,
): Judgement {
  const failed = reportedFailure(steps);
  if (failed !== undefined) {
    const agrees = library?.verdict === 'rejected';
    const difference = library?.verdict === 'verified' ? acceptedAgainst(context, failed) : undefined;
    return {
      verdict: 'rejected',
      steps: withoutRecord(steps),
      failed,
      disagreement: undefined,
      library,
      difference,
      decidedBy: agrees ? 'both' : 'steps',
    };
  }
  const finding = { steps, failed, disagreement: undefined, library, difference: undefined };
  if (library === undefined || steps.some(isOpen)) return { ...finding, verdict: 'undecided', decidedBy: 'steps' };
  if (library.verdict === 'verified') return { ...finding, verdict: 'accepted', decidedBy: 'both' };
  const difference = refusedAgainst(context, library);
  if (difference !== undefined) return { ...finding, verdict: 'accepted', difference, decidedBy: 'steps' };
  const disagreement = unverified(steps, 'verifiers_disagree', {
    expected: 'a response that the verification library accepts',
    received: library.reason,
    hint: 'Every step of the standard passes, and no known difference explains why the library refuses. Please report the response.',
  });
  return { ...finding, verdict: 'undecided', steps: withoutRecord(steps), disagreement, decidedBy: 'library' };
}

/** Makes the error for a ceremony that was not accepted. */
export function refusal({ steps, failed, disagreement, library }: Judgement): PasskeyError {
  const cause = library?.verdict === 'rejected' ? library.cause : undefined;
  const found = failed ?? disagreement;
  if (found !== undefined) return stepError(found, cause);
  const open = steps.find(isOpen);
  const code = steps[0]?.section === '7.1' ? 'attestation_malformed' : 'signature_invalid';
  const unknown = unverified(steps, code, {
    expected: 'a response that can be verified here',
    received: open?.status === 'skip' ? open.reason : 'a response that the verification library did not see',
    hint: 'A newer version of Node may support the algorithm. Until then, use an authenticator with another one.',
  });
  return stepError(unknown, cause);
}

/**
 * Chooses the failed step to report. Unreadable client data or a wrong challenge comes first, since everything else depends on it;
 * otherwise the first failed step in the standard's order is reported.
 */
function reportedFailure(steps: readonly StepReport[]): FailedStepReport | undefined {
  const failures = steps.filter(hasFailed);
  return failures.find(({ slug }) => slug === 'client-data-text' || slug === 'client-data' || slug === 'challenge') ?? failures[0];
}

function isOpen(step: StepReport): boolean {
  return step.status === 'skip' && step.open === true;
}

/** Chooses the step to report if only the verification library refuses: the one that verifies the signature. */
function unverified(
  steps: readonly StepReport[],
  code: FailedCheckCode,
  found: { readonly expected: string; readonly received: string; readonly hint: string },
): FailedStepReport {
  const step = steps.find(({ slug }) => slug === 'attestation-statement' || slug === 'signature');
  if (step === undefined) throw new TypeError('Expected a procedure with a step that verifies what was signed.');
  const { section, number, slug, title, failure } = step;
  return { section, number, slug, title, failure, status: 'fail', code, ...found };
}

/**
 * Marks the step that writes the credential record as skipped, since a refused ceremony neither creates nor updates a record (§7.1 step 27,
 * §7.2 step 24).
 */
function withoutRecord(steps: readonly StepReport[]): StepReport[] {
  return steps.map((report): StepReport => {
    const { section, number, slug, title, failure, status } = report;
    return slug === 'credential-record' && status === 'pass'
      ? { section, number, slug, title, failure, ...skip('done if every earlier step passes') }
      : report;
  });
}
