import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type FastifyBaseLogger, fastify } from 'fastify';
import { pino } from 'pino';
import { describe, expect, onTestFinished } from 'vitest';
import { limitConnections } from '../../src/server/connection-limits.js';
import { connectionOptions } from '../../src/server/connections.js';
import { listen, listenAlso } from '../../src/server/listen.js';
import type { App } from '../../src/server/options.js';
import { until } from '../until.js';
import { collectLog, Service } from './app.js';
import { dial } from './dial.js';
import { test } from './service-test.js';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

const warnings = (log: ReturnType<typeof collectLog>) => log.lines.filter(({ level }) => level === 40).map(({ msg }) => msg);

/** A connection that the server has accepted. */
async function open(service: Service, url: string, text = '') {
  const accepted = once(service.app.server, 'connection');
  const dialled = await dial(url, text);
  const [socket] = (await accepted) as [Socket];
  return { ...dialled, accepted: socket };
}

/** One request on a connection that stays open; resolves once it is answered. */
async function ask({ socket }: { readonly socket: Socket }): Promise<void> {
  const answered = once(socket, 'data');
  socket.write(HEALTH);
  await answered;
}

describe('the number of connections', () => {
  test('is kept by closing those that have been idle longest; the next client is served, and the log says it once', async () => {
    const log = collectLog('info');
    await using service = await Service.start({ settings: { maxConnections: 5 }, logger: log.logger });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const [used, ...others] = [
      await open(service, url),
      await open(service, url),
      await open(service, url, 'GET /healthz HT'),
      await open(service, url),
      await open(service, url),
    ];
    // The first to come, but not the one that has been idle longest any more.
    await ask(used);
    expect(warnings(log)).toEqual([]);
    for (let index = 0; index < 3; index++) await open(service, url);
    const reply = await new Promise<number | undefined>((resolve, reject) => {
      request(`${url}/healthz`, { agent: false }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(reply).toBe(200);
    expect(others.map(({ accepted }) => accepted.destroyed)).toEqual([true, true, true, true]);
    expect(used.accepted.destroyed).toBe(false);
    expect(warnings(log)).toEqual([expect.stringContaining('This server has as many open connections as it allows (5)')]);
  });

  test('counts over every address that the server listens on', async () => {
    await using service = await Service.start({ settings: { maxConnections: 2 } });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const port = Number(new URL(url).port);
    await listenAlso(service.app, { host: '127.0.0.2', port });
    const first = await open(service, url);
    const second = await open(service, `http://127.0.0.2:${port}`);
    const third = await open(service, `http://127.0.0.2:${port}`);
    await first.answer;
    expect([second, third].map(({ accepted }) => accepted.destroyed)).toEqual([false, false]);
  });

  test('spares a connection with a request under way while another is idle, and takes the one that is busy longest if none is', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using service = await Service.start({
      settings: { maxConnections: 2 },
      store: (store) => ({ ...store, check: () => held }),
    });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const request = once(service.app.server, 'request');
    const busy = await open(service, url, HEALTH);
    await request;
    const idle = await open(service, url);
    const nextRequest = once(service.app.server, 'request');
    const busyToo = await open(service, url, HEALTH);
    await nextRequest;
    expect([busy.accepted.destroyed, idle.accepted.destroyed]).toEqual([false, true]);
    const last = await open(service, url, HEALTH);
    expect([busy.accepted.destroyed, busyToo.accepted.destroyed, last.accepted.destroyed]).toEqual([true, false, false]);
    release();
  });
});

describe('a client that reads nothing', () => {
  /** An application with one route, whose answer is larger than what a kernel takes off a process. */
  async function largeAnswers() {
    const lines: string[] = [];
    const loggerInstance: FastifyBaseLogger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    const app: App = fastify({ loggerInstance });
    const limits = limitConnections(app, { maxConnections: 100 });
    const body = Buffer.alloc(30 * 2 ** 20);
    app.get('/large', async () => body);
    const { port } = new URL(await listen(app, { host: '127.0.0.1', port: 0 }));
    const ask = async (times = 1) => {
      const accepted = once(app.server, 'connection');
      const socket = connect(Number(port), '127.0.0.1').pause();
      socket.on('error', () => {});
      const [server] = (await accepted) as [Socket];
      const answered = once(app.server, 'request').then(([, response]: ServerResponse[]) => response);
      socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(times));
      return { socket, server, answer: await answered };
    };
    return { lines, limits, ask, [Symbol.asyncDispose]: () => app.close() };
  }

  const ended = async (answer: ServerResponse | undefined) =>
    answer?.writableEnded || (answer !== undefined && (await once(answer, 'prefinish')));

  test('is cut when the time for reading an answer is over, and not before', async () => {
    await using service = await largeAnswers();
    const { server, answer } = await service.ask();
    await ended(answer);
    const start = performance.now();
    service.limits.cutSlowReaders(start);
    service.limits.cutSlowReaders(start + 20_000);
    expect(server.destroyed).toBe(false);
    service.limits.cutSlowReaders(start + 31_000);
    expect(server.destroyed).toBe(true);
  });

  test('is cut as well where its answer is handed over bit by bit, once nothing has moved for as long', async () => {
    const app: App = fastify({ logger: false });
    const limits = limitConnections(app, { maxConnections: 100 });
    app.get('/endless', (_request, reply) => {
      const piece = Buffer.alloc(2 ** 20);
      Readable.from(
        (function* () {
          for (;;) yield piece;
        })(),
      ).pipe(reply.hijack().raw);
    });
    const { port } = new URL(await listen(app, { host: '127.0.0.1', port: 0 }));
    onTestFinished(() => void app.close());
    const accepted = once(app.server, 'connection');
    const socket = connect(Number(port), '127.0.0.1').pause();
    socket.on('error', () => {});
    const [server] = (await accepted) as [Socket];
    socket.write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n');
    // Until the kernel takes no more.
    let before = -1;
    await until(async () => {
      const now = server.bytesWritten;
      const isFull = server.writableNeedDrain && now === before;
      before = now;
      return isFull;
    });
    const start = performance.now();
    limits.cutSlowReaders(start);
    limits.cutSlowReaders(start + 1000);
    limits.cutSlowReaders(start + 29_000);
    expect(server.destroyed).toBe(false);
    limits.cutSlowReaders(start + 32_000);
    expect(server.destroyed).toBe(true);
  });

  test('does not use up the memory of the server with others like it: the one that waits longest is cut, and the log says it once', async () => {
    await using service = await largeAnswers();
    const clients = [];
    for (let index = 0; index < 4; index++) {
      const client = await service.ask();
      await ended(client.answer);
      clients.push(client);
    }
    expect(clients.map(({ server }) => server.destroyed)).toEqual([true, true, false, false]);
    expect(service.lines).toEqual([
      'More than 64 MiB of responses are waiting for clients that do not read them: the connections that have waited longest are closed.',
    ]);
  });

  test('and asks for more than 32 things on one connection is cut', async () => {
    await using service = await largeAnswers();
    const { server } = await service.ask(33);
    expect(server.destroyed).toBe(true);
  });

  test('but one that reads leaves nothing behind', async () => {
    await using service = await largeAnswers();
    for (let index = 0; index < 4; index++) {
      const { socket, server, answer } = await service.ask();
      socket.resume();
      if (answer !== undefined) await once(answer, 'close');
      expect(server.destroyed).toBe(false);
    }
    await service.limits.drained();
    expect(service.lines).toEqual([]);
  });
});

describe('the times of a connection', () => {
  test('a request has 30 seconds to arrive, header and body, and Node looks each second', async ({ service }) => {
    const { server } = service.app;
    expect([server.requestTimeout, server.headersTimeout, server.timeout]).toEqual([30_000, 30_000, 120_000]);
    expect(connectionOptions.http?.connectionsCheckingInterval).toBe(1_000);
  });
});
