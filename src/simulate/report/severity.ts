import { listNames } from '../../webauthn/enumerations.js';

/** How serious a finding is, the worst first; each with its meaning. */
export const SEVERITIES = {
  critical: "access to another user's account",
  high: 'phishing, replay, a lost second factor, or a server that one request ends',
  medium: 'attestation or policy that the profile claims is not enforced',
  low: 'the standard requires it; no attack is known',
  note: 'correct servers differ',
} as const;

export type Severity = keyof typeof SEVERITIES;

export const SEVERITY_NAMES: readonly Severity[] = listNames(SEVERITIES);

/** Tells whether a severity is at least as serious as another. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITY_NAMES.indexOf(severity) <= SEVERITY_NAMES.indexOf(least);
}
