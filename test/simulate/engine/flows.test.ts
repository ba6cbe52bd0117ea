import { afterAll, describe, expect, test } from 'vitest';
import { prepareActor } from '../../../src/simulate/engine/attempts.js';
import { runCase } from '../../../src/simulate/engine/case.js';
import { clearFlags, flipBit, setSignCount } from '../../../src/simulate/engine/edits.js';
import { compareStaying, flowCase, type LaterLoginSpec, laterLoginCase, loggedIn } from '../../../src/simulate/engine/flows.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { ACCEPTED, denied, refused } from '../../../src/simulate/engine/outcome.js';
import { ScenarioEnded, toVerdict } from '../../../src/simulate/engine/scenario.js';
import { type Deviation, DIFFERS } from '../../../src/simulate/report/deviation.js';
import type { Answer } from '../../../src/simulate/target/driver.js';
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

describe('a passkey that was used before', () => {
  const STAYS = { at: 'its login', expected: 'still accepted' };

  const LOGIN: Answer = {
    outcome: 'accepted',
    said: '200',
    exchanges: [],
    code: undefined,
    step: undefined,
    remarks: [],
    taken: {},
    json: {},
    decisive: undefined,
    at: undefined,
    absent: undefined,
    lost: undefined,
  };
  const answers = (change: Partial<Answer>) => compareStaying('its login', async () => ({ ...LOGIN, ...change }));

  test('stays where its login is accepted', async () => {
    expect(await answers({})).toEqual([]);
  });

  test('has gone where its login is refused, and may have where it fails', async () => {
    const refusal = { ...STAYS, received: 'refused: 404 No such passkey', deviation: DIFFERS };
    expect(await answers({ outcome: 'refused', said: '404 No such passkey' })).toEqual([refusal]);
    expect(await answers({ outcome: 'failed', said: '500 Oh' })).toMatchObject([{ ...STAYS, received: 'failed: 500 Oh' }]);
    expect(await answers({ outcome: 'broken', said: 'reset' })).toMatchObject([{ deviation: { kind: 'no_answer' } }]);
  });

  const ended = (deviation: Deviation) =>
    new ScenarioEnded(toVerdict([{ at: 'the options', expected: 'options', received: 'none', deviation }]));
  const compareEnd = (error: Error) => compareStaying('its login', () => Promise.reject(error));

  test.each<Deviation>([
    { kind: 'no_response', error: 'NotAllowedError' },
    { kind: 'not_prepared', by: { kind: 'refused', status: 404 } },
  ])('has gone where its login ends with %j', async (deviation) => {
    expect(await compareEnd(ended(deviation))).toEqual([
      { at: 'the options', expected: 'still accepted', received: 'none', deviation: DIFFERS },
    ]);
  });

  test.each([
    ended({ kind: 'no_response', error: 'SecurityError' }),
    ended({ kind: 'not_prepared', by: { kind: 'failed', status: 500 } }),
    ended({ kind: 'not_prepared' }),
    new ScenarioEnded({ status: 'not_applicable', reason: 'the target has no logins' }),
    new TypeError('Expected something else.'),
  ])('is not judged where its login ends otherwise (%#)', async (error) => {
    await expect(compareEnd(error)).rejects.toBe(error);
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
