import { describe, expect } from 'vitest';
import { quick as test, thorough } from '../thorough.js';
import { collectLog, Service, type ServiceOptions } from './app.js';

const PUBLIC = ['/api/passkeys/verify/options', '/api/passkeys/verify', '/api/passkeys/login', '/api/passkeys/login/options'];
const OUTSIDE = '203.0.113.7';

function production(settings: ServiceOptions['settings'] = {}) {
  return Service.start({ settings: { mode: 'production', rateLimit: 4, ...settings } });
}

const ask = (
  service: Service,
  {
    url = PUBLIC[0] ?? '',
    remoteAddress = OUTSIDE,
    headers = {},
  }: { url?: string; remoteAddress?: string; headers?: Record<string, string> },
) => service.inject({ method: 'POST', url, remoteAddress, headers });

describe('in production', () => {
  test('the public endpoints share one count an address, and a 429 says when to come back', async () => {
    await using service = await production();
    for (const [index, url] of PUBLIC.entries()) {
      const reply = await ask(service, { url });
      expect(reply.statusCode).not.toBe(429);
      expect(reply.headers['ratelimit-limit']).toBe('4');
      expect(reply.headers['ratelimit-remaining']).toBe(String(3 - index));
      expect(Number(reply.headers['ratelimit-reset'])).toBeGreaterThan(0);
    }
    for (const url of PUBLIC) {
      const reply = await ask(service, { url });
      expect(reply.statusCode).toBe(429);
      expect(reply.json()).toMatchObject({ status: 429, code: 'rate_limited', title: 'Too many requests' });
      expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      expect(reply.headers['ratelimit-limit']).toBe('4');
      expect(reply.headers['ratelimit-remaining']).toBe('0');
      expect(reply.headers).toHaveProperty('ratelimit-reset');
    }
    expect((await ask(service, { remoteAddress: '203.0.113.8' })).statusCode).toBe(422);
  });

  test('loopback is limited like everybody', async () => {
    await using service = await production({ rateLimit: 1 });
    await ask(service, { remoteAddress: '127.0.0.1' });
    expect((await ask(service, { remoteAddress: '127.0.0.1' })).statusCode).toBe(429);
  });

  test('the other endpoints are not limited', async () => {
    await using service = await production({ rateLimit: 1 });
    for (let index = 0; index < 3; index++) {
      const reply = await service.inject({
        url: '/api/passkeys',
        remoteAddress: OUTSIDE,
        headers: { authorization: `Bearer ${service.token}` },
      });
      expect(reply.statusCode).toBe(200);
      expect((await service.inject({ url: '/healthz', remoteAddress: OUTSIDE })).statusCode).toBe(200);
    }
  });

  test('off is off, for registrations too', async () => {
    await using service = await production({ rateLimit: undefined });
    for (let index = 0; index < 200; index++) {
      expect((await ask(service, {})).statusCode).toBe(422);
      expect((await service.post('/api/passkeys/register')).statusCode).toBe(422);
    }
  });

  test('a forwarded address counts with trustProxy only, and then the one that the nearest proxy saw', async () => {
    await using direct = await production({ rateLimit: 1 });
    await ask(direct, { headers: { 'x-forwarded-for': '198.51.100.1' } });
    expect((await ask(direct, { headers: { 'x-forwarded-for': '198.51.100.2' } })).statusCode).toBe(429);

    await using proxied = await production({ rateLimit: 1, trustProxy: true });
    await ask(proxied, { headers: { 'x-forwarded-for': '198.51.100.1' } });
    expect((await ask(proxied, { headers: { 'x-forwarded-for': '198.51.100.2' } })).statusCode).toBe(422);
    const forged = await ask(proxied, { headers: { 'x-forwarded-for': '198.51.100.99, 198.51.100.1' } });
    expect(forged.statusCode).toBe(429);
  });

  test.each([
    ['a port of its own each time', (index: number) => `198.51.100.1:${index}`],
    ['an IPv6 address and a port of its own each time', (index: number) => `[2001:db8::1]:${index}`],
    ['another address of its network each time', (index: number) => `2001:db8::${index.toString(16)}`],
    ['garbage, another each time', (index: number) => `garbage-${index}`],
    ['an address that cannot be, another each time', (index: number) => `198.51.100.${1000 + index}`],
    ['garbage in front of its address', (index: number) => `garbage-${index}, 198.51.100.1`],
  ])('a client whose proxy writes %s is one client', async (_what, forwardedFor) => {
    await using service = await production({ rateLimit: 3, trustProxy: true });
    const statuses = [];
    for (let index = 0; index < 5; index++) {
      statuses.push((await ask(service, { headers: { 'x-forwarded-for': forwardedFor(index + 1) } })).statusCode);
    }
    expect(statuses).toEqual([422, 422, 422, 429, 429]);
  });

  test('a client whose proxy writes no address counts as the proxy, and the log names that', async () => {
    const log = collectLog();
    await using service = await Service.start({ settings: { mode: 'production', rateLimit: 1, trustProxy: true }, logger: log.logger });
    await ask(service, { headers: { 'x-forwarded-for': 'unknown' } });
    expect((await ask(service, {})).statusCode).toBe(429);
    expect((await ask(service, { headers: { 'x-forwarded-for': '198.51.100.1' } })).statusCode).toBe(422);
    const addresses = log.lines.filter(({ msg }) => msg === 'request').map(({ address }) => address);
    expect(addresses).toEqual([OUTSIDE, OUTSIDE, '198.51.100.1']);
  });

  thorough('a count outlasts 6,000 other addresses', async () => {
    await using service = await production({ rateLimit: 1 });
    await ask(service, {});
    for (let index = 0; index < 6_000; index++) {
      await ask(service, { url: '/api/passkeys/login/options', remoteAddress: `10.0.${index >> 8}.${index & 255}` });
    }
    expect((await ask(service, {})).statusCode).toBe(429);
  });

  test('ends with its minute', async () => {
    await using service = await production({ rateLimit: 1 });
    await ask(service, {});
    service.clock.now += 59_000;
    const refused = await ask(service, {});
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers['ratelimit-reset']]).toEqual([429, '1', '1']);
    service.clock.now += 1_000;
    expect((await ask(service, {})).statusCode).toBe(422);
  });

  test.each(['/api/passkeys/register/options', '/api/passkeys/register'])(
    '%s takes 30 requests a minute and user, whatever the address',
    async (url) => {
      await using service = await production();
      const register = (token: string, remoteAddress: string) =>
        service.inject({ method: 'POST', url, remoteAddress, headers: { authorization: `Bearer ${token}` } });
      for (let index = 0; index < 30; index++) {
        const reply = await register(service.token, `203.0.113.${index}`);
        expect(reply.statusCode).toBe(422);
        expect(reply.headers).toMatchObject({
          'ratelimit-limit': '30',
          'ratelimit-remaining': String(29 - index),
          'ratelimit-reset': '60',
        });
      }
      const { token } = await service.accounts.createToken({ owner: service.owner });
      const refused = await register(token, '203.0.113.99');
      expect(refused.json()).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(refused.headers).toMatchObject({ 'retry-after': '60', 'ratelimit-remaining': '0' });
      const other = await service.accounts.addOwner({ email: 'bob@example.com', name: 'Bob' });
      const { token: others } = await service.accounts.createToken({ owner: other });
      expect((await register(others, OUTSIDE)).statusCode).toBe(422);
      expect((await service.inject({ method: 'POST', url, remoteAddress: OUTSIDE })).statusCode).toBe(401);
      service.clock.now += 60_000;
      expect((await register(service.token, OUTSIDE)).statusCode).toBe(422);
    },
  );
});

describe('in development', () => {
  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.9.9.9'])('the loopback peer %s is not limited', async (remoteAddress) => {
    await using service = await Service.start({ settings: { rateLimit: 1 } });
    for (let index = 0; index < 5; index++) {
      const reply = await ask(service, { remoteAddress });
      expect(reply.statusCode).toBe(422);
      expect(reply.headers).not.toHaveProperty('ratelimit-limit');
    }
  });

  test('another peer is', async () => {
    await using service = await Service.start({ settings: { rateLimit: 1 } });
    await ask(service, {});
    expect((await ask(service, {})).statusCode).toBe(429);
  });

  test('registrations are not', async () => {
    await using service = await Service.start();
    for (let index = 0; index < 40; index++) {
      expect((await service.post('/api/passkeys/register/options')).statusCode).toBe(422);
    }
  });
});
