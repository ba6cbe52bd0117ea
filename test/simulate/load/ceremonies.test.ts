import { afterEach, expect, test } from 'vitest';
import { systemKeyPairs } from '../../../src/authenticator/key-pair.js';
import { createCeremonies } from '../../../src/simulate/load/ceremonies.js';
import { openTarget } from '../../../src/simulate/load/open-target.js';
import { createPasskeys } from '../../../src/simulate/load/passkeys.js';
import type { LoadClock } from '../../../src/simulate/load/schedule.js';
import { createTally } from '../../../src/simulate/load/tally.js';
import { independentProfile, type PartyUnderLoad, partyUnderLoad } from './party-under-load.js';

let party: PartyUnderLoad | undefined;
afterEach(() => party?.close());

/** A ceremony that was due at 100 ms and begins at 500 ms; its first request takes 20 ms, by a clock that nothing else moves. */
test('a ceremony that had to wait is measured from when it was due', async () => {
  let now = 500;
  party = await partyUnderLoad({
    intercept(answer, { name }) {
      if (name === 'POST /api/passkeys/register/options') now += 20;
      return answer;
    },
  });
  const { url, tokens } = party;
  const clock: LoadClock = { now: () => now, sleep: () => Promise.resolve() };
  const target = await openTarget({ target: { url, tokens, profile: await independentProfile() }, signal: new AbortController().signal });
  const [tally, passkeys] = [createTally(), createPasskeys(10)];
  const mix = { registrations: 1, logins: 0 };
  await createCeremonies({ target, clock, tally, passkeys, mix, newPrivateKey: systemKeyPairs })(0, 100);
  await target.close();

  const { options, register } = tally.requests();
  expect(options.latency_ms?.max).toBeCloseTo(420, 0);
  expect(register.latency_ms?.max).toBeLessThan(1);
  expect(tally.ceremonies(1000, 0).latency_ms?.max).toBeCloseTo(420, 0);
  expect(tally.lateness()?.max).toBeCloseTo(400, 0);
  expect(passkeys.held()).toHaveLength(1);
});
