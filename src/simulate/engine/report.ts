import Type, { type Static } from 'typebox';
import { strict } from '../../webauthn/schema-kit.js';

const MismatchSchema = Type.Object(
  {
    at: Type.String({ description: 'where the outcome differed: integrity, options, response, stored record …' }),
    expected: Type.String(),
    received: Type.String(),
    hint: Type.Optional(Type.String()),
    step: Type.Optional(
      Type.Object(
        {
          section: Type.String(),
          number: Type.Integer(),
          slug: Type.String(),
          title: Type.String(),
          expected: Type.String(),
          received: Type.String(),
        },
        { ...strict, description: 'the step of W3C WebAuthn L3 §7.1 or §7.2 that refused the ceremony' },
      ),
    ),
  },
  strict,
);

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
    reason: Type.Optional(Type.String({ description: 'why it is not applicable or was not run' })),
    mismatches: Type.Array(MismatchSchema),
    duration_ms: Type.Number({ minimum: 0 }),
  },
  strict,
);

const Count = Type.Integer({ minimum: 0 });

/** What `passkey simulate --json` prints; shipped as `passkey-simulate-report.schema.json`. */
export const simulateReportSchema = Type.Object(
  {
    format: Type.Literal('passkey-simulate-report'),
    version: Type.Literal(1),
    tool_version: Type.String(),
    target: Type.String({ description: '"in-process" or the URL of the server under test' }),
    started_at: Type.String(),
    duration_ms: Type.Number({ minimum: 0 }),
    summary: Type.Object({ total: Count, passed: Count, failed: Count, not_applicable: Count, not_run: Count }, strict),
    results: Type.Array(CaseResultSchema),
  },
  strict,
);

/** One difference between the expected and the actual outcome. Values are shortened and never secret. */
export type Mismatch = Static<typeof MismatchSchema>;
export type CaseResult = Static<typeof CaseResultSchema>;
export type SimulateReport = Static<typeof simulateReportSchema>;

export function summarize(results: readonly CaseResult[]): SimulateReport['summary'] {
  const count = (status: CaseResult['status']) => results.filter((result) => result.status === status).length;
  return {
    total: results.length,
    passed: count('passed'),
    failed: count('failed'),
    not_applicable: count('not_applicable'),
    not_run: count('not_run'),
  };
}

/** Whether the run passed: something ran, and all that ran went as expected. Nothing run is never a pass. */
export function asExpected({ summary }: SimulateReport): boolean {
  return summary.failed === 0 && summary.passed > 0;
}
