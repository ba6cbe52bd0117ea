import { expect, test } from 'vitest';
import type { LoadReport } from '../../../src/simulate/load/report.js';
import { renderLoad } from '../../../src/simulate/reporters/load.js';

const latency = { p50: 1.5, p90: 2.25, p99: 10, p99_9: 20, max: 123.456 };
const none = { accepted: 0, refused: 0, failed: 0, broken: 0, latency_ms: null };
const report: LoadReport = {
  format: 'passkey-load-report',
  version: 1,
  tool_version: '0.0.0',
  target: 'http://localhost:7277',
  started_at: '2026-01-15T10:30:00.000Z',
  pace: { kind: 'concurrency', concurrency: 10 },
  mix: { registrations: 1, logins: 9 },
  asked_ms: 10_000,
  duration_ms: 10_020,
  interrupted: false,
  ceremonies: {
    registration: { accepted: 10, refused: 0, failed: 0, broken: 0 },
    login: { accepted: 88, refused: 1, failed: 0, broken: 1 },
    latency_ms: latency,
    per_second: 9.8,
    not_started: 0,
    unfinished: 0,
  },
  requests: {
    account: none,
    options: { accepted: 100, refused: 0, failed: 0, broken: 0, latency_ms: latency },
    register: { accepted: 10, refused: 0, failed: 0, broken: 0, latency_ms: latency },
    login: { accepted: 88, refused: 1, failed: 0, broken: 1, latency_ms: latency },
  },
  errors: [{ at: 'login', outcome: 'refused', count: 1, first: '401 {"code":"not_verified"}' }],
  client: { share: 0.0312, busy: 0.4, late_ms: null },
  check: {
    status: 'kept',
    acknowledged: 10,
    logins: { checked: 10, wrong: 0 },
    counters: { checked: 10, wrong: 0 },
    lists: { checked: 2, wrong: 0 },
    unanswered: 0,
    findings: [],
  },
  left: [],
};
const plain = (changes: Partial<LoadReport> = {}) => renderLoad({ ...report, ...changes }, { colour: false });

test('the whole report', () => {
  expect(plain()).toBe(`Load on http://localhost:7277: 10 at a time, 1 registration to 9 logins, 10.02 s

requests        accepted   refused    failed    broken       p50       p90       p99     p99.9       max
options              100         0         0         0      1.50      2.25     10.00     20.00    123.46
register              10         0         0         0      1.50      2.25     10.00     20.00    123.46
login                 88         1         0         1      1.50      2.25     10.00     20.00    123.46
ceremonies
registrations         10         0         0         0
logins                88         1         0         1
all                   98         1         0         1      1.50      2.25     10.00     20.00    123.46

9.8 ceremonies per second; latencies of accepted ceremonies in ms
Client and authenticator took 3.1 % of the run; this process was busy 40.0 % of it
! 1 refused (login), the first: 401 {"code":"not_verified"}
✓ No acknowledged change was lost: 10 registrations; correct: logins 10 of 10, counters 10 of 10, lists 2 of 2
`);
});

test('what was lost', () => {
  const finding = { credential_id: 'AAAABBBBCCCCDDDD', expected: 'a passkey logs in', received: 'refused: 404' };
  const text = plain({ check: { ...report.check, status: 'lost', logins: { checked: 10, wrong: 1 }, findings: [finding] } });
  expect(text).toContain('✗ Acknowledged changes were lost: 10 registrations; correct: logins 9 of 10,');
  expect(text).toContain('    AAAABBBBCCCC…: expected that a passkey logs in; refused: 404\n');
});

test('nothing is said of a check that was not run', () => {
  const text = plain({ check: { ...report.check, status: 'not_run' } });
  expect(text.endsWith('– Whether acknowledged changes were lost was not checked: 10 registrations\n')).toBe(true);
});

test('a process that is the limit itself', () => {
  const client = { share: 0.5, busy: 0.97, late_ms: latency };
  expect(plain({ client })).toContain('! This process was at its limit. The figures may describe this process');
  expect(plain({ client })).toContain('Ceremonies began 1.50 ms late (p99: 10.00 ms)');
  expect(plain({ client, target: 'in-process' })).toContain('This process also runs the server');
});

test('an interrupted run, and one that could not keep its rate', () => {
  const ceremonies = { ...report.ceremonies, unfinished: 1, not_started: 7 };
  const text = plain({ ceremonies, interrupted: true, pace: { kind: 'rate', per_second: 50 }, left: ['A passkey of x: 500'] });
  expect(text).toContain(': 50 ceremonies due per second, ');
  expect(text).toContain('! 7 were due but could not begin in time\n! interrupted; 1 ceremony under way\n');
  expect(text).toContain('! not deleted: A passkey of x: 500\n');
});
