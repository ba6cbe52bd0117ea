import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect } from 'vitest';
import { listen, listenAlso } from '../../src/server/listen.js';
import { collectLog, Service } from './app.js';
import { test } from './service-test.js';

test('answers its URL, on a free port when asked for 0', async ({ service }) => {
  const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const reply = await fetch(`${url}/healthz`);
  expect([reply.status, await reply.json()]).toEqual([200, { status: 'ok' }]);
});

test.each([
  ['debug', 1],
  ['info', 0],
  ['error', 0],
])('at log level %s Fastify says %i times where it listens, and requests log as ever', async (level, times) => {
  const log = collectLog(level);
  await using service = await Service.start({
    logger: log.logger,
    embed: (app) =>
      void app.addHook('onRequest', async (request) => {
        request.log.info('own line');
        request.log.error('own error');
      }),
  });
  const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
  await fetch(`${url}/healthz`);
  const count = (start: string) => log.lines.filter(({ msg }) => String(msg).startsWith(start)).length;
  expect(count('Server listening')).toBe(times);
  expect([count('own line'), count('own error')]).toEqual([level === 'error' ? 0 : 1, 1]);
  expect(log.lines.find(({ msg }) => msg === 'own error')).toHaveProperty('requestId');
});

test('a port in use is a wrong configuration that names port and flag; no other one is taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await using service = await Service.start();
  const failure = listen(service.app, { host: '127.0.0.1', port });
  await expect(failure).rejects.toMatchObject({ name: 'PasskeyError', code: 'configuration_invalid', exitCode: 2 });
  await expect(failure).rejects.toThrow(new RegExp(`Port ${port} .*--port`));
  expect(service.app.server.listening).toBe(false);
  await new Promise((resolve) => other.close(resolve));
});

test('so is an address of another machine', async ({ service }) => {
  const failure = listen(service.app, { host: '203.0.113.1', port: 0 });
  await expect(failure).rejects.toMatchObject({ code: 'configuration_invalid' });
  await expect(failure).rejects.toThrow('--host');
});

describe('over a real socket', () => {
  test('a chunked body is read, and an empty one of any type is none', async ({ service }) => {
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const send = async (lines: string[], body: string) => {
      const { port } = new URL(url);
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(`${lines.join('\r\n')}\r\nHost: localhost\r\nConnection: close\r\n\r\n${body}`);
      let answer = '';
      for await (const chunk of socket) {
        answer += chunk;
      }
      return answer.split('\r\n')[0];
    };
    const start = 'POST /api/passkeys/login/options HTTP/1.1';
    const json = 'Content-Type: application/json';
    expect(await send([start, json, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n')).toBe('HTTP/1.1 200 OK');
    expect(await send([start, 'Content-Type: text/plain', 'Transfer-Encoding: chunked'], '0\r\n\r\n')).toBe('HTTP/1.1 200 OK');
    expect(await send([start, 'Content-Type: text/plain', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n')).toBe(
      'HTTP/1.1 415 Unsupported Media Type',
    );
    expect(await send([start, 'Content-Type: text/plain', 'Content-Length: 0'], '')).toBe('HTTP/1.1 200 OK');
    expect(await send([start, json, 'Content-Length: 70000'], 'x'.repeat(70_000))).toBe('HTTP/1.1 413 Payload Too Large');
    expect(await send(['GET /healthz HTTP/1.1'], '')).toBe('HTTP/1.1 200 OK');
  });

  test('a further address answers like the first, what is no HTTP too, and closes with it', async () => {
    const service = await Service.start();
    const { port } = new URL(await listen(service.app, { host: '127.0.0.1', port: 0 }));
    const other = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1')) ? '::1' : '127.0.0.2';
    await listenAlso(service.app, { host: other, port: Number(port) });
    const dial = () => connect(Number(port), other);
    const answerTo = async (text: string) => (await dial().end(text).toArray()).map(String).join('');
    expect(await answerTo('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK/);
    expect(await answerTo('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [^]*"code":"malformed_request"/);
    const idle = dial();
    await once(idle, 'connect');
    await service.app.close();
    await once(idle.resume(), 'close');
    await expect(once(dial(), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('an address that cannot be had is left out', async ({ service }) => {
    const { port } = new URL(await listen(service.app, { host: '127.0.0.1', port: 0 }));
    await listenAlso(service.app, { host: '203.0.113.1', port: Number(port) });
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });

  test('closing waits for nobody who only listens to the timeline', async () => {
    const service = await Service.start();
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const stream = await fetch(`${url}/dev/events`);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const reader = stream.body?.getReader();
    await reader?.read();
    await service.app.close();
    let last = await reader?.read();
    while (last !== undefined && !last.done) {
      last = await reader?.read();
    }
    expect(last?.done).toBe(true);
  });
});
