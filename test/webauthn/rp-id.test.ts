import { describe, expect, test } from 'vitest';
import { canonicalHost, isIpAddress, parseUrl, rpIdFromUrl } from '../../src/webauthn/rp-id.js';
import { fc } from '../properties.js';

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

describe('isIpAddress', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.255.0.3', true],
    ['127.1', true],
    ['0x7f.1', true],
    ['::1', true],
    ['[::1]', true],
    ['[0:0:0:0:0:0:0:1]', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', true],
    ['0.0.0.0', true],
    ['192.168.1.1', true],
    ['[2001:db8::1]', true],
    ['::', true],
    ['localhost', false],
    ['LOCALHOST', false],
    ['localhost.', false],
    ['app.localhost', false],
    ['example.com', false],
    ['localhost.example.com', false],
    ['notlocalhost', false],
    ['127.0.0.1.example.com', false],
    ['1.2.3.4.5', false],
    ['', false],
    ['localhost/../x', false],
    ['localhost:80', false],
    ['127.0.0.1@evil.example', false],
  ])('of %s is %s', (host, ip) => {
    expect(isIpAddress(host)).toBe(ip);
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
      }),
    );
  });
});

describe('parseUrl', () => {
  test.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['http://[::1]:7277', 'http://[::1]:7277/'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['android:apk-key-hash:abc', 'android:apk-key-hash:abc'],
    ['', undefined],
    ['example.com', undefined],
    ['http://', undefined],
    ['http://a b', undefined],
  ])('%s', (text, href) => {
    expect(parseUrl(text)?.href).toBe(href);
  });

  test('the answer stays the same however often it is asked for', () => {
    // Node 20's URL.canParse changes its mind after about 6,000 calls.
    const answers = new Set<string | undefined>();
    for (let count = 0; count < 50_000; count += 1) {
      answers.add(parseUrl('https://bücher.example/')?.hostname);
      answers.add(rpIdFromUrl('https://bücher.example/'));
      answers.add(canonicalHost('bücher.example'));
    }
    expect([...answers]).toEqual(['xn--bcher-kva.example']);
  });
});
