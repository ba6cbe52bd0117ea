import { once } from 'node:events';
import { describe, expect } from 'vitest';
import { listen } from '../../src/server/listen.js';
import { Service } from './app.js';
import { dial, readAnswer } from './dial.js';
import { test } from './service-test.js';

const MALFORMED = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed_request'],
  ['a request without Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  [
    'an expectation that no server knows',
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nConnection: close\r\n\r\n',
    417,
    'expectation_failed',
  ],
  ['a request for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 400, 'malformed_request'],
  [
    'header fields that never end',
    `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
] as const;

describe('a request that names', () => {
  const reply = async (service: Service, lines: readonly string[]) => {
    const { answer } = await dial(
      await listen(service.app, { host: '127.0.0.1', port: 0 }),
      [...lines, 'Connection: close', '\r\n'].join('\r\n'),
    );
    const { status, body } = readAnswer(await answer);
    return [status, body.code];
  };

  test.each([
    ['another host in its target than in Host', ['GET http://evil.test/healthz HTTP/1.1', 'Host: localhost']],
    ['another host in Host than in its target', ['GET http://localhost/healthz HTTP/1.1', 'Host: evil.test']],
    ['another port in its target', ['GET http://localhost:81/healthz HTTP/1.1', 'Host: localhost']],
    ['a host in its target behind a user', ['GET http://localhost@evil.test/healthz HTTP/1.1', 'Host: localhost']],
    ['two hosts in two fields', ['GET /healthz HTTP/1.1', 'Host: localhost', 'Host: evil.test']],
    ['two hosts in two fields, ours last', ['GET /healthz HTTP/1.1', 'host: evil.test', 'Host: localhost']],
    ['one host in two fields', ['GET /healthz HTTP/1.1', 'Host: localhost', 'HOST: localhost']],
    ['no host', ['GET /healthz HTTP/1.1']],
  ])('%s is malformed, in production too', async (_what, lines) => {
    await using development = await Service.start();
    expect(await reply(development, lines)).toEqual([400, 'malformed_request']);
    await using production = await Service.start({ settings: { mode: 'production' } });
    expect(await reply(production, lines)).toEqual([400, 'malformed_request']);
  });

  test.each([
    ['one host in both', ['GET http://LOCALHOST:80/healthz HTTP/1.1', 'Host: localhost'], [200, undefined]],
    ['a foreign host in both', ['GET http://evil.test/healthz HTTP/1.1', 'Host: evil.test'], [403, 'host_not_allowed']],
  ])('%s is judged by that host', async (_what, lines, expected) => {
    await using service = await Service.start();
    expect(await reply(service, lines)).toEqual(expected);
  });
});

describe('connections', () => {
  test.each(MALFORMED)('%s is a problem document', async (_what, text, status, code) => {
    await using service = await Service.start();
    const { answer } = await dial(await listen(service.app, { host: '127.0.0.1', port: 0 }), text);
    const answered = readAnswer(await answer);
    expect(answered.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answered.status).toBe(status);
    expect(answered.body).toMatchObject({ status, code, type: `urn:passkey:problem:${code}`, detail: expect.any(String) });
    expect(answered.headers['x-request-id']).toBe(answered.body.request_id);
  });

  test('those whose header or body does not arrive in time are a 408, at the next look', async ({ service }) => {
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    Object.assign(service.app.server, { headersTimeout: 1, requestTimeout: 1 });
    const cut = [
      'GET /healthz HT',
      'POST /api/passkeys/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ];
    // They wait for the same look.
    const dialled = await Promise.all(cut.map((text) => dial(url, text)));
    for (const { answer } of dialled) {
      const { status, headers, body } = readAnswer(await answer);
      expect([status, headers['content-type'], body.code]).toEqual([408, 'application/problem+json; charset=utf-8', 'request_timeout']);
    }
  });

  test('in production it has no detail', async () => {
    await using service = await Service.start({ settings: { mode: 'production' } });
    const { answer } = await dial(await listen(service.app, { host: '127.0.0.1', port: 0 }), 'hello\r\n\r\n');
    expect(JSON.parse((await answer).split('\r\n\r\n')[1] ?? '')).not.toHaveProperty('detail');
  });

  test.each([
    ['nothing', ''],
    ['half a header', 'GET /healthz HT'],
    [
      'half a body',
      'POST /api/passkeys/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ])('one that has sent %s does not keep the server from closing', async (_what, text) => {
    const service = await Service.start();
    const { answer } = await dial(await listen(service.app, { host: 'localhost', port: 0 }), text);
    await service.app.close();
    await answer;
  });

  test('what is no HTTP is answered after the request that came before it', async () => {
    const { service, arrived, release } = await holdHealth();
    const { answer } = await dial(
      await listen(service.app, { host: '127.0.0.1', port: 0 }),
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nhello\r\n\r\n',
    );
    await arrived;
    release();
    const [first = '', second = ''] = (await answer).split(/(?=HTTP\/1\.1 400)/);
    expect(readAnswer(first)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(readAnswer(second)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    await service.app.close();
  });

  test('a request that comes while the server closes is told so, as a problem document', async () => {
    const { service, arrived, release } = await holdHealth();
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const { socket, answer } = await dial(url, get('/healthz'));
    await arrived;
    const closed = service.app.close();
    const late = once(service.app.server, 'request');
    socket.write(get('/api/session'));
    await late;
    release();
    const [first = '', second = ''] = (await answer).split(/(?=HTTP\/1\.1 503)/);
    expect(readAnswer(first).status).toBe(200);
    const { headers, body } = readAnswer(second);
    expect(body).toMatchObject({ status: 503, code: 'shutting_down', title: 'The server is shutting down' });
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json; charset=utf-8', connection: 'close' });
    await closed;
  });

  test('a request under way is answered before the server closes', async () => {
    const { service, arrived, release } = await holdHealth();
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const reply = fetch(`${url}/healthz`);
    await arrived;
    const closed = service.app.close();
    release();
    expect((await reply).status).toBe(200);
    await closed;
  });

  test('an open stream of events ends first: what is waited for then is requests only', async () => {
    const { service, arrived, release } = await holdHealth();
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const events = await fetch(`${url}/dev/events`);
    const reply = fetch(`${url}/healthz`);
    await arrived;
    const closed = service.app.close();
    expect(await events.text()).toBe(': passkey timeline\n\n');
    release();
    expect((await reply).status).toBe(200);
    await closed;
  });
});

/** A service that answers `/healthz` only once it is released. */
async function holdHealth() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const service = await Service.start({
    store: (store) => ({
      ...store,
      check: async () => {
        arrive();
        await held;
      },
    }),
  });
  return { service, arrived, release };
}
