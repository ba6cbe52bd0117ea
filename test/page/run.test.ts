import { describe, expect, test } from 'vitest';
import type { HttpLeg } from '../../src/page/run.js';
import { describeFailure } from '../../src/page/run.js';

const LEG: HttpLeg = {
  kind: 'http',
  requestId: 'page-1',
  method: 'POST',
  path: '/api/passkeys/login',
  body: {},
  bearer: false,
  status: 401,
  answer: undefined,
  failure: undefined,
  milliseconds: 1,
};
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
    expect(describeFailure({ ...LEG, answer })).toBe(sentence);
  });

  test('tells that nobody answered', () => {
    expect(describeFailure({ ...LEG, status: undefined, failure: 'The server did not answer.' })).toBe('The server did not answer.');
  });
});
