import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/relying-party/policy.js';
import type { StepReport, StepResult } from '../../../src/relying-party/steps/step.js';
import { withoutChance } from '../attestation/outcome.js';

type Status = StepResult['status'];

/** What one step of a ceremony must come to. */
export type Row<Slug extends string, Fields, Expectation> = readonly [
  slug: Slug,
  status: Status,
  when?: string,
  outcome?: {
    readonly fields?: Partial<Fields>;
    readonly expected?: Partial<Expectation>;
    /** Of a failed step. */
    readonly code?: string;
    /** In `received`, or in the reason of a skipped step. */
    readonly received?: string;
    readonly hint?: string;
    /** A step before it fails too, and is what a refusal is about. */
    readonly reported?: false;
  },
];

/** The failing rows that a policy can bring about: a whole relying party refuses them too. */
export function policyRows<Slug extends string, Fields, Expectation>(
  rows: readonly Row<Slug, Fields, Expectation>[],
  steps: readonly { readonly slug: Slug; readonly number: number }[],
) {
  return rows.flatMap(([slug, status, when, { code, fields, expected: policy = {}, reported = true } = {}]) => {
    const step = steps.find((candidate) => candidate.slug === slug);
    const isPolicy = Object.keys(policy).every((name) => name in DEFAULT_POLICY);
    return status === 'fail' && reported && isPolicy ? [{ slug, when, code, fields, policy, step }] : [];
  });
}

/** Runs a table of ceremonies, one step of one a test. */
export function stepped<Slug extends string, Fields, Expectation>(
  steps: readonly { readonly slug: Slug; readonly number: number }[],
  run: (fields: Partial<Fields>, expected: Partial<Expectation>) => readonly StepReport[],
  rows: readonly Row<Slug, Fields, Expectation>[],
): void {
  const named = rows.map(([slug, status, when = 'all is well', outcome = {}]) => {
    return { slug, status, when, ...outcome, number: steps.find((step) => step.slug === slug)?.number };
  });

  test('says of each what is recorded', async () => {
    const before = new Set<string>();
    const lines = named.flatMap(({ slug, when, fields = {}, expected = {} }) => {
      const reports = run(fields, expected).map((report) => {
        const { section, number, slug: step, title, failure, status } = report;
        const head = [`${section}/${number}`, step, title, failure, status];
        if (report.status === 'skip') return [...head, report.reason, report.open];
        const found = [...head, report.expected, report.received];
        return report.status === 'fail' ? [...found, report.code, report.hint] : found;
      });
      // What the lines before have already is left out.
      const added = reports.map((parts) => withoutChance(parts.join(' | '))).filter((line) => !before.has(line));
      for (const line of added) before.add(line);
      return [`${slug}, when ${when}:`, ...added.map((line) => `  ${line}`)];
    });
    const file = (expect.getState().testPath ?? '').replace(/\.test\.ts$/, '.txt');
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(file);
  });

  test.each(named)('step $number ($slug): $status when $when', ({ slug, status, code, received = '', hint = '', ...row }) => {
    const report = run(row.fields ?? {}, row.expected ?? {}).find((step) => step.slug === slug);
    expect(report).toMatchObject({ slug, status, number: row.number });
    if (report?.status === 'skip') {
      expect(report.reason).toContain(received);
      expect(report.reason).not.toBe('');
      return;
    }
    expect(report?.received).toContain(received);
    expect(report?.received).not.toBe('');
    expect(report?.expected).not.toBe('');
    if (report?.status === 'fail') {
      expect(report.code).toBe(code);
      expect(report.hint).toContain(hint);
      expect(report.hint, 'a sentence').toMatch(/^\S.*[.)]$/s);
    }
  });
}
