import { expect, test } from 'vitest';
import { ONE_OF_EACH_KIND } from '../../one-of-each-kind.js';
import { byTitle, expectNoFalseAlarm } from './whole-runs.js';

// `npm run test:release` runs all of them, against every server.
const TWELFTH = ONE_OF_EACH_KIND.filter((_, index) => index % 12 === 0);
/** What every server decides, whatever its profile says of it. */
const EVERYWHERE = ['register.default', 'login.default', 'login.signature-bit', 'register.origin-other-port', 'register.challenge-used'];

test.each(byTitle().filter((_, index) => index % 6 === 0))(
  'the first case of every twelfth kind raises no false alarm against %s',
  async (_, proved) => {
    expect(ONE_OF_EACH_KIND.length).toBeGreaterThan(60);
    expect((await expectNoFalseAlarm(proved, [...new Set([...TWELFTH, ...EVERYWHERE])])).passed).toBeGreaterThan(5);
  },
);
