import { asObject, isObject, type JsonObject } from '../kernel/json-value.js';
import { didYouMean } from '../kernel/nearest.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../relying-party/steps/procedure.js';

/**
 * Matchers for `expect.extend()` of vitest and Jest. `toFailAtStep('origin')` matches a refusal at the step of the standard that has this
 * slug. The refusal may be a PasskeyError, a problem document of the API, or a document printed by `explain`, whose first failed step
 * counts.
 */
export const matchers = {
  toFailAtStep(received: unknown, slug: string): { readonly pass: boolean; readonly message: () => string } {
    const failed = failedStep(received);
    const pass = failed?.slug === slug;
    return {
      pass,
      message: () =>
        `Expected ${pass ? 'another failed step than' : 'the failed step'} "${slug}"${hintFor(slug)}, got ${tell(received, failed)}`,
    };
  },
};

/** Finds the step at which a ceremony was refused; undefined if the value names no step. */
function failedStep(received: unknown): JsonObject | undefined {
  if (!isObject(received)) return undefined;
  const { step, steps } = received;
  if (isObject(step)) return step;
  return Array.isArray(steps) ? steps.map(asObject).find(({ status }) => status === 'fail') : undefined;
}

function tell(received: unknown, failed: JsonObject | undefined): string {
  if (failed !== undefined) {
    const { slug, expected, received: got } = failed;
    return `"${String(slug)}": expected ${String(expected)}, received ${String(got)}.`;
  }
  const { code, verdict } = asObject(received);
  if (typeof code === 'string') return `a refusal with the code ${code}, which is not a step of the procedure.`;
  if (typeof verdict === 'string') return `the verdict "${verdict}" without a failed step.`;
  return 'neither a PasskeyError, nor a problem document, nor a result of explain().';
}

function hintFor(slug: string): string {
  const known = new Set([...Object.keys(REGISTRATION_TITLES), ...Object.keys(AUTHENTICATION_TITLES)]);
  return known.has(slug) ? '' : didYouMean(slug, known);
}
