import { describe, expect } from 'vitest';
import { APP_ORIGIN, Service } from './app.js';
import { test } from './service-test.js';

const statusFor = async (service: Service, host: string, headers: Record<string, string> = {}) => {
  const reply = await service.inject({ url: '/healthz', headers: { host, ...headers } });
  return [reply.statusCode, reply.json().code];
};

describe('in development', () => {
  test.each(['localhost', 'localhost:7277', 'LOCALHOST:7277', '127.0.0.1', '127.0.0.1:80', '[::1]:7277'])(
    '%s is answered',
    async (host) => {
      await using service = await Service.start();
      expect(await statusFor(service, host)).toEqual([200, undefined]);
    },
  );

  test.each(['evil.test', 'localhost.evil.test', '192.168.1.5', 'evil.test:7277', '127.0.0.2', 'localhost@evil.test', 'a b', '[::2]'])(
    '%j is not',
    async (host) => {
      await using service = await Service.start();
      expect(await statusFor(service, host)).toEqual([403, 'host_not_allowed']);
    },
  );

  test('the own host and those of --allowed-host are, with any port', async () => {
    await using service = await Service.start({
      settings: { origin: 'http://own.test:8000', allowedHosts: ['dev.test', '192.168.1.5', 'fe80::1'] },
    });
    for (const host of ['own.test', 'own.test:1', 'dev.test:7277', 'DEV.test', '192.168.1.5', '[fe80::1]', 'localhost']) {
      expect(await statusFor(service, host)).toEqual([200, undefined]);
    }
    expect(await statusFor(service, 'sub.dev.test')).toEqual([403, 'host_not_allowed']);
  });

  test('every route is closed to another host, before anything is read', async ({ service }) => {
    for (const [method, url] of [
      ['GET', '/'],
      ['GET', '/nope'],
      ['POST', '/api/passkeys/login/options'],
      ['GET', '/dev/state'],
      ['POST', '/api/passkeys/register'],
    ] as const) {
      const reply = await service.inject({ method, url, headers: { host: 'evil.test' } });
      expect([reply.statusCode, reply.json().code]).toEqual([403, 'host_not_allowed']);
    }
  });

  test('a forwarded host does not help, unless a proxy is trusted', async () => {
    await using direct = await Service.start();
    expect(await statusFor(direct, 'evil.test', { 'x-forwarded-host': 'localhost' })).toEqual([403, 'host_not_allowed']);
    await using proxied = await Service.start({ settings: { trustProxy: true } });
    expect(await statusFor(proxied, 'inner:7277', { 'x-forwarded-host': 'localhost' })).toEqual([200, undefined]);
  });
});

describe('in production', () => {
  test('every host is answered, until --allowed-host is given', async () => {
    await using open = await Service.start({ settings: { mode: 'production' } });
    expect(await statusFor(open, 'anything.test')).toEqual([200, undefined]);
    await using closed = await Service.start({ settings: { mode: 'production', origin: 'https://own.test', allowedHosts: ['also.test'] } });
    expect(await statusFor(closed, 'own.test')).toEqual([200, undefined]);
    expect(await statusFor(closed, 'also.test')).toEqual([200, undefined]);
    expect(await statusFor(closed, 'localhost')).toEqual([403, 'host_not_allowed']);
  });
});

describe('CORS', () => {
  test('an origin of --origin may read answers and send its cookie', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    const reply = await service.post('/api/passkeys/login/options', undefined, { token: null, headers: { origin: APP_ORIGIN } });
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': APP_ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
      vary: 'Origin',
    });
  });

  test('a problem can be read too', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    const reply = await service.inject({ url: '/api/passkeys', headers: { origin: APP_ORIGIN } });
    expect(reply.statusCode).toBe(401);
    expect(reply.headers['access-control-allow-origin']).toBe(APP_ORIGIN);
  });

  test('its preflight is answered', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    const reply = await service.inject({
      method: 'OPTIONS',
      url: '/api/passkeys/5',
      headers: {
        origin: APP_ORIGIN,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(reply.statusCode).toBe(204);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': APP_ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, X-Request-Id',
    });
  });

  test.each([
    ['without --origin', [], APP_ORIGIN],
    ['for another origin', [APP_ORIGIN], 'https://evil.test'],
    ['for a sub-domain', [APP_ORIGIN], 'https://sub.app.example.com'],
    ['for another scheme', [APP_ORIGIN], 'http://app.example.com'],
    ['for an opaque origin', [APP_ORIGIN], 'null'],
  ])('there is none %s', async (_what, origins, origin) => {
    await using service = await Service.start({ settings: { origins } });
    const reply = await service.inject({ url: '/healthz', headers: { origin } });
    const preflight = await service.inject({
      method: 'OPTIONS',
      url: '/healthz',
      headers: { origin, 'access-control-request-method': 'GET' },
    });
    for (const { headers } of [reply, preflight]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('an OPTIONS without an origin is no preflight', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    const reply = await service.inject({ method: 'OPTIONS', url: '/api/passkeys/5' });
    expect([reply.statusCode, reply.headers.allow]).toEqual([204, 'DELETE, OPTIONS, PATCH']);
  });
});

describe('security headers', () => {
  test('answers load nothing, are framed by nobody, and are not kept', async ({ service }) => {
    const { headers } = await service.inject({ url: '/healthz' });
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  test('https is kept to once it was used', async () => {
    await using service = await Service.start({ settings: { origin: 'https://localhost:7277' } });
    expect((await service.inject({ url: '/healthz' })).headers['strict-transport-security']).toBe('max-age=31536000');
  });
});
