import { describe, expect, test } from 'vitest';
import { APP_ORIGIN, Service } from './app.js';

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
  test('answers load nothing, are framed by nobody, and are not kept', async () => {
    await using service = await Service.start();
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
