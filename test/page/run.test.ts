import { describe, expect, test } from 'vitest';
import { describeFailure } from '../../src/page/run.js';
import { httpLeg } from './runs.js';

const PROBLEM = {
  code: 'origin_mismatch',
  title: 'The origin is not the expected one',
  detail: '§7.2 step 12 (origin): expected a; received b.',
};

describe('describeFailure', () => {
  test.each<[string, unknown, string]>([
    ['a problem', PROBLEM, '401 origin_mismatch: §7.2 step 12 (origin): expected a; received b.'],
    ['a problem with a step', { ...PROBLEM, step: { number: 12 } }, '401 origin_mismatch: The origin is not the expected one.'],
    ['a problem without detail', { ...PROBLEM, detail: undefined }, '401 origin_mismatch: The origin is not the expected one'],
    ['an answer that is not a problem document', '<html>', '401: The server gave no reason.'],
  ])('describes %s', (_case, answer, sentence) => {
    expect(describeFailure(httpLeg({ status: 401, answer }))).toBe(sentence);
  });

  test('tells that nobody answered', () => {
    expect(describeFailure(httpLeg({ status: undefined, failure: 'No answer.' }))).toBe('No answer.');
  });
});
