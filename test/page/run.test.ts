import { describe, expect, test } from 'vitest';
import { describeFailure, expectedOrigin, findProblem, findVerdictLeg, succeeded } from '../../src/page/run.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';

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

test.each([
  [200, true],
  [399, true],
  [400, false],
  [undefined, false],
])('an answer with status %s is a success: %s', (status, success) => {
  expect(succeeded(httpLeg({ status }))).toBe(success);
});

describe('of the legs of a run', () => {
  const [first, last] = [
    httpLeg({ path: '/options', status: 401, answer: { code: 'first' } }),
    httpLeg({ path: '/login', status: 401, answer: { code: 'last' } }),
  ];
  const call = browserLeg();

  test('the verdict is the first answer after the call', () => {
    const later = httpLeg({ path: '/later' });
    expect(findVerdictLeg(loginRun({ legs: [first, call, last, later] }))).toBe(last);
    expect(findVerdictLeg(loginRun({ legs: [first, call] }))).toBeUndefined();
    expect(findVerdictLeg(loginRun({ legs: [first, last] }))).toBeUndefined();
  });

  test('the problem is the last answer, if that is a refusal', () => {
    expect(findProblem(loginRun({ legs: [first, last, call] }))).toEqual({ code: 'last' });
    expect(findProblem(loginRun({ legs: [first, { ...last, status: 200 }] }))).toBeUndefined();
    expect(findProblem(loginRun({ legs: [{ ...last, answer: 'x' }] }))).toBeUndefined();
    expect(findProblem(loginRun({ legs: [call] }))).toBeUndefined();
  });
});

describe('the origin that the server expects', () => {
  const OWN = 'http://localhost:7277';
  const asking = httpLeg({ body: { app_url: 'https://shop.example/x' } });
  const mismatch = (code: string) => httpLeg({ status: 401, answer: { code, step: { expected: 'https://said.example' } } });

  test.each([
    ['is the one that its refusal names', [asking, browserLeg(), mismatch('origin_mismatch')], 'https://said.example'],
    [
      'is that of the request, where the refusal is another one',
      [asking, browserLeg(), mismatch('challenge_used')],
      'https://shop.example',
    ],
    ['is that of the request, before there is a verdict', [httpLeg({ body: { a: 1 } }), asking], 'https://shop.example'],
    ['is that of the page, where the request names none', [httpLeg({ body: {} }), browserLeg()], OWN],
    ['is that of the page, where the request names no URL', [httpLeg({ body: { app_url: 'shop' } })], OWN],
    ['is that of the page, where the server accepted it', [asking, browserLeg(), httpLeg()], OWN],
  ])('%s', (_, legs, origin) => {
    expect(expectedOrigin(loginRun({ legs }), OWN)).toBe(origin);
  });
});
