import { PasskeyError } from '../../errors.js';
import type { ExpectedOutcome, Fixture } from '../../fixture/format.js';
import { refusedOutcome } from '../../fixture/recorded-ceremony.js';
import type { FailedStepReport } from '../../relying-party/steps/step.js';
import { readCredential } from '../annotate/read-credential.js';
import { NOTHING_EXPECTED } from '../expectations.js';
import { ceremonyOfFixture } from '../fixture.js';
import { reportAuthentication, reportRegistration } from '../report/report.js';

/**
 * Verdict of the steps on a recorded ceremony, or the reason why there is none. The reason completes the sentence "it cannot be judged: …".
 */
type FixtureJudgement =
  | { readonly outcome: ExpectedOutcome; readonly hint: string | undefined; readonly undecided?: undefined }
  | { readonly undecided: readonly string[] };

/** Runs every step of W3C WebAuthn L3 §7.1 or §7.2 on a recorded ceremony, using the expectations in the recording. Contacts no server. */
export async function judgeFixture(fixture: Fixture): Promise<FixtureJudgement> {
  const { kind } = fixture;
  try {
    const input = ceremonyOfFixture(fixture, readCredential(fixture.response), NOTHING_EXPECTED);
    const { verdict, failed, disagreement, steps } =
      input.kind === 'authentication'
        ? await reportAuthentication(input.credential, input.known)
        : await reportRegistration(input.credential, input.known);
    if (verdict === 'accepted') return { outcome: { outcome: 'verified' }, hint: undefined };
    const refused = failed ?? disagreement;
    if (refused !== undefined) return { outcome: expectRefusal(fixture, refused), hint: refused.hint };
    return { undecided: steps.flatMap((step) => (step.status === 'skip' && step.open === true ? [step.reason] : [])) };
  } catch (error) {
    // A response that cannot be read is refused before any step.
    if (!(error instanceof PasskeyError) || error.code !== 'validation_failed') throw error;
    return { outcome: refusedOutcome(kind, error.code, undefined), hint: error.message };
  }
}

/**
 * Converts a failed step to the outcome that the API would return. The API issues a challenge for one credential or for any credential, and
 * checks the challenge first. It therefore reports an unknown challenge if the response is from another credential.
 */
function expectRefusal({ kind, ceremony }: Fixture, { code, slug }: FailedStepReport): ExpectedOutcome {
  const { discoverable, options } = ceremony;
  const { allowCredentials: asked } = options;
  const forOne = slug === 'allow-credentials' && discoverable !== true && Array.isArray(asked) && asked.length === 1;
  return forOne ? refusedOutcome(kind, 'challenge_unknown', 'challenge') : refusedOutcome(kind, code, slug);
}

/** Compares the recorded outcome with the outcome of the steps. If the recorded outcome names no step, any failed step matches. */
export function sameOutcome(recorded: ExpectedOutcome, found: ExpectedOutcome): boolean {
  if (recorded.outcome === 'verified' || found.outcome === 'verified') return recorded.outcome === found.outcome;
  const { code, status, step } = recorded;
  return code === found.code && status === found.status && (step === undefined || step === found.step);
}

/** Describes an outcome: `verified`, or the code and the step of a refusal. */
export function describeOutcome(outcome: ExpectedOutcome): string {
  if (outcome.outcome === 'verified') return 'verified';
  return `${outcome.code}${outcome.step === undefined ? '' : ` (step ${outcome.step})`}`;
}
