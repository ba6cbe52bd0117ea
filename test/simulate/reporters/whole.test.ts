import { expect, test } from 'vitest';
import type { CaseResult, Misfit, SimulateReport } from '../../../src/simulate/report/report.js';
import { renderBrief } from '../../../src/simulate/reporters/brief.js';
import { renderAnnotations, renderJobSummary } from '../../../src/simulate/reporters/github.js';
import { renderHtml } from '../../../src/simulate/reporters/html.js';
import { renderJunit } from '../../../src/simulate/reporters/junit.js';
import { renderEnd, renderResult } from '../../../src/simulate/reporters/pretty.js';
import { toSarif } from '../../../src/simulate/reporters/sarif.js';
import { renderTap } from '../../../src/simulate/reporters/tap.js';
import { ACCEPTING_ALL, acceptedCase, FULL_FAILURE, SAMPLE, sampleCase, sampleReport } from './sample-report.js';

const { replay: _, ...CASE } = sampleCase({ source: 'case', title: 'a login in another tab', duration_ms: 12.6 });

/** Every member of a result, and every ending that SAMPLE lacks. */
const OTHERS: readonly CaseResult[] = [
  { ...CASE, id: 'register.packed-honest', attestation_format: 'packed', expected: 'accepted', references: ['CWE-345'], duration_ms: 7.5 },
  {
    ...CASE,
    id: 'login.two-visits',
    status: 'not_run',
    code: 'preparation_failed',
    reason: 'its preparation failed',
    mismatches: [
      {
        at: 'POST /options (preparation)',
        expected: 'options',
        received: 'failed: 503 busy',
        deviation: { kind: 'not_prepared', by: { kind: 'failed', status: 503 } },
      },
    ],
    exchanges: [{ request: 'POST /options', sent: '{"name":"ada"}', status: 503, received: 'busy' }],
    remarks: ['the case was repeated'],
  },
  {
    ...CASE,
    id: 'login.type-null',
    status: 'not_run',
    code: 'control_failed',
    control: 'login.default',
    reason: 'the honest ceremony login.default fails',
  },
  {
    ...FULL_FAILURE,
    id: 'login.origin-empty',
    tolerated: true,
    flaky: true,
    repeats: { passed: 1, failed: 4 },
    refusal: { status: 400, code: 'no_origin' },
    usual_refusal: { status: 401, code: 'wrong_origin' },
    cause: 'other-reason',
  },
  { ...acceptedCase('login.signature-bit'), known: true, known_by: 'library', library: 'a fault of the library', fixed_in: '14.1.0' },
  { ...CASE, id: 'login.top-origin-other', status: 'not_applicable', reason: 'the profile excludes it', skipped: true },
  { ...CASE, id: 'lifecycle.sign-out', status: 'not_applicable', reason: 'the profile does not say it', member: 'signOut' },
  { ...CASE, id: 'lifecycle.sign-out-lists', status: 'not_applicable', reason: 'the profile does not say it', member: 'signOut' },
];

const MISFIT: Misfit = {
  control: 'login.default',
  cases: 3,
  mismatches: [
    {
      at: 'POST /login',
      expected: 'accepted',
      received: 'refused: 403 no',
      deviation: { kind: 'refused', status: 403 },
      hint: 'Look at the log.',
    },
  ],
  exchanges: [{ request: 'POST /login', sent: '{"id":"x"}', status: 403, received: 'no' }],
};

const REPORTS: readonly (readonly [name: string, report: SimulateReport])[] = [
  ['every-ending', SAMPLE],
  [
    'every-member',
    sampleReport([...SAMPLE.results, ...OTHERS], {
      target: 'http://localhost:8000',
      profile: { name: 'shop', file: 'test/our shop.yaml', library: 'webauthn-ruby' },
      incomplete: true,
      misfits: [MISFIT],
      baseline: {
        target: 'http://localhost:9000',
        started_at: '2026-01-14T10:30:00.000Z',
        fixed: ['login verbatim'],
        missing: ['late verbatim'],
      },
    }),
  ],
  ['lax', { ...ACCEPTING_ALL, target: 'http://localhost:8000' }],
  ['nothing', sampleReport([])],
];

const pretty = (report: SimulateReport, verbose: boolean, colour: boolean) =>
  `${report.results.map((result) => renderResult(result, { colour, verbose })).join('')}\n${renderEnd(report, { colour, verbose })}`;

/** A page without its style and script, which never change, and its policy with their digests. */
const markup = (html: string) => html.replaceAll(/<(style|script)>[^]*?<\/\1>\n|<meta http-equiv.*\n/g, '');

const RENDERERS: readonly (readonly [file: string, render: (report: SimulateReport) => string])[] = [
  ['pretty.txt', (report) => pretty(report, false, false)],
  ['verbose.txt', (report) => pretty(report, true, true)],
  ['brief.txt', renderBrief],
  ['junit.txt', renderJunit],
  ['tap.txt', renderTap],
  ['annotations.txt', renderAnnotations],
  ['summary.txt', renderJobSummary],
  ['html.txt', (report) => markup(renderHtml(report))],
  ['sarif.txt', (report) => `${JSON.stringify(toSarif(report), null, 1)}\n`],
];

const ROWS = REPORTS.flatMap(([name, report]) =>
  RENDERERS.map(([file, render]) => ({ file: `${name}.${file}`, written: () => render(report) })),
);

test.each(ROWS)('$file stays as recorded', async ({ file, written }) => {
  await expect(written()).toMatchFileSnapshot(`whole/${file}`);
});
