import { test } from 'vitest';

/** What {@link thorough} and {@link quick} offer of `test`. */
interface Register {
  (title: string, body: () => Promise<void> | void): void;
  (title: string, options: { readonly timeout: number }, body: () => Promise<void> | void): void;
  readonly each: typeof test.each;
}
interface Test extends Register {
  skipIf(condition: boolean): Register;
}

const unregistered: Test = Object.assign(() => undefined, { each: () => () => undefined, skipIf: () => unregistered });

/** vitest.release.config.ts says so. */
export const IN_RELEASE = process.env.PASSKEY_RELEASE !== undefined;

/** A test that only `npm run test:release` runs, in a file of which `npm test` runs the rest. */
export const thorough: Test = IN_RELEASE ? test : unregistered;

/** A test of such a file that only `npm test` runs, so that none is counted twice. */
export const quick: Test = IN_RELEASE ? unregistered : test;

/** Rows of a long table that this suite runs: `npm test` one of every so many, by their place, `npm run test:release` the others. A new row is usually among the others. */
export function share<Row>(rows: readonly Row[], every: number): Row[] {
  return rows.filter((_, index) => (index % every === 0) !== IN_RELEASE);
}
