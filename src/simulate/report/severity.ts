/** Severities of a finding, from worst to least. docs/targets.md explains each. */
export const SEVERITY_NAMES = ['critical', 'high', 'medium', 'low', 'note'] as const;

export type Severity = (typeof SEVERITY_NAMES)[number];

/** Checks whether a severity is at least as serious as another severity. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITY_NAMES.indexOf(severity) <= SEVERITY_NAMES.indexOf(least);
}
