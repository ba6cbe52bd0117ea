import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalHost, isIpAddress, isLoopbackHost, rpIdFromUrl } from '../../src/webauthn/rp-id.js';

describe('rpIdFromUrl', () => {
  test.each([
    ['https://example.com', 'example.com'],
    ['https://Login.EXAMPLE.com:8443/path?query#hash', 'login.example.com'],
    ['http://localhost:7277', 'localhost'],
    ['https://user:secret@example.com/', 'example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['http://127.1:80/', '127.0.0.1'],
    ['http://[::1]:3000', '[::1]'],
  ])('of %s is %s', (url, host) => {
    expect(rpIdFromUrl(url)).toBe(host);
  });

  test.each(['example.com', '/path', '', 'ftp://example.com', 'javascript:alert(1)', 'https://', 'https://exa mple.com', 'file:///tmp'])(
    'of %j is refused',
    (url) => {
      expect(() => rpIdFromUrl(url)).toThrow(
        expect.objectContaining({
          code: 'validation_failed',
          message: expect.stringContaining('Expected an absolute http or https URL, got'),
        }),
      );
    },
  );
});

describe('isIpAddress and isLoopbackHost', () => {
  test.each([
    ['127.0.0.1', true, true],
    ['127.255.0.3', true, true],
    ['127.1', true, true],
    ['0x7f.1', true, true],
    ['::1', true, true],
    ['[::1]', true, true],
    ['[0:0:0:0:0:0:0:1]', true, true],
    ['::ffff:127.0.0.1', true, true],
    ['128.0.0.1', true, false],
    ['0.0.0.0', true, false],
    ['192.168.1.1', true, false],
    ['[2001:db8::1]', true, false],
    ['::', true, false],
    ['localhost', false, true],
    ['LOCALHOST', false, true],
    ['localhost.', false, true],
    ['app.localhost', false, true],
    ['example.com', false, false],
    ['localhost.example.com', false, false],
    ['notlocalhost', false, false],
    ['127.0.0.1.example.com', false, false],
    ['1.2.3.4.5', false, false],
    ['', false, false],
    ['localhost/../x', false, false],
    ['localhost:80', false, false],
    ['127.0.0.1@evil.example', false, false],
  ])('say of %s: %s, %s', (host, ip, loopback) => {
    expect({ ip: isIpAddress(host), loopback: isLoopbackHost(host) }).toEqual({ ip, loopback });
  });
});

describe('canonicalHost', () => {
  test.each([
    ['EXAMPLE.com', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['example.com.', 'example.com.'],
    ['0x7f.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['[0::1]', '[::1]'],
    ['example.com:80', undefined],
    ['example.com/', undefined],
    ['a b', undefined],
    ['', undefined],
  ])('of %j is %j', (host, expected) => {
    expect(canonicalHost(host)).toBe(expected);
  });

  test('is its own, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), (host) => {
        const canonical = canonicalHost(host);
        expect(canonical === undefined ? undefined : canonicalHost(canonical)).toBe(canonical);
        expect(isLoopbackHost(host)).toBeTypeOf('boolean');
      }),
    );
  });
});
