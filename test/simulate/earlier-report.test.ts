import { describe, expect, test } from 'vitest';
import type { CaseResult } from '../../src/simulate/engine/report.js';
import { compareToBaseline, failedIn, parseReport } from '../../src/simulate/engine/report.js';

const row = (id: string, status: CaseResult['status'], replay?: 'verbatim' | 'rebound') => ({ id, status, ...(replay && { replay }) });

const REPORT = {
  format: 'passkey-simulate-report',
  version: 1,
  target: 'http://localhost:3000',
  started_at: '2026-01-15T10:30:00.000Z',
  results: [row('a', 'failed', 'verbatim'), row('a', 'passed', 'rebound'), row('b', 'failed'), row('c', 'failed'), row('d', 'not_run')],
};

test('reads what failed in a report, whatever else it says', () => {
  const report = parseReport(`\uFEFF${JSON.stringify({ ...REPORT, member_of_a_later_version: 1 })}`, 'old.json');
  expect([...failedIn(report)]).toEqual(['a verbatim', 'b', 'c']);
});

const ADVICE = 'Give a report that `passkey simulate --reporter json=FILE` wrote.';

describe('what is no report is refused', () => {
  test.each<[text: string, message: string]>([
    ['', 'old.json:1:1: expected a JSON object, received the end.'],
    ['{ "format": ', 'old.json:1:13: expected a JSON value, received the end.'],
    ['[]', 'old.json:1:1: /format: expected "passkey-simulate-report", received nothing.'],
    ['{ "format": "passkey-fixture" }', 'old.json:1:13: /format: expected "passkey-simulate-report", received "passkey-fixture".'],
    ['{ "format": "passkey-simulate-report" }', 'old.json:1:1: /version: expected 1, received nothing.'],
    [
      JSON.stringify({ ...REPORT, results: [row('a', 'passed'), { id: 7, status: 'failed' }] }),
      'old.json:1:168: /results/1/id: expected a text, received 7.',
    ],
  ])('%s', (text, message) => {
    expect(() => parseReport(text, 'old.json')).toThrow(expect.objectContaining({ code: 'usage', message: `${message} ${ADVICE}` }));
  });
});

test('tells failures that are gone from those that did not run', () => {
  const result = (id: string, status: CaseResult['status'], replay?: 'verbatim' | 'rebound'): CaseResult => ({
    ...row(id, status, replay),
    source: 'case',
    title: id,
    tags: [],
    expected: 'verified',
    mismatches: [],
    duration_ms: 1,
  });
  const now = [result('a', 'passed', 'verbatim'), result('b', 'failed'), result('c', 'not_applicable'), result('e', 'failed')];
  const { target, started_at } = REPORT;
  expect(compareToBaseline(now, parseReport(JSON.stringify(REPORT), 'old.json'))).toEqual({
    target,
    started_at,
    fixed: ['a verbatim'],
    missing: ['c'],
  });
});
