import { describe, expect, test } from 'vitest';
import { argvOf, EXAMPLES, expectWorks, prepareFolder, shortened } from './help-examples.js';

const LONG = EXAMPLES.filter((example) => shortened(argvOf(example)).join('\0') !== argvOf(example).join('\0'));

describe('the examples of the help that run many cases or for seconds, as they stand', () => {
  prepareFolder();

  test('there are some', () => expect(LONG.length).toBeGreaterThan(4));

  test.each(LONG)('%s', (example) => expectWorks(example, argvOf(example)));
});
