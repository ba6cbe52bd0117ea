import { afterAll, describe, expect, test } from 'vitest';
import { PasskeyError } from '../../../../src/errors.js';
import type { CeremonyFinished } from '../../../../src/relying-party/events.js';
import { hasFailed } from '../../../../src/relying-party/steps/step.js';
import { INVALID_SHAPES } from '../../../../src/simulate/cases/all-cases.js';
import { share } from '../../../thorough.js';
import { explainedEvent } from '../../explained-event.js';
import { openWatchedRun } from '../watched-run.js';

const { finishedIn, close } = await openWatchedRun();
afterAll(close);

/** The steps that fail; undefined for what cannot be read far enough to take any. */
async function failedSteps(event: CeremonyFinished): Promise<readonly string[] | undefined> {
  try {
    return (await explainedEvent(event)).steps.filter(hasFailed).map(({ slug }) => slug);
  } catch (error) {
    if (error instanceof PasskeyError) return undefined;
    throw error;
  }
}

/** What is refused before any step is taken. */
const BEFORE_THE_STEPS = ['validation_failed', 'passkey_not_found'];
const UNREADABLE = /^(validation_failed|passkey_not_found|.*_malformed)$/;

describe('every variant breaks one rule only', () => {
  test.each(share(INVALID_SHAPES, 10).map((each) => [each.id, each] as const))('%s', async (_, each) => {
    const { finished } = await finishedIn(each);
    for (const event of finished) {
      const failed = await failedSteps(event);
      const { error } = event;
      const refusedAt = error?.step === undefined ? [] : [error.step.slug];
      if (failed !== undefined && !BEFORE_THE_STEPS.includes(error?.code ?? '')) expect(failed, error?.message).toEqual(refusedAt);
      else expect(error?.code, error?.message).toMatch(UNREADABLE);
    }
  });
});
