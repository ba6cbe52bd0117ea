import { expect, test } from 'vitest';
import { type AttestationReport, verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import type { AttestationInput } from './statements.js';

/** A change of the good statement, or what makes another, and the sub-checks that must fail and warn: those and no others. */
type Row<Change> = readonly [name: string, change: Change | (() => AttestationInput), fails?: readonly string[], warns?: readonly string[]];

export function slugs(report: AttestationReport, status: string): string[] {
  return report.checks.filter((check) => check.status === status).map(({ slug }) => slug);
}

/** Runs a table of statements, one test a row. */
export function judged<Change extends object>(make: (change?: Change) => AttestationInput, rows: readonly Row<NoInfer<Change>>[]): void {
  const named = rows.map(([name, change, fails = [], warns = []]) => ({ name, change, fails, warns }));

  test.each(named)('$name', ({ change, fails, warns }) => {
    const report = verifyAttestation(typeof change === 'function' ? change() : make(change));
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
