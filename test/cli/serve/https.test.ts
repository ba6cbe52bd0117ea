import { writeFile } from 'node:fs/promises';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { resolveServeSettings } from '../../../src/cli/config/resolve.js';
import { startServer } from '../../../src/cli/serve/start.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';
import { makeIdentity } from './identity.js';

const IDENTITY = makeIdentity();

async function folderWithIdentity(): Promise<string> {
  const folder = await tempFolder();
  await writeFile(join(folder, 'cert.pem'), IDENTITY.cert);
  await writeFile(join(folder, 'key.pem'), IDENTITY.key, { mode: 0o600 });
  await writeFile(join(folder, 'other.pem'), makeIdentity().key, { mode: 0o600 });
  return folder;
}

describe('passkey serve --cert --key', () => {
  test('serves https, with cookies for https, and ends', async () => {
    const { io } = fakeIo({ cwd: await folderWithIdentity() });
    const flags = { cert: 'cert.pem', key: 'key.pem', port: '0', store: 'memory:', logLevel: 'silent', open: false };
    const started = await startServer(io, await resolveServeSettings(io, flags));
    try {
      expect(started.url).toBe(`https://localhost:${started.port}`);
      const answer = await new Promise<{ status: number | undefined; cookie: string; body: string }>((resolve, reject) => {
        const sent = request(`${started.url}/dev/sign-in`, {
          ca: IDENTITY.cert,
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: started.url },
          agent: false,
        });
        sent.on('error', reject).on('response', (response) => {
          void text(response).then((body) =>
            resolve({ status: response.statusCode, cookie: String(response.headers['set-cookie']), body }),
          );
        });
        sent.end(JSON.stringify({ email: 'ada@example.com' }));
      });
      expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('ada@example.com')]);
      expect(answer.cookie).toMatch(/^__Host-.*; Secure/);
      const plain = new Promise((resolve) => {
        plainRequest(`http://localhost:${started.port}/healthz`, { agent: false }).on('error', resolve).on('response', resolve).end();
      });
      expect(await plain).toBeInstanceOf(Error);
    } finally {
      await started.close();
    }
  });

  test.each([
    [['--cert', 'cert.pem'], '--cert and --key need each other. Give both, in PEM.'],
    [['--key', 'key.pem'], '--cert and --key need each other. Give both, in PEM.'],
    [['--cert', 'no.pem', '--key', 'key.pem'], /--cert expects a file in PEM; .*no\.pem cannot be read \(ENOENT\)\./],
    [['--cert', 'cert.pem', '--key', '.'], /--key expects a file in PEM; .* is a folder\./],
    [
      ['--cert', 'key.pem', '--key', 'key.pem'],
      /--cert and --key expect a certificate and its private key, in PEM; .*key\.pem and .*key\.pem are not such a pair\./,
    ],
    [['--cert', 'cert.pem', '--key', 'other.pem'], /--cert and --key expect a certificate and its private key, in PEM/],
  ])('%j is refused before anything listens', async (flags, message) => {
    const { code, stdout, stderr } = await runIn(await folderWithIdentity(), [
      'serve',
      '--port',
      '0',
      '--store',
      'memory:',
      '--no-open',
      ...flags,
    ]);
    expect([code, stdout]).toStrictEqual([2, '']);
    if (typeof message === 'string') expect(stderr).toContain(message);
    else expect(stderr).toMatch(message);
  });
});
