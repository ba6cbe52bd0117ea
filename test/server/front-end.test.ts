import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { listen } from '../../src/server/listen.js';
import { tempFolder } from '../cli/temp-folder.js';
import { collectLog, Service } from './app.js';
import { test } from './service-test.js';

/** A folder with these files. */
async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, 'shop'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const FILES = { 'index.html': '<title>Shop</title>', 'main.js': 'let a;', '.env': 'SECRET=1', 'shop/index.html': 'in the shop' };

describe('--app with a folder', () => {
  test('serves its files under their content types, and none of our policy', async () => {
    const { logger, lines } = collectLog('warn');
    await using service = await Service.start({ settings: { frontEnd: await makeFolder(FILES) }, logger });
    for (const [url, body, type] of [
      ['/', FILES['index.html'], 'text/html; charset=utf-8'],
      ['/main.js?v=1', 'let a;', 'text/javascript; charset=utf-8'],
      ['/shop/', 'in the shop', 'text/html; charset=utf-8'],
    ] as const) {
      const { statusCode, headers, body: text } = await service.inject({ url });
      expect([statusCode, text, headers['content-type']]).toEqual([200, body, type]);
      expect(headers).not.toHaveProperty('content-security-policy');
    }
    expect((await service.inject({ url: '//shop' })).headers.location).toBe('/shop/');
    expect(await service.inject({ method: 'HEAD', url: '/main.js' })).toMatchObject({ body: '', headers: { 'content-length': '6' } });
    expect(lines).toEqual([]);
  });

  test('answers what a browser holds already with 304, and a range with its bytes', async () => {
    await using service = await Service.start({ settings: { frontEnd: await makeFolder(FILES) } });
    const ask = async (headers: Readonly<Record<string, string>>) => await service.inject({ url: '/main.js', headers });
    const { etag = '' } = (await ask({})).headers;
    expect(await ask({ 'if-none-match': `"other", ${etag}` })).toMatchObject({ statusCode: 304, body: '', headers: { etag } });
    for (const [range, statusCode, body, contentRange] of [
      ['bytes=1-2', 206, 'et', 'bytes 1-2/6'],
      ['bytes=4-', 206, 'a;', 'bytes 4-5/6'],
      ['bytes=-2', 206, 'a;', 'bytes 4-5/6'],
      ['bytes=4-99', 206, 'a;', 'bytes 4-5/6'],
      ['bytes=6-', 416, '', 'bytes */6'],
      ['bytes=3-2', 200, 'let a;', undefined],
      ['bytes=0-1, 4-5', 200, 'let a;', undefined],
    ] as const) {
      const reply = await ask({ range });
      expect([range, reply.statusCode, reply.body, reply.headers['content-range']]).toEqual([range, statusCode, body, contentRange]);
    }
    expect((await ask({ range: 'bytes=1-2', 'if-range': '"old"' })).statusCode).toBe(200);
    expect((await service.inject({ method: 'HEAD', url: '/main.js', headers: { range: 'bytes=1-2' } })).statusCode).toBe(200);
  });

  test.for([
    ['/account/keys', 'text/html,*/*', 200],
    ['/account/keys', '*/*', 404],
    ['/logo.png', 'text/html', 404],
    ['/.env', 'text/html', 404],
    ['/dev/nothing', 'text/html', 404],
  ] as const)('answers a navigation to a path of a single-page app: %s for %s', async ([url, accept, status]) => {
    await using service = await Service.start({ settings: { frontEnd: await makeFolder(FILES) } });
    const { statusCode, body } = await service.inject({ url, headers: { accept } });
    expect([statusCode, body === FILES['index.html']]).toEqual([status, status === 200]);
  });

  test.for([
    '/.env',
    '/%2eenv',
    '/..%2findex.html',
    '/shop%5c..%5cmain.js',
    '/%',
    '/main.js/',
    '/nothing',
    '/api/passkeys/5/logn',
    '/dev/nothing',
  ])('has no %s', async (url) => {
    await using service = await Service.start({ settings: { frontEnd: await makeFolder(FILES) } });
    const reply = await service.inject({ url });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'route_not_found']);
  });

  test('leaves the endpoints to the server, and the test page at /dev', async () => {
    await using service = await Service.start({ settings: { frontEnd: await makeFolder(FILES) } });
    expect((await service.post('/api/passkeys/login/options', {})).statusCode).toBe(200);
    expect((await service.inject({ url: '/api/passkeys/login' })).json().code).toBe('method_not_allowed');
    expect((await service.inject({ url: '/dev' })).body).toContain('/page.js');
    expect((await service.inject({ method: 'POST', url: '/cart' })).json().code).toBe('method_not_allowed');
  });

  test('is not for production', async () => {
    await using service = await Service.start({ settings: { mode: 'production', frontEnd: await makeFolder(FILES) } });
    expect((await service.inject({ url: '/' })).statusCode).toBe(404);
  });
});

describe('--app with a dev server', () => {
  /** Tells what it is asked, and echoes what comes by a WebSocket. */
  async function startDevServer(): Promise<string> {
    const server = createServer((asked, answer) => {
      let body = '';
      asked.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      asked.on('end', () => {
        const { method, url, headers } = asked;
        answer.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'x-asked': `${method} ${url} ${headers.host}` }).end(body);
      });
    }).on('upgrade', (_asked, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello ');
      socket.pipe(socket);
    });
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

  test('hands on what is no endpoint, as it came', async () => {
    await using service = await Service.start({ settings: { frontEnd: await startDevServer() } });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const answer = await fetch(`${url}/src/main.ts?t=1`, { method: 'PUT', body: 'text=1', headers: { 'content-type': 'text/plain' } });
    expect([answer.status, await answer.text(), answer.headers.getSetCookie()]).toEqual([201, 'text=1', ['a=1', 'b=2']]);
    expect(answer.headers.get('x-asked')).toBe(`PUT /src/main.ts?t=1 ${new URL(url).host}`);
    expect(answer.headers.get('content-security-policy')).toBeNull();
    expect((await fetch(`${url}/healthz`)).headers.get('x-asked')).toBeNull();
  });

  test('hands on its WebSocket, and closes it with the server', async () => {
    await using service = await Service.start({ settings: { frontEnd: await startDevServer() } });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const opening = request(url, { headers: upgrade }).end();
    const [, socket] = await once(opening, 'upgrade');
    socket.setEncoding('utf8').write('again');
    let text = '';
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('again')) void service.app.close();
    });
    await once(socket, 'close');
    expect(text).toMatch(/again$/);
  });

  test('no WebSocket for another host', async () => {
    await using service = await Service.start({ settings: { frontEnd: await startDevServer() } });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const [error] = await once(request(url, { headers: { ...upgrade, host: 'evil.test' } }).end(), 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  test('says that it is down', async () => {
    await using service = await Service.start({ settings: { frontEnd: 'http://127.0.0.1:1' } });
    const reply = await service.inject({ url: '/' });
    expect([reply.statusCode, reply.json().code]).toEqual([502, 'target_unreachable']);
    expect(reply.json().detail).toBe('Nothing answers at http://127.0.0.1:1. Start the dev server of --app, then reload.');
  });
});

test('--well-known serves the four files of its folder as JSON, in production too', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'webauthn'), '{"origins":["https://shop.example"]}');
  await using service = await Service.start({ settings: { mode: 'production', wellKnown: folder } });
  const { headers, body } = await service.inject({ url: '/.well-known/webauthn' });
  expect([headers['content-type'], body]).toEqual(['application/json; charset=utf-8', '{"origins":["https://shop.example"]}']);
  expect((await service.inject({ url: '/.well-known/assetlinks.json' })).json().code).toBe('route_not_found');
  expect((await service.inject({ url: '/.well-known/security.txt' })).statusCode).toBe(404);
});
