import { expect, test } from 'vitest';
import { moment } from '../../../src/cli/config/values.js';

const NOW = Date.UTC(2026, 0, 31, 12);
const read = (raw: string) => moment(() => NOW).read(raw, { form: 'text', base: '/' });

test.each([
  ['30d', Date.UTC(2026, 0, 1, 12)],
  ['2w', Date.UTC(2026, 0, 17, 12)],
  ['12h', Date.UTC(2026, 0, 31)],
  ['90s', NOW - 90_000],
  ['0d', NOW],
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  [' 2026-01-31T08:09 ', Date.UTC(2026, 0, 31, 8, 9)],
  ['2026-01-31 08:09:10', Date.UTC(2026, 0, 31, 8, 9, 10)],
  ['2026-01-31t08:09:10.5z', Date.UTC(2026, 0, 31, 8, 9, 10, 500)],
  ['2026-01-31T08:09:10+05:30', Date.UTC(2026, 0, 31, 2, 39, 10)],
  // As our own output has it.
  ['2026-01-31T08:09:10.123456Z', Date.UTC(2026, 0, 31, 8, 9, 10, 123)],
])('%j is a time', (raw, at) => {
  expect(read(raw)).toBe(at);
});

test.each([
  '',
  '30',
  'd',
  '-3d',
  '1.5d',
  '30 d',
  'yesterday',
  '2026',
  '2026-1-31',
  '2026-02-29',
  '2026-13-01',
  '2026-01-31T24:01',
  '2026-01-31T1:00',
  '2026-01-31Z',
  '31.01.2026',
])('%j is none', (raw) => {
  expect(read(raw)).toBeUndefined();
});
