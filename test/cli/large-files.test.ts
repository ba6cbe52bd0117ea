import { expect, test } from 'vitest';
import { REFUSED } from '../large/refused.js';
import { expectRefused } from './refuse-file.js';

// One of each format; `npm run test:release` reads all of them.
test.each(['four million tags in front of a number', 'four million sequences inside each other', 'a fixture with 300,000 members'])(
  'explain exits 2 and says why, for %s',
  async (name) => {
    const refused = REFUSED[name];
    if (refused === undefined) expect.fail(`expected ${name} among the large files`);
    await expectRefused(['explain'], refused);
  },
);
