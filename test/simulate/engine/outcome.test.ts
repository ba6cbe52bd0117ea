import { expect, test } from 'vitest';
import {
  ACCEPTED,
  compareAnswer,
  describeExpectation,
  type ExpectedAnswer,
  expectedIn,
  refused,
} from '../../../src/simulate/engine/outcome.js';
import type { TargetCapabilities } from '../../../src/simulate/target/profile-schema.js';

const DISPUTED = { disputed: 'The standard leaves it open.' };

test.each<[of: string, each: { readonly expected: ExpectedAnswer; readonly disputed?: string }, has: TargetCapabilities, expected: string]>(
  [
    ['what is accepted where the target accepts', { expected: ACCEPTED, ...DISPUTED }, { decides: { x: 'accepted' } }, 'accepted'],
    ['what is accepted where the target refuses', { expected: ACCEPTED, ...DISPUTED }, { decides: { x: 'refused' } }, 'refused'],
    ['what is refused where the target accepts', { expected: refused('code'), ...DISPUTED }, { decides: { x: 'accepted' } }, 'accepted'],
    ['what is refused where the target refuses', { expected: refused('code'), ...DISPUTED }, { decides: { x: 'refused' } }, 'refused'],
    ['what the standard leaves no choice about', { expected: ACCEPTED }, { decides: { x: 'refused' } }, 'accepted'],
    ['another case', { expected: ACCEPTED, ...DISPUTED }, { decides: { y: 'refused' } }, 'accepted'],
    ['our own API', { expected: refused('code'), ...DISPUTED }, { codes: true, decides: { x: 'accepted' } }, '422 code'],
  ],
)('of %s is expected that it decides so', (_, each, has, expected) => {
  expect(describeExpectation(expectedIn({ id: 'x', ...each }, has), has)).toBe(expected);
});

test.each([
  [201, 'accepted (201)'],
  [299, 'accepted (299)'],
  [300, '300 (empty body)'],
  [302, '302 (empty body)'],
  [400, '400 (empty body)'],
])('an answer %i where 200 is expected is told as it is', (status, received) => {
  expect(compareAnswer('POST /login', ACCEPTED, { status, headers: {}, json: undefined, text: '' })).toMatchObject([
    { at: 'POST /login', expected: 'verified', received },
  ]);
});
