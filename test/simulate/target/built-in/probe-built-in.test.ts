import { describe, expect, test } from 'vitest';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import { probe } from '../../../../src/simulate/target/probe.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { startAuthentik } from '../../../targets/authentik.js';
import { startBetterAuth } from '../../../targets/better-auth.js';
import { startFido2 } from '../../../targets/fido2.js';
import { startHanko } from '../../../targets/hanko.js';
import { startHankoFlow } from '../../../targets/hanko-flow.js';
import type { Target } from '../../../targets/http.js';
import { startKeycloak } from '../../../targets/keycloak.js';
import { startKratos } from '../../../targets/kratos.js';
import { startSimpleWebAuthn } from '../../../targets/simplewebauthn.js';
import { startWebauthnIo } from '../../../targets/webauthn-io.js';

const TARGETS: Readonly<Record<string, () => Promise<Target>>> = {
  'better-auth': startBetterAuth,
  simplewebauthn: startSimpleWebAuthn,
  fido2: startFido2,
  'webauthn.io': startWebauthnIo,
  hanko: startHanko,
  'hanko-flow': startHankoFlow,
  kratos: startKratos,
  keycloak: startKeycloak,
  authentik: startAuthentik,
};

describe('a probe by a built-in profile', () => {
  test.each(Object.entries(TARGETS))('fits %s, and finds the logins that the profile has', async (name, start) => {
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
