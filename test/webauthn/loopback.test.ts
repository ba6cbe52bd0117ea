import { describe, expect, test } from 'vitest';
import { isDevelopmentHostHeader, isLocalhostName, isLoopbackAddress, isLoopbackHost } from '../../src/webauthn/loopback.js';
import { fc } from '../properties.js';

const YES = true;
const no = false;

describe('what counts as this machine', () => {
  // By name, by address, by either; and literally, as a Host header without port.
  test.each([
    ['localhost', YES, no, YES, YES],
    ['LOCALHOST', YES, no, YES, YES],
    ['localhost.', YES, no, YES, no],
    ['app.localhost', YES, no, YES, no],
    ['app.localhost.', YES, no, YES, no],
    ['127.0.0.1', no, YES, YES, YES],
    ['127.255.0.3', no, YES, YES, no],
    ['127.1', no, YES, YES, no],
    ['0x7f.1', no, YES, YES, no],
    ['::1', no, YES, YES, no],
    ['[::1]', no, YES, YES, YES],
    ['[0:0:0:0:0:0:0:1]', no, YES, YES, no],
    ['::ffff:127.0.0.1', no, YES, YES, no],
    ['::FFFF:127.8.9.10', no, YES, YES, no],
    // ::ffff:7.240.0.1, and an address that is not mapped at all.
    ['::ffff:7f0:1', no, no, no, no],
    ['::ffff:7f', no, no, no, no],
    ['128.0.0.1', no, no, no, no],
    ['0.0.0.0', no, no, no, no],
    ['::', no, no, no, no],
    ['192.168.1.1', no, no, no, no],
    ['[2001:db8::1]', no, no, no, no],
    ['example.com', no, no, no, no],
    ['localhost.example.com', no, no, no, no],
    ['notlocalhost', no, no, no, no],
    ['.localhost.evil.example', no, no, no, no],
    ['127.0.0.1.example.com', no, no, no, no],
    ['127.evil.test', no, no, no, no],
    ['127.0.0.1@evil.example', no, no, no, no],
    ['localhost/../x', no, no, no, no],
    ['', no, no, no, no],
  ])('%s', (host, name, address, either, literal) => {
    expect([isLocalhostName(host), isLoopbackAddress(host), isLoopbackHost(host), isDevelopmentHostHeader(host)]).toEqual([
      name,
      address,
      either,
      literal,
    ]);
  });

  test.each([
    ['localhost:7277', true],
    ['[::1]:80', true],
    ['127.0.0.1:7277', true],
    ['localhost:', false],
    ['localhost:80:80', false],
    ['localhost.:7277', false],
    ['evil.localhost:7277', false],
  ])('the Host header %s', (header, literal) => {
    expect(isDevelopmentHostHeader(header)).toBe(literal);
  });

  test('a text is at most one of name and address, and what is literal is one of them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), (host) => {
        expect(isLocalhostName(host) && isLoopbackAddress(host)).toBe(false);
        expect(isLoopbackHost(host)).toBe(isLocalhostName(host) || isLoopbackAddress(host));
      }),
    );
  });
});
