import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFixture } from '../../src/fixture/write.js';
import { type InProcess, type Room, startInProcess } from '../../src/simulate/in-process.js';
import { simulate } from '../../src/simulate/runner.js';
import { recordSoftwareCeremonies } from './software-ceremonies.js';

let server: InProcess;
let room: Room;
let tokens: string[];
beforeEach(async () => {
  server = startInProcess();
  room = await server.open();
  tokens = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const owner = await room.accounts.addOwner({ email: `${name}@example.org`, name });
      return (await room.accounts.createToken({ owner })).token;
    }),
  );
});
afterEach(() => server.close());

const run = (options: Partial<Parameters<typeof simulate>[0]> = {}) =>
  simulate({ fixtures: [], version: '0.0.0', target: { url: room.target.url.href, tokens }, ...options });

describe('simulate against a running server', () => {
  it('runs what needs neither its clock nor its store, and leaves no passkey behind', async () => {
    const report = await run();
    expect(report.results.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(report.target).toBe(room.target.url.origin);
    expect(report.summary.passed).toBeGreaterThan(100);
    expect(report.summary.passed + report.summary.not_applicable).toBe(report.summary.total);
    const reasons = new Set(report.results.flatMap(({ reason }) => reason ?? []));
    expect([...reasons].toSorted()).toEqual([
      'needs a policy of its own',
      'needs server settings of its own',
      "needs to reach into the server's store",
      "needs to set the server's clock",
    ]);
    expect(await room.store.listPasskeys()).toEqual([]);
  });

  it('does recorded ceremonies again, but not verbatim', async () => {
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

  it('says which token a case wants', async () => {
    const select = { ids: ['register.default', 'register.challenge-of-another-user', 'http.malformed-json'] };
    const one = await run({ select, target: { url: room.target.url.href, tokens: tokens.slice(0, 1) } });
    expect(one.results.map(({ status, reason }) => [status, reason])).toEqual([
      ['passed', undefined],
      ['not_applicable', 'needs the bearer token of a second user (--token)'],
      ['passed', undefined],
    ]);
    const none = await run({ select, target: { url: room.target.url.href, tokens: [] } });
    expect(none.summary).toMatchObject({ passed: 1, not_applicable: 2 });
  });

  it('fails where the server answers otherwise, and names request and answer', async () => {
    const lax = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{ "verified": false }'));
    await new Promise<void>((resolve) => lax.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(lax.address() as AddressInfo).port}`;
      const report = await run({ target: { url, tokens }, select: { ids: ['http.malformed-json', 'register.default'] } });
      expect(report.results).toMatchObject([
        {
          id: 'register.default',
          status: 'failed',
          mismatches: [{ at: 'the client', received: expect.stringMatching(/^TypeError: .*rp/) }],
        },
        {
          id: 'http.malformed-json',
          status: 'failed',
          mismatches: expect.arrayContaining([
            { at: 'POST /api/passkeys/verify/options', expected: '400 malformed_json', received: 'accepted (200)' },
            { at: 'the answer: content type', expected: 'application/problem+json', received: '"application/json"' },
          ]),
        },
      ]);
    } finally {
      await new Promise((resolve) => lax.close(resolve));
    }
  });

  it('ends as unreachable where nobody listens', async () => {
    await server.close();
    await expect(run()).rejects.toMatchObject({
      code: 'target_unreachable',
      message: expect.stringMatching(/^Expected an answer from http:\/\/127\.0\.0\.1:\d+, got none/),
    });
  });

  it('asks about the tokens first, and never repeats one', async () => {
    const url = room.target.url.href;
    const [one = '', two = ''] = tokens;
    const failure = (given: string[]) =>
      run({ target: { url, tokens: given } }).then(
        () => undefined,
        (error: unknown) => error,
      );
    const refused = await failure([one, 'pk_nobody']);
    expect(refused).toMatchObject({ code: 'usage', message: expect.stringMatching(/^http:\/\/127\S+ refuses --token 2 \(401\)/) });
    expect(String(refused)).not.toContain('pk_nobody');
    expect(await failure([two, two])).toMatchObject({ code: 'usage', message: expect.stringContaining('of the same user') });
  });

  it('finds out that nobody listens where no case could run either', async () => {
    await server.close();
    const select = { ids: ['login.*'] };
    const target = { url: room.target.url.href, tokens: [] };
    await expect(run({ target, select })).rejects.toMatchObject({ code: 'target_unreachable', exitCode: 4 });
  });

  it.each(['localhost:7277', 'ftp://localhost', ''])('takes no URL such as %j', async (url) => {
    await expect(run({ target: { url, tokens } })).rejects.toMatchObject({ code: 'usage' });
  });
});
