import { afterAll, describe, expect, test } from 'vitest';
import { hasFailed } from '../../../../src/relying-party/steps/step.js';
import { CONFORMING_CASES } from '../../../../src/simulate/cases/all-cases.js';
import { CONCURRENT, SLOW_CASES } from '../../../../src/simulate/cases/timing.js';
import { share } from '../../../thorough.js';
import { explainedEvent } from '../../explained-event.js';
import { openWatchedRun } from '../watched-run.js';

const { finishedIn, close } = await openWatchedRun();
afterAll(close);

/** The sign count grew between what explain is told and the store. */
const RACED_IN_THE_STORE = 'login.same-count-at-once';

describe('no step fails in what is accepted', () => {
  const all = [...CONFORMING_CASES, ...CONCURRENT, ...SLOW_CASES];
  test.each(share(all, 4).map((each) => [each.id, each] as const))('%s', async (_, each) => {
    const { finished } = await finishedIn(each);
    if (each.expected.outcome === 'verified') expect(finished.at(-1)?.outcome).toBe('verified');
    for (const event of finished) {
      if (event.error?.code === 'passkey_not_found') continue;
      const failed = (await explainedEvent(event)).steps.filter(hasFailed).map(({ slug }) => slug);
      if (event.outcome === 'verified') expect(failed).toEqual([]);
      else expect(failed, event.error?.message).toEqual(each.id === RACED_IN_THE_STORE ? [] : [event.error?.step?.slug]);
    }
  });
});
