import { AUTHENTICATION_STEPS } from './steps/authentication.js';
import type { AuthenticationContext, RegistrationContext } from './steps/context.js';
import type { AuthenticationSlug, RegistrationSlug } from './steps/procedure.js';
import { REGISTRATION_STEPS } from './steps/registration.js';
import { type FailedStepReport, hasFailed, runStep, type Step } from './steps/step.js';

/** Steps of §7.1 that the library leaves out, or lets pass what the standard does not. */
export const REGISTRATION_CHECKS: readonly RegistrationSlug[] = [
  'cross-origin',
  'top-origin',
  // Bytes after the attestation object.
  'attestation-object',
  // A key that is no key of its algorithm: without a statement the library never uses it.
  'algorithm',
  // What the library accepts inside statements, against §8 and RFC 5280 (see the table of differences).
  'attestation-statement',
  // Roots: the library holds them for the whole process, and even with roots accepts self attestation and none.
  'attestation-trust',
  // More than 1023 bytes; an id that is not the attested one.
  'credential-id',
  'credential-id-unused',
];

/** Steps of §7.2 that the library leaves out, or lets pass what the standard does not. */
export const AUTHENTICATION_CHECKS: readonly AuthenticationSlug[] = [
  'allow-credentials',
  'user-handle',
  'cross-origin',
  'top-origin',
  'backup-eligibility',
  // Bytes after a DER signature, and DER that is not in its one right form.
  'signature',
  // After the signature, so that only the holder of the key can report a regression.
  'sign-count',
];

/** What names the challenge: it comes before everything else, because it says what the rest is held against. */
export const CHALLENGE_CHECKS = ['client-data-text', 'client-data', 'challenge'] as const;

export function firstFailedRegistrationStep(
  context: RegistrationContext,
  slugs?: readonly RegistrationSlug[],
): FailedStepReport | undefined {
  return firstFailure(REGISTRATION_STEPS, context, slugs);
}

export function firstFailedAuthenticationStep(
  context: AuthenticationContext,
  slugs?: readonly AuthenticationSlug[],
): FailedStepReport | undefined {
  return firstFailure(AUTHENTICATION_STEPS, context, slugs);
}

/** In the standard's order; without `slugs` of all steps. */
function firstFailure<Context, Slug extends string>(
  steps: readonly (Step<Context> & { readonly slug: Slug })[],
  context: Context,
  slugs: readonly Slug[] | undefined,
): FailedStepReport | undefined {
  for (const step of steps) {
    const report = slugs === undefined || slugs.includes(step.slug) ? runStep(step, context) : undefined;
    if (report !== undefined && hasFailed(report)) {
      return report;
    }
  }
  return undefined;
}
