import { expect, test } from 'vitest';
import {
  type AttestationInput,
  type AttestationReport,
  verifyAttestation,
} from '../../../src/relying-party/attestation/verify-attestation.js';

/** A statement, and the sub-checks of it that must fail and warn: those and no others. */
export interface Row {
  readonly name: string;
  readonly make: () => AttestationInput;
  readonly fails?: readonly string[];
  readonly warns?: readonly string[];
}

export function slugs(report: AttestationReport, status: string): string[] {
  return report.checks.filter((check) => check.status === status).map(({ slug }) => slug);
}

/** Runs a table of statements, one test a row. */
export function judged(rows: readonly Row[]): void {
  test.each(rows)('$name', ({ make, fails = [], warns = [] }) => {
    const report = verifyAttestation(make());
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
