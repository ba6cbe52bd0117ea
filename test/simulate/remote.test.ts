import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { readFixture } from '../../src/fixture/read.js';
import { writeFixture } from '../../src/fixture/write.js';
import type { Policy } from '../../src/relying-party/policy.js';
import { type InProcessServer, type ServerUnderTest, startInProcess } from '../../src/simulate/engine/in-process.js';
import { DIFFERS } from '../../src/simulate/report/deviation.js';
import { summaryLine } from '../../src/simulate/reporters/words.js';
import { simulate } from '../../src/simulate/simulate.js';
import { readProfile } from '../../src/simulate/target/read-profile.js';
import { listen } from '../targets/http.js';
import { quick as test, thorough } from '../thorough.js';
import { ONE_OF_EACH_KIND } from './one-of-each-kind.js';
import { newTokens, runAgainstSilly, SILLY_ANSWERS } from './remote-server.js';
import { recordSoftwareCeremonies } from './software-ceremonies.js';

let inProcess: InProcessServer;
let server: ServerUnderTest;
let tokens: string[];
beforeEach(async () => {
  inProcess = startInProcess();
  server = await inProcess.open();
  tokens = await newTokens(server);
});
afterEach(() => inProcess.close());

const run = (options: Partial<Parameters<typeof simulate>[0]> = {}) =>
  simulate({ fixtures: [], version: '0.0.0', target: { url: server.target.url.href, tokens }, ...options });

describe('simulate against a running server', () => {
  thorough('runs the first case of each kind, and leaves no live passkey behind', async () => {
    const report = await run({ select: { ids: ONE_OF_EACH_KIND } });
    expect(report.results.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(report.target).toBe(server.target.url.origin);
    expect(report.summary.passed).toBeGreaterThan(40);
    expect(await server.store.listPasskeys()).toEqual([]);
  });

  thorough('several cases at once end as they do one after another', { timeout: 240_000 }, async () => {
    const select = { ids: ['register.credential-id-*', 'login.challenge-used*', 'login.counter-*'] };
    const endings = async (jobs: number) => (await run({ select, jobs })).results.map(({ id, status }) => `${id} ${status}`);
    expect(await endings(8)).toEqual(await endings(1));
    expect(await server.store.listPasskeys()).toEqual([]);
  });

  test('repeats recorded ceremonies, but not verbatim', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'passkey-simulate-'));
    try {
      const recordings = await recordSoftwareCeremonies();
      await writeFixture(folder, { ...recordings.registration, name: 'registration' });
      await writeFixture(folder, { ...recordings.discoverableLogin, name: 'login' });
      const report = await run({ fixtures: [folder], cases: false });
      expect(report.results.map(({ id, replay, status }) => [id, replay, status])).toEqual([
        ['login', 'verbatim', 'not_applicable'],
        ['login', 'rebound', 'passed'],
        ['registration', 'verbatim', 'not_applicable'],
        ['registration', 'rebound', 'passed'],
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('names the token that a case needs', async () => {
    const select = { ids: ['register.default', 'register.challenge-of-another-user', 'http.malformed-json'] };
    const one = await run({ select, target: { url: server.target.url.href, tokens: tokens.slice(0, 1) } });
    expect(one.results.map(({ status, reason }) => [status, reason])).toEqual([
      ['passed', undefined],
      ['not_applicable', 'needs the bearer token of a second user (--token)'],
      ['passed', undefined],
    ]);
    const none = await run({ select, target: { url: server.target.url.href, tokens: [] } });
    expect(none.summary).toMatchObject({ passed: 1, not_applicable: 2 });
  });

  test('skips what the profile excludes, and counts it', async () => {
    const { profile, where } = await readProfile('passkey', '.');
    const skipping = (skip: Record<string, string>) => ({ profile: { ...profile, skip }, where });
    const select = { ids: ['login.counter-regressed', 'login.default'] };
    const target = { url: server.target.url.href, tokens };
    const report = await run({ select, target: { ...target, profile: skipping({ 'login.counter-regressed': 'we ignore counters' }) } });
    expect(report.results.map(({ status, reason, skipped }) => [status, reason, skipped])).toEqual([
      ['passed', undefined, undefined],
      ['not_applicable', 'skipped by the profile: we ignore counters', true],
    ]);
    expect(report.summary).toMatchObject({ passed: 1, not_applicable: 1, skipped: 1 });
    expect(summaryLine(report)).toMatch(/^1 of 2 as expected, 1 not applicable \(1 skipped by the profile\);/);
    await expect(run({ select, target: { ...target, profile: skipping({ 'login.counter': 'x' }) } })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(/^Expected case IDs in "skip" of the profile; got login\.counter\b/),
    });
  });

  test('fails on other answers, and names request and answer', async () => {
    const lax = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{ "verified": false }'));
    await new Promise<void>((resolve) => lax.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(lax.address() as AddressInfo).port}`;
      const report = await run({ target: { url, tokens }, select: { ids: ['http.malformed-json', 'register.default'] }, keepGoing: true });
      expect(report.results).toMatchObject([
        {
          id: 'register.default',
          status: 'not_run',
          code: 'preparation_failed',
          mismatches: [
            {
              at: 'POST /api/passkeys/register/options (preparation)',
              received: expect.stringMatching(/^failed: passkey .*the options cannot be read\. Expected publicKey\.rp /),
            },
          ],
        },
        {
          id: 'http.malformed-json',
          status: 'failed',
          mismatches: expect.arrayContaining([
            {
              at: 'POST /api/passkeys/verify/options',
              expected: '400 malformed_json',
              received: 'accepted (200)',
              deviation: { kind: 'accepted', status: 200 },
            },
            { at: 'the answer: content type', expected: 'application/problem+json', received: '"application/json"', deviation: DIFFERS },
          ]),
        },
      ]);
    } finally {
      await new Promise((resolve) => lax.close(resolve));
    }
  });

  test('fails as unreachable when the server is down', async () => {
    await inProcess.close();
    await expect(run()).rejects.toMatchObject({
      code: 'target_unreachable',
      message: expect.stringMatching(/^Expected an answer from http:\/\/127\.0\.0\.1:\d+, got none/),
    });
  });

  test('checks the tokens first, and never prints one', async () => {
    const url = server.target.url.href;
    const [one = '', two = ''] = tokens;
    const failure = (given: string[]) =>
      run({ target: { url, tokens: given } }).then(
        () => undefined,
        (error: unknown) => error,
      );
    const refused = await failure([one, 'pk_nobody']);
    expect(refused).toMatchObject({ code: 'usage', message: expect.stringMatching(/^http:\/\/127\S+ refuses --token 2 \(401\)/) });
    expect(String(refused)).not.toContain('pk_nobody');
    expect(await failure([two, two])).toMatchObject({ code: 'usage', message: expect.stringContaining('belong to the same user') });
  });

  describe('with a policy of its own', () => {
    const RECORDED = join(import.meta.dirname, '../../fixtures/recorded');
    const CANNOT =
      'the server under test requires user verification or a discoverable credential, which the authenticator does not support';
    const RECORDED_WITHOUT = 'the target requires user verification, but the recorded user was not verified';
    const NOT_OFFERED = 'the server under test does not offer the algorithm';

    /** What did not pass, with the reason or the mismatches. */
    async function others(policy: Partial<Policy>, options: Parameters<typeof run>[0]) {
      server = await inProcess.open({ policy });
      tokens = await newTokens(server);
      const report = await run({ replay: ['rebound'], ...options });
      const notPassed = report.results.filter(({ status }) => status !== 'passed');
      expect(report.summary.passed).toBeGreaterThan(0);
      return Object.fromEntries(notPassed.map(({ id, reason, mismatches }) => [id, reason ?? mismatches]));
    }

    test('user verification required', async () => {
      const select = { ids: ['login-user-*', 'register.without-*', 'login.without-*', 'login.default'] };
      expect(await others({ userVerification: 'required' }, { fixtures: [RECORDED], select })).toEqual({
        'login-user-not-verified': RECORDED_WITHOUT,
        'register.without-user-verification': 'the target requires user verification',
        'login.without-user-verification': 'the target requires user verification',
      });
    });

    test('user verification required, recorded at registration only', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'passkey-simulate-'));
      try {
        const recorded = await readFixture(join(RECORDED, 'login-user-not-verified.json'));
        if (recorded.credential === undefined) throw new Error('The fixture has no credential record.');
        await writeFixture(folder, { ...recorded, credential: { ...recorded.credential, uvInitialized: true } });
        const select = { ids: ['login-user-not-verified', 'login.default'] };
        expect(await others({ userVerification: 'required' }, { fixtures: [folder], select })).toEqual({
          'login-user-not-verified': RECORDED_WITHOUT,
        });
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test('discoverable credentials required', async () => {
      const select = { ids: ['login-u2f', 'login-discoverable'] };
      expect(await others({ residentKey: 'required' }, { fixtures: [RECORDED], select })).toEqual({ 'login-u2f': CANNOT });
    });

    test('other algorithms', async () => {
      const select = { ids: ['register.default', 'register.algorithm-not-offered', 'register.public-key-off-curve', 'login.es256'] };
      expect(await others({ algorithms: [-8, -257] }, { select })).toEqual({
        'register.public-key-off-curve': NOT_OFFERED,
        'login.es256': NOT_OFFERED,
      });
    });

    test('attestation direct', async () => {
      const select = { ids: ['register.default', 'registration-synced', 'register.rp-id-hash', 'login.default'] };
      expect(await others({ attestation: 'direct' }, { fixtures: [RECORDED], select })).toEqual({});
    });
  });

  test.each([
    [403, 'forbidden'],
    [422, 'origin_not_allowed'],
  ])('does not say so of a %i with the code %s', async (status, code) => {
    const other = await listen(() => (_, response) => {
      response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ code }));
    });
    try {
      const report = await run({ target: { url: other.url, tokens }, select: { ids: ['register.default'] }, keepGoing: true });
      expect(report.results).toMatchObject([{ id: 'register.default', status: 'failed' }]);
    } finally {
      await other.close();
    }
  });

  test('says that the server accepts other applications only, and runs as one of them', async () => {
    server = await inProcess.open({ settings: { origins: ['https://app.example.org'] } });
    tokens = await newTokens(server);
    const url = server.target.url.href;
    await expect(run({ target: { url, tokens } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^http:\/\/127\S+ does not accept ceremonies of http:\/\/localhost:\d+ \(403\)\. Pass --origin with an origin that the server was started with /,
      ),
    });
    const select = { ids: ['register.default', 'login.challenge-used*'] };
    const report = await run({ target: { url, tokens, origin: 'https://app.example.org' }, select });
    expect(report.results.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(report.summary.passed).toBeGreaterThan(3);
  });

  test('repeats a rate-limited request after the pause that the server asks for', async () => {
    let [requests, retryAfter] = [0, 0];
    const busy = createServer((_, response) => {
      requests += 1;
      const headers = { 'content-type': 'application/json', 'retry-after': String(retryAfter) };
      response.writeHead(requests < 3 ? 429 : 200, headers).end('{"status":"ok"}');
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    try {
      const target = { url: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`, tokens: [] };
      const paused: number[] = [];
      const select = { ids: ['http.ready'] };
      const report = await run({ target, select, onPause: (milliseconds) => paused.push(milliseconds) });
      expect(report.summary).toMatchObject({ passed: 1, failed: 0 });
      expect(paused).toEqual([0, 0]);

      [requests, retryAfter] = [0, 7];
      const stop = new AbortController();
      const onPause = (milliseconds: number) => {
        paused.push(milliseconds);
        stop.abort();
      };
      expect(await run({ target, select, signal: stop.signal, onPause })).toMatchObject({ incomplete: true, findings: [] });
      expect(paused.at(-1)).toBe(7000);
    } finally {
      await new Promise((resolve) => busy.close(resolve));
    }
  });

  test('can be interrupted during a request', async () => {
    const stop = new AbortController();
    const silent = createServer(() => stop.abort());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const target = { url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, tokens: [] };
      const { incomplete, summary } = await run({ target, signal: stop.signal });
      expect(incomplete).toBe(true);
      expect(summary.not_run).toBe(summary.total);
    } finally {
      silent.closeAllConnections();
      await new Promise((resolve) => silent.close(resolve));
    }
  });

  test.each(SILLY_ANSWERS)('passes nothing against a server that answers 200 and %s to everything', async (body) => {
    // `npm run test:release` runs all cases against both.
    const ids = ONE_OF_EACH_KIND.filter((_, index) => index % 3 === 0);
    const { summary } = await runAgainstSilly(body, { tokens, select: { ids } });
    expect(summary.passed).toBe(0);
    expect(summary.failed + summary.not_judged).toBeGreaterThan(10);
  });

  test('reports an unreachable server even if no case could run', async () => {
    await inProcess.close();
    const select = { ids: ['login.*'] };
    const target = { url: server.target.url.href, tokens: [] };
    await expect(run({ target, select })).rejects.toMatchObject({ code: 'target_unreachable', exitCode: 4 });
  });

  test.each(['localhost:7277', 'ftp://localhost', '', 'http://localhost:7277/?a=b', 'http://ada@localhost'])(
    'refuses the URL %j',
    async (url) => {
      await expect(run({ target: { url, tokens } })).rejects.toMatchObject({ code: 'usage' });
    },
  );
});
