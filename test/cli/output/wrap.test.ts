import { expect, test } from 'vitest';
import { wrap } from '../../../src/cli/output/wrap.js';

test.each([
  ['', ['']],
  ['one two', ['one two']],
  ['a line that is broken at its spaces', ['a line that is', 'broken at its spaces']],
  [`${'x'.repeat(45)} and`, ['x'.repeat(20), 'x'.repeat(20), 'xxxxx and']],
  [`a ${'x'.repeat(40)}`, ['a', 'x'.repeat(20), 'x'.repeat(20)]],
])('%j in lines of twenty', (text, lines) => expect(wrap(text, 20)).toEqual(lines));
