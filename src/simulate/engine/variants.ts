import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import type { Answer } from '../target/driver.js';
import type { Case, CaseSpec } from './case.js';
import {
  authenticate,
  type BrowserTraits,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  findSource,
  performed,
  registerPasskey,
  requestOf,
} from './ceremony.js';
import { unsentChanges } from './ceremony-cases.js';
import type { CaseContext } from './context.js';
import { type AuthenticationEdits, editAuthentication, editRegistration, type RegistrationEdits } from './edits.js';
import { ACCEPTED, compareOutcome, describeOutcome, type ExpectedAnswer } from './outcome.js';
import type { Mismatch } from './report.js';
import { notApplicable } from './scenario.js';
import type { Wants } from './wants.js';

/** One of several responses that differ in the same place, sent in a ceremony of its own. */
export interface Variant<Edits> {
  /** What is in that place, for the report: `null`, `a number`. */
  readonly name: string;
  readonly edits?: Edits;
  /** Replaces what is sent, by something that need not be an object. */
  readonly body?: (response: JsonObject) => unknown;
  /** What our own API answers, where it is not what the case says. */
  readonly ours?: ExpectedAnswer;
}

interface VariantsSpec<Edits> extends CaseSpec {
  readonly browser?: BrowserTraits;
  readonly variants: readonly Variant<Edits>[];
  /** The standard leaves it to the target whether it accepts or refuses them: it must do either. Our own API does what the variants say. */
  readonly open?: true;
  /** They are so long that the target may close the connection before it has read them. */
  readonly oversized?: true;
}

export type RegistrationVariant = Variant<RegistrationEdits>;
export type AuthenticationVariant = Variant<AuthenticationEdits>;

/**
 * Registrations one after another, each with one variant. Where not all are accepted, an honest one comes last: a target that refuses
 * everything, or that was broken by what came before, does not pass.
 */
export function registrationVariants(spec: VariantsSpec<RegistrationEdits>): Case {
  const { tags = [], browser: traits, variants: _variants, open: _open, oversized: _oversized, ...described } = spec;
  const { wants = {} } = spec;
  return {
    ...described,
    tags: ['registration', ...tags],
    async run(context) {
      const session = await context.session(1);
      return tryAll(context, spec, async ({ edits = {}, body = same }) => {
        // Each on an authenticator of its own: those that were registered before are excluded.
        const browser = createBrowser(context, traits);
        const options = await beginRegistration(context, session, wants);
        const honest = await performed(context, browser.page.create({ publicKey: options }));
        const sent = body(editRegistration(honest, edits));
        const unsent = unsentChanges(context, 'register', { honest: { ...honest }, sent: objectOf(sent) });
        return unsent.length > 0 ? undefined : session.finishRegistration(sent);
      });
    },
  };
}

/** Logins one after another with one passkey, each in a visit of its own and with one variant, and an honest one last. */
export function authenticationVariants(spec: VariantsSpec<AuthenticationEdits>): Case {
  const { tags = [], browser: traits, variants: _variants, open: _open, oversized: _oversized, ...described } = spec;
  const { userVerification: _uv, login: _login, ...registrationWants }: Wants = spec.wants ?? {};
  const { wants = {} } = spec;
  return {
    ...described,
    tags: ['authentication', ...(wants.login === 'discoverable' ? ['discoverable'] : []), ...tags],
    async run(context) {
      const browser = createBrowser(context, traits);
      const signedIn = await context.session(1);
      const passkey = await registerPasskey(context, signedIn, browser, registrationWants);
      return tryAll(context, spec, async ({ edits = {}, body = same }) => {
        const visit = signedIn.newVisit();
        const options = await beginAuthentication(context, visit, passkey, wants);
        const honest = await authenticate(context, browser, options);
        const source = await findSource(browser, passkey.rpId, honest.id);
        const sent = body(await editAuthentication(honest, source, edits));
        const unsent = unsentChanges(context, 'authenticate', { honest: { ...honest }, sent: objectOf(sent) });
        return unsent.length > 0 ? undefined : visit.finishAuthentication(sent);
      });
    },
  };
}

const same = (response: JsonObject): unknown => response;

/**
 * All of them, unless the target breaks.
 *
 * @param send the answer to a variant; undefined when the target is not sent what is special about it.
 */
async function tryAll<Edits>(
  context: CaseContext,
  spec: VariantsSpec<Edits>,
  send: (variant: Variant<Edits>) => Promise<Answer | undefined>,
): Promise<readonly Mismatch[]> {
  const { variants, expected } = spec;
  const mismatches: Mismatch[] = [];
  let sent = 0;
  for (const variant of variants) {
    const answer = await send(variant);
    if (answer === undefined || wasNotSent(answer)) continue;
    sent += 1;
    const found = compareVariant(context, spec, variant, answer);
    mismatches.push(...found);
    if (found.length > 0 && answer.outcome === 'broken') return mismatches;
  }
  if (sent === 0) throw notApplicable('the target is not sent what is tested');
  if (expected.outcome === 'verified' || mismatches.length > 0) return mismatches;
  const honest = await send({ name: 'an honest response' });
  if (honest === undefined) throw new TypeError('Expected an honest response to be sent.');
  return compareOutcome(`${requestOf(honest, 'the ceremony')}: an honest response after them`, ACCEPTED, honest, context.driver.has);
}

function compareVariant<Edits>(
  { driver: { has } }: CaseContext,
  { expected, open, oversized }: VariantsSpec<Edits>,
  { name, ours = expected }: Variant<Edits>,
  answer: Answer,
): readonly Mismatch[] {
  const at = `${requestOf(answer, 'the ceremony')}: ${name}`;
  const { outcome } = answer;
  // What follows shows whether the target is still there.
  if (oversized === true && outcome === 'broken') return [];
  if (has.codes === true) return compareOutcome(at, ours, answer, has);
  if (open !== true) return compareOutcome(at, expected, answer, has);
  if (outcome === 'accepted' || outcome === 'refused') return [];
  return [{ at, expected: 'accepted or refused', received: describeOutcome(answer) }];
}

/** Whether the profile takes from the response what this one does not have, so that no request could be made of it. */
function wasNotSent({ outcome, exchanges }: Answer): boolean {
  const last = exchanges.at(-1);
  return outcome === 'failed' && (last === undefined || (last.status === undefined && last.sent === ''));
}
