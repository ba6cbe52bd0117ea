import { expect, test } from 'vitest';
import { passkeyHere } from './passkey-in-process.js';

// From the build, since all cases take long to load from their sources.
test.each([
  [
    ['simulate', 'login.challenge-used'],
    ['login.challenge-used', 'login.challenge-used-kept-cookies', 'login.challenge-used-later'],
  ],
  [['simulate', '--tag', 'registration,inval'], ['registration,invalid']],
  [['simulate', '--fixtures', 'fixtures/recorded', 'registration-syn'], ['registration-synced']],
  [['credential', 'answer', '--tamper', 'login.signature-bi'], ['login.signature-bit']],
])('passkey __complete -- %j', async (words, expected) => {
  const { code, stdout, stderr } = await passkeyHere(['__complete', '--', ...words], { cwd: process.cwd() });
  expect([code, stderr]).toEqual([0, '']);
  const [kind, ...lines] = stdout.trimEnd().split('\n');
  expect(kind).toBe('none');
  expect(lines).toHaveLength(expected.length);
  expect(new Set(lines.map((line) => line.split('\t')[0]))).toEqual(new Set(expected));
});
