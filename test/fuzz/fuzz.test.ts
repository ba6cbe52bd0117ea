import { expect, test } from 'vitest';
import { describeFindings } from './report.js';
import { TARGETS, type Target } from './targets.js';

// A second or so of each quick target with the same inputs every time; `npm run fuzz` and `npm run test:release` take other seeds and more.
const SEED = Number(process.env.PASSKEY_FUZZ_SEED ?? 1);

// biome-ignore format: one row a line
const BOUNDED: readonly [target: Target, inputs: number, kinds: number][] = [
  ['parsers', 400, 40],
  ['files', 40, 12],
  ['http', 80, 13],
  ['store', 8, 5],
];

test.each(BOUNDED)('%s: %i inputs break no promise', async (target, inputs, kinds) => {
  const result = await TARGETS[target]({ seed: SEED, inputs });
  expect(describeFindings(result), `seed ${SEED}`).toBe('');
  expect(result.done).toBe(inputs);
  // The inputs reach what they are for.
  expect(result.outcomes.size).toBeGreaterThanOrEqual(kinds);
});
