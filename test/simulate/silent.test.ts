import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runScenarios } from '../../src/simulate/engine/run-scenarios.js';
import type { Scenario } from '../../src/simulate/engine/scenario.js';
import { createHttpTarget } from '../../src/simulate/http/http.js';
import { simulate } from '../../src/simulate/simulate.js';
import { runIn } from '../cli/run-in.js';

const TOKENS = ['pk_one'];
const SELECT = { ids: ['register.*'] };

/** A server that does to the nth connection what is given, once it has got a request. Returns its URL, and how many it got. */
async function serverThat(answer: (socket: Socket, count: number) => void) {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => {
      count += 1;
      answer(socket, count);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return { url: `http://127.0.0.1:${address.port}`, count: () => count };
}

/** Two that need only the server, and one that needs its clock: for a server that answers each in the same way. */
const FEW = { ids: ['register.default', 'register.challenge-used', 'register.challenge-expired'] };

const run = (url: string, within: { readonly answerWithin?: number; readonly comeBackWithin?: number } = {}, select = SELECT) =>
  simulate({ fixtures: [], version: '0.0.0', target: { url, tokens: TOKENS, ...within }, select, keepGoing: true });

/** Sends a text a byte at a time, for ever. */
function trickle(socket: Socket, text: string): void {
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(text.charAt(sent) || 'x');
    sent += 1;
  }, 5);
  socket.on('close', () => clearInterval(timer));
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';
const whole = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;

describe('a server that never gives a whole answer is unreachable', () => {
  const unreachable = (url: string, reason: string) => ({
    code: 'target_unreachable',
    exitCode: 4,
    message: `Expected an answer from ${url}, got ${reason}. Check the URL, and that the server is running.`,
  });

  test.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => undefined],
    ['sends the head of its answer a byte at a time', (socket) => trickle(socket, `HTTP/1.1 200 OK\r\nx: `)],
    ['sends the body of its answer a byte at a time', (socket) => trickle(socket, HEAD)],
    ['sends half of it', (socket) => void socket.write(`${HEAD}{`)],
  ])('when the time is over: it %s', async (_, answer) => {
    const { url } = await serverThat(answer);
    await expect(run(url, { answerWithin: 100 })).rejects.toMatchObject(unreachable(url, 'none within 0.1 s'));
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ['closes the connection', (socket) => void socket.destroy(), 'none (socket hang up)'],
    [
      'switches to another protocol',
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'none (it switched to another protocol)',
    ],
  ])('at once: it %s', async (_, answer, reason) => {
    const { url } = await serverThat(answer);
    await expect(run(url)).rejects.toMatchObject(unreachable(url, reason));
  });

  test('on the command line', async () => {
    const { url } = await serverThat(() => undefined);
    const { code, stderr } = await runIn('/', ['simulate', '--url', url, '--token', 'pk_one', '--timeout', '100ms']);
    expect(code).toBe(4);
    expect(stderr).toBe(`passkey: Expected an answer from ${url}, got none within 0.1 s. Check the URL, and that the server is running.\n`);
  });
});

describe('a server that answered', () => {
  test('and then closes every connection fails one case, and gets no more', async () => {
    const { url, count } = await serverThat((socket, count) => {
      if (count === 1) socket.end(whole('{}'));
      else socket.destroy();
    });
    const { results, summary } = await run(url, { comeBackWithin: 0 });
    const ran = results.filter(({ status }) => status !== 'not_applicable');
    expect(ran.map(({ status }) => status).slice(0, 3)).toEqual(['not_run', 'not_run', 'not_run']);
    expect(ran[0]?.mismatches).toMatchObject([
      { at: 'POST /api/passkeys/register/options (preparation)', expected: 'options', received: expect.stringContaining('no answer') },
    ]);
    expect(ran[0]?.remarks).toEqual([expect.stringContaining('--restart CMD')]);
    expect(ran[1]?.reason).toBe('the target no longer answers');
    expect(summary).toMatchObject({ passed: 0, failed: 0, not_judged: 1 });
    // The check before the run, the control and the case, and whether it is alive after each, twice.
    expect(count()).toBe(7);
  });

  test('with more than is read fails, and says so', async () => {
    const { url } = await serverThat((socket) => socket.end(whole('x'.repeat(4 * 1024 * 1024 + 1))));
    const { results } = await run(url, {}, FEW);
    const [first] = results.filter(({ code }) => code === 'preparation_failed');
    expect(first?.mismatches).toEqual([
      {
        at: 'POST /api/passkeys/register/options (preparation)',
        expected: 'options',
        received: expect.stringMatching(
          /^failed: the answer to POST \S+\/register\/options is longer than this command reads \(at most 4194304 bytes\)$/,
        ),
        deviation: { kind: 'not_prepared', by: { kind: 'unreadable' } },
      },
    ]);
    expect(results.filter(({ status }) => status === 'passed' || status === 'failed')).toEqual([]);
  });

  test('with JSON of thousands of levels fails', async () => {
    const { url } = await serverThat((socket) => socket.end(whole(`${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`)));
    const { results } = await run(url, {}, FEW);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['not_run', 'not_applicable']));
  });
});

test('cleaning up goes on after an interruption, within its own time, and is not taken for one', async () => {
  const { url, count } = await serverThat((socket, count) => {
    if (count === 1) socket.end(whole('{}'));
  });
  const target = createHttpTarget(new URL(url), { signal: AbortSignal.abort() });
  try {
    await expect(target.send({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'interrupted' });
    expect(count()).toBe(0);
    expect(await target.send({ method: 'DELETE', path: '/', cleanUpWithin: 60_000 })).toMatchObject({ status: 200 });
    expect(count()).toBe(1);
    await expect(target.send({ method: 'DELETE', path: '/', cleanUpWithin: 100 })).rejects.toMatchObject({ code: 'target_unreachable' });
  } finally {
    target.close();
  }
});

test('an error that no case foresaw fails that case, and the next ones run', async () => {
  const scenario = (id: string, run: Scenario['run']): Scenario => ({ id, source: 'case', title: id, tags: [], expected: 'verified', run });
  const results = await runScenarios(
    [
      scenario('breaks', () => Promise.reject(new RangeError('Invalid string length'))),
      scenario('runs', async () => ({ status: 'passed' })),
    ],
    {},
  );
  expect(results).toMatchObject([
    { status: 'failed', mismatches: [{ at: 'the case', received: 'RangeError: Invalid string length' }] },
    { status: 'passed' },
  ]);
});
