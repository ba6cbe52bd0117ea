import { generateKeyPairSync } from 'node:crypto';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpTarget, readLost } from '../../../src/simulate/http/http.js';
import { makeCertificate } from '../../relying-party/certificate.js';

test('says how to trust an untrusted certificate', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = { C: 'XX', O: 'passkey', OU: 'test', CN: 'localhost' };
  const [from, to] = [Date.UTC(2020, 0, 1), Date.UTC(2049, 0, 1)];
  const der = makeCertificate({ subject: name, issuer: name, publicKey, privateKey, ca: false, from, to, serial: 1 });
  const cert = `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`;
  const server = createServer({ cert, key: privateKey.export({ format: 'pem', type: 'pkcs8' }) }, (_, answer) => answer.end('secure'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = createHttpTarget(new URL(`https://localhost:${(server.address() as AddressInfo).port}`));
  try {
    await expect(target.send({ method: 'GET', path: '/' })).rejects.toMatchObject({
      code: 'target_unreachable',
      message: expect.stringMatching(
        /got none \(.+\)\. To trust its certificate, use --ca FILE\.pem, or set the environment variable NODE_EXTRA_CA_CERTS=FILE\.pem\.$/,
      ),
    });
    const trusting = createHttpTarget(target.url, { ca: cert });
    await expect(trusting.send({ method: 'GET', path: '/' })).resolves.toMatchObject({ status: 200, text: 'secure' });
    trusting.close();
  } finally {
    target.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

test.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
  'refuses roots that are none: %j',
  (ca) => {
    expect(() => createHttpTarget(new URL('https://localhost'), { ca })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(/^Expected root certificates in PEM/) }),
    );
  },
);

test('sends no request on the connection of a failure, which the server may close', async () => {
  const served = new Map<object, string[]>();
  const server = createPlainServer(({ socket, url = '' }, answer) => {
    served.set(socket, [...(served.get(socket) ?? []), url]);
    answer.writeHead(url === '/fails' ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = createHttpTarget(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  try {
    for (const path of ['/', '/fails', '/next', '/last']) await target.send({ method: 'GET', path, once: true });
    expect([...served.values()]).toEqual([
      ['/', '/fails'],
      ['/next', '/last'],
    ]);
  } finally {
    target.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('sends a request again where a kept connection was closed before any answer, but never one that counts once', async () => {
  const used = new WeakSet<object>();
  const server = createPlainServer(({ socket }, answer) => {
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    answer.end('the first on its connection');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = createHttpTarget(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const request = { method: 'GET', path: '/' } as const;
  const lost = (again: Promise<unknown>) => again.then(() => 'answered', readLost);
  try {
    expect((await target.send(request)).text).toBe('the first on its connection');
    expect((await target.send(request)).text).toBe('the first on its connection');
    expect(await lost(target.send({ ...request, once: true }))).toBe('closed');
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  expect(await lost(target.send(request))).toBe('refused');
  target.close();
});
