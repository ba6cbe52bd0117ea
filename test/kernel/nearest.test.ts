import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../src/kernel/nearest.js';

test.each([
  ['a letter too few', 'acept', ['accept', 'refuse', 'request'], ['accept']],
  ['two letters swapped', 'orign', ['origin', 'challenge'], ['origin']],
  ['another case', 'ACCEPT', ['accept'], ['accept']],
  ['the beginning of a longer name', 'signature', ['login.signature-bit', 'login.origin'], ['login.signature-bit']],
  ['the likeliest first', 'tokn', ['tokens', 'token', 'taken'], ['token', 'tokens', 'taken']],
  ['a word of its own', 'banana', ['accept', 'refuse'], []],
  ['a word that has a short one in it', 'provider', ['id', 'e-mail'], []],
  ['no name at all', '', ['accept'], []],
  ['a short name, for which everything would be near', 'a', ['origin', 'challenge'], ['challenge']],
])('%s: "%s"', (_, name, known, expected) => {
  expect(nearest(name, known)).toEqual(expected);
});

test('three are enough, each once', () => {
  expect(nearest('case', ['case1', 'case2', 'case3', 'case4', 'case1'])).toEqual(['case1', 'case2', 'case3']);
});

test('a message asks whether the nearest was meant', () => {
  expect(didYouMean('acept', ['refuse', 'accept'])).toBe(' (did you mean "accept"?)');
  expect(didYouMean('banana', ['refuse', 'accept'])).toBe('');
});
