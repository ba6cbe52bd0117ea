import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import type { CeremonyFinished } from '../../src/relying-party/events.js';
import type { Verdict } from '../../src/relying-party/judge.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { type InProcessServer, startInProcess } from '../../src/simulate/engine/in-process.js';
import { SLOW_TAG } from '../../src/simulate/engine/scenario.js';
import { simulate } from '../../src/simulate/simulate.js';
import { share } from '../thorough.js';
import { explainedEvent } from './explained-event.js';

/** A quarter of the cases in `npm test`, the others in `npm run test:release`. */
const CASES = share(
  ALL_CASES.filter(({ tags }) => !tags.includes(SLOW_TAG)),
  4,
);

/** Every ceremony that finished while they ran. */
const finished: CeremonyFinished[] = [];
let server: InProcessServer;

beforeAll(async () => {
  server = startInProcess();
  const underTest = await server.open();
  underTest.relyingParty.on((event) => {
    if (event.type === 'ceremony-finished') finished.push(event);
  });
  const tokens: string[] = [];
  for (const name of ['one', 'two']) {
    const owner = await underTest.accounts.addOwner({ email: `${name}@example.org`, name });
    tokens.push((await underTest.accounts.createToken({ owner })).token);
  }
  const select = { ids: CASES.map(({ id }) => id) };
  const report = await simulate({ fixtures: [], version: '0.0.0', select, target: { url: underTest.target.url.href, tokens } });
  expect(report.summary.failed).toBe(0);
}, 240_000);
afterAll(() => server.close());

/** The verdict of explain. */
async function explained(event: CeremonyFinished): Promise<Verdict> {
  try {
    return (await explainedEvent(event)).verdict;
  } catch (thrown) {
    // Malformed responses cannot be explained; the server refuses them too.
    expect(thrown).toBeInstanceOf(PasskeyError);
    return 'rejected';
  }
}

/** What the store alone knows, once each: another login or a revocation was faster (`login.same-count-at-once`, `login.while-revoked`). */
const RACED = ['authentication rejected counter_regressed: accepted', 'authentication rejected passkey_not_found: accepted'];

describe(`over ${CASES.length} cases`, () => {
  test('explain accepts what the server accepts, and nothing that it refuses', async () => {
    expect(finished.filter(({ outcome }) => outcome === 'verified').length).toBeGreaterThan(50);
    expect(finished.filter(({ outcome }) => outcome === 'rejected').length).toBeGreaterThan(50);
    const differences: string[] = [];
    for (const event of finished) {
      const verdict = await explained(event);
      const accepted = verdict === 'accepted';
      // Without the challenge's ceremony, explain stays undecided.
      const agrees = event.outcome === 'verified' ? accepted : !accepted;
      if (!agrees) differences.push(`${event.kind} ${event.outcome} ${event.error?.code}: ${verdict}`);
    }
    for (const raced of RACED) {
      const at = differences.indexOf(raced);
      if (at !== -1) differences.splice(at, 1);
    }
    expect(differences).toEqual([]);
  });
});
