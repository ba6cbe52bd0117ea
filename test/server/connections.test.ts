import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/server/listen.js';
import { Service } from './app.js';

/** Writes to a fresh connection; `answer` resolves with everything that came once the other side has ended it. */
async function dial(url: string, text: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  // A connection that the server destroys may end in a reset.
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => resolve(received)).on('close', () => resolve(received));
  });
  await once(socket, 'connect');
  socket.write(text);
  return { socket, answer: closed };
}

const MALFORMED = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed_request'],
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
    const [head = '', body = ''] = (await answer).split('\r\n\r\n');
    return [Number(head.split(' ')[1]), JSON.parse(body).code];
  };

  test.each([
    ['another host in its target than in Host', ['GET http://evil.test/healthz HTTP/1.1', 'Host: localhost']],
    ['another host in Host than in its target', ['GET http://localhost/healthz HTTP/1.1', 'Host: evil.test']],
    ['another port in its target', ['GET http://localhost:81/healthz HTTP/1.1', 'Host: localhost']],
    ['a host in its target behind a user', ['GET http://localhost@evil.test/healthz HTTP/1.1', 'Host: localhost']],
    ['two hosts in two fields', ['GET /healthz HTTP/1.1', 'Host: localhost', 'Host: evil.test']],
    ['two hosts in two fields, ours last', ['GET /healthz HTTP/1.1', 'host: evil.test', 'Host: localhost']],
    ['one host in two fields', ['GET /healthz HTTP/1.1', 'Host: localhost', 'HOST: localhost']],
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
    const [head = '', body = ''] = (await answer).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\\r\\nContent-Type: application/problem\\+json`));
    expect(JSON.parse(body)).toMatchObject({ status, code, type: `urn:passkey:problem:${code}`, detail: expect.any(String) });
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
