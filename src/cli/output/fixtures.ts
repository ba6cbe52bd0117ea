import type { ExpectedOutcome } from '../../fixture/format.js';
import type { OutcomeRow } from '../schemas/fixtures.js';

/** An outcome as `--json` writes it. */
export function outcomeRow(expected: ExpectedOutcome): OutcomeRow {
  return expected.outcome === 'verified'
    ? { outcome: 'verified', code: null, step: null }
    : { outcome: 'rejected', code: expected.code, step: expected.step ?? null };
}
