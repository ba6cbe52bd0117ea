import { STEP_REVISION } from '../../../src/relying-party/steps/step.js';
import { listFindings } from '../../../src/simulate/findings/findings.js';
import { DIFFERS } from '../../../src/simulate/report/deviation.js';
import { type CaseResult, type SimulateReport, summarize } from '../../../src/simulate/report/report.js';

/** A case that passed, changed in some members. */
export function sampleCase(change: Partial<CaseResult>): CaseResult {
  return {
    id: 'login',
    source: 'fixture',
    replay: 'verbatim',
    title: 'Login with user verification',
    tags: ['fixture', 'authentication'],
    expected: 'verified',
    status: 'passed',
    mismatches: [],
    duration_ms: 3.21,
    ...change,
  };
}

export function sampleReport(results: readonly CaseResult[], change: Partial<SimulateReport> = {}): SimulateReport {
  return {
    format: 'passkey-simulate-report',
    version: 1,
    tool_version: '0.1.0',
    target: 'in-process',
    started_at: '2026-01-15T10:30:00.000Z',
    duration_ms: 1234.5,
    summary: summarize(results),
    findings: listFindings(results),
    results: [...results],
    ...change,
  };
}

const { replay: _, ...ORIGIN_CASE } = sampleCase({ id: 'login.origin-other-port', source: 'case' });

/** A failure with everything that can be told about one. */
export const FULL_FAILURE: CaseResult = {
  ...ORIGIN_CASE,
  title: 'origin with another port',
  tags: ['case', 'authentication', 'invalid'],
  expected: '401 origin_mismatch (step origin)',
  status: 'failed',
  mismatches: [
    {
      at: 'POST /api/passkeys/login',
      expected: '401 origin_mismatch (step origin)',
      received: '401 signature_invalid (step signature)',
      deviation: { kind: 'refused', status: 401, code: 'signature_invalid', otherwise: true },
      hint: 'Compare the whole origin.',
      step: {
        section: '7.2',
        number: 21,
        slug: 'signature',
        title: 'The signature verifies',
        expected: 'an ES256 signature',
        received: 'MEQ…',
      },
    },
    { at: 'the second witness', expected: 'nobody signed in', received: 'ada signed in', deviation: DIFFERS },
  ],
  tests: {
    section: '7.2',
    number: 12,
    revision: STEP_REVISION,
    slug: 'origin',
    title: 'C.origin is an expected origin',
    rule: 'the port is part of the origin',
  },
  references: ['CWE-346', 'NIST SP 800-63B-4 §3.2.5'],
  advice: 'Any other program on the machine can use the passkey. Compare scheme, host and port.',
  exchanges: [
    {
      request: 'POST /api/passkeys/login/options',
      sent: '{"app_url":"http://localhost:7277"}',
      status: 200,
      received: '{"challenge":"…"}',
    },
    { request: 'POST /api/passkeys/login', sent: '', received: 'socket hang up' },
  ],
  remarks: ['the target was restarted'],
  rerun: 'passkey simulate login.origin-other-port',
};

const OWNER = { user: 'owner', known_by: 'whoami' } as const;

/** A case whose ceremony was accepted instead of refused. */
export const acceptedCase = (id: string, change: Partial<CaseResult> = {}): CaseResult => ({
  ...ORIGIN_CASE,
  id,
  expected: 'refused',
  status: 'failed',
  mismatches: [
    {
      at: 'POST /login',
      expected: 'refused',
      received: 'accepted (200)',
      deviation: { kind: 'accepted', status: 200, ...(id.startsWith('login.') && { signed_in: OWNER }) },
    },
  ],
  ...change,
});

/** A server that checks nothing. */
export const ACCEPTING_ALL = sampleReport(
  [
    'counter-zero',
    'user-not-present',
    'user-not-verified',
    'rp-id-hash',
    'rp-id-hash-zero',
    'top-origin-other',
    'cross-origin',
    'origin-upper-case',
    'origin-longer-host',
    'origin-other-site',
    'origin-other-port',
    'origin-empty',
    'challenge-unknown',
    'type-null',
    'signature-bit',
    'signature-raw',
    'backup-eligibility-lost',
    'authenticator-data-cut',
  ].map((what) => acceptedCase(`login.${what}`)),
);

/** What a target, a fixture or a file name might contain, to break out of a format. */
export const HOSTILE =
  '</pre></script><script>alert(1)</script> & "quoted" \'single\' ]]> `tick` | * _a_ [x](y) # SKIP --- \\ % :: , \n::error::injected\r\n  ...\nok 99\t\u0000\u001b[31m\uFFFE\u2028\u{1F511}';

const withStatus = (change: Partial<CaseResult>) => sampleCase({ source: 'case', ...change });

/** Every way a case can end. */
export const SAMPLE = sampleReport(
  [
    sampleCase({}),
    FULL_FAILURE,
    withStatus({
      id: 'shaky',
      status: 'failed',
      flaky: true,
      repeats: { passed: 2, failed: 1 },
      mismatches: [
        { at: 'the repeats', expected: 'the same outcome 3 times', received: '2 passed, 1 failed', deviation: { kind: 'varies' } },
      ],
    }),
    sampleCase({
      id: 'broken',
      status: 'failed',
      known: true,
      file: 'fixtures/broken.json',
      mismatches: [{ at: 'integrity', expected: 'sha256-a', received: 'sha256-b', deviation: DIFFERS }],
    }),
    sampleCase({ id: 'clock', status: 'not_applicable', reason: 'needs a pinned clock', duration_ms: 0 }),
    sampleCase({ id: 'late', status: 'not_run', reason: 'an earlier case failed (--bail)', duration_ms: 0 }),
    sampleCase({ id: 'padded', remarks: ['options with padded base64'] }),
  ],
  {
    baseline: { target: 'in-process', started_at: '2026-01-14T10:30:00.000Z', fixed: ['login verbatim'], missing: ['clock verbatim'] },
  },
);

/** Every text of a failure is hostile. */
export const HOSTILE_REPORT = sampleReport(
  [
    {
      ...FULL_FAILURE,
      id: HOSTILE,
      title: HOSTILE,
      expected: HOSTILE,
      file: HOSTILE,
      tags: [HOSTILE],
      mismatches: [{ at: HOSTILE, expected: HOSTILE, received: HOSTILE, deviation: DIFFERS, hint: HOSTILE }],
      exchanges: [{ request: HOSTILE, sent: HOSTILE, status: 500, received: HOSTILE }],
      remarks: [HOSTILE],
      advice: HOSTILE,
      rerun: HOSTILE,
    },
    sampleCase({ id: 'skipped', status: 'not_applicable', reason: HOSTILE }),
    sampleCase({ id: 'odd', remarks: [HOSTILE] }),
  ],
  { target: `http://${HOSTILE}`, tool_version: HOSTILE },
);
