import { describe, expect, test } from 'vitest';
import { COMMANDS } from './all-commands.js';
import { argvOf, EXAMPLES, expectWorks, prepareFolder, QUICK, shortened } from './help-examples.js';

describe('the examples of the help', () => {
  prepareFolder();

  test('every command has some', () => expect(EXAMPLES.length).toBeGreaterThan(COMMANDS.length));

  // `npm run test:release` runs the others, and as they stand those that are shortened here.
  test.each(QUICK)('%s', (example) => expectWorks(example, shortened(argvOf(example))));
});
