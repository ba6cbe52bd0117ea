import { expect, test } from 'vitest';
import { compareToBaseline, hasFailure, openBaseline, parseReport, writeBaseline } from '../../../src/simulate/engine/earlier-report.js';
import { acceptedCase, sampleCase, sampleReport } from '../reporters/sample-report.js';

test('a failure that was renamed since the baseline is known by its cause, and not missing', () => {
  const { replay: _, ...passed } = sampleCase({ id: 'login.default', source: 'case' });
  const then = sampleReport([
    acceptedCase('login.origin-former', { cause: 'origin' }),
    acceptedCase('login.type-former', { cause: 'type' }),
    acceptedCase('login.origin-null', { cause: 'origin' }),
    passed,
  ]);
  const baseline = openBaseline(
    parseReport(writeBaseline(then), 'base.json'),
    new Set(['login.default', 'login.origin-null', 'login.origin-renamed', 'login.challenge-new']),
  );
  const renamed = acceptedCase('login.origin-renamed', { cause: 'origin' });
  const other = acceptedCase('login.challenge-new', { cause: 'challenge' });
  expect([renamed, other].map((failed) => hasFailure(baseline, failed))).toEqual([true, false]);
  expect(compareToBaseline([renamed, other, { ...passed, id: 'login.origin-null' }], baseline)).toMatchObject({
    fixed: ['login.origin-null'],
    missing: ['login.type-former'],
  });
});

test('a case that passed in the whole report of a baseline is not taken for a renamed one', () => {
  const passed = acceptedCase('login.origin-null', { status: 'passed', mismatches: [] });
  const then = sampleReport([acceptedCase('login.origin-former', { cause: 'origin' }), passed]);
  const baseline = openBaseline(then, new Set(['login.origin-null']));
  expect(hasFailure(baseline, acceptedCase('login.origin-null', { cause: 'origin' }))).toBe(false);
});
