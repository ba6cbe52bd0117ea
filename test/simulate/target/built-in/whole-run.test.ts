import { expect, test } from 'vitest';
import { simulate } from '../../../../src/simulate/simulate.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { startAuthentik } from '../../../targets/authentik.js';
import { startBetterAuth } from '../../../targets/better-auth.js';
import { startFido2 } from '../../../targets/fido2.js';
import { FIDO2_LIB_ALGORITHMS, fido2Lib } from '../../../targets/fido2-lib.js';
import { startHanko } from '../../../targets/hanko.js';
import { startHankoFlow } from '../../../targets/hanko-flow.js';
import type { Target } from '../../../targets/http.js';
import { startKeycloak } from '../../../targets/keycloak.js';
import {
  BETTER_AUTH_FAULTS,
  FIDO2_LIB_FAULTS,
  KEYCLOAK_SHAPE_FAULTS,
  type KnownFaults,
  SIMPLE_WEBAUTHN_EDDSA_FAULTS,
  SIMPLE_WEBAUTHN_FAULTS,
} from '../../../targets/known-faults.js';
import { startKratos } from '../../../targets/kratos.js';
import { startSimpleWebAuthn } from '../../../targets/simplewebauthn.js';
import { startWebauthnIo } from '../../../targets/webauthn-io.js';

/** Each is a few seconds of computing; beside other tests it takes as long as they let it. */
const TIMEOUT_MS = 300_000;

test.each<[string, string, () => Promise<Target>, KnownFaults]>([
  ['better-auth', 'better-auth', startBetterAuth, BETTER_AUTH_FAULTS],
  ['the routes of SimpleWebAuthn', 'simplewebauthn', startSimpleWebAuthn, SIMPLE_WEBAUTHN_FAULTS],
  ['a FIDO server over @simplewebauthn/server', 'fido2', () => startFido2(), SIMPLE_WEBAUTHN_EDDSA_FAULTS],
  ['a FIDO server over fido2-lib', 'fido2', () => startFido2({ verifier: fido2Lib, algorithms: FIDO2_LIB_ALGORITHMS }), FIDO2_LIB_FAULTS],
  ['the shape of webauthn.io', 'webauthn.io', startWebauthnIo, SIMPLE_WEBAUTHN_EDDSA_FAULTS],
  ["the shape of Hanko's older API", 'hanko', startHanko, SIMPLE_WEBAUTHN_EDDSA_FAULTS],
  ["the shape of Hanko's flow API", 'hanko-flow', startHankoFlow, SIMPLE_WEBAUTHN_EDDSA_FAULTS],
  ["the shape of Ory Kratos's flows", 'kratos', startKratos, SIMPLE_WEBAUTHN_EDDSA_FAULTS],
  ["the shape of Keycloak's pages", 'keycloak', startKeycloak, KEYCLOAK_SHAPE_FAULTS],
  ["the shape of authentik's flow executor", 'authentik', startAuthentik, SIMPLE_WEBAUTHN_EDDSA_FAULTS],
])(
  'a whole run against %s raises no false alarm',
  async (_title, name, start, faults) => {
    const target = await start();
    try {
      const profile = await readProfile(name, '.');
      const { results, summary } = await simulate({ fixtures: [], version: '0.0.0', target: { url: target.url, profile } });
      const failed = results.filter(({ status }) => status === 'failed');
      const shown = failed.map(({ id, mismatches }) => [
        id,
        faults[id] ?? mismatches.map((each) => `${each.at}: ${each.received}`).join('; '),
      ]);
      expect(Object.fromEntries(shown)).toEqual(faults);
      expect(summary).toMatchObject({ failed: Object.keys(faults).length, not_run: 0 });
      expect(summary.passed).toBeGreaterThan(60);
    } finally {
      await target.close();
    }
  },
  TIMEOUT_MS,
);
