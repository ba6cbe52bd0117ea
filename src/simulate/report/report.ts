import type { Static } from 'typebox';
import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import { DeviationSchema } from './deviation.js';
import { SEVERITY_NAMES } from './severity.js';

const FailedStepSchema = Type.Object(
  {
    section: Type.String(),
    number: Type.Integer(),
    slug: Type.String(),
    title: Type.String(),
    expected: Type.String(),
    received: Type.String(),
  },
  { ...strict, description: 'the step of W3C WebAuthn L3 §7.1 or §7.2 that refused the ceremony' },
);

const MismatchSchema = Type.Object(
  {
    at: Type.String({ description: 'where the outcome differed: integrity, options, response, stored record …' }),
    expected: Type.String(),
    received: Type.String(),
    deviation: DeviationSchema,
    hint: Type.Optional(Type.String()),
    step: Type.Optional(FailedStepSchema),
  },
  strict,
);

const RefusalSchema = Type.Object(
  { status: Type.Integer(), code: Type.Optional(Type.String({ description: "the target's name for the failed check" })) },
  { ...strict, description: 'how the target refused the ceremony' },
);

const ExchangeSchema = Type.Object(
  {
    request: Type.String({ description: 'method and path, or the command of an exec step' }),
    sent: Type.String({ description: 'body, shortened' }),
    status: Type.Optional(Type.Integer()),
    received: Type.String({ description: 'shortened body, or the reason why there is none' }),
  },
  strict,
);

export const TestedStepSchema = Type.Object(
  {
    section: Type.String(),
    number: Type.Integer(),
    revision: Type.String({ description: 'revision of the standard to which the step number refers' }),
    slug: Type.String(),
    title: Type.String(),
    rule: Type.Optional(Type.String({ description: 'the rule within the step, e.g. "§8.2: the leaf is version 3"' })),
  },
  { ...strict, description: 'the step of W3C WebAuthn L3 that the case tests' },
);

const Count = Type.Integer({ minimum: 0 });

const CaseResultSchema = Type.Object(
  {
    id: Type.String(),
    source: Type.Enum(['fixture', 'case']),
    replay: Type.Optional(Type.Enum(['verbatim', 'rebound'])),
    title: Type.String(),
    tags: Type.Array(Type.String()),
    file: Type.Optional(Type.String()),
    expected: Type.String({ description: 'the expected outcome, e.g. "verified" or "401 signature_invalid"' }),
    status: Type.Enum(['passed', 'failed', 'not_applicable', 'not_run']),
    reason: Type.Optional(Type.String({ description: 'why the case is not applicable or did not run' })),
    member: Type.Optional(Type.String({ description: 'the profile member that would let the case be judged, e.g. "signOut"' })),
    skipped: Type.Optional(Type.Literal(true, { description: 'the profile excludes the case, which then counts as not applicable' })),
    mismatches: Type.Array(MismatchSchema),
    tests: Type.Optional(TestedStepSchema),
    references: Type.Optional(
      Type.Array(Type.String(), {
        description: 'entries of CWE, OWASP ASVS 5.0, NIST SP 800-63B-4 and MITRE ATT&CK to which the case relates, e.g. "CWE-346"',
      }),
    ),
    attestation_format: Type.Optional(Type.String({ description: 'the attestation statement format that the case tests (§8.1)' })),
    flaky: Type.Optional(Type.Literal(true, { description: 'repetitions of the case ended differently; the case counts as failed' })),
    repeats: Type.Optional(
      Type.Object(
        { passed: Count, failed: Count },
        { ...strict, description: 'how the repetitions ended, if the case ran more than once' },
      ),
    ),
    code: Type.Optional(
      Type.Enum(['preparation_failed', 'control_failed'], {
        description: 'why the case could not be judged, which fails the run: a request that prepares it went wrong, or its control failed',
      }),
    ),
    control: Type.Optional(Type.String({ description: 'the honest case that failed, for control_failed' })),
    known: Type.Optional(
      Type.Literal(true, {
        description: 'the failure does not fail this run, because the baseline has it or a fault of the library explains it',
      }),
    ),
    known_by: Type.Optional(Type.Enum(['baseline', 'library'], { description: 'why the failure is known' })),
    tolerated: Type.Optional(
      Type.Literal(true, { description: 'the failure does not fail this run, because it is less serious than --fail-on' }),
    ),
    cause: Type.Optional(
      Type.String({
        description: 'for a failed case, the mistake that the case reveals by itself; the cause of its finding may explain more cases',
      }),
    ),
    library: Type.Optional(Type.String({ description: 'the fault of a library that explains the failure' })),
    fixed_in: Type.Optional(
      Type.String({ description: 'the first version of the library without that fault; such a failure fails the run' }),
    ),
    advice: Type.Optional(Type.String({ description: 'why the case matters and what to change: in the list, and for a failed case' })),
    exchanges: Type.Optional(Type.Array(ExchangeSchema, { description: 'requests and responses of a failed case' })),
    refusal: Type.Optional(RefusalSchema),
    usual_refusal: Type.Optional(
      Type.Object(RefusalSchema.properties, {
        ...strict,
        description: 'how the target refuses most cases of this check, if it refused this case differently, so that the reason is unknown',
      }),
    ),
    remarks: Type.Optional(
      Type.Array(Type.String(), { description: 'unusual observations that are not failures, e.g. that the target was restarted' }),
    ),
    rerun: Type.Optional(Type.String({ description: 'the command that runs this case alone' })),
    duration_ms: Type.Number({ minimum: 0 }),
  },
  strict,
);

const BaselineSchema = Type.Object(
  {
    target: Type.String(),
    started_at: Type.String(),
    fixed: Type.Array(Type.String(), { description: 'cases that failed in the earlier run and pass now' }),
    missing: Type.Array(Type.String(), { description: 'cases that failed in the earlier run and did not run now' }),
  },
  { ...strict, description: 'the earlier report with which this one is compared' },
);

const MisfitSchema = Type.Object(
  {
    control: Type.String({ description: 'the honest case that failed, e.g. "login.default"' }),
    cases: Count,
    mismatches: Type.Array(MismatchSchema),
    exchanges: Type.Array(ExchangeSchema),
  },
  {
    ...strict,
    description:
      'a control that failed: attacks that depend on it would pass without testing anything; "cases" is the number of such cases',
  },
);

const FindingSchema = Type.Object(
  {
    cause: Type.String({ description: 'identifies the mistake, e.g. "origin"' }),
    severity: Type.Enum([...SEVERITY_NAMES]),
    title: Type.String({ description: 'one sentence that describes the mistake' }),
    gain: Type.Optional(Type.String({ description: 'what an attacker gains' })),
    advice: Type.Optional(Type.String({ description: 'why the mistake matters and what to change' })),
    steps: Type.Array(Type.String({ description: 'e.g. "§7.1 step 9, origin"' })),
    references: Type.Array(Type.String({ description: 'e.g. "CWE-346"' })),
    cases: Type.Array(Type.String(), { description: 'the failed cases that reveal the mistake, those closest to the cause first' }),
    known: Type.Optional(
      Type.Literal(true, { description: 'its cases do not fail the run, because the baseline has them or a library explains them' }),
    ),
    tolerated: Type.Optional(
      Type.Literal(true, { description: 'its cases do not fail the run, because they are less serious than --fail-on' }),
    ),
    rerun: Type.Optional(Type.String({ description: 'the shortest command that reproduces the mistake' })),
  },
  { ...strict, description: 'failed cases with a common cause' },
);

/** Entry of a case in the catalogue, before the case runs. `reason` says why the case is not applicable to a target. */
export const listedCaseSchema = Type.Pick(
  CaseResultSchema,
  ['id', 'source', 'replay', 'title', 'tags', 'file', 'expected', 'tests', 'references', 'attestation_format', 'advice', 'reason'],
  strict,
);
export type ListedCase = Static<typeof listedCaseSchema>;

/** Output of `passkey simulate --json`; published as `passkey-simulate-report.schema.json`. */
export const simulateReportSchema = Type.Object(
  {
    format: Type.Literal('passkey-simulate-report'),
    version: Type.Literal(1),
    tool_version: Type.String(),
    target: Type.String({ description: '"in-process" or the URL of the server under test' }),
    profile: Type.Optional(
      Type.Object(
        {
          name: Type.String(),
          file: Type.Optional(Type.String({ description: 'path of the profile, unless it is built in' })),
          library: Type.Optional(Type.String({ description: 'name of the WebAuthn library that the target uses' })),
        },
        { ...strict, description: 'the profile that describes how to talk to the target' },
      ),
    ),
    incomplete: Type.Optional(Type.Literal(true, { description: 'the run was interrupted; cases that did not run are "not_run"' })),
    started_at: Type.String(),
    duration_ms: Type.Number({ minimum: 0 }),
    summary: Type.Object(
      {
        total: Count,
        passed: Count,
        failed: Count,
        known: Type.Integer({ minimum: 0, description: 'number of failed cases that the baseline or a library explains' }),
        tolerated: Type.Integer({ minimum: 0, description: 'number of failed cases that are less serious than --fail-on' }),
        flaky: Type.Integer({ minimum: 0, description: 'number of failed cases whose repetitions ended differently' }),
        not_applicable: Count,
        skipped: Type.Integer({ minimum: 0, description: 'number of inapplicable cases that the profile excludes' }),
        not_run: Count,
        not_judged: Type.Integer({
          minimum: 0,
          description: 'number of cases that did not run because their preparation or control failed, which fails the run',
        }),
      },
      strict,
    ),
    misfits: Type.Optional(Type.Array(MisfitSchema, { description: 'failed controls, which come before any finding and fail the run' })),
    baseline: Type.Optional(BaselineSchema),
    findings: Type.Array(FindingSchema, { description: 'the failed cases grouped by cause, the most serious first' }),
    results: Type.Array(CaseResultSchema),
  },
  strict,
);

/** A difference between the expected and the actual outcome. Values are shortened and contain no secrets. */
export type Mismatch = Static<typeof MismatchSchema>;

/** The step of the standard at which the target says it refused a ceremony. */
export type FailedStep = Static<typeof FailedStepSchema>;
/** The step of the standard that a case tests. */
export type TestedStep = Static<typeof TestedStepSchema>;
/** A request and its response. Values are shortened and contain no secrets. */
export type Exchange = Static<typeof ExchangeSchema>;
/** How a target refused a ceremony: status and message of its response. */
export type Refusal = Static<typeof RefusalSchema>;
/** A control that failed: an honest ceremony that the target did not accept. */
export type Misfit = Static<typeof MisfitSchema>;
/** A mistake of the target, with the failed cases that reveal it. */
export type Finding = Static<typeof FindingSchema>;
export type CaseResult = Static<typeof CaseResultSchema>;
export type SimulateReport = Static<typeof simulateReportSchema>;
/** A report that the reporters can write, from any command. */
export type CaseReport = Omit<SimulateReport, 'format'> & { readonly format: string };

/** Makes a unique key for a case. The ID is not enough, because a fixture can be replayed in two ways under one ID. */
export function caseKey({ id, replay }: { readonly id: string; readonly replay?: CaseResult['replay'] | undefined }): string {
  return replay === undefined ? id : `${id} ${replay}`;
}

export function summarize(results: readonly CaseResult[]): SimulateReport['summary'] {
  const count = (holds: (result: CaseResult) => boolean) => results.filter((result) => holds(result)).length;
  return {
    total: results.length,
    passed: count(({ status }) => status === 'passed'),
    failed: count(({ status }) => status === 'failed'),
    known: count(({ known }) => known === true),
    tolerated: count(({ tolerated }) => tolerated === true),
    flaky: count(({ flaky }) => flaky === true),
    not_applicable: count(({ status }) => status === 'not_applicable'),
    skipped: count(({ skipped }) => skipped === true),
    not_run: count(({ status }) => status === 'not_run'),
    not_judged: count(({ code }) => code !== undefined),
  };
}

/** Checks whether a case's failure makes the whole run fail. Known and tolerated failures do not. */
export function failsRun({ status, known, tolerated }: CaseResult): boolean {
  return status === 'failed' && known !== true && tolerated !== true;
}

/**
 * Checks whether the run passed: at least one case ran, and every failure is known or tolerated. A run that is empty, is incomplete or
 * could not judge every case never passes.
 */
export function asExpected({ incomplete, misfits = [], summary: { passed, failed, known, tolerated, not_judged } }: CaseReport): boolean {
  if (incomplete === true || misfits.length > 0 || not_judged > 0) return false;
  return failed === known + tolerated && passed + failed > 0;
}

/** If preparation fails in more than this share of the cases, the server is not fit to be tested. */
const MOST_UNPREPARED = 0.05;

/**
 * Counts how often each failed response to a preparation occurred, the most frequent first. Returns an empty list if the server is fit for
 * testing.
 */
export function listUnfit({
  results,
  summary: { passed, failed },
}: CaseReport): readonly { readonly answer: string; readonly times: number }[] {
  const unprepared = results.filter(({ code }) => code === 'preparation_failed');
  if (unprepared.length <= MOST_UNPREPARED * (passed + failed + unprepared.length)) return [];
  const times = new Map<string, number>();
  for (const { mismatches } of unprepared) {
    const answer = nameAnswer(mismatches[0]?.deviation);
    times.set(answer, (times.get(answer) ?? 0) + 1);
  }
  return [...times].map(([answer, number]) => ({ answer, times: number })).toSorted((one, other) => other.times - one.times);
}

function nameAnswer(deviation: Mismatch['deviation'] | undefined): string {
  const by = deviation?.kind === 'not_prepared' ? deviation.by : undefined;
  if (by === undefined || by.kind === 'no_answer') return 'no answer';
  return by.kind === 'unreadable' ? `an answer (${by.status ?? '?'}) that the profile cannot read` : String(by.status ?? by.kind);
}
