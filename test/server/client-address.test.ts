import { describe, expect, test } from 'vitest';
import { clientOfAddress } from '../../src/server/client-address.js';
import { fc } from '../properties.js';

describe('clientOfAddress', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['127.0.0.1', '127.0.0.1'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['[::ffff:192.0.2.7]:80', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::6]', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::6]:4711', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8::5:6:7:8:9', '2001:db8:0:5::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s belongs to %s', (address, client) => {
    expect(clientOfAddress(address)).toBe(client);
  });

  test.each([
    '',
    'unknown',
    '_hidden',
    'example.com',
    'localhost',
    '192.0.2',
    '192.0.2.256',
    '0300.0.2.7',
    '3221225991',
    '0xc0000207',
    '192.0.2.7:',
    '192.0.2.7:port',
    '192.0.2.7:123456',
    '192.0.2.7, 192.0.2.8',
    ' 192.0.2.7',
    '192.0.2.7/24',
    '[192.0.2.7',
    '[2001:db8::1',
    '[2001:db8::1]x',
    '2001:db8::1::2',
    '2001:db8::1/64',
    '1:2:3:4:5:6:7:8:9',
    '\u0000',
  ])('%j is no address: all of these are one client', (address) => {
    expect(clientOfAddress(address)).toBe('unknown');
  });

  test('of an IPv6 address only the first 64 bits count, in every spelling', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const half = fc.tuple(group, group, group, group);
    const hex = (groups: readonly number[]) => groups.map((each) => each.toString(16)).join(':');
    fc.assert(
      fc.property(half, half, half, ([a, ...rest], host, otherHost) => {
        const network = [a | 0x2000, ...rest];
        const client = clientOfAddress(`${hex(network)}:${hex(host)}`);
        expect(client).toBe(`${hex(network)}::/64`);
        expect(clientOfAddress(`[${hex(network).toUpperCase()}:${hex(otherHost)}]:443`)).toBe(client);
      }),
    );
  });
});
