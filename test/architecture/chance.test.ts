import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TESTS = join(import.meta.dirname, '..');
const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));

/** What lets chance or the speed of the machine decide, and what does not. */
const INSTEAD: readonly [pattern: RegExp, instead: string][] = [
  [/from 'fast-check'/, 'fc of test/properties.ts, which tries the same values in every run'],
  [/expect\.poll\(|vi\.waitFor\(|vi\.waitUntil\(/, 'until() of test/until.ts, which does not give up after a second'],
  [/\.waitForTimeout\(/, 'a locator, a response or until(): what is waited for'],
];

test.each(INSTEAD)('no test has %s: it takes %s', (pattern) => {
  // This file shows them.
  const found = files.filter(
    (file) => file !== join('architecture', 'chance.test.ts') && pattern.test(readFileSync(join(TESTS, file), 'utf8')),
  );
  expect(found).toEqual([]);
});
