import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { APP_URL, collectLog, Service } from './app.js';

/** A service with a passkey, whose store is then deleted; and a request to each endpoint that needs the store. */
async function withoutStore(level: string) {
  const path = join(await temporaryFolder(), '.passkey', 'passkeys.jsonl');
  const store = await openJsonFileStore(path, { create: true });
  const log = collectLog(level);
  const service = await Service.start({ store: () => store, logger: log.logger });
  const attestation = await service.attest();
  const { credentialId } = await service.register();
  const cookie = Service.cookieOf(await service.login(credentialId));
  const [verify, login] = [await service.assert(credentialId), await service.assert(credentialId)];
  log.lines.length = 0;
  await rm(dirname(path), { recursive: true });

  const bearer = { authorization: `Bearer ${service.token}` };
  const post = (url: string, payload: object, headers = {}): InjectOptions => ({ method: 'POST', url, payload, headers });
  const requests: InjectOptions[] = [
    post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL }, bearer),
    post('/api/passkeys/register', attestation, bearer),
    post('/api/passkeys/verify/options', { credential_id: credentialId }),
    post('/api/passkeys/verify', verify),
    post('/api/passkeys/login', login),
    { url: '/api/passkeys', headers: bearer },
    { url: '/api/passkeys', headers: { cookie } },
    { method: 'PATCH', url: '/api/passkeys/1', payload: { label: 'x' }, headers: bearer },
    { method: 'DELETE', url: '/api/passkeys/1', headers: bearer },
    { url: '/api/session', headers: { cookie } },
    { method: 'DELETE', url: '/api/session', headers: { cookie } },
    { url: '/healthz' },
    { url: '/dev/state', headers: { cookie } },
    post('/dev/sign-in', {}),
  ];
  return { path, service, store, log, requests };
}

test('a store that is deleted under the server is a 503 everywhere, and one line in the log', async () => {
  const { path, service, store, log, requests } = await withoutStore('info');
  await using _service = service;
  for (const request of requests) {
    log.lines.length = 0;
    const reply = await service.inject(request);
    const what = `${request.method ?? 'GET'} ${String(request.url)}`;
    expect([what, reply.statusCode, reply.json().code]).toEqual([what, 503, 'store_unavailable']);
    const errors = log.lines.filter(({ level }) => level === 50);
    expect(errors, what).toMatchObject([{ msg: expect.stringContaining(`request failed: There is no store at ${path}.`) }]);
    expect(log.text(), what).not.toContain('    at ');
  }
  await store.close();
});

test('the stack is there at debug', async () => {
  const { service, store, log, requests } = await withoutStore('debug');
  await using _service = service;
  for (const request of requests) {
    log.lines.length = 0;
    await service.inject(request);
    expect(log.lines.filter(({ err }) => err !== undefined)).toMatchObject([
      { level: 20, err: { code: 'store_absent', stack: expect.stringContaining('    at ') } },
    ]);
  }
  await store.close();
});

test('a login is one write', async () => {
  const path = join(await temporaryFolder(), 'passkeys.jsonl');
  const store = await openJsonFileStore(path, { create: true });
  await using service = await Service.start({ store: () => store });
  const { credentialId } = await service.register();
  const lines = async () => (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  const before = (await lines()).length;
  expect((await service.login(credentialId)).statusCode).toBe(200);
  const after = (await lines()).slice(before).map((line) => JSON.parse(line));
  expect(after).toMatchObject([{ passkey: { id: 1 }, more: true }, { access: { passkey_id: 1 } }]);
  expect(after[1]).not.toHaveProperty('more');
  await store.close();
});
