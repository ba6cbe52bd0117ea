import { expect, test } from 'vitest';
import type { AttestationRow } from '../../../../src/simulate/cases/attestation/row.js';
import { brokenRules, judgeRow } from './judge-row.js';

/** Each row is judged as it says, for the one rule that it says is broken. */
export function judgedAsTold(rows: readonly AttestationRow[]): void {
  const runs = rows.flatMap((row) => {
    const trusts = [...(row.onlyWithoutTrust ? [] : (['test root'] as const)), ...(row.needsTrust ? [] : (['no roots'] as const))];
    return trusts.map((trust) => ({ row, trust, id: row.id }));
  });

  test.each(runs)('$id with $trust', async ({ row, trust }) => {
    const judged = await judgeRow(row, trust);
    if (row.expected === 'accepted') {
      expect({ outcome: judged.outcome, broken: brokenRules(judged) }).toEqual({ outcome: 'accepted', broken: [] });
      return;
    }
    expect({ outcome: judged.outcome, broken: brokenRules(judged).toSorted() }).toEqual({
      outcome: `${row.code} at ${row.slug}`,
      broken: [row.check, ...(row.also ?? [])].toSorted(),
    });
  });
}
