import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { makeCertificate, toPem } from '../relying-party/certificate.js';

/** A message of PostgreSQL's protocol: its type, its length, and what is in it. */
function message(type: string, ...parts: readonly (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part);
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(part);
      return bytes;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

function answerEach(socket: Socket, answers: readonly Buffer[]): void {
  let answered = 0;
  socket.on('error', () => undefined);
  socket.on('data', () => {
    const answer = answers[answered];
    answered += 1;
    if (answer) socket.write(answer);
  });
}

/** Where something listens that answers each message it gets with the next of these; with TLS after the first. */
async function listening(answers: readonly Buffer[], tls?: SecureContext): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    if (tls === undefined) return answerEach(socket, answers);
    socket.once('data', () => {
      socket.write('S');
      answerEach(new TLSSocket(socket, { isServer: true, secureContext: tls }), answers);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Expected a port.');
  return `postgres://tester:secret@127.0.0.1:${address.port}/passkeys`;
}

const WELCOME = Buffer.concat([message('R', 0), message('Z', 'I')]);

test.each([
  ['an authentication that pg does not know', [message('R', 99)]],
  ['an authentication that is cut off', [message('R', 10, 'SCRAM')]],
  ['a row that is longer than its message', [WELCOME, message('D', 'zzzzzz')]],
])('%s makes the store unavailable, and ends nothing else', async (_, answers) => {
  await expectUnavailable(await listening(answers));
});

test('the same holds for what comes by TLS', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { C: 'XX', O: 'passkey', OU: 'test', CN: 'localhost' };
  const [from, to] = [Date.UTC(2020, 0, 1), Date.UTC(2049, 0, 1)];
  const der = makeCertificate({ subject, issuer: subject, publicKey, privateKey, ca: false, from, to, serial: 1 });
  const context = createSecureContext({ cert: toPem(der), key: privateKey.export({ format: 'pem', type: 'pkcs8' }) });
  await expectUnavailable(`${await listening([message('R', 99)], context)}?sslmode=no-verify`);
});

async function expectUnavailable(url: string): Promise<void> {
  const error = await openStore(url, { create: true }).catch((each: unknown) => each);
  expect(error).toMatchObject({
    code: 'store_unavailable',
    exitCode: 3,
    message: expect.stringMatching(/^The store postgres:\/\/127\.0\.0\.1:\d+\/passkeys cannot be used: .*\. Check that PostgreSQL runs/),
  });
  expect(String(error)).not.toContain('secret');
}
