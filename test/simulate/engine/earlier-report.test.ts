import { expect, test } from 'vitest';
import {
  compareToBaseline,
  failedIn,
  hasFailure,
  openBaseline,
  parseReport,
  refuseIncomplete,
  writeBaseline,
} from '../../../src/simulate/engine/earlier-report.js';
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

const EMPTY = { format: 'passkey-simulate-report', version: 1, target: 'in-process', started_at: '2026-01-15T10:30:00.000Z', results: [] };
const SIMULATE = 'Pass a report written by `passkey simulate --reporter json=FILE`.';

test.each([
  ['{\n "a": }', 'base.json:2:7: expected', SIMULATE],
  ['7', 'base.json:1:1: /format: expected "passkey-simulate-report", received nothing. ', SIMULATE],
  ['{\n "format": "other"}', 'base.json:2:12: /format: expected "passkey-simulate-report", received "other". ', SIMULATE],
  [JSON.stringify({ ...EMPTY, target: 1 }, null, 1), 'base.json:4:12: /target: expected a text, received 1. ', SIMULATE],
  [
    JSON.stringify({ ...EMPTY, version: 2 }),
    'base.json: expected version 1 of the report format; got version 2, written by a newer version of passkey.',
    'Update passkey, or create the report again with this version.',
  ],
])('a file that is no report is refused at its place: %j', (text, start, end) => {
  expect(() => parseReport(text, 'base.json')).toThrow(start);
  expect(() => parseReport(text, 'base.json')).toThrow(end);
});

test('a report of a page is read where it is expected, and names the command that writes one', () => {
  const page = JSON.stringify({ ...EMPTY, format: 'passkey-page-report' });
  expect(parseReport(`\uFEFF${page}`, 'page.json', 'passkey-page-report').results).toEqual([]);
  expect(() => parseReport(JSON.stringify(EMPTY), 'page.json', 'passkey-page-report')).toThrow(
    'page.json:1:11: /format: expected "passkey-page-report", received "passkey-simulate-report". Pass a report written by `passkey browse --check --reporter json=FILE`.',
  );
});

test('the report of an interrupted run is refused, with how many cases it lacks', () => {
  const { replay: _, ...passed } = sampleCase({ id: 'login.default', source: 'case' });
  const results = [passed, { ...passed, id: 'a', status: 'not_run' as const }, { ...passed, id: 'b', status: 'not_run' as const }];
  const whole = { ...EMPTY, format: 'passkey-simulate-report' as const, version: 1 as const, results };
  expect(() => refuseIncomplete(whole, 'base.json')).not.toThrow();
  expect(() => refuseIncomplete({ ...whole, incomplete: true }, 'base.json')).toThrow(
    'base.json: expected the report of a complete run; that run was interrupted, and its report lacks 2 cases. Pass the report of another run, or add --allow-incomplete.',
  );
});

test('failed are the cases that failed and those that could not be judged', () => {
  const results = [
    acceptedCase('login.type-null'),
    sampleCase({}),
    sampleCase({ id: 'late', status: 'not_run', reason: 'x' }),
    sampleCase({ id: 'unprepared', status: 'not_run', code: 'preparation_failed' }),
    sampleCase({ id: 'wrong', status: 'failed' }),
  ];
  expect([...failedIn(sampleReport(results))]).toEqual(['login.type-null', 'unprepared verbatim', 'wrong verbatim']);
});
