import { afterAll, describe, expect, test } from 'vitest';
import { hasFailed } from '../../../../src/relying-party/steps/step.js';
import { AUTHENTICATOR_CASES } from '../../../../src/simulate/cases/all-cases.js';
import { describeTest } from '../../../../src/simulate/engine/case.js';
import { quick, share } from '../../../thorough.js';
import { explainedEvent } from '../../explained-event.js';
import { openWatchedRun } from '../watched-run.js';

const { finishedIn, close } = await openWatchedRun();
afterAll(close);

/** Refused because our own server binds the challenge to the credential that it named; explain does not know what it was bound to. */
const KNOWN_TO_THE_SERVER_ONLY = ['login.credential-of-another-user', 'login.credential-not-allowed'];

/** What is refused before the steps run. */
const BEFORE_THE_STEPS = ['passkey_not_found', 'validation_failed'];

const byStep = AUTHENTICATOR_CASES.flatMap((each) =>
  each.expected.outcome === 'rejected' && !BEFORE_THE_STEPS.includes(each.expected.code) ? [[each.id, each, each.expected] as const] : [],
);

describe('a refused ceremony breaks one rule only', () => {
  test.each(share(byStep, 10))('%s', async (_, each, { code }) => {
    const last = (await finishedIn(each)).finished.at(-1);
    if (last === undefined) throw new TypeError('Expected a ceremony that finished; got none.');
    expect(last.error?.code).toBe(code);
    const { steps } = await explainedEvent(last);
    const failed = steps.filter(hasFailed).map(({ slug }) => slug);
    expect(failed).toEqual(KNOWN_TO_THE_SERVER_ONLY.includes(each.id) ? [] : [last.error?.step?.slug]);
  });
});

quick('every case names a step of its procedure', () => {
  for (const each of AUTHENTICATOR_CASES) {
    expect(describeTest(each)?.section, each.id).toBe(each.id.startsWith('register.') ? '7.1' : '7.2');
  }
});
