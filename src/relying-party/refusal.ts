import type { PasskeyError } from '../errors.js';
import { libraryDifference } from './differences.js';
import { AUTHENTICATION_STEPS } from './steps/authentication.js';
import type { AuthenticationContext, LibraryVerdict, RegistrationContext } from './steps/context.js';
import { REGISTRATION_STEPS } from './steps/registration.js';
import { type FailedStepReport, type StepIdentity, stepError } from './steps/step.js';

/**
 * The error of a refused ceremony: that of the first failed step. Where the library refused and every step of ours passes,
 * the step that verifies what was signed answers for it, for that is where the two can differ.
 */
export function refusal(
  section: StepIdentity['section'],
  failed: FailedStepReport | undefined,
  verified?: { readonly library: LibraryVerdict; readonly context: RegistrationContext | AuthenticationContext; readonly at: number },
): PasskeyError {
  const rejected = verified?.library.verdict === 'rejected' ? verified.library : undefined;
  const why = verified && libraryDifference(verified.context, verified.library, { failed: undefined, clock: verified.at });
  return stepError(failed ?? unexplained(section, rejected?.reason ?? 'a refusal without a reason', why), rejected?.cause);
}

function unexplained(section: StepIdentity['section'], received: string, why: string | undefined): FailedStepReport {
  const found = {
    status: 'fail',
    expected: 'a response that the verification library accepts',
    received,
    hint: `Every step of the standard passes here, and the verification library, which has the last word, refuses. ${why ?? 'Please report the response.'}`,
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
