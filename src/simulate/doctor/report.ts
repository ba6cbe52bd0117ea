import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { DIFFERS } from '../report/deviation.js';
import { type CaseReport, type CaseResult, summarize } from '../report/report.js';

const status = Type.Enum(['pass', 'warn', 'fail', 'skip'], {
  description: 'skip: there was nothing to check, which does not count as a pass',
});
const Count = Type.Integer({ minimum: 0 });

/** Schema of the output of `passkey doctor --json`, shipped as `doctor.schema.json`. */
export const doctorReportSchema = Type.Object(
  {
    format: Type.Literal('passkey-doctor-report'),
    version: Type.Literal(1),
    tool_version: Type.String(),
    url: Type.String(),
    rp_id: Type.String(),
    started_at: Type.String(),
    duration_ms: Type.Number({ minimum: 0 }),
    summary: Type.Object({ pass: Count, warn: Count, fail: Count, skip: Count }, strict),
    checks: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          title: Type.String({ description: 'the rule' }),
          status,
          found: Type.String(),
          fix: Type.Optional(Type.String({ description: 'what to change; only with the status warn or fail' })),
          source: Type.String({ description: 'URL of the rule' }),
        },
        strict,
      ),
    ),
    origins: Type.Optional(
      Type.Array(
        Type.Object({ origin: Type.String(), named_by: Type.String(), registration: Type.String(), login: Type.String() }, strict),
        { description: 'with --target: each origin that a well-known file lists, and what the server did: "accepted", or its answer' },
      ),
    ),
    requests: Type.Array(Type.Object({ method: Type.String(), url: Type.String(), status: orNull(Type.Integer()) }, strict), {
      description: 'all requests except those of ceremonies; TLS is a handshake',
    }),
  },
  { ...strict, title: 'passkey doctor --json' },
);

export type DoctorReport = Static<typeof doctorReportSchema>;
export type CheckResult = DoctorReport['checks'][number];

/** The least serious check result that makes `passkey doctor` fail. */
export type FailOn = 'warn' | 'fail';

export const isFailure = ({ status: result }: CheckResult, failOn: FailOn): boolean => result === 'fail' || result === failOn;

/** Converts a report so that the reporters of `simulate` can write it: each check becomes a case, and each warning or failure a finding. */
export function toCaseReport({ checks, url, tool_version, started_at, duration_ms }: DoctorReport, failOn: FailOn): CaseReport {
  const results = checks.map((check): CaseResult => {
    const { id, title, found, fix, status: result } = check;
    const isProblem = result === 'warn' || result === 'fail';
    return {
      id,
      source: 'case',
      title,
      tags: [],
      expected: title,
      status: isProblem ? 'failed' : result === 'pass' ? 'passed' : 'not_applicable',
      mismatches: isProblem ? [{ at: id, expected: title, received: found, deviation: DIFFERS }] : [],
      ...(result === 'skip' && { reason: found }),
      ...(fix !== undefined && { advice: fix }),
      ...(isProblem && !isFailure(check, failOn) && { tolerated: true }),
      duration_ms: 0,
    };
  });
  const findings = checks.flatMap((check) => {
    const { id, title, fix, source, status: result } = check;
    if (fix === undefined) return [];
    const severity = result === 'fail' ? ('medium' as const) : ('low' as const);
    const tolerated = !isFailure(check, failOn) && { tolerated: true as const };
    return [{ cause: id, severity, title, advice: fix, steps: [], references: [source], cases: [id], ...tolerated }];
  });
  const format = 'passkey-doctor-report';
  return { format, version: 1, tool_version, target: url, started_at, duration_ms, summary: summarize(results), findings, results };
}
