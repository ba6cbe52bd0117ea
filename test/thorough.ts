import { test } from 'vitest';

/** What {@link thorough} offers of `test`. */
interface Thorough {
  (title: string, body: () => Promise<void> | void): void;
  readonly each: typeof test.each;
}

const unregistered: Thorough = Object.assign(() => undefined, { each: () => () => undefined });

/** A test that only `npm run test:release` runs, in a file of which `npm test` runs the rest: vitest.release.config.ts sets PASSKEY_RELEASE. */
export const thorough: Thorough = process.env.PASSKEY_RELEASE === undefined ? unregistered : test;
