import { describe, expect, test } from 'vitest';
import { Service } from './app.js';

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

  test('every route is closed to another host, before anything is read', async () => {
    await using service = await Service.start();
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
