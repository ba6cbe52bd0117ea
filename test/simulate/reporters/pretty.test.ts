import { expect, test } from 'vitest';
import type { CaseResult, SimulateReport } from '../../../src/simulate/engine/report.js';
import { renderResult, renderSummary } from '../../../src/simulate/reporters/pretty.js';

const result = (change: Partial<CaseResult>): CaseResult => ({
  id: 'login',
  source: 'fixture',
  replay: 'verbatim',
  title: 'Login with user verification',
  tags: [],
  expected: 'verified',
  status: 'passed',
  mismatches: [],
  duration_ms: 3.21,
  ...change,
});

const REPORT: SimulateReport = {
  format: 'passkey-simulate-report',
  version: 1,
  tool_version: '0.1.0',
  target: 'in-process',
  started_at: '2026-01-15T10:30:00.000Z',
  duration_ms: 1234.5,
  summary: { total: 4, passed: 1, failed: 1, known: 0, flaky: 0, not_applicable: 1, not_run: 1 },
  results: [
    result({}),
    result({
      id: 'broken',
      status: 'failed',
      file: 'fixtures/broken.json',
      mismatches: [
        { at: 'integrity', expected: 'sha256-a', received: 'sha256-b', hint: 'Restore it.' },
        {
          at: 'POST /api/passkeys/login',
          expected: 'verified',
          received: '401 signature_invalid (step signature)',
          hint: 'Send it unchanged.',
          step: {
            section: '7.2',
            number: 21,
            slug: 'signature',
            title: 'The signature verifies',
            expected: 'an ES256 signature',
            received: 'MEQ…',
          },
        },
      ],
    }),
    result({ id: 'clock', status: 'not_applicable', reason: 'needs a pinned clock' }),
    result({ id: 'late', status: 'not_run', reason: 'an earlier one failed (--bail)' }),
  ],
};

const PLAIN = `✓ login verbatim: verified 3 ms
✗ broken verbatim: expected verified 3 ms
    Login with user verification
    file      fixtures/broken.json
    at        integrity
    expected  sha256-a
    received  sha256-b
    hint      Restore it.
    at        POST /api/passkeys/login
    expected  verified
    received  401 signature_invalid (step signature)
    step      §7.2 step 21, signature: The signature verifies
              the server expected an ES256 signature
              and received MEQ…
    hint      Send it unchanged.
· late verbatim: verified (an earlier one failed (--bail))

– 1 not applicable: needs a pinned clock
    clock verbatim
1 of 4 as expected, 1 not, 1 not applicable, 1 not run; against the server in process, 1.23 s
`;

const render = (colour: boolean) =>
  `${REPORT.results.map((each) => renderResult(each, { colour })).join('')}\n${renderSummary(REPORT, { colour })}`;

test('renders results and summary without colours', () => {
  expect(render(false)).toBe(PLAIN);
});

test('groups cases that are not applicable by reason, on lines of at most 100 characters', () => {
  const { replay: _replay, ...one } = result({ source: 'case', status: 'not_applicable' });
  const skipped = Array.from({ length: 9 }, (_, index) => ({
    ...one,
    id: `login.challenge-expired-${index}`,
    reason: index === 4 ? 'other' : 'clock',
  }));
  const summary = { total: 9, passed: 0, failed: 0, known: 0, flaky: 0, not_applicable: 9, not_run: 0 };
  const [first = '', ...lines] = renderSummary({ ...REPORT, summary, results: skipped }, { colour: false }).split('\n');
  expect(first).toBe('– 8 not applicable: clock');
  expect(lines.slice(0, 5)).toEqual([
    '    login.challenge-expired-0, login.challenge-expired-1, login.challenge-expired-2,',
    '    login.challenge-expired-3, login.challenge-expired-5, login.challenge-expired-6,',
    '    login.challenge-expired-7, login.challenge-expired-8',
    '– 1 not applicable: other',
    '    login.challenge-expired-4',
  ]);
});

test('doubts the target if nothing went as expected', () => {
  const summary = { total: 1, passed: 0, failed: 1, known: 0, flaky: 0, not_applicable: 0, not_run: 0 };
  const report = { ...REPORT, summary, results: [], target: 'http://localhost:8000' };
  expect(renderSummary(report, { colour: false })).toMatch(/\nNothing went as expected: is http:\/\/localhost:8000 a passkey server\?\n$/);
  expect(renderSummary({ ...report, target: 'in-process' }, { colour: false })).not.toContain('Nothing');
});

test('adds nothing but colours', () => {
  const coloured = render(true);
  expect(coloured).toContain('\u001b[32m✓\u001b[39m');
  expect(coloured.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), '')).toBe(PLAIN);
});
