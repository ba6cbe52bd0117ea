import { expect, test } from 'vitest';
import { byTitle, expectNoFalseAlarm } from './whole-runs.js';

test.each(byTitle())('a whole run against %s raises no false alarm', async (_, proved) => {
  expect((await expectNoFalseAlarm(proved)).passed).toBeGreaterThan(300);
});
