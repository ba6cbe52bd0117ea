import { Value } from 'typebox/value';
import { afterEach, describe, expect } from 'vitest';
import { type LoadOptions, simulateLoad } from '../../../src/simulate/load/load.js';
import { isKept, loadReportSchema } from '../../../src/simulate/load/report.js';
import { quick as test, thorough } from '../../thorough.js';
import { countingClock } from './clocks.js';
import {
  answerOf,
  changed,
  type Intercept,
  independentProfile,
  lose,
  type PartyUnderLoad,
  partyUnderLoad,
  profileWithAccounts,
} from './party-under-load.js';

let party: PartyUnderLoad | undefined;
afterEach(() => party?.close());

const REGISTER = 'POST /api/passkeys/register';
const LOGIN = 'POST /api/passkeys/login';
const REGISTER_OPTIONS = `${REGISTER}/options`;
const VERIFY_OPTIONS = 'POST /api/passkeys/verify/options';
const LOGIN_OPTIONS = `${LOGIN}/options`;

/** The clock goes on with the work, so that about 20 ceremonies begin. */
async function load(options: Parameters<typeof partyUnderLoad>[0] = {}, more: Partial<LoadOptions> = {}) {
  party = await partyUnderLoad(options);
  const { url, tokens } = party;
  const target = { url, tokens, profile: await independentProfile() };
  const pace = { kind: 'concurrency', concurrency: 1 } as const;
  const report = await simulateLoad({ target, pace, duration: 200, clock: countingClock(), version: '0.0.0', ...more });
  expect([...Value.Errors(loadReportSchema, report)]).toEqual([]);
  return { report, party };
}

const onlyRegistrations = { mix: { registrations: 1, logins: 0 } };

describe('a load on a correct server', () => {
  test('counts what the server saw, finds everything there, and deletes it', async () => {
    const { report, party: server } = await load();
    const { registration, login } = report.ceremonies;
    const total = registration.accepted + login.accepted;
    expect(total).toBeGreaterThan(10);
    expect(registration).toEqual({ accepted: Math.ceil(total / 10), refused: 0, failed: 0, broken: 0 });
    expect(login).toMatchObject({ refused: 0, failed: 0, broken: 0 });
    expect(report.requests).toMatchObject({
      account: { accepted: 0, latency_ms: null },
      options: { accepted: total },
      register: { accepted: registration.accepted },
      login: { accepted: login.accepted },
    });
    const { logins, counters, lists, ...check } = report.check;
    expect(check).toEqual({ status: 'kept', acknowledged: registration.accepted, unanswered: 0, findings: [] });
    expect([logins, counters]).toEqual(Array.from({ length: 2 }, () => ({ checked: registration.accepted, wrong: 0 })));
    expect(lists).toEqual({ checked: 2, wrong: 0 });
    expect(isKept(report)).toBe(true);

    expect(server.times(REGISTER)).toBe(registration.accepted);
    expect(server.times(LOGIN, 200)).toBe(login.accepted + logins.checked);
    // The second witness is asked by the check, and not under load.
    expect(server.times('GET /api/session')).toBe(logins.checked + 2 * counters.checked);
    expect(server.times(LOGIN)).toBe(login.accepted + logins.checked + 2 * counters.checked);
    const begun = [REGISTER_OPTIONS, VERIFY_OPTIONS, LOGIN_OPTIONS].map((name) => server.times(name));
    expect(begun.reduce((a, b) => a + b)).toBe(total + lists.checked + logins.checked + 2 * counters.checked);
    expect(report.left).toEqual([]);
    expect(await server.passkeys()).toEqual([]);
  });

  thorough('the mix is as asked', async () => {
    const { report } = await load({}, { mix: { registrations: 2, logins: 1 } });
    const { registration, login } = report.ceremonies;
    expect(login.accepted).toBe(Math.floor((registration.accepted + login.accepted) / 3));
  });

  thorough('users and kinds of login take turns, whatever the mix', async () => {
    const { report, party: server } = await load({}, { mix: { registrations: 1, logins: 1 }, duration: 300 });
    const { registration, login } = report.ceremonies;
    expect(login.accepted).toBeGreaterThan(4);
    const { counters, logins, lists } = report.check;
    // The check logs in once with each kind.
    expect(server.times(LOGIN_OPTIONS) - 2 * counters.checked).toBe(Math.floor(login.accepted / 2));
    expect(server.times(VERIFY_OPTIONS) - logins.checked).toBe(Math.ceil(login.accepted / 2));
    expect(registration.accepted).toBeGreaterThan(1);
    expect(lists.checked).toBe(2);
  });

  thorough('while no passkey is free, there are more registrations', async () => {
    const { report } = await load({}, { mix: { registrations: 0, logins: 1 }, pace: { kind: 'concurrency', concurrency: 5 } });
    expect(report.ceremonies.registration.accepted).toBeGreaterThanOrEqual(5);
    expect(report.ceremonies.login.accepted).toBeGreaterThan(0);
  });

  test.each([
    ['keeps', 'kept'],
    ['loses', 'lost'],
  ])('asks for no second passkey of a user who has one at most; a server %s it', async (does, status) => {
    let accounts = 0;
    const intercept: Intercept = async (answer, { name, times }, own) => {
      if (name === 'POST /accounts') accounts += 1;
      if (name === REGISTER && does === 'loses' && times === 1) await lose(answer, own);
      return name === REGISTER_OPTIONS && times > accounts ? answerOf(409, { error: { reason: 'has_passkey' } }) : answer;
    };
    party = await partyUnderLoad({ intercept });
    const target = { url: party.url, profile: await profileWithAccounts({ passkeys: 1 }) };
    const pace = { kind: 'concurrency', concurrency: 1 } as const;
    const report = await simulateLoad({ target, pace, duration: 200, clock: countingClock(), version: '0.0.0' });
    expect(report.check).toMatchObject({ status, unanswered: 0, lists: { checked: 0 }, logins: { wrong: does === 'loses' ? 1 : 0 } });
    expect(party.times(REGISTER_OPTIONS)).toBe(accounts);
    expect(isKept(report)).toBe(status === 'kept');
  });

  test('makes accounts where the profile says how, and measures that', async () => {
    party = await partyUnderLoad();
    const target = { url: party.url, profile: await profileWithAccounts() };
    const pace = { kind: 'concurrency', concurrency: 1 } as const;
    const report = await simulateLoad({ target, pace, duration: 200, clock: countingClock(), version: '0.0.0' });
    const { accepted } = report.ceremonies.registration;
    expect(report.requests.account).toMatchObject({ accepted, latency_ms: { max: expect.any(Number) } });
    expect(report.check).toMatchObject({ status: 'kept', logins: { checked: accepted } });
    expect(party.times('POST /accounts')).toBe(accepted);
    expect(await party.passkeys()).toEqual([]);
  });

  thorough('the server in process is loaded without a target', async () => {
    const report = await simulateLoad({ duration: 200, clock: countingClock(), version: '0.0.0' });
    expect(report).toMatchObject({ target: 'in-process', errors: [], left: [], check: { status: 'kept' } });
    expect(report.ceremonies.login.accepted).toBeGreaterThan(0);
  });

  test('checks a sample of more passkeys than it is to check', async () => {
    const { report } = await load({}, { ...onlyRegistrations, check: 3 });
    expect(report.check).toMatchObject({ status: 'kept', logins: { checked: 3, wrong: 0 } });
    expect(report.check.acknowledged).toBeGreaterThan(3);
  });

  thorough('the rate is kept', async () => {
    const { report, party: server } = await load({}, { pace: { kind: 'rate', per_second: 100 } });
    expect(report.ceremonies.registration.accepted + report.ceremonies.login.accepted).toBe(20);
    expect(server.times(REGISTER)).toBe(report.ceremonies.registration.accepted);
    expect(report.client.late_ms).not.toBeNull();
  });
});

describe('a server that does not keep what it acknowledged', () => {
  thorough('loses registrations', async () => {
    let lost = 0;
    const intercept: Intercept = async (answer, { name, times }, own) => {
      if (name !== REGISTER || times % 3 !== 0) return answer;
      lost += 1;
      await lose(answer, own);
      return answer;
    };
    const { report } = await load({ intercept }, onlyRegistrations);
    expect(lost).toBeGreaterThan(1);
    expect(report.check).toMatchObject({ status: 'lost', logins: { wrong: lost }, unanswered: 0 });
    expect(report.check.findings).toContainEqual({
      credential_id: expect.any(String),
      expected: 'a passkey whose registration was accepted logs in',
      received: expect.stringMatching(/^refused: 404 /),
    });
    expect(isKept(report)).toBe(false);
  });

  thorough('loses sign counts', async () => {
    // No passkey logs in before the check.
    const { report } = await load({ faults: ['counter-not-stored'] }, onlyRegistrations);
    expect(report.check).toMatchObject({ status: 'lost', logins: { wrong: 0 }, lists: { wrong: 0 } });
    expect(report.check.counters.wrong).toBeGreaterThan(0);
    expect(report.check.findings[0]).toMatchObject({ received: 'it was accepted again' });
  });

  thorough('loses entries of its lists', async () => {
    const intercept: Intercept = (answer, { name }) =>
      name !== REGISTER_OPTIONS
        ? answer
        : changed(answer, ({ excludeCredentials: listed, ...options }) => ({
            ...options,
            ...(Array.isArray(listed) && { excludeCredentials: listed.slice(1) }),
          }));
    const { report } = await load({ intercept }, onlyRegistrations);
    expect(report.check).toMatchObject({ status: 'lost', logins: { wrong: 0 }, counters: { wrong: 0 }, lists: { checked: 2, wrong: 2 } });
    expect(report.check.findings[0]).toMatchObject({ received: expect.stringMatching(/^1 of \d+ missing$/) });
  });

  thorough('without an answer to the check, nothing is proved', async () => {
    let checking = false;
    const intercept: Intercept = (answer, { name }) =>
      checking && name === LOGIN ? answerOf(429, { error: { reason: 'slow_down' } }) : answer;
    const onCheck = () => {
      checking = true;
    };
    const { report } = await load({ intercept }, { ...onlyRegistrations, onCheck });
    const { acknowledged } = report.check;
    expect(report.check).toMatchObject({ status: 'unanswered', unanswered: 3 * acknowledged, logins: { checked: 0 }, findings: [] });
    expect(isKept(report)).toBe(false);
  });

  test('a server that accepts nothing passes nothing', async () => {
    const intercept: Intercept = (answer, { name }) => (name === REGISTER ? answerOf(400, { error: { reason: 'no' } }) : answer);
    const { report } = await load({ intercept });
    expect(report.check).toMatchObject({ status: 'not_run', acknowledged: 0 });
    expect(isKept(report)).toBe(false);
  });
});

describe('errors', () => {
  test('are counted by outcome, each with what the first one said', async () => {
    const intercept: Intercept = (answer, { name, times }) => {
      if (name === REGISTER && times === 2) return answerOf(400, { error: { reason: 'full' } });
      if (name === REGISTER && times === 4) return answerOf(503, { error: { reason: 'tired' } });
      if (name === REGISTER_OPTIONS && times === 6) return 'cut';
      const strange = name === REGISTER_OPTIONS && times === 7;
      return strange ? changed(answer, (options) => ({ ...options, rp: { id: 'other.example', name: 'Other' } })) : answer;
    };
    const { report } = await load({ intercept }, { ...onlyRegistrations });
    expect(report.errors).toEqual([
      { at: 'register', outcome: 'refused', count: 1, first: expect.stringContaining('400') },
      { at: 'register', outcome: 'failed', count: 1, first: expect.stringContaining('503') },
      { at: 'options', outcome: 'broken', count: 1, first: expect.stringContaining('Expected an answer from') },
      { at: 'client', outcome: 'failed', count: 1, first: expect.stringContaining('SecurityError') },
    ]);
    expect(report.ceremonies.registration).toMatchObject({ refused: 1, failed: 2, broken: 1 });
    expect(report.check.status).toBe('kept');
  });
});

describe('an interruption', () => {
  test('ends the run with the report so far, and deletes what was made', async () => {
    const stop = new AbortController();
    const onCeremony: LoadOptions['onCeremony'] = ({ accepted }) => {
      if (accepted === 4) stop.abort();
    };
    const { report, party: server } = await load({}, { duration: 3_600_000, signal: stop.signal, onCeremony });
    expect(report).toMatchObject({ interrupted: true, check: { status: 'not_run', acknowledged: 1 }, left: [] });
    expect(report.ceremonies).toMatchObject({ registration: { accepted: 1 }, login: { accepted: 3 } });
    expect(await server.passkeys()).toEqual([]);
  });
});

test('a ceremony that the interruption cuts off is unfinished, and nothing else', async () => {
  const stop = new AbortController();
  const intercept: Intercept = (answer, { name }) => {
    if (name !== LOGIN) return answer;
    stop.abort();
    return 'cut';
  };
  const { report } = await load({ intercept }, { duration: 3_600_000, signal: stop.signal });
  expect(report).toMatchObject({ interrupted: true, errors: [] });
  expect(report.ceremonies).toMatchObject({
    unfinished: 1,
    registration: { accepted: 1, refused: 0, failed: 0, broken: 0 },
    login: { accepted: 0, refused: 0, failed: 0, broken: 0 },
  });
});

describe('the pace', () => {
  const rows: [what: string, options: Partial<LoadOptions>][] = [
    ['no ceremony at once', { pace: { kind: 'concurrency', concurrency: 0 } }],
    ['more than may be under way', { pace: { kind: 'concurrency', concurrency: 10_001 } }],
    ['a rate of nothing', { pace: { kind: 'rate', per_second: 0 } }],
    ['more than an hour', { duration: 3_600_001 }],
    ['a mix of nothing', { mix: { registrations: 0, logins: 0 } }],
    ['a check of nothing', { check: 0 }],
  ];
  test.each(rows)('may not be %s', async (_, options) => {
    await expect(simulateLoad({ version: '0.0.0', ...options })).rejects.toMatchObject({ code: 'usage' });
  });
});

test('a host that is not this machine is not loaded', async () => {
  const target = { url: 'https://example.com', profile: await independentProfile(), tokens: ['x'] };
  await expect(simulateLoad({ version: '0.0.0', target })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('--allow-host example.com'),
  });
});

test('a target that never answers is unreachable', async () => {
  const target = { url: 'http://127.0.0.1:9', profile: await independentProfile(), tokens: ['x'] };
  await expect(simulateLoad({ version: '0.0.0', target })).rejects.toMatchObject({ code: 'target_unreachable' });
});
