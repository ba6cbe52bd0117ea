import { expect } from 'vitest';
import { simulate } from '../../../../src/simulate/simulate.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { startAuthentik } from '../../../targets/authentik.js';
import { startBetterAuth } from '../../../targets/better-auth.js';
import { startFido2 } from '../../../targets/fido2.js';
import { startFido2Lib } from '../../../targets/fido2-lib.js';
import { startHanko } from '../../../targets/hanko.js';
import { startHankoFlow } from '../../../targets/hanko-flow.js';
import type { Target } from '../../../targets/http.js';
import { startKeycloak } from '../../../targets/keycloak.js';
import {
  AUTHENTIK_SHAPE_FAULTS,
  BETTER_AUTH_FAULTS,
  FIDO2_LIB_FAULTS,
  FIDO2_SHAPE_FAULTS,
  HANKO_SHAPE_FAULTS,
  KEYCLOAK_SHAPE_FAULTS,
  type KnownFaults,
  SIMPLE_WEBAUTHN_EDDSA_FAULTS,
  SIMPLE_WEBAUTHN_FAULTS,
  SPRING_SECURITY_SHAPE_FAULTS,
  WEBAUTHN_IO_SHAPE_FAULTS,
} from '../../../targets/known-faults.js';
import { startKratos } from '../../../targets/kratos.js';
import { startLaravel } from '../../../targets/laravel.js';
import { startSimpleWebAuthn } from '../../../targets/simplewebauthn.js';
import { startSpringSecurity } from '../../../targets/spring-security.js';
import { startWebauthnIo } from '../../../targets/webauthn-io.js';

export interface Proved {
  /** What the target is, for the title of a test. */
  readonly of: string;
  /** Of the built-in profile. */
  readonly name: string;
  start(): Promise<Target>;
  /** Attestation formats that it takes; default: those of the profile. */
  readonly formats?: readonly string[];
  /** Replaces variables of the profile. */
  variables?(url: string): Readonly<Record<string, string>>;
  readonly faults: KnownFaults;
}

/** Every target that the catalogue is run against by a built-in profile. */
export const PROVED: readonly Proved[] = [
  { of: 'better-auth', name: 'better-auth', start: startBetterAuth, faults: BETTER_AUTH_FAULTS },
  { of: 'the routes of SimpleWebAuthn', name: 'simplewebauthn', start: startSimpleWebAuthn, faults: SIMPLE_WEBAUTHN_FAULTS },
  { of: 'a FIDO server over @simplewebauthn/server', name: 'fido2', start: startFido2, faults: FIDO2_SHAPE_FAULTS },
  // It knows TPM keys that are RSA only.
  {
    of: 'a FIDO server over fido2-lib',
    name: 'fido2',
    start: startFido2Lib,
    formats: ['none', 'packed', 'fido-u2f'],
    faults: FIDO2_LIB_FAULTS,
  },
  { of: 'the shape of webauthn.io', name: 'webauthn.io', start: startWebauthnIo, faults: WEBAUTHN_IO_SHAPE_FAULTS },
  { of: "the shape of Hanko's older API", name: 'hanko', start: startHanko, faults: HANKO_SHAPE_FAULTS },
  { of: "the shape of Hanko's flow API", name: 'hanko-flow', start: startHankoFlow, faults: SIMPLE_WEBAUTHN_EDDSA_FAULTS },
  {
    of: "the shape of Ory Kratos's flows",
    name: 'kratos',
    start: startKratos,
    // The admin API is on another port in the original.
    variables: (url) => ({ admin_url: url }),
    faults: SIMPLE_WEBAUTHN_EDDSA_FAULTS,
  },
  {
    of: "the shape of Spring Security's filters",
    name: 'spring-security',
    start: startSpringSecurity,
    variables: () => ({ whoami: '/me' }),
    faults: SPRING_SECURITY_SHAPE_FAULTS,
  },
  { of: "the shape of Laravel's Fortify", name: 'laravel', start: startLaravel, faults: SIMPLE_WEBAUTHN_FAULTS },
  { of: "the shape of Keycloak's pages", name: 'keycloak', start: startKeycloak, faults: KEYCLOAK_SHAPE_FAULTS },
  { of: "the shape of authentik's flow executor", name: 'authentik', start: startAuthentik, faults: AUTHENTIK_SHAPE_FAULTS },
];

/** Rows for `test.each`. */
export const byTitle = () => PROVED.map((proved) => [proved.of, proved] as const);

/** Runs the catalogue, or the cases that are given, against a target: each passes, or finds a fault that is known to be one. */
export async function expectNoFalseAlarm({ name, start, faults }: Proved, ids?: readonly string[]) {
  const target = await start();
  try {
    const profile = await readProfile(name, '.');
    const select = ids && { ids };
    const { results, summary } = await simulate({
      fixtures: [],
      version: '0.0.0',
      target: { url: target.url, profile },
      ...(select && { select }),
    });
    const failed = results.filter(({ status }) => status === 'failed');
    const shown = failed.map(({ id, mismatches }) => [
      id,
      faults[id] ?? mismatches.map((each) => `${each.at}: ${each.received}`).join('; '),
    ]);
    const known = Object.entries(faults).filter(([id]) => ids === undefined || ids.includes(id));
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(known));
    expect(summary).toMatchObject({ failed: known.length, not_run: 0 });
    return summary;
  } finally {
    await target.close();
  }
}
