import { expect, test } from 'vitest';
import { simulate } from '../../src/simulate/simulate.js';
import type { TargetProfile } from '../../src/simulate/target/profile-schema.js';
import { readProfile } from '../../src/simulate/target/read-profile.js';
import { startHanko } from '../targets/hanko.js';

async function run(whoami: TargetProfile['whoami'], ids = ['login.default']) {
  const target = await startHanko();
  try {
    const { profile, ...read } = await readProfile('hanko', '.');
    return await simulate({
      fixtures: [],
      version: '0.0.0',
      select: { ids },
      target: { url: target.url, profile: { ...read, profile: { ...profile, ...(whoami && { whoami }) } } },
    });
  } finally {
    await target.close();
  }
}

test.each([
  [
    'says that nobody is signed in',
    [{ request: 'GET /me', accept: { 'json nobody': '*' } }],
    /got .+\. Correct its "accept" or "take", or remove "whoami"\.$/,
  ],
  [
    'names another user at each login',
    [{ request: 'GET /me', take: { user: 'cookie hanko' } }],
    /got .+ instead of .+\. Correct its "accept" or "take"/,
  ],
])('stops before the first case where whoami of a plain login %s', async (_, whoami, message) => {
  await expect(run(whoami)).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(message) });
});
