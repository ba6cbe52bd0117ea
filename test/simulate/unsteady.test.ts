import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import { ConnectionLost } from '../../src/simulate/http/http.js';
import { asExpected } from '../../src/simulate/public.js';
import { listUnfit } from '../../src/simulate/report/report.js';
import { quick, share, thorough } from '../thorough.js';
import { type Instead, runAgainstUnsteady } from './unsteady-target.js';

/** Cases of every way to prepare: a user alone, two of them, several passkeys, removals, sessions, many requests at once. */
const CASES = [
  'register.credential-known',
  'register.credential-known-to-another-user',
  'login.origin-other-site',
  'login.two-users',
  'login.many-at-once',
  'login.counter-regressed',
  'lifecycle.removed-passkey',
  'lifecycle.others-passkey-renamed',
  'lifecycle.removed-passkey-begun',
  'session.others-passkey-removed',
];

const endings = ({ results }: Awaited<ReturnType<typeof runAgainstUnsteady>>) =>
  results.map(({ id, status, code }) => [id, code ?? status]);

/** A number between 0 and 1 for each place. */
const draw = (seed: number, place: number): number => createHash('sha256').update(`${seed} ${place}`).digest().readUInt32BE() / 2 ** 32;

describe('one answer that is none of the application', () => {
  test.each(share(CASES, 10))('fails %s at no place', async (id) => {
    const select = { ids: [id] };
    const { sent, results } = await runAgainstUnsteady(() => undefined, { select });
    expect(results).toMatchObject([{ status: 'passed' }]);
    const statuses = [429, 500, 502, 503, 504];
    for (let place = 2; place <= sent; place++) {
      const report = await runAgainstUnsteady((_, count) => (count === place ? statuses[place % statuses.length] : undefined), { select });
      expect([place, ...endings(report).flat()]).toEqual([place, id, 'passed']);
      expect(asExpected(report)).toBe(true);
    }
  });

  thorough.each(CASES)('fails %s at no place where the connection is closed instead', async (id) => {
    const select = { ids: [id] };
    const { sent } = await runAgainstUnsteady(() => undefined, { select });
    for (let place = 2; place <= sent; place++) {
      const closed: Instead = (_, count) => {
        if (count !== place) return undefined;
        throw new PasskeyError('target_unreachable', 'closed', { cause: new ConnectionLost('closed', undefined) });
      };
      const report = await runAgainstUnsteady(closed, { select });
      expect([place, ...report.findings]).toEqual([place]);
    }
  });

  quick('is told of', async () => {
    const select = { ids: ['register.credential-known'] };
    let registrations = 0;
    const isRegistration: Instead = ({ path }) => {
      registrations += Number(path === '/api/passkeys/register');
      return undefined;
    };
    await runAgainstUnsteady(isRegistration, { select });
    let left = registrations;
    const { results } = await runAgainstUnsteady(({ path }) => (path === '/api/passkeys/register' && --left === 0 ? 503 : undefined), {
      select,
    });
    expect(results[0]?.remarks).toEqual(['the case was repeated, because POST /api/passkeys/register was answered with 503']);
  });
});

describe('a gate whose lifting fails once', () => {
  const select = { ids: ['lifecycle.gate-session', 'lifecycle.gate-adds-passkey', 'lifecycle.gate-registration-begun'] };

  async function listRequests() {
    const { sent } = await runAgainstUnsteady(() => undefined, { select });
    return Array.from({ length: sent - 1 }, (_, index) => index + 2);
  }

  /** Expects no finding where one of these requests, each in its own run, is answered with 503. */
  async function expectNoFinding(places: readonly number[]) {
    for (const place of places) {
      const { findings } = await runAgainstUnsteady((_, count) => (count === place ? 503 : undefined), { select, keepGoing: true });
      expect([place, ...findings]).toEqual([place]);
    }
  }

  quick('does not fail the cases after it, at one of five requests', async () => {
    await expectNoFinding((await listRequests()).filter((place) => place % 5 === 0));
  });

  thorough('does not fail the cases after it, at any request', async () => {
    await expectNoFinding(await listRequests());
  });
});

thorough('one answer in a hundred makes no finding', { timeout: 120_000 }, async () => {
  for (const seed of [1, 2, 3]) {
    const { findings, results } = await runAgainstUnsteady((_, count) => (draw(seed, count) < 0.01 ? 503 : undefined), {
      select: { tags: ['rejected'] },
      keepGoing: true,
    });
    expect(findings).toEqual([]);
    expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
  }
});

const registrationOptions: Instead = ({ path }) => (path === '/api/passkeys/register/options' ? 503 : undefined);

describe('a preparation that fails again', () => {
  const select = { ids: ['login.origin-other-site', 'login.signature-bit', 'register.origin-other-site'] };

  quick('is no finding, and fails the run', async () => {
    const report = await runAgainstUnsteady(registrationOptions, { select, keepGoing: true });
    expect(report.findings).toEqual([]);
    expect(report.summary).toMatchObject({ failed: 0, not_run: 3, not_judged: 3 });
    expect(report.results[0]).toMatchObject({
      status: 'not_run',
      code: 'preparation_failed',
      reason: 'POST /api/passkeys/register/options (preparation): failed: 503 answer 503',
      mismatches: [{ deviation: { kind: 'not_prepared', by: { kind: 'failed', status: 503 } } }],
      exchanges: [{ request: 'POST /api/passkeys/register/options', status: 503 }],
    });
    expect(asExpected(report)).toBe(false);
    expect(listUnfit(report)).toEqual([{ answer: '503', times: 3 }]);
  });

  quick.each([
    ['an answer that cannot be read', { status: 200, json: {} }, 'an answer (200) that the profile cannot read'],
    ['a failure', 500, '500'],
  ])('is so for %s', async (_, answer, named) => {
    const report = await runAgainstUnsteady((request, count) => registrationOptions(request, count) && answer, { select, keepGoing: true });
    expect(listUnfit(report)).toEqual([{ answer: named, times: 3 }]);
  });

  quick('is a refused honest ceremony where the server refuses it', async () => {
    const report = await runAgainstUnsteady((request, count) => registrationOptions(request, count) && 403, { select, keepGoing: true });
    expect(listUnfit(report)).toEqual([]);
    expect(asExpected(report)).toBe(false);
  });
});

quick('a server that fails at one request each time is found out', async () => {
  const select = { ids: ['login.origin-other-site', 'login.default'] };
  const isOtherSite: Instead = ({ path, body }) => {
    if (path !== '/api/passkeys/login') return undefined;
    const { response } = JSON.parse(String(body));
    return Buffer.from(response.clientDataJSON, 'base64url').includes('"origin":"http://localhost:7277"') ? undefined : 503;
  };
  const { results, findings } = await runAgainstUnsteady(isOtherSite, { select });
  expect(results.map(({ id, status }) => [id, status])).toEqual([
    ['login.default', 'passed'],
    ['login.origin-other-site', 'failed'],
  ]);
  expect(findings).toMatchObject([{ cases: ['login.origin-other-site'] }]);
});
