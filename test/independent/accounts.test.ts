import { describe, expect, test as shared } from 'vitest';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { CAUSES } from '../../src/simulate/findings/causes.js';
import { listReferences } from '../../src/simulate/findings/references.js';
import { share, quick as test } from '../thorough.js';
import { reportFaults, runCatalogue } from './catalogue.js';
import { FAULTS } from './faults.js';
import { settingOf } from './settings.js';
import { readFirstFindings, readTold } from './told.js';

const LIFECYCLE = ALL_CASES.filter(({ id }) => id.startsWith('lifecycle.'));
const OF_ACCOUNTS = FAULTS.map(({ id }) => id).filter((id) => ['accounts', 'passkeyStepUps'].includes(settingOf(id)));

const told = await readTold();
const firstFindings = await readFirstFindings();

/** The causes of the first findings: one of each kind of fault. */
const FIRST = [
  'recovery-reuse',
  'recovery-check',
  'recovery-ends',
  'last-passkey',
  'fresh-sign-in',
  'step-up',
  'step-up-passkey',
  'step-up-verification',
  'step-up-reuse',
  'password-bypass',
  'unknown-users',
  'gate-bypass',
  'gate-sessions',
  'gate-recovery',
  'sign-up-known-address',
  'sign-up-race',
  'recovery-code-shown',
  'session-user',
  'session-repeats',
  'credential-removed',
  'passkeys-of-another-user',
];

describe('accounts of the independent relying party', () => {
  test('raise no alarm, and every case runs against them, with step-ups by password or by passkey', async () => {
    const { results } = await reportFaults([], { setting: 'accounts', cases: ['lifecycle.*'] });
    const { results: steppingUp } = await reportFaults([], { setting: 'passkeyStepUps' });
    const byPasskey = new Set(steppingUp.filter(({ status }) => status === 'passed').map(({ id }) => id));
    const others = results.filter(({ id, status }) => status !== 'passed' && !byPasskey.has(id));
    expect(others.map(({ id, reason }) => [id, reason])).toEqual([['lifecycle.gate-verify', 'tests the HTTP contract of passkey serve']]);
    expect(results).toHaveLength(LIFECYCLE.length);
    expect(steppingUp.filter(({ status }) => status !== 'passed').map(({ id, reason }) => [id, reason])).toEqual([
      ['lifecycle.step-up-refused', 'the profile’s stepUp requests do not send {user.password}'],
    ]);
  });

  test('judge a step-up without user verification by its options, else by the policy', async () => {
    const unverified = async (stepUp?: 'verified' | 'present') => {
      const has = { policy: { ...(stepUp && { stepUp }) } };
      const { results } = await reportFaults([], {
        setting: 'passkeyStepUps',
        policy: { stepUpVerification: 'preferred' },
        profile: { has },
        cases: ['lifecycle.step-up-not-verified'],
      });
      return results.map(({ status, reason }) => [status, reason]);
    };
    expect(await unverified('present')).toEqual([
      ['not_applicable', 'the target accepts a step-up without user verification (has.policy.stepUp)'],
    ]);
    expect(await unverified()).toEqual([
      [
        'not_applicable',
        'correct relying parties differ: the options of stepUp do not require user verification, and has.policy does not say whether the target does (stepUp)',
      ],
    ]);
    expect(await unverified('verified')).toEqual([['failed', undefined]]);
  });

  shared.each(share(FIRST, 3))('a fault of each kind is told by its first finding: %s', async (cause) => {
    const fault = OF_ACCOUNTS.find((id) => firstFindings.get(id) === cause);
    if (fault === undefined) throw new TypeError(`no fault has the first finding ${cause}`);
    const { first } = await runCatalogue([fault], { setting: settingOf(fault), cases: told.get(fault) ?? [] });
    expect(first?.cause).toBe(cause);
  });

  test('do not run what the profile does not say', async () => {
    const { results } = await reportFaults([], { cases: ['lifecycle.recovery', 'lifecycle.last-passkey', 'lifecycle.signed-out-removes'] });
    expect(results.map(({ status, reason }) => [status, reason])).toEqual([
      ['not_applicable', 'correct relying parties differ, and has.policy does not say what this one does (lastPasskey)'],
      ['not_applicable', 'remove sends a bearer token that is valid in every browser'],
      ['not_applicable', 'the profile does not say how a user gets back into an account without a passkey (recover)'],
    ]);
  });

  test('have references for every cause', () => {
    const causes = new Set(OF_ACCOUNTS.flatMap((id) => firstFindings.get(id) ?? []).filter((id) => !id.startsWith('failure')));
    expect([...causes].filter((id) => !CAUSES.some((cause) => cause.id === id) || listReferences(id).length === 0)).toEqual([]);
  });
});
