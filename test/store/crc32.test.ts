import { crc32 as crc32OfZlib } from 'node:zlib';
import { expect, test } from 'vitest';
import { crc32, crc32OfFew } from '../../src/store/crc32.js';

test('gives the check value of CRC-32', () => {
  // https://reveng.sourceforge.io/crc-catalogue/17plus.htm#crc.cat.crc-32-iso-hdlc
  expect(crc32OfFew(Buffer.from('123456789'))).toBe(0xcbf43926);
  expect(crc32OfFew(Buffer.alloc(0))).toBe(0);
});

test('counts as zlib does, whoever counts', () => {
  for (let length = 0; length < 300; length += 1) {
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 167 + length * 31) % 256));
    const expected = crc32OfZlib(bytes);
    expect([crc32OfFew(bytes), crc32(bytes)]).toEqual([expected, expected]);
  }
});
