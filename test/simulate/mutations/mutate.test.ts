import { afterAll, describe, expect } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { PasskeyError } from '../../../src/errors.js';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { registrationWants } from '../../../src/simulate/engine/attempts.js';
import { type Case, runCase } from '../../../src/simulate/engine/case.js';
import { beginAuthentication, beginRegistration } from '../../../src/simulate/engine/ceremony.js';
import { type CaseContext } from '../../../src/simulate/engine/context.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { compareOutcome } from '../../../src/simulate/engine/outcome.js';
import type { Verdict } from '../../../src/simulate/engine/scenario.js';
import { mutateAuthentication, mutateRegistration } from '../../../src/simulate/mutations/mutate.js';
import { findMutationCase, listMutations } from '../../../src/simulate/mutations/mutation.js';
import type { Answer } from '../../../src/simulate/target/driver.js';
import { quick as test, thorough } from '../../thorough.js';
import { ONE_OF_EACH_KIND } from '../one-of-each-kind.js';

const run = await openRun();
afterAll(() => run.close());

/** One challenge in four reads the same in both alphabets of base64. */
const BY_CHALLENGE = /differs between base64 and base64url/;
const TRIES = 20;

/** Applies a mutation to fresh options of our own server, and holds its answer against what the case expects. */
async function judge(id: string): Promise<Verdict> {
  const found = findMutationCase(id);
  const { expected } = found;
  const mutated: Case = {
    ...found,
    async run(context) {
      const answer = await (found.ceremony === 'registration' ? register(found, context) : logIn(found, context));
      return compareOutcome(id, expected, answer, context.driver.has);
    },
  };
  return runCase(mutated, run);
}

function placeOf({ origin, topOrigin }: CaseContext) {
  return { origin, ...(topOrigin !== undefined && { topOrigin }) };
}

async function register({ id, wants }: Case, context: CaseContext): Promise<Answer> {
  const session = await context.session(1);
  const options = await beginRegistration(context, session, wants);
  const { newPrivateKey } = run;
  const { response } = await mutateRegistration({ id, options, newPrivateKey, ...placeOf(context) });
  return session.finishRegistration(response);
}

/** With a passkey of the kind that the mutation is about, registered before. */
async function logIn({ id, wants = {} }: Case, context: CaseContext): Promise<Answer> {
  const session = await context.session(1);
  const found = findMutationCase(id);
  const authenticator = createAuthenticator({ newPrivateKey: run.newPrivateKey, ...found.browser?.authenticator });
  const client = createClient({ authenticator, origin: context.origin });
  const made = await client.create({ publicKey: await beginRegistration(context, session, registrationWants(wants)) });
  const { taken } = await session.finishRegistration({ ...made });
  const visit = session.newVisit();
  const options = await beginAuthentication(context, visit, { credentialId: made.id, taken }, wants);
  const { response } = await mutateAuthentication({ id, options, credential: authenticator, ...placeOf(context) });
  return visit.finishAuthentication(response);
}

async function untilItApplies(id: string): Promise<Verdict> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await judge(id);
    } catch (error) {
      if (tries === TRIES || !(error instanceof PasskeyError) || !BY_CHALLENGE.test(error.message)) throw error;
    }
  }
}

describe('every mutation of the catalogue', () => {
  const rows = listMutations().map(({ id, expected }) => [id, expected] as const);
  const isFirst = ([id]: (typeof rows)[number]) => ONE_OF_EACH_KIND.includes(id);
  const passes = async (id: string) => {
    expect(await untilItApplies(id)).toMatchObject({ status: 'passed' });
  };
  test.each(rows.filter((row) => isFirst(row)))('%s is %s by our own relying party as the case says', passes);
  thorough.each(rows.filter((row) => !isFirst(row)))('%s is %s by our own relying party as the case says', passes);

  test('is every case of one changed response', () => {
    const ids = listMutations().map(({ id }) => id);
    const known = ALL_CASES.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(350);
    expect(ids).toEqual(known.filter((id) => ids.includes(id)));
    expect(ids).toContain('login.signature-bit');
    expect(ids).not.toContain('login.challenge-used-later');
    expect(ids).not.toContain('register.default');
  });
});
