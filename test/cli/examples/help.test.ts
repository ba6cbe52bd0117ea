import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../all-commands.js';
import { prepareFolder } from './folder.js';
import { EXAMPLES, expectWorks, QUICK } from './help.js';
import { argvOf, shortened } from './outcome.js';

describe('the examples of the help', () => {
  prepareFolder();

  test('every command has some', () => expect(EXAMPLES.length).toBeGreaterThan(COMMANDS.length));

  // `npm run test:release` runs the others, and as they stand those that are shortened here.
  test.each(QUICK)('%s', (example) => expectWorks(example, shortened(argvOf(example))));
});
