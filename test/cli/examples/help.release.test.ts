import { describe, expect, test } from 'vitest';
import { prepareFolder } from './folder.js';
import { EXAMPLES, expectWorks, QUICK } from './help.js';
import { argvOf, shortened } from './outcome.js';

const isShortened = (example: string): boolean => shortened(argvOf(example)).join('\0') !== argvOf(example).join('\0');
const LONG = EXAMPLES.filter(isShortened);
const LEFT_OUT = EXAMPLES.filter((example) => !QUICK.includes(example) && !isShortened(example));

describe('the examples of the help that run servers, many cases or for seconds, as they stand', () => {
  prepareFolder();

  test('there are some', () => expect(LONG.length).toBeGreaterThan(2));

  test.each([...LONG, ...LEFT_OUT])('%s', (example) => expectWorks(example, argvOf(example)));
});
