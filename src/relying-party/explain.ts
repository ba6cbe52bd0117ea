import { AUTHENTICATION_STEPS } from './steps/authentication.js';
import type { AuthenticationContext, RegistrationContext } from './steps/context.js';
import { REGISTRATION_STEPS } from './steps/registration.js';
import { runStep, type StepReport } from './steps/step.js';

/** Every step of W3C WebAuthn L3 §7.1, in order. Decides nothing. */
export function explainRegistration(context: RegistrationContext): StepReport[] {
  return REGISTRATION_STEPS.map((step) => runStep(step, context));
}

/** Every step of W3C WebAuthn L3 §7.2, in order. Decides nothing. */
export function explainAuthentication(context: AuthenticationContext): StepReport[] {
  return AUTHENTICATION_STEPS.map((step) => runStep(step, context));
}
