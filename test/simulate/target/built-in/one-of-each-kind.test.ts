import { expect, test } from 'vitest';
import { ALL_CASES } from '../../../../src/simulate/cases/all-cases.js';
import { byTitle, expectNoFalseAlarm } from './whole-runs.js';

/** Of every part, and of everything that a step can refuse in it, the first case; those of our own HTTP contract run against no other server. */
function oneOfEachKind(): string[] {
  const first = new Map<string, string>();
  for (const { id, expected } of ALL_CASES) {
    const [part = ''] = id.split('.');
    const kind = expected.outcome === 'rejected' ? [part, expected.step, expected.code] : [part];
    if (part !== 'http' && !first.has(kind.join())) first.set(kind.join(), id);
  }
  return [...first.values()];
}

const KINDS = oneOfEachKind();

// `npm run test:release` runs all of them.
test.each(byTitle())('the first case of each kind raises no false alarm against %s', async (_, proved) => {
  expect(KINDS.length).toBeGreaterThan(50);
  expect((await expectNoFalseAlarm(proved, KINDS)).passed).toBeGreaterThan(20);
});
