import { asObject, type JsonObject } from '../../kernel/json-value.js';
import type { Answer } from '../target/driver.js';
import type { Case, CaseSpec } from './case.js';
import { type BrowserTraits, createBrowser, isFull, nameRequest } from './ceremony.js';
import { registrationWants, unsentChanges } from './ceremony-cases.js';
import type { CaseContext } from './context.js';
import type { AuthenticationEdits, CommonEdits, RegistrationEdits } from './edits.js';
import { prepareActor, type Ready, readyLogin, readyRegistration } from './flows.js';
import { ACCEPTED, compareOutcome, describeOutcome, type ExpectedAnswer } from './outcome.js';
import type { Mismatch } from './report.js';
import { notApplicable } from './scenario.js';

/** One of several responses that differ in the same place, sent in a ceremony of its own. */
interface Variant<Edits> {
  /** Names the value for the report: `null`, `a number`. */
  readonly name: string;
  readonly edits?: Edits;
  /** Replaces what is sent, by something that need not be an object. */
  readonly body?: (response: JsonObject) => unknown;
  /** The answer of our own API, where it is not that of the case. */
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
  const { tags = [], wants = {} } = spec;
  return {
    ...spec,
    tags: ['registration', ...tags],
    async run(context) {
      const session = await context.session(1);
      return tryAll(context, spec, async ({ edits, body }) => {
        if (isFull(context, session)) return undefined;
        // Each on an authenticator of its own: those that were registered before are excluded.
        const ready = await readyRegistration(context, session, { browser: createBrowser(context, spec.browser), wants, edits });
        return sendVariant(context, 'register', { ready, body, send: (sent) => session.finishRegistration(sent) });
      });
    },
  };
}

/** Logins one after another with one passkey, each in a visit of its own and with one variant, and an honest one last. */
export function authenticationVariants(spec: VariantsSpec<AuthenticationEdits>): Case {
  const { tags = [], wants = {} } = spec;
  return {
    ...spec,
    tags: ['authentication', ...(wants.login === 'discoverable' ? ['discoverable'] : []), ...tags],
    async run(context) {
      const browser = createBrowser(context, spec.browser);
      const actor = await prepareActor(context, await context.session(1), { browser, wants: registrationWants(wants) });
      return tryAll(context, spec, async ({ edits, body }) => {
        const ready = await readyLogin(actor, { wants, edits });
        return sendVariant(context, 'authenticate', { ready, body, send: (sent) => ready.session.finishAuthentication(sent) });
      });
    },
  };
}

/** A row of variants that a registration and a login can both have; `expected` may be another answer for a login. */
export interface BothVariantsRow extends Omit<VariantsSpec<CommonEdits>, 'id' | 'expected'> {
  /** Last part of both ids. */
  readonly what: string;
  readonly expected: ExpectedAnswer;
  readonly login?: ExpectedAnswer;
}

export function bothVariants({ what, expected, login = expected, ...row }: BothVariantsRow): Case[] {
  return [
    registrationVariants({ ...row, id: `register.${what}`, expected }),
    authenticationVariants({ ...row, id: `login.${what}`, expected: login }),
  ];
}

interface Prepared {
  readonly ready: Ready;
  readonly body: Variant<CommonEdits>['body'];
  readonly send: (sent: unknown) => Promise<Answer>;
}

/** Undefined when the target is not sent the changed members. */
async function sendVariant(
  context: CaseContext,
  phase: 'register' | 'authenticate',
  { ready, body, send }: Prepared,
): Promise<Answer | undefined> {
  const sent = body === undefined ? ready.body : body(ready.body);
  const unsent = unsentChanges(context, phase, { honest: ready.honest, sent: asObject(sent) });
  return unsent.length > 0 ? undefined : send(sent);
}

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
  // A user who has all passkeys already got one by a variant: the target is not broken.
  if (honest === undefined) return mismatches;
  return compareOutcome(`${nameRequest(honest, 'the ceremony')}: an honest response after them`, ACCEPTED, honest, context.driver.has);
}

function compareVariant<Edits>(
  { driver: { has } }: CaseContext,
  { expected, open, oversized }: VariantsSpec<Edits>,
  { name, ours = expected }: Variant<Edits>,
  answer: Answer,
): readonly Mismatch[] {
  const at = `${nameRequest(answer, 'the ceremony')}: ${name}`;
  const { outcome } = answer;
  // What follows shows whether the target is still there.
  if (oversized === true && outcome === 'broken') return [];
  if (has.codes === true) return compareOutcome(at, ours, answer, has);
  if (open !== true) return compareOutcome(at, expected, answer, has);
  if (outcome === 'accepted' || outcome === 'refused') return [];
  return [{ at, expected: 'accepted or refused', received: describeOutcome(answer) }];
}

/** Tells whether the profile needs a member that this response lacks, so that no request could be made. */
function wasNotSent({ outcome, exchanges }: Answer): boolean {
  const last = exchanges.at(-1);
  return outcome === 'failed' && (last === undefined || (last.status === undefined && last.sent === ''));
}
