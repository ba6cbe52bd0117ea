import { describe, expect } from 'vitest';
import { APP_ORIGIN, OWN_ORIGIN, Service } from '../app.js';
import { test } from '../service-test.js';

async function withSession(settings = {}) {
  const service = await Service.start({ settings });
  const { credentialId, passkey } = await service.register({ label: 'Phone' });
  return { service, credentialId, passkey, cookie: Service.cookieOf(await service.login(credentialId)) };
}

describe('GET /api/passkeys', () => {
  test('answers the own live passkeys in ascending order, for a token and for a session', async () => {
    const { service, passkey, cookie } = await withSession();
    await using _service = service;
    const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
    const { token } = await service.accounts.createToken({ owner: eve });
    await service.relyingParty.revoke(passkey.id, {});
    await service.relyingParty.restore(passkey.id);
    const { authorization } = { authorization: `Bearer ${service.token}` };
    const byToken = await service.inject({ url: '/api/passkeys', headers: { authorization } });
    expect(byToken.json()).toEqual([passkey]);
    expect(Object.keys(byToken.json()[0])).toEqual(['id', 'label', 'credential_id', 'created_at']);
    // The session ended when its passkey was revoked.
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie } })).statusCode).toBe(401);
    expect((await service.inject({ url: '/api/passkeys', headers: { authorization: `Bearer ${token}` } })).json()).toEqual([]);
  });

  test('HEAD answers the same without a body', async () => {
    const { service, cookie } = await withSession();
    await using _service = service;
    const reply = await service.inject({ method: 'HEAD', url: '/api/passkeys', headers: { cookie } });
    expect([reply.statusCode, reply.body]).toEqual([200, '']);
  });

  test.each([
    ['Basic YWRhOnNlY3JldA==', 'the scheme Basic'],
    ['DPoP secret', 'the scheme DPoP'],
    ['Digest username="ada", response="secret"', 'the scheme Digest'],
    ['Bearer two secrets', 'something that is not a token'],
    ['pk_secret', 'no scheme with a token'],
    ['secret_with_an_underscore and more', 'no scheme with a token'],
    ['Bearer', 'no scheme with a token'],
  ])('the header "Authorization: %s" is a 401 that says what came', async (authorization, received) => {
    await using service = await Service.start();
    const reply = await service.inject({ url: '/api/passkeys', headers: { authorization } });
    expect(reply.json().detail).toBe(
      `Expected "Bearer <token>" in the Authorization header; got ${received}. \`passkey token create\` creates a token.`,
    );
    expect(reply.body).not.toContain('secret');
  });

  test('the scheme is read whatever its case', async ({ service }) => {
    expect((await service.inject({ url: '/api/passkeys', headers: { authorization: `bearer ${service.token}` } })).statusCode).toBe(200);
  });

  test('a wrong token is not made good by a session', async () => {
    const { service, cookie } = await withSession();
    await using _service = service;
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie, authorization: 'Bearer pk_x' } })).statusCode).toBe(401);
  });
});

describe('PATCH and DELETE /api/passkeys/:id', () => {
  const change = (
    service: Service,
    method: 'PATCH' | 'DELETE',
    id: string,
    headers: Record<string, string>,
    payload: unknown = { label: 'New' },
  ) =>
    service.inject({
      method,
      url: `/api/passkeys/${id}`,
      headers: { ...headers, ...(method === 'PATCH' && { 'content-type': 'application/json' }) },
      ...(method === 'PATCH' && { payload: JSON.stringify(payload) }),
    });

  test('DELETE revokes: 204, and from the next request on it matches nothing', async () => {
    const { service, credentialId, cookie } = await withSession();
    await using _service = service;
    const reply = await change(service, 'DELETE', '1', { cookie });
    expect([reply.statusCode, reply.body]).toEqual([204, '']);
    await expect(service.relyingParty.find(1)).resolves.toMatchObject({
      revokedAt: service.clock.now,
      revokedReason: 'revoked by its user',
    });
    expect((await service.post('/api/passkeys/verify/options', { credential_id: credentialId }, { token: null })).statusCode).toBe(404);
    expect((await change(service, 'DELETE', '1', { authorization: `Bearer ${service.token}` })).statusCode).toBe(404);
  });

  test.each(['PATCH', 'DELETE'] as const)("%s of someone else's, a revoked or no passkey is a 404", async (method) => {
    const { service } = await withSession();
    await using _service = service;
    const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
    const { token } = await service.accounts.createToken({ owner: eve });
    for (const id of ['1', '99', '0', '-1', '01', '1.0', 'login', '99999999999999999999', '%31%30']) {
      const reply = await change(service, method, id, { authorization: `Bearer ${token}` });
      expect([reply.statusCode, reply.json().code]).toEqual([404, 'passkey_not_found']);
    }
    await expect(service.relyingParty.find(1)).resolves.toMatchObject({ label: 'Phone', revokedAt: undefined });
  });

  test.each([
    ['missing', {}],
    ['null', { label: null }],
    ['empty', { label: '' }],
    ['blank', { label: ' \t\u00a0' }],
    ['too long', { label: 'x'.repeat(256) }],
    ['a number', { label: 5 }],
  ])('a label that is %s is a 422, even for no passkey', async (_what, payload) => {
    const { service, cookie } = await withSession();
    await using _service = service;
    for (const id of ['1', '99']) {
      const reply = await change(service, 'PATCH', id, { cookie }, payload);
      expect([reply.statusCode, reply.json().errors[0].pointer]).toEqual([422, '/label']);
    }
  });

  test.each(['PATCH', 'DELETE'] as const)(
    '%s with the cookie from a page of another origin is refused; with a token it is not',
    async (method) => {
      const { service, cookie } = await withSession({ origins: [APP_ORIGIN] });
      await using _service = service;
      for (const origin of ['https://evil.test', 'null', 'http://localhost:9999', 'https://app.example.com.evil.test']) {
        const reply = await change(service, method, '1', { cookie, origin });
        expect([reply.statusCode, reply.json().code]).toEqual([403, 'origin_not_allowed']);
      }
      expect(
        (await change(service, 'PATCH', '1', { authorization: `Bearer ${service.token}`, origin: 'https://evil.test' })).statusCode,
      ).toBe(200);
      for (const origin of [APP_ORIGIN, OWN_ORIGIN, 'http://127.0.0.1:7277']) {
        const host = origin === 'http://127.0.0.1:7277' ? '127.0.0.1:7277' : 'localhost:7277';
        expect((await change(service, 'PATCH', '1', { cookie, origin, host })).statusCode).toBe(200);
      }
    },
  );

  test('reading with the cookie is for every origin: CORS keeps the answer', async () => {
    const { service, cookie } = await withSession();
    await using _service = service;
    const reply = await service.inject({ url: '/api/passkeys', headers: { cookie, origin: 'https://evil.test' } });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('GET /api/session', () => {
  const user = { id: 1, name: 'Ada Lovelace', email: 'ada@example.com' };

  test('tells who is signed in, by a session or by a bearer token', async () => {
    const { service, cookie } = await withSession();
    await using _service = service;
    const bySession = await service.inject({ url: '/api/session', headers: { cookie } });
    expect([bySession.statusCode, bySession.json()]).toEqual([200, { user }]);
    const byToken = await service.inject({ url: '/api/session', headers: { authorization: `Bearer ${service.token}` } });
    expect([byToken.statusCode, byToken.json()]).toEqual([200, { user }]);
  });
});

describe('DELETE /api/session', () => {
  test('ends the session on the server and takes the cookie away', async () => {
    const { service, cookie } = await withSession();
    await using _service = service;
    const reply = await service.inject({ method: 'DELETE', url: '/api/session', headers: { cookie } });
    expect([reply.statusCode, reply.body]).toEqual([204, '']);
    expect(reply.headers['set-cookie']).toMatch(/^passkey_session_7277=; Max-Age=0; /);
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie } })).statusCode).toBe(401);
    expect((await service.inject({ method: 'DELETE', url: '/api/session', headers: { cookie } })).statusCode).toBe(401);
  });

  test('needs a session; a bearer token is none', async ({ service }) => {
    const reply = await service.inject({ method: 'DELETE', url: '/api/session', headers: { authorization: `Bearer ${service.token}` } });
    expect([reply.statusCode, reply.json().code]).toEqual([401, 'unauthenticated']);
  });

  test('a page of another origin cannot log the user out', async () => {
    const { service, cookie } = await withSession();
    await using _service = service;
    const reply = await service.inject({ method: 'DELETE', url: '/api/session', headers: { cookie, origin: 'https://evil.test' } });
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'origin_not_allowed']);
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie } })).statusCode).toBe(200);
  });
});
