import { afterAll, describe, expect, test } from 'vitest';
import { prepareActor } from '../../../src/simulate/engine/attempts.js';
import { runCase } from '../../../src/simulate/engine/case.js';
import { clearFlags, flipBit, setSignCount } from '../../../src/simulate/engine/edits.js';
import { flowCase, type LaterLoginSpec, laterLoginCase, loggedIn } from '../../../src/simulate/engine/flows.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { ACCEPTED, denied, refused } from '../../../src/simulate/engine/outcome.js';
import { FLAG } from '../../../src/webauthn/authenticator-data.js';

const run = await openRun();
afterAll(() => run.close());

const UNFIT = { authenticatorData: clearFlags(FLAG.up) };
const NOT_PRESENT = refused('user_not_present', 'user-present');
const verdict = (spec: Partial<LaterLoginSpec>) => runCase(laterLoginCase({ id: 'x', title: 'x', expected: ACCEPTED, ...spec }), run);
const failedAt = (at: string, received: string) => ({ status: 'failed', mismatches: [{ at, received }] });

describe('a login after a registration', () => {
  test('fails where the login comes out otherwise', async () => {
    const failed = failedAt('POST /api/passkeys/login', 'accepted (200)');
    expect(await verdict({ expected: denied('signature_invalid') })).toMatchObject(failed);
  });

  test('fails where an earlier login comes out otherwise', async () => {
    const earlier = [{ edits: { signature: flipBit(-1) }, expected: ACCEPTED }];
    expect(await verdict({ earlier })).toMatchObject(failedAt('an earlier authentication', '401 signature_invalid (step signature)'));
  });

  test('finds what an earlier login left behind', async () => {
    const count = (value: number) => ({ authenticatorData: setSignCount(value) });
    const counted = { earlier: [{ edits: count(5), expected: ACCEPTED }], edits: count(5) };
    expect(await verdict(counted)).toMatchObject(failedAt('POST /api/passkeys/login', '401 counter_regressed (step sign-count)'));
  });

  test('fails where the registration is refused, unless it may be', async () => {
    const said = '422 user_not_present (step user-present)';
    const failed = failedAt('POST /api/passkeys/register (preparation)', said);
    expect(await verdict({ registration: UNFIT })).toMatchObject(failed);
    expect(await verdict({ registration: UNFIT, registrationMayBeRefused: true })).toEqual({ status: 'passed' });
  });

  test('fails where the registration is accepted that must be refused', async () => {
    const failed = failedAt('POST /api/passkeys/register', 'accepted (200)');
    expect(await verdict({ registered: NOT_PRESENT })).toMatchObject(failed);
    expect(await verdict({ otherwise: ACCEPTED, expected: NOT_PRESENT })).toMatchObject(failed);
    expect(await verdict({ registration: UNFIT, otherwise: ACCEPTED, expected: NOT_PRESENT })).toEqual({ status: 'passed' });
  });
});

test('a failure beside the one winner of two at once is a failure, and no second winner', async () => {
  const raced = flowCase({
    id: 'register.same-id-at-once',
    title: 'x',
    async run(context) {
      const { answer } = await loggedIn('', await prepareActor(context, await context.session(1)));
      return [{ what: 'two at once', answers: [answer, { ...answer, outcome: 'failed', said: '500 Internal Server Error' }], accepted: 1 }];
    },
  });
  const result = await runCase(raced, run);
  expect(result).toMatchObject({ mismatches: [{ at: 'two at once', expected: 'refused', received: 'failed: 500 Internal Server Error' }] });
});
