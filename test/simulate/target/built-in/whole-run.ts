import { expect, test } from 'vitest';
import { simulate } from '../../../../src/simulate/simulate.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import type { Target } from '../../../targets/http.js';
import type { KnownFaults } from '../../../targets/known-faults.js';

/** Each is a few seconds of computing; beside other tests it takes as long as they let it. */
const TIMEOUT_MS = 300_000;

export interface WholeRun {
  /** What the target is, for the title of the test. */
  readonly of: string;
  /** Of the built-in profile. */
  readonly name: string;
  start(): Promise<Target>;
  readonly faults: KnownFaults;
}

/** The test that every case of the catalogue, run against a target, passes or finds a fault that is known to be one. */
export function proveWholeRun({ of, name, start, faults }: WholeRun): void {
  test(
    `a whole run against ${of} raises no false alarm`,
    async () => {
      const target = await start();
      try {
        const profile = await readProfile(name, '.');
        const { results, summary } = await simulate({ fixtures: [], version: '0.0.0', target: { url: target.url, profile } });
        const failed = results.filter(({ status }) => status === 'failed');
        const shown = failed.map(({ id, mismatches }) => [
          id,
          faults[id] ?? mismatches.map((each) => `${each.at}: ${each.received}`).join('; '),
        ]);
        expect(Object.fromEntries(shown)).toEqual(faults);
        expect(summary).toMatchObject({ failed: Object.keys(faults).length, not_run: 0 });
        expect(summary.passed).toBeGreaterThan(300);
      } finally {
        await target.close();
      }
    },
    TIMEOUT_MS,
  );
}
