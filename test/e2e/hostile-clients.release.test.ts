import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { serve } from './passkey-process.js';
import { call } from './relying-party-over-http.js';

const HOST = 'Host: localhost\r\n';
const LOGIN = `POST /api/passkeys/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

const REQUESTS = [
  ['a plain request', `GET /healthz HTTP/1.1\r\n${HOST}\r\n`],
  ['one with a body', `${LOGIN}Content-Length: 20\r\n\r\n{ "id": "AAAAAAAA" }`],
  ['a body in chunks', `${LOGIN}Transfer-Encoding: chunked\r\n\r\n14\r\n{ "id": "AAAAAAAA" }\r\n0\r\n\r\n`],
  ['pipelined requests', `GET /healthz HTTP/1.1\r\n${HOST}\r\n`.repeat(8)],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\n\r\n'],
  ['CONNECT after a request', `GET /healthz HTTP/1.1\r\n${HOST}\r\nCONNECT a:1 HTTP/1.1\r\n\r\n`],
  ['an upgrade', `GET /healthz HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nframes`],
  ['an expectation', `${LOGIN}Expect: 100-continue\r\nContent-Length: 20\r\n\r\n{ "id": "AAAAAAAA" }`],
  ['an unknown expectation', `GET /healthz HTTP/1.1\r\n${HOST}Expect: tea\r\n\r\n`],
  ['a malformed request', 'hello\r\n\r\n'],
  ['a malformed one after another', `GET /healthz HTTP/1.1\r\n${HOST}\r\nhello\r\n\r\n`],
  ['an endless answer', `GET /dev/events HTTP/1.1\r\n${HOST}\r\n`],
] as const;

/** Connections at each stage: a race decides how far the server has come with one of them. */
const CONNECTIONS = 10;

async function open(port: number): Promise<Socket> {
  const socket = connect(port, 'localhost').on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

describe.each([['development', []] as const, ['production', ['--production']] as const])('%s mode', (_mode, flags) => {
  test.each(REQUESTS)('resets at each stage of %s do not end the server', async (_what, text) => {
    const { url, port, stop, output } = await serve(['--store', 'memory:', ...flags], { cwd: await tempFolder() });
    for (const part of [0, 0.3, 0.6, 0.9, 1]) {
      for (let connection = 0; connection < CONNECTIONS; connection += 1) {
        const socket = await open(port);
        const sent = text.slice(0, Math.ceil(part * text.length));
        await new Promise((resolve) => socket.write(sent, resolve));
        // Half of those that were sent whole are reset once the answer has begun.
        if (part === 1 && connection % 2 === 0) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        socket.resetAndDestroy();
      }
    }
    expect(await call('GET', `${url}/healthz`)).toMatchObject({ status: 200 });
    expect(await stop()).toBe(0);
    expect(output.stderr).not.toContain('Error');
  });
});

describe.skipIf(process.platform === 'win32')('few file descriptors', () => {
  test.each([
    ['80', []],
    ['80', ['--production']],
    ['256', []],
  ] as const)('of %s, as many connections as the server takes leave enough for a ceremony (%j)', async (limit, flags) => {
    const argv = ['--store', 'memory:', ...flags];
    const { url, port, stop } = await serve(argv, { cwd: await tempFolder(), descriptors: limit });
    const held = await Promise.all(Array.from({ length: 300 }, () => open(port)));
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
    });
    const response = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' };
    for (let login = 0; login < 3; login += 1) {
      const body = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response };
      expect(await call('POST', `${url}/api/passkeys/login`, { body })).toMatchObject({ status: 404, body: { code: 'passkey_not_found' } });
    }
    expect(await stop()).toBe(0);
  });
});
