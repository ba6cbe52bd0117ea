import { once } from 'node:events';
import { mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { listen } from '../../src/server/listen.js';
import { tempFolder } from '../cli/temp-folder.js';
import { fc } from '../properties.js';
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

  test('follows no link out of the folder, nor to a hidden file; one inside it is as its file', async () => {
    const folder = await makeFolder(FILES);
    const secret = join(await tempFolder(), 'secret.txt');
    await writeFile(secret, 'secret');
    for (const [target, name] of [
      [secret, 'file.txt'],
      [join(secret, '..'), 'outside'],
      [join(folder, '.env'), 'env.txt'],
      [join(folder, 'none'), 'dangling.txt'],
      [join(folder, 'main.js'), 'again.js'],
    ] as const) {
      await symlink(target, join(folder, name));
    }
    await using service = await Service.start({ settings: { frontEnd: folder } });
    for (const url of ['/file.txt', '/outside/secret.txt', '/outside/', '/env.txt', '/dangling.txt']) {
      expect((await service.inject({ url })).statusCode).toBe(404);
    }
    expect(await service.inject({ url: '/again.js' })).toMatchObject({ statusCode: 200, body: 'let a;' });
  });

  test('a file that shrinks while it is sent ends the connection, not with the next answer', async () => {
    const folder = await makeFolder(FILES);
    const file = join(folder, 'large.bin');
    const handle = await open(file, 'w');
    await handle.truncate(200 * 2 ** 20);
    await handle.close();
    await using service = await Service.start({ settings: { frontEnd: folder } });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    socket.write(
      `GET /large.bin HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\nGET /main.js HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`,
    );
    // The first bytes have come, and the rest does not fit.
    await once(socket, 'readable');
    await truncate(file, 1000);
    let tail = '';
    socket.on('data', (chunk: Buffer) => (tail = `${tail}${chunk.toString('latin1')}`.slice(-2000))).resume();
    await once(socket, 'close');
    expect(tail).not.toContain('let a;');
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
    expect(reply.json().detail).toBe('No server responds at http://127.0.0.1:1. Start the dev server of --app, then reload.');
  });
});

describe('--app with a dev server, message by message', () => {
  /** A dev server that reads the head of one request, and answers these bytes. `heads` are the heads that came. */
  async function startRaw(answer: string | Buffer) {
    const heads: string[] = [];
    const server = createTcpServer((socket) => {
      let text = '';
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          text += chunk.toString('latin1');
          if (!text.includes('\r\n\r\n')) return;
          heads.push(text);
          text = '';
          socket.end(typeof answer === 'string' ? Buffer.from(answer, 'latin1') : answer);
        });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    return { heads, frontEnd: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
  }

  /** Sends bytes, and returns all that comes until the connection ends. */
  async function exchange(url: string, head: readonly string[], body = ''): Promise<string> {
    const { port, host } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`${[head[0], `Host: ${host}`, ...head.slice(1)].join('\r\n')}\r\n\r\n${body}`, 'latin1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    return text;
  }

  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

  async function served(answer: string, head: readonly string[], body?: string) {
    const { frontEnd, heads } = await startRaw(answer);
    const { logger, lines } = collectLog('warn');
    await using service = await Service.start({ settings: { frontEnd }, logger });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const text = await exchange(url, head, body);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    return { text, heads, lines, frontEnd };
  }

  test.each([
    ['is down', undefined, '502 Bad Gateway'],
    ['goes away', '', '502 Bad Gateway'],
    ['wants no more of it', 'HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno', '413 Payload Too Large'],
  ])('a client that still sends its body is told that the dev server %s', async (_, answer, status) => {
    const frontEnd = answer === undefined ? 'http://127.0.0.1:1' : (await startRaw(answer)).frontEnd;
    await using service = await Service.start({ settings: { frontEnd } });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const text = await exchange(url, ['POST /x HTTP/1.1', 'Connection: close', 'Content-Length: 1000000'], 'hi');
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\\r\\n[^]*\\r\\n\\r\\n.`));
  });

  test.each<[string, string[], string?]>([
    ['a trailer', ['GET /x HTTP/1.1', 'Trailer: a']],
    ['a trailer with a length', ['POST /x HTTP/1.1', 'Trailer: a', 'Content-Length: 2'], 'hi'],
    ['a trailer of HTTP/1.0', ['GET /x HTTP/1.0', 'Trailer: a']],
    ['fields of the connection', ['GET /x HTTP/1.1', 'Connection: close, X-Hop', 'X-Hop: 1', 'TE: trailers', 'Keep-Alive: timeout=1']],
    ['a proxy', ['GET /x HTTP/1.1', 'Proxy-Authorization: Basic eA==', 'Proxy-Connection: close']],
    ['chunks with trailers', ['POST /x HTTP/1.1', 'Transfer-Encoding: chunked', 'Trailer: a'], '2\r\nhi\r\n0\r\na: b\r\n\r\n'],
    ['chunks of a GET', ['GET /x HTTP/1.1', 'Transfer-Encoding: chunked'], '2\r\nhi\r\n0\r\n\r\n'],
    [
      'an upgrade to h2c',
      ['GET /x HTTP/1.1', 'Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    ],
    ['an unknown upgrade', ['GET /x HTTP/1.1', 'Connection: Upgrade, close', 'Upgrade: foo/2', 'Trailer: a']],
    ['an upgrade with a body', ['POST /x HTTP/1.1', 'Connection: Upgrade, close', 'Upgrade: h2c', 'Content-Length: 2'], 'hi'],
    ['bytes above ASCII', ['GET /x HTTP/1.1', 'X-Name: J\xf6rg']],
    ['two of a field', ['GET /x HTTP/1.1', 'X-Twice: 1', 'X-Twice: 2']],
  ])('a request with %s is answered, without the fields of the connection', async (_, [line = '', ...fields], body) => {
    const { text, heads } = await served(
      OK,
      [line, ...fields, ...(fields.some((each) => /^connection/i.test(each)) ? [] : ['Connection: close'])],
      body,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/);
    expect(heads).toHaveLength(1);
    expect(heads.join()).not.toMatch(/^(?:trailer|te|keep-alive|proxy-\S+|x-hop|upgrade|http2-settings|expect):/im);
    if (body !== undefined) expect(heads.join()).toMatch(/^(?:content-length: 2|transfer-encoding: chunked)\r$/im);
  });

  test.each([
    ['a trailer and a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTrailer: a\r\n\r\nok'],
    ['fields of the connection', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: X-Hop, close\r\nX-Hop: 1\r\nUpgrade: h2c\r\n\r\nok'],
    ['chunks and trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: a\r\n\r\n2\r\nok\r\n0\r\na: b\r\n\r\n'],
    ['early hints first', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\nok'],
    [
      'a cookie of this server',
      'HTTP/1.1 200 OK\r\nSet-Cookie: passkey_session_1=x\r\nSet-Cookie: __Host-passkey_dev_7277=y\r\nContent-Length: 2\r\n\r\nok',
    ],
  ])('an answer with %s is passed on', async (_, answer) => {
    const { text } = await served(answer, ['GET /x HTTP/1.1', 'Connection: close']);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain('ok');
    expect(text).not.toMatch(/^(?:trailer|x-hop|upgrade|set-cookie):/im);
  });

  test.each([
    ['status 099', 'HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok', 'responds with the status 99, which HTTP does not have'],
    ['status 000', 'HTTP/1.1 000 Low\r\nContent-Length: 2\r\n\r\nok', 'responds with the status 0, which HTTP does not have'],
    [
      'a bare 101',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nzzz',
      'switches protocols (101) without being asked to',
    ],
    [
      'another coding',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'responds in the transfer coding "gzip, chunked"',
    ],
    ['no HTTP', 'SSH-2.0-foo\r\n', 'sends no readable response (HPE_INVALID_CONSTANT)'],
    ['nothing', '', 'sends no readable response (ECONNRESET)'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
      'sends no readable response (HPE_UNEXPECTED_CONTENT_LENGTH)',
    ],
  ])('an answer with %s becomes a 502 with the reason, which is logged', async (_, answer, reason) => {
    const { text, lines, frontEnd } = await served(answer, ['GET /x HTTP/1.1', 'Connection: close']);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const detail = `The dev server of --app, ${frontEnd}, ${reason}. Look at its log.`;
    expect([head.split('\r\n')[0], JSON.parse(body)]).toMatchObject(['HTTP/1.1 502 Bad Gateway', { code: 'target_unreachable', detail }]);
    expect(JSON.stringify(lines)).toContain(JSON.stringify(detail).slice(1, -1));
  });

  const LINES = fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            'Trailer',
            'TE',
            'Keep-Alive',
            'Connection',
            'Upgrade',
            'Proxy-Connection',
            'Proxy-Authenticate',
            'HTTP2-Settings',
          ),
          fc.constantFrom('Expect', 'Cookie', 'Set-Cookie', 'Date', 'Content-Type', 'Location', '__proto__', 'constructor', 'Status', ''),
          fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/),
          fc.stringMatching(/^[ -~]{1,6}$/),
        ),
        fc.oneof(
          fc.constantFrom('', 'close', 'Upgrade', 'upgrade, X-Hop', 'h2c', 'websocket', 'trailers', '100-continue', 'a', ', ,'),
          fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
        ),
      ),
      { maxLength: 8 },
    )
    .map((fields) => fields.map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, ' ')}`));

  /** The first line of the answer that is no interim one; undefined: none came. */
  async function firstLine(url: string, bytes: string): Promise<string | undefined> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(bytes, 'latin1');
    let text = '';
    const found = () => /^HTTP\/1\.1 [2-5]\d\d/m.exec(text)?.[0];
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (found() !== undefined) socket.destroy();
    });
    await once(socket, 'close');
    return found();
  }

  test('any fields of a request, and any of an answer, get an answer, and the server lives on', async () => {
    let answer = OK;
    const dev = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer, 'latin1')));
    onTestFinished(() => void dev.close());
    await once(dev.listen(0, '127.0.0.1'), 'listening');
    const address = dev.address();
    const frontEnd = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    await using service = await Service.start({ settings: { frontEnd } });
    const url = await listen(service.app, { host: '127.0.0.1', port: 0 });
    const own = [`Host: ${new URL(url).host}`, 'X-Last: 1'];
    const whole = (line: string, fields: readonly string[], body: string) => `${[line, ...fields].join('\r\n')}\r\n\r\n${body}`;
    const framings = fc.constantFrom<readonly [string, string]>(
      ['X-Body: none', ''],
      ['Content-Length: 2', 'hi'],
      ['Transfer-Encoding: chunked', '2\r\nhi\r\n0\r\na: b\r\n\r\n'],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS'),
        LINES,
        LINES,
        framings,
        async (method, asked, answered, [field, body]) => {
          answer = OK;
          expect(await firstLine(url, whole(`${method} /x HTTP/1.1`, [...own, ...asked, field], body))).toBeDefined();
          answer = whole('HTTP/1.1 200 OK', [...answered, 'Content-Length: 2'], 'ok');
          expect(await firstLine(url, whole(`${method} /x HTTP/1.1`, [...own, 'Connection: close', field], body))).toBeDefined();
        },
      ),
    );
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('our cookies and tokens stay with us, those of the front end are handed on', async () => {
    const { heads } = await served(OK, [
      'GET /x HTTP/1.1',
      'Connection: close',
      'Cookie: a=1; passkey_session_7277=s; b=2; __Host-passkey_dev_7277=k; passkey_fido_user_1=u; xpasskey_dev=3',
      'Authorization: Bearer pk_secret',
    ]);
    expect(heads.join()).toMatch(/^cookie: a=1; b=2; xpasskey_dev=3\r$/im);
    expect(heads.join()).not.toMatch(/authorization|pk_secret/i);
    const other = await served(OK, ['GET /x HTTP/1.1', 'Connection: close', 'Cookie: passkey_session=s', 'Authorization: Bearer eyJ']);
    expect(other.heads.join()).toMatch(/^authorization: Bearer eyJ\r$/im);
    expect(other.heads.join()).not.toMatch(/^cookie:/im);
  });

  test.each([
    ['/healthz', 'h2c', 200],
    ['/api/session', 'h2c', 401],
    ['/api/session', 'websocket', 401],
    ['/dev/state', 'WebSocket', 200],
    ['/dev/nothing', 'websocket', 404],
  ])('%s with an upgrade to %s is answered by us, and never reaches the dev server', async (path, upgrade, status) => {
    const { text, heads } = await served(OK, [
      `GET ${path} HTTP/1.1`,
      'Connection: Upgrade, close',
      `Upgrade: ${upgrade}`,
      'Authorization: Bearer pk_x',
    ]);
    expect(text.split(' ')[1]).toBe(String(status));
    expect(heads).toEqual([]);
  });

  test('a WebSocket that the dev server refuses is refused, without our cookies', async () => {
    const { text, heads } = await served('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', [
      'GET /hot HTTP/1.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Trailer: a',
      'Cookie: passkey_session_1=s',
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(heads.join()).toMatch(/^upgrade: websocket\r$/im);
    expect(heads.join()).not.toMatch(/^(?:cookie|trailer):/im);
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
