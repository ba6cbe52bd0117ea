import { expect, test } from 'vitest';
import { fuzzKill } from '../fuzz/kill.js';
import { describeFindings } from '../fuzz/report.js';

test('three kills of servers and commands lose nothing that was acknowledged', async () => {
  const result = await fuzzKill({ seed: Number(process.env.PASSKEY_FUZZ_SEED ?? 1), inputs: 3 });
  expect(describeFindings(result)).toBe('');
});
