import { describe, expect, test } from 'vitest';
import { ownOrigin } from '../../../src/server/listen.js';
import { isLoopbackHost } from '../../../src/webauthn/loopback.js';

describe('the own origin', () => {
  test.each([
    ['localhost', true, 'http://localhost:7277'],
    ['127.0.0.1', true, 'http://localhost:7277'],
    ['::1', true, 'http://localhost:7277'],
    ['app.localhost', true, 'http://app.localhost:7277'],
    ['0.0.0.0', false, 'http://localhost:7277'],
    ['::', false, 'http://localhost:7277'],
    ['192.168.1.5', false, 'http://192.168.1.5:7277'],
    ['fe80::1', false, 'http://[fe80::1]:7277'],
    ['passkeys.lan', false, 'http://passkeys.lan:7277'],
    ['127.evil.test', false, 'http://127.evil.test:7277'],
  ])('of a server on %s', (host, loopback, origin) => {
    expect(isLoopbackHost(host)).toBe(loopback);
    expect(ownOrigin(host, 7277)).toBe(origin);
  });

  test('leaves out the port of the scheme, as browsers do', () => {
    expect(ownOrigin('localhost', 80)).toBe('http://localhost');
  });
});
