import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AttestationReport, verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import type { AttestationInput } from './statements.js';

/** A change of the good statement, or what makes another, and the sub-checks that must fail and warn: those and no others. */
type Row<Change> = readonly [name: string, change: Change | (() => AttestationInput), fails?: readonly string[], warns?: readonly string[]];

export function slugs(report: AttestationReport, status: string): string[] {
  return report.checks.filter((check) => check.status === status).map(({ slug }) => slug);
}

/** Sub-checks as lines of text. */
function listChecks({ checks }: Pick<AttestationReport, 'checks'>): string[] {
  return checks.map(({ slug, status, reference, expected, received, hint = '' }) =>
    [status, slug, reference, expected, received, hint].join(' | '),
  );
}

/** Leaves out of a line what the keys of a run decide: hashes, and the bytes and length of a signature and of a certificate. */
export const withoutChance = (line: string) =>
  line
    .replaceAll(/\b30[46][\da-f]{29}… \((?!20 |32 |34 |48 |64 )\d+ bytes\)/g, 'a signature')
    .replaceAll(/\bM[EG][\w-]{14}… \(\d+ bytes\)/g, 'a signature')
    .replaceAll(/(bytes), \d+ bytes$/g, '$1, … bytes')
    .replaceAll(/\b[2-9]\d\d bytes|\b\d{4} bytes/g, '… bytes')
    .replaceAll(/\b[\da-f]{32}…/g, '…')
    .replaceAll(/"[\w+/-]{43}(=?)"/g, '"…$1"')
    .replaceAll(/at byte \d+/g, 'at byte …')
    .replaceAll(/\d+ bytes of contents/g, '… bytes of contents');

/** The reports of a table as text; lines that stand in a report before are left out. */
export function listReports(rows: readonly { readonly name: string; readonly report: AttestationReport }[]): string {
  const before = new Set<string>();
  const lines = rows.flatMap(({ name, report }) => {
    const added = listChecks(report)
      .map(withoutChance)
      .filter((line) => !before.has(line));
    for (const line of added) before.add(line);
    const { verdict, attestationType, trust } = report;
    return [`${name}: ${verdict} | ${attestationType} | ${trust.status} | ${trust.check.received}`, ...added.map((line) => `  ${line}`)];
  });
  return `${lines.join('\n')}\n`;
}

/** Runs a table of statements, one test a row. */
export function judged<Change extends object>(make: (change?: Change) => AttestationInput, rows: readonly Row<NoInfer<Change>>[]): void {
  const named = rows.map(([name, change, fails = [], warns = []]) => ({ name, change, fails, warns }));

  const run = (change: (typeof named)[number]['change']) => verifyAttestation(typeof change === 'function' ? change() : make(change));

  test('says of each what is recorded', async () => {
    const path = (expect.getState().currentTestName ?? '').split(' > ').slice(0, -1).join(' ');
    const file = path
      .replaceAll(/\(§.*?\)/g, '')
      .trim()
      .replaceAll(/\W+/g, '-')
      .toLowerCase();
    await expect(listReports(named.map(({ name, change }) => ({ name, report: run(change) })))).toMatchFileSnapshot(
      join(import.meta.dirname, 'reports', `${file}.txt`),
    );
  });

  test.each(named)('$name', ({ change, fails, warns }) => {
    const report = run(change);
    expect(slugs(report, 'fail')).toEqual(fails);
    expect(slugs(report, 'warn')).toEqual(warns);
    expect(report.verdict).toBe(fails.length === 0 ? 'accepted' : 'rejected');
    // Every sub-check can be found again, says where it comes from, and what to do where it did not pass.
    expect(new Set(report.checks.map(({ slug }) => slug)).size).toBe(report.checks.length);
    for (const { status, reference, expected, received, hint } of report.checks) {
      expect(reference).toMatch(/^(§[678]|RFC )/);
      expect(expected).not.toBe('');
      expect(received).not.toBe('');
      expect(hint === undefined).toBe(status === 'pass' || status === 'skip');
    }
  });
}
