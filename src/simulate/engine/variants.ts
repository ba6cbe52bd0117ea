import { asObject, type JsonObject } from '../../kernel/json-value.js';
import type { Mismatch } from '../report/report.js';
import type { Answer } from '../target/driver.js';
import { type EitherAttempt, prepareActor, readyLogin, readyRegistration, registrationWants } from './attempts.js';
import type { Case, CaseSpec } from './case.js';
import { type BrowserTraits, createBrowser, isFull, nameRequest } from './ceremony.js';
import { unsentChanges } from './ceremony-cases.js';
import type { CaseContext } from './context.js';
import type { AuthenticationEdits, RegistrationEdits } from './edits.js';
import { ACCEPTED, compareOutcome, describeOutcome, type ExpectedAnswer, readDeviation } from './outcome.js';
import { notApplicable } from './scenario.js';

/** One of several responses that differ in the same member. Each is sent in its own ceremony. */
export interface Variant {
  /** Description of the variant's value for the report: `null`, `a number`. */
  readonly name: string;
  readonly edits?: RegistrationEdits & AuthenticationEdits;
  /** Replaces the request body; the replacement does not have to be an object. */
  readonly body?: (response: JsonObject) => unknown;
  /** Our own API's response to this variant, if it differs from the expected response of the case. */
  readonly ours?: ExpectedAnswer;
}

interface VariantsSpec extends CaseSpec {
  readonly expected: ExpectedAnswer;
  readonly browser?: BrowserTraits;
  readonly variants: readonly Variant[];
  /**
   * True if the standard lets the target either accept or refuse the variants. An error is still wrong. Our own API must respond as each
   * variant says.
   */
  readonly open?: true;
  /** True if the variants are so long that the target may close the connection before it has read them. */
  readonly oversized?: true;
}

/**
 * Makes a case that sends several variants, each in its own ceremony. The case's ID determines whether the ceremonies are registrations or
 * logins. Each registration uses a new authenticator, because the options exclude earlier credentials. All logins use one passkey, each in
 * a new session.
 *
 * If the variants must be refused, an honest response comes last, so that a target fails if it refuses everything or if a variant broke it.
 */
export function variantsCase(spec: VariantsSpec): Case {
  const { wants = {}, browser: traits } = spec;
  return {
    ...spec,
    async run(context) {
      const session = await context.session(1);
      if (spec.id.startsWith('register.')) {
        return tryAll(context, spec, async ({ edits }) =>
          isFull(context, session)
            ? undefined
            : readyRegistration(context, session, { browser: createBrowser(context, traits), wants, edits }),
        );
      }
      const actor = await prepareActor(context, session, { traits, wants: registrationWants(wants) });
      return tryAll(context, spec, ({ edits }) => readyLogin(actor, { wants, edits }));
    },
  };
}

/** Variants that work for both registrations and logins. `login` is the expected response to a login if it differs from `expected`. */
export interface BothVariantsRow extends Omit<VariantsSpec, 'id'> {
  /** Last part of the IDs of the registration case and the login case. */
  readonly what: string;
  readonly login?: ExpectedAnswer;
}

export function bothVariants({ what, expected, login = expected, ...row }: BothVariantsRow): Case[] {
  return [variantsCase({ ...row, id: `register.${what}`, expected }), variantsCase({ ...row, id: `login.${what}`, expected: login })];
}

/**
 * Sends a variant. Returns undefined without sending if the variant changes nothing, or if the target would not receive the changed
 * members.
 */
async function sendVariant(attempt: EitherAttempt, { body }: Variant): Promise<Answer | undefined> {
  const { context, ceremony, honest, unchanged } = attempt;
  if (unchanged && body === undefined) return undefined;
  const sent = body === undefined ? attempt.body : body(attempt.body);
  const phase = ceremony === 'registration' ? 'register' : 'authenticate';
  const unsent = unsentChanges(context, phase, { honest: { ...honest }, sent: asObject(sent) });
  return unsent.length > 0 ? undefined : attempt.send(undefined, sent);
}

/**
 * Sends all variants and compares the responses with the expected ones. Stops early if the target breaks.
 *
 * @param ready begins a ceremony; returns undefined if its user can have no more passkeys.
 */
async function tryAll(
  context: CaseContext,
  spec: VariantsSpec,
  ready: (variant: Variant) => Promise<EitherAttempt | undefined>,
): Promise<readonly Mismatch[]> {
  const { variants, expected } = spec;
  const mismatches: Mismatch[] = [];
  let sent = 0;
  const send = async (variant: Variant) => {
    const attempt = await ready(variant);
    return attempt && sendVariant(attempt, variant);
  };
  for (const variant of variants) {
    const answer = await send(variant);
    if (answer === undefined || wasNotSent(answer)) continue;
    sent += 1;
    const found = compareVariant(context, spec, variant, answer);
    mismatches.push(...found);
    if (found.length > 0 && answer.outcome === 'broken') return mismatches;
  }
  if (sent === 0) throw notApplicable('the profile does not send the tested values to the target');
  if (expected.outcome === 'verified' || mismatches.length > 0) return mismatches;
  const honest = await send({ name: 'an honest response' });
  // A user who has all passkeys already got one by a variant: the target is not broken.
  if (honest === undefined) return mismatches;
  return compareOutcome(
    `${nameRequest(honest, 'the ceremony')}: an honest response after the variants`,
    ACCEPTED,
    honest,
    context.driver.has,
  );
}

function compareVariant(
  { driver: { has } }: CaseContext,
  { expected, open, oversized }: VariantsSpec,
  { name, ours = expected }: Variant,
  answer: Answer,
): readonly Mismatch[] {
  const at = `${nameRequest(answer, 'the ceremony')}: ${name}`;
  const { outcome } = answer;
  // What follows shows whether the target is still there.
  if (oversized === true && outcome === 'broken') return [];
  if (has.codes === true) return compareOutcome(at, ours, answer, has);
  if (open !== true) return compareOutcome(at, expected, answer, has);
  if (outcome === 'accepted' || outcome === 'refused') return [];
  return [{ at, expected: 'accepted or refused', received: describeOutcome(answer), deviation: readDeviation(answer) }];
}

/** Whether no request was sent, because the profile needs a member that the changed response lacks. */
function wasNotSent({ outcome, decisive }: Answer): boolean {
  return outcome === 'failed' && (decisive === undefined || (decisive.status === undefined && decisive.sent === ''));
}
