import { expect, test } from 'vitest';
import { REFUSED } from '../large/refused.js';
import { expectRefused } from './refuse-file.js';

// One of each format; `npm run test:release` reads all of them.
test.each([
  'four million tags in front of a number',
  'a certificate with an object identifier of 200 kB',
  'JSON that begins and never ends',
])('explain exits 2 and says why, for %s', async (name) => {
  const refused = REFUSED[name];
  if (refused === undefined) expect.fail(`expected ${name} among the large files`);
  await expectRefused(['explain'], refused);
});
