import { describe, expect, test } from 'vitest';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { listControls } from '../../src/simulate/cases/controls.js';
import { type Case, toScenario } from '../../src/simulate/engine/case.js';
import type { RunContext } from '../../src/simulate/engine/context.js';
import type { EarlierReport } from '../../src/simulate/engine/earlier-report.js';
import { describeScenario } from '../../src/simulate/engine/run-scenarios.js';
import { findTestedCause } from '../../src/simulate/findings/causes.js';
import { asExpected } from '../../src/simulate/public.js';
import { isAtLeast } from '../../src/simulate/report/severity.js';
import { renderEnd } from '../../src/simulate/reporters/pretty.js';
import { catchRun, type Instead, runAgainstUnsteady } from './unsteady-target.js';

const IN_PROCESS = { remote: undefined } as RunContext;
const CASES = new Map(ALL_CASES.map((each) => [each.id, each]));

const isSerious = (each: Case): boolean => isAtLeast(findTestedCause(describeScenario(toScenario(each, IN_PROCESS))).severity, 'high');

/** Cases that run against servers of others. */
const runsElsewhere = ({ needs = [], setup = {} }: Case): boolean => needs.length === 0 && Object.keys(setup).length === 0;

/** What the profile must say for a case. */
function listActions({ lacks }: Case): readonly string[] {
  const asked: string[] = [];
  lacks?.({
    has: {
      policy: {
        passwordOpens: [],
        freshSeconds: 1,
        recoverySeconds: 1,
        lastPasskey: 'kept',
        removedSessions: 'ended',
        signOutEnds: 'sessions',
      },
    },
    gates: [{ name: 'locked', stops: ['verify', 'sessions', 'registration', 'recovery'] }],
    opensAccounts: true,
    offers: (action) => asked.push(action) > 0,
    reads: () => false,
  });
  return asked.filter((action) => action !== 'whoami');
}

describe('every attack whose success would be critical or high', () => {
  const attacks = ALL_CASES.filter((each) => isSerious(each) && runsElsewhere(each));

  test('has honest controls', () => {
    expect(attacks.length).toBeGreaterThan(250);
    const without = attacks.filter((each) => listControls(each).length === 0 && each.expected.outcome === 'rejected');
    expect(without.map(({ id }) => id)).toEqual([]);
    const controls = new Set(attacks.flatMap((each) => listControls(each)));
    for (const id of controls) {
      const control = CASES.get(id);
      expect([id, control?.disputed, control && runsElsewhere(control)]).toEqual([id, undefined, true]);
      expect([id, id === 'lifecycle.password' ? 'verified' : control?.expected.outcome]).toEqual([id, 'verified']);
    }
  });

  test.each(attacks.map((each) => [each.id, each] as const))('%s has controls that are prepared as it is', (_, each) => {
    const controls = listControls(each).flatMap((id) => CASES.get(id) ?? []);
    const { wants = {}, browser } = each;
    if (wants.userVerification === 'required') expect(controls.map((control) => control.wants?.userVerification)).toContain('required');
    if (wants.topOrigin === true) expect(controls.map((control) => control.wants?.topOrigin)).toContain(true);
    if (wants.login === 'discoverable' && !each.id.startsWith('register.')) {
      expect(controls.map((control) => control.wants?.login)).toContain('discoverable');
    }
    if (wants.endpoint !== undefined) expect(controls.map((control) => control.wants?.endpoint)).toContain(wants.endpoint);
    const algorithms = browser?.authenticator?.algorithms;
    if (algorithms?.length === 1) expect(controls.map((control) => control.browser?.authenticator?.algorithms)).toContainEqual(algorithms);
    if (browser?.authenticator?.backupEligible === true) {
      expect(controls.map((control) => control.browser?.authenticator?.backupEligible)).toContain(true);
    }
    // One that should be accepted is as it should be.
    const honest = each.expected.outcome === 'verified' || each.id === 'lifecycle.password' ? [...controls, each] : controls;
    const actions = new Set(honest.flatMap((control) => listActions(control)));
    for (const action of listActions(each)) expect([...actions]).toContain(action);
  });
});

const LOGINS = { ids: ['register.origin-other-site', 'login.origin-other-site', 'login.signature-bit', 'login.default'] };
const refusesLogins: Instead = ({ path }) => (path === '/api/passkeys/login' ? { status: 400, json: { error: 'Wrong' } } : undefined);

describe('a server that refuses a plain login', () => {
  test('ends the run before its first case, with the request, the answer and what to check', async () => {
    const error = await catchRun(runAgainstUnsteady(refusesLogins, { select: LOGINS, failOn: 'critical' }));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
    const lines = error.message.split('\n');
    expect(lines[0]).toBe('A plain login (login.default) fails, so no case about logins can be judged.');
    expect(lines.at(-4)).toMatch(/^ {2}sent POST \/api\/passkeys\/login \{"id":/);
    expect(lines.slice(-3)).toEqual([
      '  came 400 {"error":"Wrong"}',
      '  POST /api/passkeys/login: expected accepted, got refused: 400 Wrong',
      'Check "authenticationOptions" and "authenticate" in the profile, and the server log; \'register.*\' runs the registration cases alone. --probe names the line of the profile that does not fit. --keep-going runs the cases anyway, but the run still fails.',
    ]);
  });

  test.each<[string, Instead]>([
    ['where the path is unknown to it', ({ path }) => (path === '/api/passkeys/login' ? 404 : undefined)],
    ['where its options are refused', ({ path }) => (path === '/api/passkeys/verify/options' ? 400 : undefined)],
    ['where it fails', ({ path }) => (path === '/api/passkeys/login' ? 500 : undefined)],
    [
      'where its options are those of a page',
      ({ path }) => (path === '/api/passkeys/verify/options' ? { status: 200, json: '<!doctype html>' } : undefined),
    ],
    ['where it is sent elsewhere', ({ path }) => (path === '/api/passkeys/login' ? 302 : undefined)],
    ['where there are too many requests', ({ path }) => (path === '/api/passkeys/login' ? 429 : undefined)],
  ])('does so %s', async (_, instead) => {
    const error = await catchRun(runAgainstUnsteady(instead, { select: LOGINS }));
    expect(error.message).toMatch(/^A plain login \(login\.default\) fails/);
  });

  test('does so although the baseline has it', async () => {
    const results = [{ id: 'login.default', status: 'failed' as const, cause: 'valid-refused' }];
    const baseline: EarlierReport = { format: 'passkey-simulate-report', version: 1, target: 'x', started_at: 'x', results };
    const error = await catchRun(runAgainstUnsteady(refusesLogins, { select: LOGINS, baseline }));
    expect(error.code).toBe('usage');
  });

  test('can be tested for its registrations alone', async () => {
    const report = await runAgainstUnsteady(refusesLogins, { select: { ids: ['register.origin-other-*'] } });
    expect(report.summary.passed).toBeGreaterThan(1);
    expect(asExpected(report)).toBe(true);
  });

  test('has no findings for what needs a login besides a registration', async () => {
    const ids = ['register.two-users-interleaved', 'register.around-login-of-another-user', 'register.challenge-of-login'];
    const noLogin: Instead = ({ path }) => (/\/(?:login|verify\/options)$/.test(path) ? 404 : undefined);
    const report = await runAgainstUnsteady(noLogin, { select: { ids: ['register.default', ...ids] } });
    expect(report.results.filter(({ id }) => ids.includes(id)).map(({ status, reason }) => [status, reason])).toEqual(
      ids.map(() => ['not_applicable', 'needs a login, and a plain login fails']),
    );
    expect(asExpected(report)).toBe(true);
  });

  test('is tested all the same with keepGoing, and fails the run at best', async () => {
    const report = await runAgainstUnsteady(refusesLogins, { select: LOGINS, failOn: 'critical', keepGoing: true });
    expect(report.results.map(({ id, status, code, control }) => [id, code ?? status, control])).toEqual([
      ['login.default', 'failed', undefined],
      ['register.origin-other-site', 'passed', undefined],
      ['login.origin-other-site', 'control_failed', 'login.default'],
      ['login.signature-bit', 'control_failed', 'login.es256'],
    ]);
    expect(report.misfits).toMatchObject([
      { control: 'login.default', cases: 1, mismatches: [{ deviation: { kind: 'refused', status: 400 } }] },
      { control: 'login.es256', cases: 1 },
    ]);
    expect(report.summary).toMatchObject({ failed: 1, tolerated: 1, not_judged: 2 });
    expect(asExpected(report)).toBe(false);
    const [first] = renderEnd(report, { colour: false }).split('\n');
    expect(first).toBe('The honest ceremony login.default fails, so that 1 case could not be judged.');
  });
});

test('a server that refuses plain registrations ends the run', async () => {
  const refuses: Instead = ({ path }) => (path === '/api/passkeys/register' ? 403 : undefined);
  const error = await catchRun(runAgainstUnsteady(refuses, { select: { ids: ['register.origin-*'] } }));
  expect(error.message).toMatch(/^A plain registration \(register\.default\) fails/);
});

test('a control that fails is the first line of the run, and cases that do not depend on it are judged', async () => {
  const refusesSynced: Instead = ({ path, body }) => {
    if (path !== '/api/passkeys/login') return undefined;
    const { response } = JSON.parse(String(body));
    return ((Buffer.from(response.authenticatorData, 'base64url')[32] ?? 0) & 0x08) > 0 ? 403 : undefined;
  };
  const report = await runAgainstUnsteady(refusesSynced, { select: { ids: ['login.backed-up-after-signing', 'login.origin-other-site'] } });
  expect(report.results.map(({ id, status, code }) => [id, code ?? status])).toEqual([
    ['login.origin-other-site', 'passed'],
    ['login.backed-up-after-signing', 'control_failed'],
  ]);
  expect(report.misfits).toMatchObject([{ cases: 1, mismatches: [{ deviation: { kind: 'refused', status: 403 } }] }]);
  expect(asExpected(report)).toBe(false);
});

test('a control runs once, however many cases depend on it', async () => {
  const ids = ['login.origin-other-site', 'login.origin-other-port', 'login.type-swapped', 'login.type-missing'];
  const count = async (selected: readonly string[]) => (await runAgainstUnsteady(() => undefined, { select: { ids: selected } })).sent;
  const [one, four] = [await count(ids.slice(0, 1)), await count(ids)];
  const alone = 6;
  expect(four - one).toBeLessThanOrEqual(3 * alone);
});
