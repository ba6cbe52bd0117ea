import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { renderEnd, renderResult } from '../../../src/simulate/reporters/pretty.js';

import { ACCEPTING_ALL, SAMPLE, sampleCase, sampleReport } from './sample-report.js';

const LINES = `✓ login verbatim: verified 3 ms
✗ login.origin-other-port: expected 401 origin_mismatch (step origin) 3 ms
✗ shaky verbatim: expected verified 3 ms (flaky)
~ broken verbatim: expected verified 3 ms (known failure)
· late verbatim: verified (an earlier case failed (--bail))
✓ padded verbatim: verified 3 ms
`;

const END = `low, other-reason: The server refuses for the wrong reason: 1 request.
    advice    Any other program on the machine can use the passkey. Compare scheme, host and port.
    tests     §7.2 step 12, origin
    run alone passkey simulate login.origin-other-port
  ✗ login.origin-other-port (failed)
    case      origin with another port
    tests     §7.2 step 12, origin: C.origin is an expected origin
    rule      the port is part of the origin
    at        POST /api/passkeys/login
    expected  401 origin_mismatch (step origin)
    received  401 signature_invalid (step signature)
    step      §7.2 step 21, signature: The signature verifies
              the server expected an ES256 signature
              and received MEQ…
    hint      Compare the whole origin.
    at        the second witness
    expected  nobody signed in
    received  ada signed in
    sent      POST /api/passkeys/login/options {"app_url":"http://localhost:7277"}
    came      200 {"challenge":"…"}
    sent      POST /api/passkeys/login
    came      socket hang up
    remark    the target was restarted

low, varies: The same requests end differently: 1 attempt.
  ✗ shaky verbatim (flaky)
    case      Login with user verification
    repeats   2 passed, 1 failed
    at        the repeats
    expected  the same outcome 3 times
    received  2 passed, 1 failed

low (known), other: The server accepts malformed or wrong requests: 1 request.
  ~ broken verbatim (known failure)
    case      Login with user verification
    file      fixtures/broken.json
    at        integrity
    expected  sha256-a
    received  sha256-b

– 1 not applicable: needs a pinned clock
    clock verbatim
· 1 not run: an earlier case failed (--bail)
    late verbatim
! the target was restarted
    login.origin-other-port
! options with padded base64
    padded verbatim
✓ 1 failure of the baseline passed
    login verbatim
· 1 failure of the baseline did not run
    clock verbatim
2 of 7 as expected, 2 new failures (1 flaky), 1 known failure, 1 fixed, 1 not applicable, 1 not run; against the server in process, 1.23 s
`;

const lines = (colour: boolean) => SAMPLE.results.map((each) => renderResult(each, { colour })).join('');

test('renders a line for each case while the run goes on, and none for one that is not applicable', () => {
  expect(lines(false)).toBe(LINES);
});

test('tells everything at the end: failures first, the counts last', () => {
  expect(renderEnd(SAMPLE, { colour: false })).toBe(END);
});

test('shows three cases of a finding, or with verbose all of them', () => {
  const short = renderEnd(ACCEPTING_ALL, { colour: false });
  expect(short).toMatch(/\nhigh, origin: .* it accepted 5 responses made for other pages\.\n {4}gain {6}A page/);
  expect(short).toMatch(
    /\n {2}✗ login\.origin-upper-case \(failed\): POST \/login: expected refused, received accepted \(200\)\n {2}✗ .*\n {2}and 2 cases more; --verbose shows them\n/,
  );
  const verbose = renderEnd(ACCEPTING_ALL, { colour: false, verbose: true });
  expect(verbose.match(/^ {2}✗ /gm)).toHaveLength(ACCEPTING_ALL.results.length);
  expect(verbose).not.toContain('--verbose');
});

test('keeps a terminal below 200 kB', () => {
  const long = { exchanges: Array.from({ length: 300 }, () => ({ request: 'POST /', sent: 'x'.repeat(30_000), received: '' })) };
  const report = sampleReport(ACCEPTING_ALL.results.map((result) => ({ ...result, ...long })));
  const short = renderEnd(report, { colour: false });
  expect(short.length).toBeLessThan(110_000);
  expect(short).toMatch(/\nlow, authenticator-data: .*\n {4}--verbose shows its cases\n/);
});

test('ends with the counts alone where there is nothing to tell', () => {
  expect(renderEnd(sampleReport([sampleCase({})]), { colour: false })).toBe('1 of 1 as expected; against the server in process, 1.23 s\n');
});

test('groups cases that are not applicable by reason, on lines of at most 100 characters', () => {
  const { replay: _replay, ...one } = sampleCase({ source: 'case', status: 'not_applicable' });
  const skipped = Array.from({ length: 9 }, (_, index) => ({
    ...one,
    id: `login.challenge-expired-${index}`,
    reason: index === 4 ? 'other' : 'clock',
  }));
  const [first = '', ...more] = renderEnd(sampleReport(skipped), { colour: false }).split('\n');
  expect(first).toBe('– 8 not applicable: clock');
  expect(more.slice(0, 5)).toEqual([
    '    login.challenge-expired-0, login.challenge-expired-1, login.challenge-expired-2,',
    '    login.challenge-expired-3, login.challenge-expired-5, login.challenge-expired-6,',
    '    login.challenge-expired-7, login.challenge-expired-8',
    '– 1 not applicable: other',
    '    login.challenge-expired-4',
  ]);
});

test('doubts the target if nothing went as expected', () => {
  const report = sampleReport([sampleCase({ status: 'failed' })], { target: 'http://localhost:8000' });
  expect(renderEnd(report, { colour: false })).toMatch(
    /\nNothing went as expected\. If that surprises you, check --url, [^\n]+ --probe\.\n$/,
  );
  expect(renderEnd({ ...report, target: 'in-process' }, { colour: false })).not.toContain('Nothing');
});

test('doubts no target whose failures are all tolerated', () => {
  const tolerated = sampleCase({ status: 'failed', known: true });
  const end = (...results: Parameters<typeof sampleReport>[0]) =>
    renderEnd(sampleReport(results, { target: 'http://localhost:8000' }), { colour: false });
  expect(end(tolerated)).toMatch(
    /\nAll these failures are tolerated: they are in the baseline, faults of the library, or less serious than --fail-on\.\n$/,
  );
  expect(end(tolerated, sampleCase({ id: 'register', status: 'not_applicable' }))).toMatch(/\nAll these failures are tolerated: [^\n]+\n$/);
  expect(end(tolerated, sampleCase({ id: 'register', status: 'failed' }))).toContain('Nothing went as expected.');
});

test('adds nothing but colours', () => {
  expect(lines(true)).toContain('\u001b[32m✓\u001b[39m');
  expect(stripVTControlCharacters(lines(true))).toBe(LINES);
  expect(stripVTControlCharacters(renderEnd(SAMPLE, { colour: true }))).toBe(END);
});

test('says that refusals alone prove little of a target', () => {
  const passedCase = (outcome: string) =>
    sampleCase({ id: 'register.type-swapped', status: 'passed', tags: ['case', outcome], expected: 'refused' });
  const end = (...outcomes: string[]) =>
    renderEnd({ ...sampleReport(outcomes.map((one) => passedCase(one))), target: 'http://localhost:8000' }, { colour: false });
  const doubt = /\nNo ceremony was accepted in this run, .* Also run register\.default and login\.default\.\n$/;
  expect(end('rejected', 'rejected')).toMatch(doubt);
  expect(end('rejected', 'verified')).not.toMatch(doubt);
});
