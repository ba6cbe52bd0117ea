import { describe, expect, test } from 'vitest';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import { probe } from '../../../../src/simulate/target/probe.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { byTitle } from './whole-runs.js';

describe('a probe by a built-in profile', () => {
  test.each(byTitle())('fits %s, and finds the logins that the profile has', async (_, { name, start }) => {
    const target = await start();
    const { profile, where } = await readProfile(name, '.');
    const driver = openDriver({ profile, where, url: target.url });
    try {
      const { passed, steps, found } = await probe({ driver, profile, where, url: target.url });
      expect(steps.filter(({ status }) => status === 'failed')).toEqual([]);
      expect(passed).toBe(true);
      expect(found.logins).toEqual(driver.has.logins);
      expect(found.rp_id).toBe('localhost');
    } finally {
      driver.close();
      await target.close();
    }
  });
});
