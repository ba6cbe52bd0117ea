import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { createSignInKey } from '../../src/server/development-key.js';
import type { ServerSettings } from '../../src/server/settings.js';
import { APP_ORIGIN, Service } from './app.js';
import { test } from './service-test.js';

async function session(service: Service): Promise<string> {
  const { secret } = await service.accounts.createSession({ owner: service.owner, expiresAt: service.clock.now + 1_000_000 });
  return secret;
}

const status = async (service: Service, cookie: string, headers: Record<string, string> = {}) =>
  (await service.inject({ url: '/api/session', headers: { cookie, ...headers } })).statusCode;

const HTTPS: Partial<ServerSettings> = { origin: 'https://app.example.com', mode: 'production' };

describe('of several session cookies', () => {
  test.each([
    ['behind a false one', (good: string) => `passkey_session_7277=false; passkey_session_7277=${good}`],
    ['in front of a false one', (good: string) => `passkey_session_7277=${good}; passkey_session_7277=false`],
    ['behind many false ones', (good: string) => `${'passkey_session_7277=x; '.repeat(200)}passkey_session_7277=${good}`],
    [
      'behind an empty and a malformed one',
      (good: string) => `passkey_session_7277=; passkey_session_7277; =; passkey_session_7277=${good}`,
    ],
  ])('the good one counts %s', async (_where, cookie) => {
    await using service = await Service.start();
    expect(await status(service, cookie(await session(service)))).toBe(200);
    expect(await status(service, cookie('none'))).toBe(401);
  });

  test('no more are looked up than a browser sends', async ({ service }) => {
    const good = await session(service);
    const others = (count: number) =>
      Array.from({ length: count }, () => `passkey_session_7277=${randomBytes(32).toString('base64url')}; `).join('');
    expect(await status(service, `${others(19)}passkey_session_7277=${good}`)).toBe(200);
    expect(await status(service, `${others(20)}passkey_session_7277=${good}`)).toBe(401);
  });

  test('the one that ends at a log-out is the one that counted', async ({ service }) => {
    const [one, two] = [await session(service), await session(service)];
    const cookie = `passkey_session_7277=false; passkey_session_7277=${one}`;
    expect((await service.inject({ method: 'DELETE', url: '/api/session', headers: { cookie } })).statusCode).toBe(204);
    expect(await status(service, cookie)).toBe(401);
    expect(await status(service, `passkey_session_7277=${two}`)).toBe(200);
  });

  test('one that another host of the domain could have planted is not read on https', async () => {
    await using service = await Service.start({ settings: HTTPS });
    const secret = await session(service);
    expect(await status(service, `passkey_session=${secret}`)).toBe(401);
    expect(await status(service, `passkey_session=false; __Host-passkey_session=${secret}`)).toBe(200);
  });

  test('nor behind a trusted proxy that ends TLS', async () => {
    await using service = await Service.start({ settings: { mode: 'production', trustProxy: true } });
    const secret = await session(service);
    const forwarded = { 'x-forwarded-proto': 'https' };
    expect(await status(service, `passkey_session=${secret}`, forwarded)).toBe(401);
    expect(await status(service, `__Host-passkey_session=${secret}`, forwarded)).toBe(200);
    expect(await status(service, `passkey_session=${secret}`)).toBe(200);
  });

  test('where a proxy leaves it unclear whether it is https, the one that only this host can set comes first', async () => {
    await using service = await Service.start({ settings: { mode: 'production' } });
    const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
    const planted = await service.accounts.createSession({ owner: eve, expiresAt: service.clock.now + 1_000_000 });
    const cookie = `passkey_session=${planted.secret}; __Host-passkey_session=${await session(service)}`;
    const reply = await service.inject({ url: '/api/session', headers: { cookie } });
    expect(reply.json().user.email).toBe('ada@example.com');
  });
});

test.each([
  ['when a proxy rewrites Host', {}, { host: 'backend:7277' }],
  ['when the page is on another host than the API', {}, { host: 'api.example.com', origin: APP_ORIGIN }],
  ['when a trusted proxy does not state the scheme', { trustProxy: true }, {}],
])('in production, with --origin on https alone, the cookie of a login is Secure %s', async (_when, settings, headers) => {
  await using service = await Service.start({ settings: { mode: 'production', origins: [APP_ORIGIN], ...settings } });
  const { credentialId } = await service.register();
  const reply = await service.post('/api/passkeys/login', await service.assert(credentialId), { token: null, headers });
  expect(reply.cookies).toMatchObject([{ name: '__Host-passkey_session', secure: true, path: '/' }]);
  expect(await status(service, Service.cookieOf(reply))).toBe(200);
  expect(await status(service, Service.cookieOf(reply).replace('__Host-', ''))).toBe(401);
});

test('with one --origin on http, the scheme of the request decides', async () => {
  await using service = await Service.start({ settings: { mode: 'production', origins: [APP_ORIGIN, 'http://localhost:3000'] } });
  const { credentialId } = await service.register();
  expect((await service.login(credentialId)).cookies).toMatchObject([{ name: 'passkey_session' }]);
});

test('a log-out takes away the cookie under the name that it has', async () => {
  await using service = await Service.start({ settings: { mode: 'production' } });
  const cookie = `__Host-passkey_session=${await session(service)}`;
  const { headers } = await service.inject({ method: 'DELETE', url: '/api/session', headers: { cookie } });
  const [host, plain] = [headers['set-cookie']].flat();
  expect(host).toMatch(/^__Host-passkey_session=; .*Path=\/;.* Secure/);
  expect(plain).toMatch(/^passkey_session=; /);
});

describe('of several cookies of the sign-in key', () => {
  const { key, signInKey } = createSignInKey(randomBytes(32));

  test.each([
    ['http://localhost:7277', 'passkey_dev_7277'],
    ['https://localhost', '__Host-passkey_dev_443'],
  ])('the good one counts behind a false one, at %s', async (origin, name) => {
    await using service = await Service.start({ settings: { origin, devSignIn: signInKey } });
    const reply = await service.post('/dev/key', { key }, { token: null });
    const [cookie] = reply.cookies;
    expect(cookie?.name).toBe(name);
    const signIn = async (sent: string) =>
      (await service.inject({ method: 'POST', url: '/dev/sign-in', headers: { cookie: sent } })).statusCode;
    expect(await signIn(`${name}=false; ${name}=${cookie?.value}`)).toBe(200);
    expect(await signIn(`${name}=${cookie?.value}; ${name}=false`)).toBe(200);
    expect(await signIn(`${name}=false; ${name}=false`)).toBe(403);
  });
});
