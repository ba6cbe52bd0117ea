import { expect, test } from 'vitest';
import {
  count,
  formatForFileName,
  formatMinute,
  formatSecond,
  formatTimestamp,
  groupedCount,
  isDeviceName,
} from '../../src/kernel/wording.js';

test.each([
  [0, 'byte', '0 bytes'],
  [1, 'byte', '1 byte'],
  [1n, 'more byte', '1 more byte'],
  [2n, 'byte', '2 bytes'],
])('%d %s: %s', (number, noun, text) => {
  expect(count(number, noun)).toBe(text);
});

test.each([
  [1, '1 passkey'],
  [999, '999 passkeys'],
  [1_000, '1,000 passkeys'],
  [1_234_567, '1,234,567 passkeys'],
])('%d things are %s', (number, text) => {
  expect(groupedCount(number, 'passkey')).toBe(text);
});

test('times are in UTC, as fine as their readers need', () => {
  const at = Date.UTC(2026, 0, 15, 10, 30, 7);
  expect([formatTimestamp(at + 8), formatMinute(at), formatSecond(at), formatSecond(at + 8), formatForFileName(at + 8)]).toEqual([
    '2026-01-15T10:30:07.008000Z',
    '2026-01-15 10:30',
    '2026-01-15T10:30:07Z',
    '2026-01-15T10:30:07.008Z',
    '20260115T103007Z',
  ]);
});

test('a timestamp keeps microseconds, also before 1970', () => {
  expect(formatTimestamp(1.25)).toBe('1970-01-01T00:00:00.001250Z');
  expect(formatTimestamp(-0.001)).toBe('1969-12-31T23:59:59.999999Z');
});

test.each([
  ['nul', true],
  ['AUX.json', true],
  ['con .x', true],
  ['com9.tar.gz', true],
  ['LPT¹', true],
  ['console', false],
  ['com10', false],
  ['my.aux', false],
  ['aux-1.json', false],
])('Windows takes a file %j for a device: %j', (name, expected) => {
  expect(isDeviceName(name)).toBe(expected);
});
