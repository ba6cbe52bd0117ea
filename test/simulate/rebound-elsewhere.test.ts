import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startInProcess } from '../../src/simulate/engine/in-process.js';
import { simulate } from '../../src/simulate/simulate.js';
import { readProfile } from '../../src/simulate/target/read-profile.js';
import { startBetterAuth } from '../targets/better-auth.js';
import { startFido2 } from '../targets/fido2.js';
import type { Target } from '../targets/http.js';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { quick, thorough } from '../thorough.js';

const RECORDED = join(import.meta.dirname, '../../fixtures/recorded');
const UNSEEN = 'The target asks for attestation "none", so the recorded format';

/** What became of each recording at another relying party: passed, with a remark, or why it does not apply there. */
async function reboundAtUrl(name: string, url: string, tokens: string[] = []): Promise<Record<string, string>> {
  const profile = await readProfile(name, '.');
  const { results } = await simulate({
    fixtures: [RECORDED],
    replay: ['rebound'],
    cases: false,
    version: '0.0.0',
    target: { url, profile, tokens },
  });
  return Object.fromEntries(
    results.map(({ id, status, reason, mismatches, remarks = [] }) => {
      const unseen = remarks.filter((remark) => remark.startsWith(UNSEEN));
      return [id, [status, reason, ...(mismatches ?? []).map((each) => JSON.stringify(each)), ...unseen].filter(Boolean).join(': ')];
    }),
  );
}

async function reboundAt(name: string, start: () => Promise<Target>): Promise<Record<string, string>> {
  const target = await start();
  try {
    return await reboundAtUrl(name, target.url);
  } finally {
    await target.close();
  }
}

const ALL = {
  'login-discoverable': 'passed',
  'login-rs256': 'passed',
  'login-synced': 'passed',
  'login-u2f': 'passed',
  'login-user-not-verified': 'passed',
  'login-user-verified': 'passed',
  'registration-discoverable': 'passed',
  'registration-packed': 'passed',
  'registration-rs256': 'passed',
  'registration-synced': 'passed',
  'registration-u2f': 'passed',
  'registration-user-not-verified': 'passed',
  'registration-user-verified': 'passed',
  'verify-user-verified': 'passed',
};

const WITHOUT_DISCOVERABLE = {
  'login-discoverable': 'not_applicable: the target does not support a discoverable login',
  'login-synced': 'not_applicable: the target does not support a discoverable login',
};

/** Of a target whose logins name no credential: these answered without a user handle. */
const WITHOUT_NAMED = {
  'login-u2f': 'not_applicable: the target does not support a named login',
  'login-user-not-verified': 'not_applicable: the target does not support a named login',
};

/** It asks for no attestation, whatever is hoped for. */
const WITHOUT_ATTESTATION = {
  'registration-packed': `passed: ${UNSEEN} packed was not compared.`,
  'registration-u2f': `passed: ${UNSEEN} fido-u2f was not compared.`,
};

describe('the recordings that ship, re-bound', { timeout: 120_000 }, () => {
  quick('a FIDO server takes them with their attestations, which it asks for; it has named logins only', async () => {
    expect(await reboundAt('fido2', () => startFido2())).toEqual({ ...ALL, ...WITHOUT_DISCOVERABLE });
  });

  thorough('a server of passkey that requires user verification leaves out what did not do it', async () => {
    const inProcess = startInProcess();
    try {
      const { target, accounts } = await inProcess.open({ policy: { userVerification: 'required' } });
      const owner = await accounts.addOwner({ email: 'ada@example.org', name: 'Ada' });
      const { token } = await accounts.createToken({ owner });
      const why = 'not_applicable: the target requires user verification, but the recorded user was not verified';
      expect(await reboundAtUrl('passkey', target.url.href, [token])).toEqual({
        ...ALL,
        ...WITHOUT_ATTESTATION,
        'login-u2f': why,
        'login-user-not-verified': why,
        'registration-u2f': why,
        'registration-user-not-verified': why,
      });
    } finally {
      await inProcess.close();
    }
  });

  thorough('better-auth', async () => {
    expect(await reboundAt('better-auth', startBetterAuth)).toEqual({ ...ALL, ...WITHOUT_NAMED, ...WITHOUT_ATTESTATION });
  });

  thorough('the example of SimpleWebAuthn', async () => {
    expect(await reboundAt('simplewebauthn', startSimpleWebAuthn)).toEqual({ ...ALL, ...WITHOUT_DISCOVERABLE, ...WITHOUT_ATTESTATION });
  });
});
