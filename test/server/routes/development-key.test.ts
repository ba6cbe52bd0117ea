import { describe, expect, test } from 'vitest';
import { createSignInKey } from '../../../src/server/development-key.js';
import { collectLog, OWN_ORIGIN, Service } from '../app.js';

const { key, signInKey } = createSignInKey(new Uint8Array(32).map((_, index) => index));
const startWithKey = (origin = OWN_ORIGIN) => Service.start({ settings: { devSignIn: signInKey, origin } });

/** `name=value` of the cookie that the key is exchanged for. */
async function cookieFrom(service: Service): Promise<string> {
  const reply = await service.post('/dev/key', { key }, { token: null });
  const [cookie] = reply.cookies;
  expect([reply.statusCode, reply.body, reply.cookies.length]).toEqual([204, '', 1]);
  return `${cookie?.name}=${cookie?.value}`;
}

const NEED_THE_KEY = [
  ['POST', '/dev/sign-in'],
  ['POST', '/dev/register/options'],
  ['POST', '/dev/verify/options'],
  ['POST', '/dev/login/options'],
  ['GET', '/dev/events'],
  ['GET', '/dev/fixtures/AAAA'],
  ['GET', '/dev/passkeys'],
  ['POST', '/dev/passkeys/1/restore'],
] as const;

describe('--dev-sign-in key', () => {
  test.each([
    ['none', ''],
    ['a wrong one', 'passkey_dev_7277=AAAA'],
    ['the key itself', `passkey_dev_7277=${key}`],
    ['that of another port', ''],
  ])('without the cookie nothing under /dev answers: %s', async (what, cookie) => {
    await using service = await startWithKey();
    const sent = what === 'that of another port' ? (await cookieFrom(service)).replace('7277', '7278') : cookie;
    for (const [method, url] of NEED_THE_KEY) {
      const reply = await service.inject({ method, url, headers: { cookie: sent } });
      expect([url, reply.statusCode, reply.json().code]).toEqual([url, 403, 'development_only']);
    }
    const state = (await service.inject({ url: '/dev/state', headers: { cookie: sent } })).json();
    expect(state).toMatchObject({ signIn: false, signInReason: expect.stringContaining('printed'), users: [] });
  });

  test('the key is exchanged for a cookie that names the port, and it opens them', async () => {
    await using service = await startWithKey();
    const reply = await service.post('/dev/key', { key }, { token: null });
    expect(reply.headers['set-cookie']).toMatch(/^passkey_dev_7277=[A-Za-z0-9_-]{43}; Path=\/dev; HttpOnly; SameSite=Strict$/);
    expect(reply.headers['set-cookie']).not.toContain(key);
    const cookie = await cookieFrom(service);
    for (const [method, url] of NEED_THE_KEY) {
      if (url === '/dev/events') continue;
      const answer = await service.inject({ method, url, headers: { cookie } });
      expect([url, answer.statusCode]).not.toEqual([url, 403]);
    }
    expect((await service.inject({ url: '/dev/state', headers: { cookie } })).json()).toMatchObject({ signIn: true });
    expect((await service.inject({ method: 'POST', url: '/dev/sign-in', headers: { cookie } })).statusCode).toBe(200);
  });

  test.each([
    ['http://localhost:8000', /^passkey_dev_8000=/],
    ['http://localhost', /^passkey_dev_80=/],
    ['https://localhost', /^__Host-passkey_dev_443=[^;]*; Path=\/; HttpOnly; Secure; SameSite=Strict$/],
  ])('at %s', async (origin, cookie) => {
    await using service = await startWithKey(origin);
    const reply = await service.post('/dev/key', { key }, { token: null });
    expect(reply.headers['set-cookie']).toMatch(cookie);
  });

  test.each([
    ['another key', { key: `${key.slice(0, -1)}A` }, 403],
    ['one that begins like it', { key: key.slice(0, -1) }, 403],
    ['none', {}, 422],
    ['a long one', { key: 'x'.repeat(101) }, 422],
  ])('%s is exchanged for nothing', async (_what, body, status) => {
    await using service = await startWithKey();
    const reply = await service.post('/dev/key', body, { token: null });
    expect([reply.statusCode, reply.cookies]).toEqual([status, []]);
  });

  test.each([
    ['a peer elsewhere', { remoteAddress: '192.168.1.9' }, 'development_only'],
    ['a proxy', { headers: { via: '1.1 proxy' } }, 'development_only'],
    ['a page of another origin', { headers: { origin: 'https://evil.test' } }, 'origin_not_allowed'],
  ])('the key alone does not let in %s, nor does the cookie', async (_who, peer: { headers?: object; remoteAddress?: string }, code) => {
    await using service = await startWithKey();
    const cookie = await cookieFrom(service);
    for (const [url, payload] of [
      ['/dev/key', { key }],
      ['/dev/sign-in', {}],
    ] as const) {
      const reply = await service.inject({ ...peer, method: 'POST', url, headers: { ...peer.headers, cookie }, payload });
      expect([url, reply.statusCode, reply.json().code]).toEqual([url, 403, code]);
    }
  });

  test('a key is known to its own start only, and the log never shows it', async () => {
    const log = collectLog('trace');
    await using service = await Service.start({
      logger: log.logger,
      settings: { devSignIn: createSignInKey(new Uint8Array(32)).signInKey },
    });
    expect((await service.post('/dev/key', { key }, { token: null })).statusCode).toBe(403);
    expect(log.lines.length).toBeGreaterThan(0);
    expect(log.text()).not.toContain(key);
  });

  test('what is kept of the key is a hash', () => {
    expect(JSON.stringify(Object.values(signInKey))).not.toContain(key);
    expect(signInKey.opens(key)).toBe(false);
    expect(signInKey.exchange(key)).not.toBe(key);
  });

  test.each(['local', 'off'] as const)('with --dev-sign-in %s there is nothing to exchange a key at', async (devSignIn) => {
    await using service = await Service.start({ settings: { devSignIn } });
    expect((await service.post('/dev/key', { key }, { token: null })).statusCode).toBe(404);
  });
});
