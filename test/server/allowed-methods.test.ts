import { describe, expect } from 'vitest';
import { Service } from './app.js';
import { test } from './service-test.js';

describe('a wrong method is a 405 with Allow', () => {
  test.each([
    ['GET', '/api/passkeys/register/options', 'OPTIONS, POST'],
    ['GET', '/api/passkeys/login', 'OPTIONS, POST'],
    ['PUT', '/api/passkeys/verify', 'OPTIONS, POST'],
    ['HEAD', '/api/passkeys/verify', 'OPTIONS, POST'],
    ['POST', '/api/passkeys', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/passkeys/5', 'DELETE, OPTIONS, PATCH'],
    ['POST', '/api/passkeys/5?x=/y', 'DELETE, OPTIONS, PATCH'],
    ['POST', '/api/session', 'DELETE, GET, HEAD, OPTIONS'],
    ['DELETE', '/healthz', 'GET, HEAD, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/healthz', 'GET, HEAD, OPTIONS'],
  ] as const)('%s %s', async (method, url, allow) => {
    await using service = await Service.start();
    const reply = await service.inject({ method: method as 'GET', url });
    expect(reply.statusCode).toBe(405);
    expect(reply.headers.allow).toBe(allow);
    if (method !== 'HEAD') {
      expect(reply.json().code).toBe('method_not_allowed');
    }
  });
});

describe('an unknown route is a 404', () => {
  test.each([
    ['GET', '/nope'],
    ['POST', '/api'],
    ['GET', '/api/passkeys/'],
    ['GET', '/API/passkeys'],
    ['GET', '/api/passkeys/5/6'],
    ['DELETE', '/api/passkeys//'],
    ['OPTIONS', '/nope'],
    ['OPTIONS', '*'],
    ['GET', '/%E0%A4%A'],
    ['GET', `/${'a'.repeat(5000)}`],
    ['DELETE', `/api/passkeys/${'1'.repeat(500)}`],
  ] as const)('%s %s', async (method, url) => {
    await using service = await Service.start();
    const reply = await service.inject({ method, url });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'route_not_found']);
    expect(reply.headers).not.toHaveProperty('allow');
  });

  test.each([
    ['application/json', '{'],
    ['text/plain', 'x'],
    ['application/json', 'x'.repeat(70_000)],
  ])('whatever its body: %s %s', async (type, payload) => {
    await using service = await Service.start();
    const send = (url: string) => service.inject({ method: 'PUT', url, headers: { 'content-type': type }, payload });
    expect((await send('/nope')).statusCode).toBe(404);
    expect((await send('/api/passkeys/verify')).statusCode).toBe(405);
  });
});

test('OPTIONS tells what a path takes', async ({ service }) => {
  const reply = await service.inject({ method: 'OPTIONS', url: '/api/passkeys/login' });
  expect([reply.statusCode, reply.headers.allow, reply.body]).toEqual([204, 'OPTIONS, POST', '']);
});
