import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished } from 'vitest';
import { createSignInKey } from '../../../src/server/development-key.js';
import { listen, listenAlso } from '../../../src/server/listen.js';
import type { ServerSettings } from '../../../src/server/settings.js';
import { collectLog, Service, type ServiceOptions } from '../app.js';
import { test } from '../service-test.js';

async function listening(options: ServiceOptions = {}) {
  const service = await Service.start(options);
  onTestFinished(() => service.app.close());
  return { service, url: await listen(service.app, { host: '127.0.0.1', port: 0 }) };
}

/** A proxy that passes requests on as HTTP/1.1 with a Host of its own choosing, and adds nothing. */
async function silentProxy(target: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: new URL(target).host };
    const passedOn = request(target + incoming.url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passedOn);
  });
  onTestFinished(() => void proxy.close());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** Writes a request as it stands; answers status and code. */
async function send(url: string, lines: readonly string[], body = '') {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  return [Number(head.split(' ')[1]), JSON.parse(text).code];
}

const signInAt = (url: string, headers: Record<string, string> = {}) => fetch(`${url}/dev/sign-in`, { method: 'POST', headers });

describe('a proxy that rewrites Host, speaks HTTP/1.1 and adds nothing', () => {
  test('passes for a local browser with --dev-sign-in local', async () => {
    const { url } = await listening();
    const reply = await signInAt(await silentProxy(url));
    expect([reply.status, await reply.json()]).toMatchObject([200, { token: expect.stringMatching(/^pk_/) }]);
  });

  test('does not pass without the key with --dev-sign-in key', async () => {
    const { key, signInKey } = createSignInKey(new Uint8Array(32).fill(7));
    const { service, url } = await listening({ settings: { devSignIn: signInKey } });
    const proxy = await silentProxy(url);
    const reply = await signInAt(proxy);
    expect([reply.status, await reply.json()]).toMatchObject([403, { code: 'development_only' }]);
    const wrong = await fetch(`${proxy}/dev/key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: `${key.slice(0, -1)}!` }),
    });
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await (await fetch(`${proxy}/dev/state`)).json()).toMatchObject({ signIn: false, users: [] });
    expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  });

  test('does not pass with --dev-sign-in off', async () => {
    const { url } = await listening({ settings: { devSignIn: 'off' } });
    expect((await signInAt(await silentProxy(url))).status).toBe(403);
  });
});

describe('a request that shows a proxy', () => {
  const PROXY_FIELDS = [
    'Forwarded',
    'X-Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Anything',
    'X_Forwarded_For',
    'X-Real-IP',
    'Via',
    'CF-Connecting-IP',
    'CF-Ray',
    'True-Client-IP',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'X-Original-Host',
    'X-Original-For',
    'Fastly-Client-IP',
    'Fly-Client-IP',
    'X-Envoy-External-Address',
    'X-Azure-ClientIP',
    'X-Amzn-Trace-Id',
    'X-ARR-LOG-ID',
    'X-ProxyUser-IP',
    'CloudFront-Viewer-Address',
    'Tailscale-User-Login',
    'CDN-Loop',
  ];

  test.each(PROXY_FIELDS)('by %s is refused, and the log names the field', async (field) => {
    const log = collectLog('warn');
    await using service = await Service.start({ logger: log.logger });
    const reply = await service.post('/dev/sign-in', {}, { token: null, headers: { [field]: '127.0.0.1' } });
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'development_only']);
    expect(reply.json().detail).toContain(`header field ${field.toLowerCase()}`);
    expect(log.lines.map(({ msg }) => msg)).toEqual([
      expect.stringContaining(
        `refused POST /dev/sign-in: the request came through a proxy, since it carries the header field ${field.toLowerCase()}`,
      ),
    ]);
    expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  });

  test('is not told from others by what browsers and the page send', async ({ service }) => {
    const headers = {
      'user-agent': 'Mozilla/5.0',
      accept: 'application/json',
      'accept-language': 'en',
      'accept-encoding': 'gzip, deflate, br, zstd',
      'sec-ch-ua': '"Chromium";v="140"',
      'sec-fetch-mode': 'cors',
      'sec-fetch-site': 'same-origin',
      'x-request-id': 'page-1',
      dnt: '1',
      priority: 'u=1',
      'cache-control': 'no-cache',
      pragma: 'no-cache',
      connection: 'keep-alive',
      origin: 'http://localhost:7277',
      referer: 'http://localhost:7277/',
    };
    expect((await service.post('/dev/sign-in', {}, { token: null, headers })).statusCode).toBe(200);
  });

  test('by HTTP/1.0, as nginx passes requests on, is refused and logged; HTTP/1.1 is not', async () => {
    const log = collectLog('warn');
    const { url } = await listening({ logger: log.logger });
    const { host } = new URL(url);
    const rest = [`Host: ${host}`, 'Content-Length: 0'];
    expect(await send(url, ['POST /dev/sign-in HTTP/1.0', ...rest])).toEqual([403, 'development_only']);
    expect(await send(url, ['GET /dev/passkeys HTTP/1.0', ...rest])).toEqual([403, 'development_only']);
    expect(log.lines).toHaveLength(2);
    expect(log.text()).toContain('speaks HTTP/1.0');
    expect(await send(url, ['GET /dev/state HTTP/1.0', ...rest])).toEqual([200, undefined]);
    expect(await send(url, ['POST /dev/sign-in HTTP/1.1', ...rest])).toEqual([200, undefined]);
  });

  test.each(['0.9', '2.0'])('by HTTP/%s on a plain connection is refused', async (version) => {
    const { service, url } = await listening();
    const lines = [`POST /dev/sign-in HTTP/${version}`, `Host: ${new URL(url).host}`, 'Content-Length: 0'];
    expect(await send(url, lines)).toEqual([403, 'development_only']);
    expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  });

  const MANY = Array<string>(1200).fill('a: b');

  test('after 1,200 other header fields is refused, at every address', async () => {
    const { service, url } = await listening();
    const { port } = new URL(url);
    // Every machine has one of them beside 127.0.0.1.
    const other = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1')) ? '::1' : '127.0.0.2';
    await listenAlso(service.app, { host: other, port: Number(port) });
    for (const at of [url, `http://${other === '::1' ? '[::1]' : other}:${port}`]) {
      const lines = ['POST /dev/sign-in HTTP/1.1', 'Host: localhost', 'Content-Length: 0', ...MANY];
      expect(await send(at, [...lines, 'X-Forwarded-For: 203.0.113.9'])).toEqual([403, 'development_only']);
      expect(await send(at, lines)).toEqual([200, undefined]);
    }
  });

  test('header fields of more than 16 KB are a 431, however many they are', async () => {
    const { url } = await listening();
    const lines = ['POST /dev/sign-in HTTP/1.1', 'Host: localhost', ...Array<string>(9000).fill('a: b')];
    expect(await send(url, lines)).toEqual([431, 'headers_too_large']);
  });

  test.each<[string, Partial<ServerSettings>]>([
    ['--trust-proxy', { trustProxy: true }],
    ['--dev-sign-in off', { devSignIn: 'off' }],
  ])('with %s is refused and not logged: there it is expected', async (_flag, settings) => {
    const log = collectLog('warn');
    await using service = await Service.start({ logger: log.logger, settings });
    const reply = await service.post('/dev/sign-in', {}, { token: null, headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect([reply.statusCode, log.lines]).toEqual([403, []]);
  });
});
