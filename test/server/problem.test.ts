import { describe, expect } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import { APP_URL, collectLog, Service } from './app.js';
import { test } from './service-test.js';

describe('a problem document', () => {
  test('has the members of RFC 9457 and ours', async ({ service }) => {
    const reply = await service.post('/api/passkeys/verify/options', { credential_id: 'AAAA' }, { token: null });
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(reply.json()).toEqual({
      type: 'urn:passkey:problem:passkey_not_found',
      title: 'No such passkey',
      status: 404,
      detail: expect.any(String),
      code: 'passkey_not_found',
      documentation: 'http://localhost:7277/docs/errors#passkey_not_found',
      request_id: reply.headers['x-request-id'],
    });
  });

  test('has errors with RFC 6901 pointers where fields are wrong', async ({ service }) => {
    const reply = await service.post('/api/passkeys/verify', { response: 5 }, { token: null });
    expect(reply.json().errors).toEqual([
      { pointer: '/id', detail: 'is missing' },
      { pointer: '/rawId', detail: 'is missing' },
      { pointer: '/type', detail: 'is missing' },
      { pointer: '/response', detail: 'must be an object, it is a number' },
    ]);
    expect(reply.json().detail).toContain('/response must be an object');
    const told = await service.inject({
      method: 'POST',
      url: '/dev/stream/browser',
      headers: { 'content-type': 'application/json' },
      payload: '{"challenge":"AA","call":"get","error":null,"message":null,"milliseconds":1e400}',
    });
    expect(told.json().detail).toBe(`/milliseconds must be between -${Number.MAX_VALUE} and ${Number.MAX_VALUE}.`);
    const registration = await service.post('/api/passkeys/register', { label: 5, response: { transports: {} } });
    expect(registration.json().errors).toEqual(
      expect.arrayContaining([
        { pointer: '/label', detail: 'must be a string or null, it is a number' },
        { pointer: '/response/transports', detail: 'must be an array or null, it is an object' },
      ]),
    );
  });

  test.each([
    ['/healthz', 500, 'internal_error'],
    ['/nope', 404, 'route_not_found'],
  ])('answers for a hook of the embedding application that throws while %s is sent', async (url, status, code) => {
    const log = collectLog();
    await using service = await Service.start({
      settings: { mode: 'production' },
      logger: log.logger,
      embed: (app) =>
        void app.addHook('onSend', async () => {
          throw new Error('secret of the hook');
        }),
    });
    const reply = await service.inject({ url });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([status, 'application/problem+json; charset=utf-8']);
    expect(reply.json()).toMatchObject({ code, request_id: reply.headers['x-request-id'] });
    expect(reply.body).not.toContain('secret');
    expect(log.text().includes('secret of the hook')).toBe(status === 500);
  });
});

describe('X-Request-Id', () => {
  test('is on every answer, another each time', async ({ service }) => {
    const ids = await Promise.all(
      ['/healthz', '/nope', '/%zz', '/api/passkeys'].map(async (url) => (await service.inject({ url })).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain(undefined);
  });

  test.each([
    ['order-66.a_b', true],
    ['with space', false],
    ['x'.repeat(65), false],
    ['{"json":1}', false],
  ])('the caller’s %s is kept: %s', async (id, kept) => {
    await using service = await Service.start();
    const reply = await service.inject({ url: '/nope', headers: { 'x-request-id': id } });
    expect(reply.headers['x-request-id'] === id).toBe(kept);
    expect(reply.json().request_id).toBe(reply.headers['x-request-id']);
  });
});

describe('in production mode', () => {
  test('a problem has no detail and no step; errors keep naming the fields', async () => {
    await using service = await Service.start({ settings: { mode: 'production' } });
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    const failed = await service.post(
      '/api/passkeys/verify',
      { ...assertion, response: { ...assertion.response, signature: 'AAAA' } },
      { token: null },
    );
    expect(failed.json()).toEqual({
      type: 'urn:passkey:problem:signature_invalid',
      title: 'The signature does not verify',
      status: 401,
      code: 'signature_invalid',
      request_id: expect.any(String),
    });
    const wrong = await service.post('/api/passkeys/verify/options', {}, { token: null });
    expect(wrong.json()).toMatchObject({ errors: [{ pointer: '/credential_id', detail: 'is missing' }] });
    expect(wrong.json()).not.toHaveProperty('detail');
    for (const url of ['/nope', '/api/passkeys', '/%zz']) {
      expect((await service.inject({ url })).json()).not.toHaveProperty('detail');
    }
  });

  test('there is no page and nothing under /dev', async () => {
    await using service = await Service.start({ settings: { mode: 'production' } });
    for (const url of ['/', '/page.js', '/docs/errors', '/dev/state', '/dev/events']) {
      expect((await service.inject({ url })).statusCode).toBe(404);
    }
  });
});

describe('what nobody foresaw', () => {
  test.each(['development', 'production'] as const)('is a 500 that leaks nothing in %s; the log has it', async (mode) => {
    const log = collectLog();
    const secret = 'connect ECONNREFUSED db.internal:5432 password=hunter2';
    await using service = await Service.start({
      settings: { mode },
      logger: log.logger,
      store: (store) => ({ ...store, listPasskeys: () => Promise.reject(new Error(secret)) }),
    });
    const reply = await service.inject({ url: '/api/passkeys', headers: { authorization: `Bearer ${service.token}` } });
    expect(reply.statusCode).toBe(500);
    expect(reply.json()).toMatchObject({ code: 'internal_error', status: 500, request_id: reply.headers['x-request-id'] });
    expect(reply.body).not.toContain('ECONNREFUSED');
    expect(reply.body).not.toContain('.ts');
    expect(log.text()).toContain(secret);
    expect(log.lines.find(({ level }) => level === 50)).toMatchObject({ requestId: reply.headers['x-request-id'] });
  });

  test('an error of the command line that strays here is one too', async () => {
    await using service = await Service.start({
      store: (store) => ({
        ...store,
        listPasskeys: () => Promise.reject(new PasskeyError('configuration_invalid', 'in /etc/secret.json')),
      }),
    });
    const reply = await service.inject({ url: '/api/passkeys', headers: { authorization: `Bearer ${service.token}` } });
    expect(reply.json()).toMatchObject({ status: 500, code: 'internal_error', type: 'urn:passkey:problem:internal_error' });
    expect(reply.body).not.toContain('secret');
  });
});

test('a store that cannot take a write is a 503; reading goes on', async () => {
  const full = () => Promise.reject(new PasskeyError('store_unavailable', 'The disk is full. Make room.'));
  await using service = await Service.start({ store: (store) => ({ ...store, insertPasskey: full }) });
  const reply = await service.post('/api/passkeys/register', await service.attest());
  expect(reply.json()).toMatchObject({ status: 503, code: 'store_unavailable', detail: 'The disk is full. Make room.' });
  expect((await service.inject({ url: '/api/passkeys', headers: { authorization: `Bearer ${service.token}` } })).statusCode).toBe(200);
});

test('a session that cannot be stored is a 503 too', async () => {
  const full = () => Promise.reject(new PasskeyError('store_unavailable', 'The disk is full. Make room.'));
  const broken = { armed: false };
  await using service = await Service.start({
    store: (store) => ({ ...store, recordLogin: (login) => (broken.armed ? full() : store.recordLogin(login)) }),
  });
  const { credentialId } = await service.register();
  broken.armed = true;
  const reply = await service.login(credentialId);
  expect([reply.statusCode, reply.json().code]).toEqual([503, 'store_unavailable']);
  expect(reply.headers).not.toHaveProperty('set-cookie');
});

test('every 401 says how to authenticate', async ({ service }) => {
  const { credentialId } = await service.register();
  const assertion = await service.assert(credentialId);
  const broken = { ...assertion, response: { ...assertion.response, signature: 'AAAA' } };
  const replies = [
    await service.post('/api/passkeys/register/options', { app_name: 'A', app_url: APP_URL }, { token: null }),
    await service.post('/api/passkeys/register', {}, { token: 'pk_wrong' }),
    await service.post('/api/passkeys/verify', broken, { token: null }),
    await service.post('/api/passkeys/login', broken, { token: null }),
    await service.inject({ url: '/api/passkeys' }),
    await service.inject({ method: 'DELETE', url: '/api/session' }),
  ];
  for (const reply of replies) {
    expect(reply.statusCode).toBe(401);
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer realm="passkey"/);
  }
});
