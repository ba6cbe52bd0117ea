import type { PasskeyError } from '../errors.js';
import { AUTHENTICATION_STEPS } from './steps/authentication.js';
import type { LibraryVerdict } from './steps/context.js';
import { REGISTRATION_STEPS } from './steps/registration.js';
import { type FailedStepReport, type StepIdentity, stepError } from './steps/step.js';

/**
 * The error of a refused ceremony: that of the first failed step. Where the library refused and every step of ours passes,
 * the step that verifies what was signed answers for it, for that is where the two can differ.
 */
export function refusal(section: StepIdentity['section'], failed: FailedStepReport | undefined, library?: LibraryVerdict): PasskeyError {
  const rejected = library?.verdict === 'rejected' ? library : undefined;
  return stepError(failed ?? unexplained(section, rejected?.reason ?? 'a refusal without a reason'), rejected?.cause);
}

function unexplained(section: StepIdentity['section'], received: string): FailedStepReport {
  const found = {
    status: 'fail',
    expected: 'a response that the verification library accepts',
    received,
    hint: 'Every step of the standard passes here, and the library refuses all the same; please report the response.',
  } as const;
  return section === '7.1'
    ? { ...identity(REGISTRATION_STEPS, 'attestation-statement'), ...found, code: 'attestation_malformed' }
    : { ...identity(AUTHENTICATION_STEPS, 'signature'), ...found, code: 'signature_invalid' };
}

function identity(steps: readonly StepIdentity[], slug: string): StepIdentity {
  const step = steps.find((candidate) => candidate.slug === slug);
  if (step === undefined) {
    throw new TypeError(`There is no step ${slug}.`);
  }
  const { section, number, title } = step;
  return { section, number, slug, title };
}
