import { expect, test } from 'vitest';
import { chooseExitCode, printReport } from '../../../src/cli/simulate/outcome.js';
import { sayPause } from '../../../src/cli/simulate/target.js';
import { type CaseReport, type CaseResult, summarize } from '../../../src/simulate/report/report.js';
import { fakeIo } from '../fake-io.js';

type Changes = Partial<Pick<CaseReport, 'baseline' | 'incomplete'>>;

function reportOf(statuses: readonly (CaseResult['status'] | 'unprepared')[], more: Changes = {}): CaseReport {
  const results = statuses.map((status, index): CaseResult => {
    const result = {
      id: `login.case-${index}`,
      source: 'case' as const,
      title: 't',
      tags: [],
      expected: 'e',
      mismatches: [],
      duration_ms: 1,
    };
    return status === 'unprepared' ? { ...result, status: 'not_run', code: 'preparation_failed' } : { ...result, status };
  });
  return {
    format: 'passkey-simulate-report',
    version: 1,
    tool_version: '0.0.0',
    target: 'http://localhost:1',
    started_at: '2026-01-15T10:30:00.000Z',
    duration_ms: 5,
    summary: summarize(results),
    findings: [],
    results,
    ...more,
  };
}

const NOTHING = 'Nothing ran: none of the selected cases is applicable (the reasons are above). Select others; --list shows them all.';
const MISSED = (count: string) => `${count} not applicable, which --fail-on-not-applicable does not allow.`;

test.each<[Parameters<typeof reportOf>[0], boolean, number, readonly string[]]>([
  [['passed', 'not_applicable'], false, 0, []],
  [['passed', 'passed'], true, 0, []],
  [['passed', 'not_applicable'], true, 1, [MISSED('1 case')]],
  [['passed', 'failed'], false, 1, []],
  [['not_applicable', 'not_applicable'], false, 1, [NOTHING]],
  [['not_applicable', 'not_applicable'], true, 1, [NOTHING, MISSED('2 cases')]],
  [['passed', 'unprepared'], false, 2, []],
  [['passed', 'unprepared', 'not_applicable'], true, 2, [MISSED('1 case')]],
])('%j, not applicable counts: %j; exits %i', (statuses, failOnNotApplicable, code, said) => {
  const { io, written } = fakeIo();
  expect(chooseExitCode(io, { failOnNotApplicable }, reportOf(statuses))).toBe(code);
  expect(written).toEqual({ stdout: '', stderr: said.map((line) => `${line}\n`).join('') });
});

const BASELINE: NonNullable<CaseReport['baseline']> = {
  target: 'http://localhost:1',
  started_at: '2026-01-14T10:30:00.000Z',
  fixed: ['login.a', 'login.b'],
  missing: ['login.c'],
};

test.each<[Parameters<typeof printReport>[1], Changes, readonly string[]]>([
  [[{ reporter: 'json', file: '/x.json' }], {}, ['1 of 2 as expected, 1 not; against http://localhost:1, 0.01 s']],
  [
    [{ reporter: 'json', file: '/x.json' }],
    { baseline: BASELINE, incomplete: true },
    [
      '1 of 2 as expected, 1 new failure, 2 fixed, incomplete: the run was interrupted; against http://localhost:1, 0.01 s',
      '2 failures of the baseline passed: login.a, login.b',
      '1 failure of the baseline did not run: login.c',
      'The run was interrupted; 0 cases did not run.',
    ],
  ],
  [
    [
      { reporter: 'brief', file: undefined },
      { reporter: 'baseline', file: '/x.json' },
    ],
    { incomplete: true },
    ['The run was interrupted; 0 cases did not run. --write-baseline wrote nothing.'],
  ],
  [[{ reporter: 'pretty', file: undefined }], { baseline: BASELINE }, []],
])('after a run with %j, %j is said', async (destinations, more, said) => {
  const { io, written } = fakeIo();
  await printReport(io, destinations, reportOf(['passed', 'failed'], more), false);
  expect(written.stderr.split('\n').slice(0, -1)).toEqual(said);
  expect(written.stdout === '').toBe(destinations.every(({ file }) => file !== undefined));
});

test('a pause that the server asks for is said in seconds', () => {
  const { io, written } = fakeIo();
  sayPause(io, 2_500);
  expect(written.stderr).toBe('The server limits the rate of requests (429). Continuing in 2.5 s.\n');
});
