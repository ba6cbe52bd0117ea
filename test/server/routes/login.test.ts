import { describe, expect } from 'vitest';
import { APP_ORIGIN, APP_URL, OWN_ORIGIN, RP_ID, Service } from '../app.js';
import { test } from '../service-test.js';

const LOGIN_OPTIONS = '/api/passkeys/login/options';

describe('POST /api/passkeys/login/options', () => {
  test('counts the ceremonies of one IPv6 /64, and of one address behind a proxy, as those of one client', async () => {
    await using service = await Service.start({ settings: { trustProxy: true } });
    const clients: string[] = [];
    service.relyingParty.on((event) => {
      if (event.type === 'ceremony-begun') clients.push(event.ceremony.client);
    });
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '::ffff:192.0.2.7', '192.0.2.7', '192.0.2.7:1', '192.0.2.7:2']) {
      await service.inject({ method: 'POST', url: LOGIN_OPTIONS, headers: { 'x-forwarded-for': address } });
    }
    expect(clients).toEqual([...Array(2).fill('2001:db8:1:2::/64'), ...Array(4).fill('192.0.2.7')]);
  });

  test('answers challenge, rpId, timeout and userVerification, and no credentials', async ({ service }) => {
    const reply = await service.post(LOGIN_OPTIONS, { app_url: APP_URL }, { token: null });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      rpId: RP_ID,
      timeout: 60_000,
      userVerification: 'preferred',
    });
  });

  test.each([
    ['of app_url', { app_url: 'https://example.org/x' }, { origin: APP_ORIGIN }, 'example.org'],
    ['of the Origin header in --origin', undefined, { origin: APP_ORIGIN }, 'app.example.com'],
    ['of the own Origin', undefined, { origin: OWN_ORIGIN }, 'localhost'],
    ['its own for another Origin', undefined, { origin: 'https://example.net' }, 'localhost'],
    ['its own without an Origin, where several are given', {}, {}, 'localhost'],
  ])('the rp.id is %s', async (_what, body, headers, rpId) => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN, 'https://example.org'] } });
    const reply = await service.post(LOGIN_OPTIONS, body, { token: null, headers });
    expect(reply.json().rpId).toBe(rpId);
  });

  test.each([
    ['its own where none is given', [], {}, 'localhost'],
    ['that of the one --origin', [APP_ORIGIN], {}, 'app.example.com'],
    ['that of the one --origin for another Origin', [APP_ORIGIN], { origin: 'https://example.net' }, 'app.example.com'],
    ['its own for the own Origin, with one --origin', [APP_ORIGIN], { origin: OWN_ORIGIN }, 'localhost'],
  ])('without app_url the rp.id is %s, and the origin with it', async (_what, origins, headers, rpId) => {
    await using service = await Service.start({ settings: { origins } });
    const begun: unknown[] = [];
    service.relyingParty.on((event) => {
      if (event.type === 'ceremony-begun') begun.push(event.ceremony.origins);
    });
    const reply = await service.post(LOGIN_OPTIONS, undefined, { token: null, headers });
    expect(reply.json().rpId).toBe(rpId);
    expect(begun).toEqual([[rpId === 'localhost' ? OWN_ORIGIN : APP_ORIGIN]]);
  });

  test('an app_url is held to the same rules as at a registration', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    const refused = await service.post(LOGIN_OPTIONS, { app_url: 'https://example.net' }, { token: null });
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'origin_not_allowed']);
    for (const app_url of ['example.com', null, 'http://10.0.0.1']) {
      const wrong = await service.post(LOGIN_OPTIONS, { app_url }, { token: null });
      expect(wrong.statusCode).toBe(422);
      expect(wrong.json().errors).toMatchObject([{ pointer: '/app_url' }]);
    }
  });
});

describe('POST /api/passkeys/login', () => {
  test('an assertion that does not verify is a 401 and opens nothing', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    const reply = await service.post(
      '/api/passkeys/login',
      { ...assertion, response: { ...assertion.response, signature: 'AAAA' } },
      { token: null },
    );
    expect([reply.statusCode, reply.json().code]).toEqual([401, 'signature_invalid']);
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(reply.headers).not.toHaveProperty('set-cookie');
    expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  });
});

describe('auth action session', () => {
  test('answers the user and sets an HttpOnly, SameSite=Lax cookie that lasts as long as the session', async () => {
    await using service = await Service.start({ settings: { sessionTtl: 3_600_000 } });
    const { credentialId } = await service.register();
    const reply = await service.login(credentialId);
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({ user: { id: 1, name: 'Ada Lovelace', email: 'ada@example.com' } });
    expect(reply.headers['set-cookie']).toMatch(/^passkey_session_7277=[A-Za-z0-9_-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
    const cookie = Service.cookieOf(reply);
    service.clock.now += 3_599_999;
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie } })).statusCode).toBe(200);
    service.clock.now += 1;
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie } })).statusCode).toBe(401);
  });

  test.each([
    ['http://localhost:3000', 'development', 'passkey_session_3000'],
    ['http://localhost', 'development', 'passkey_session_80'],
    ['https://app.example.com', 'development', '__Host-passkey_session_443'],
    ['https://app.example.com:8443', 'production', '__Host-passkey_session'],
  ] as const)('at %s in %s mode the cookie is %s', async (origin, mode, name) => {
    await using service = await Service.start({ settings: { origin, mode } });
    const { credentialId } = await service.register();
    const reply = await service.login(credentialId);
    expect(reply.cookies).toMatchObject([{ name }]);
    const [cookie] = reply.cookies;
    const listed = (sent: string) => service.inject({ url: '/api/passkeys', headers: { cookie: `${sent}=${cookie?.value}` } });
    expect([(await listed(name)).statusCode, (await listed('passkey_session_7277')).statusCode]).toEqual([200, 401]);
    expect((await service.inject({ url: '/openapi.json' })).json().components.securitySchemes.session).toEqual({
      type: 'apiKey',
      in: 'cookie',
      name,
      description: 'On https its name begins with `__Host-`.',
    });
  });

  test.each([
    ['the own origin is https', { settings: { origin: 'https://localhost:7277' } }, {}, true],
    ['a proxy ends TLS', { settings: { trustProxy: true } }, { 'x-forwarded-proto': 'https' }, true],
    ['somebody says that a proxy does', { settings: {} }, { 'x-forwarded-proto': 'https' }, false],
    ['the page of this host is on https', { settings: {} }, { host: 'localhost', origin: 'https://localhost' }, true],
    ['it is on http', { settings: {} }, { host: 'localhost', origin: 'http://localhost' }, false],
    ['that of another host is on https', { settings: {} }, { host: 'localhost', origin: 'https://app.example.com' }, false],
  ])('the cookie is Secure where %s', async (_what, options, headers, secure) => {
    await using service = await Service.start(options);
    const { credentialId } = await service.register();
    const reply = await service.post('/api/passkeys/login', await service.assert(credentialId), { token: null, headers });
    const [cookie] = reply.cookies;
    expect(cookie?.secure ?? false).toBe(secure);
    expect(cookie).toMatchObject({ name: secure ? '__Host-passkey_session_7277' : 'passkey_session_7277', path: '/' });
    expect(cookie).not.toHaveProperty('domain');
  });
});

test('a login ends the session that its cookie replaces in that browser, and no other', async ({ service }) => {
  const { credentialId } = await service.register();
  const other = Service.cookieOf(await service.login(credentialId));
  const first = Service.cookieOf(await service.login(credentialId));
  const reply = await service.post('/api/passkeys/login', await service.assert(credentialId), { token: null, headers: { cookie: first } });
  const statuses = [other, first, Service.cookieOf(reply)].map(
    async (cookie) => (await service.inject({ url: '/api/session', headers: { cookie } })).statusCode,
  );
  expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
});

describe('auth actions token and expiring_token', () => {
  test('expiring_token: the same with an end', async () => {
    await using service = await Service.start({ settings: { authAction: 'expiring_token', tokenTtl: 90_000 } });
    const { credentialId } = await service.register();
    const { token, expires_at, ...rest } = (await service.login(credentialId)).json();
    expect(expires_at).toBe('2026-01-15T10:31:30.000000Z');
    expect(rest).toEqual({ user: { id: 1, name: 'Ada Lovelace', email: 'ada@example.com' } });
    const list = () => service.inject({ url: '/api/passkeys', headers: { authorization: `Bearer ${token}` } });
    service.clock.now += 89_999;
    expect((await list()).statusCode).toBe(200);
    service.clock.now += 1;
    expect((await list()).statusCode).toBe(401);
  });
});

test.each(['session', 'token', 'expiring_token'] as const)(
  'a user who is removed before the login is recorded is refused, and %s opens nothing',
  async (authAction) => {
    let remove = async () => {};
    await using service = await Service.start({
      settings: { authAction },
      store: (store) => ({
        ...store,
        async recordLogin(login) {
          await remove();
          return await store.recordLogin(login);
        },
      }),
    });
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    remove = async () => {
      await service.accounts.removeOwner(service.owner);
    };
    const reply = await service.post('/api/passkeys/login', assertion, { token: null });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'passkey_not_found']);
    expect(reply.cookies).toEqual([]);
    // The token that the test began with.
    expect(await service.store.listAccess()).toMatchObject([{ id: 1 }]);
  },
);

test('a user who is removed just after the login was recorded is refused, and what it opened has ended', async () => {
  let remove = async () => {};
  await using service = await Service.start({
    store: (store) => ({
      ...store,
      async recordLogin(login) {
        const outcome = await store.recordLogin(login);
        await remove();
        return outcome;
      },
    }),
  });
  const { credentialId } = await service.register();
  const assertion = await service.assert(credentialId);
  remove = async () => {
    await service.accounts.removeOwner(service.owner);
  };
  const reply = await service.post('/api/passkeys/login', assertion, { token: null });
  expect([reply.statusCode, reply.json().code]).toEqual([404, 'passkey_not_found']);
  expect(reply.cookies).toEqual([]);
  expect(await service.store.listAccess({ revoked: 'only' })).toEqual(await service.store.listAccess());
});
