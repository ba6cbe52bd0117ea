import { describe, expect, test } from 'vitest';
import { reportFaults } from './catalogue.js';

const turn = (gate: string, set: unknown) => [{ request: 'POST /api/admin/gates', json: { user: '{user.email}', gate, set } }];
const GATES = ['lifecycle.gate-*'];

/** How each case about gates ended, without the beginning of its id. */
async function endings(faults: Parameters<typeof reportFaults>[0], gates: Parameters<typeof reportFaults>[1]) {
  const { results, findings } = await reportFaults(faults, { setting: 'accounts', cases: GATES, ...gates });
  const ended = results.map(({ id, status, code }) => [id.replace('lifecycle.gate-', ''), code ?? status] as const);
  return { results, findings, ended: Object.fromEntries(ended) };
}

describe('cases about gates', () => {
  test('try every gate of the profile, and name those that let a passkey through', async () => {
    const gates = {
      deletion: { set: turn('deletion', true), lift: turn('deletion', false) },
      'second-factor': { set: turn('second-factor', true), lift: turn('second-factor', false) },
    };
    const { results, findings } = await endings(['gate-unchecked-at-login'], { profile: { gates } });
    expect(findings.map(({ cause, severity, references }) => [cause, severity, references])).toEqual([
      ['gate-bypass', 'high', ['CWE-288', 'ASVS 6.3.4', 'ATT&CK T1078']],
    ]);
    const failed = results.find(({ id }) => id === 'lifecycle.gate-login');
    expect(failed?.mismatches.map(({ at, expected, received }) => [at, expected, received])).toEqual([
      ['the login, with the gate "deletion"', 'refused', 'accepted (200), for the owner of the passkey'],
      ['the login, with the gate "second-factor"', 'refused', 'accepted (200), for the owner of the passkey'],
    ]);
  });

  test('do not judge what a gate is not said to stop', async () => {
    const gates = { locked: { set: turn('locked', true), lift: turn('locked', false), stops: ['recovery' as const] } };
    const { results, ended } = await endings(['gate-keeps-sessions'], { profile: { gates } });
    expect(ended).toEqual({
      lifted: 'passed',
      login: 'passed',
      'login-discoverable': 'passed',
      'login-begun': 'passed',
      verify: 'not_applicable',
      session: 'not_applicable',
      'adds-passkey': 'not_applicable',
      'registration-begun': 'not_applicable',
      recovery: 'passed',
    });
    expect(results.find(({ id }) => id === 'lifecycle.gate-session')?.reason).toBe(
      'not judged: no gate of the profile says that it stops sessions that are open (stops: sessions)',
    );
  });

  test('are listed as not judged where the profile has no gates', async () => {
    const { results } = await endings([], { profile: { gates: {} } });
    expect([...new Set(results.filter(({ id }) => id !== 'lifecycle.gate-verify').map(({ reason }) => reason))]).toEqual([
      'not judged: the profile does not say how to lock, disable or unverify a user (gates)',
    ]);
  });

  test('accuse no server whose gate was not set, or not lifted', async () => {
    const unset = { locked: { set: turn('locked', false), lift: turn('locked', false), stops: ['sessions' as const] } };
    const { results, ended, findings } = await endings([], { profile: { gates: unset } });
    expect(ended).toMatchObject({ lifted: 'failed', login: 'control_failed', 'login-begun': 'control_failed', session: 'control_failed' });
    expect(findings.map(({ cause, severity }) => [cause, severity])).toEqual([['gate-unset', 'medium']]);
    expect(results.find(({ id }) => id === 'lifecycle.gate-lifted')?.mismatches[0]).toMatchObject({
      at: 'the sign-in with a password, with the gate "locked" (preparation)',
      hint: expect.stringContaining('a command that changes no row of the database succeeds'),
    });

    const unlifted = { locked: { set: turn('locked', true), lift: turn('locked', true) } };
    expect((await endings([], { profile: { gates: unlifted } })).ended).toMatchObject({ lifted: 'failed', login: 'control_failed' });
    const refused = { locked: { set: turn('', 7).map((request) => ({ ...request, json: {} })), lift: turn('locked', false) } };
    expect((await endings([], { profile: { gates: refused } })).ended).toMatchObject({ lifted: 'failed', login: 'control_failed' });
  });

  test('leave the users of a server that has only two signed in', async () => {
    const { results, summary } = await reportFaults([], { setting: 'signedIn', cases: [...GATES, 'session.registration-keeps-user'] });
    expect(results.filter(({ code, status }) => code !== undefined || status === 'failed')).toEqual([]);
    expect(summary.passed).toBe(9);
  });

  test('lift each gate again, so that later cases find the user as before', async () => {
    const { results } = await reportFaults(['gate-unchecked-at-login'], { cases: [...GATES, 'login.default', 'register.default'] });
    const others = results.filter(({ id }) => !id.startsWith('lifecycle.'));
    expect(others.map(({ id, status }) => [id, status])).toEqual([
      ['register.default', 'passed'],
      ['login.default', 'passed'],
    ]);
    expect(results.flatMap(({ remarks = [] }) => remarks)).toEqual([]);
  });
});
