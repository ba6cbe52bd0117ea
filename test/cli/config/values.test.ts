import { describe, expect, test } from 'vitest';
import { duration, integer, inWords, type Kind, list, oneOf, path, text, toggle } from '../../../src/cli/config/values.js';
import { algorithm, allowedHost, countOrOff, hostName, origin, storeLocation } from '../../../src/cli/config/webauthn-values.js';

const port = integer({ min: 0, max: 65_535 });
const DAY = 86_400_000;
const span = duration({ max: 30 * DAY });

const rows: [name: string, kind: Kind<unknown>, form: 'text' | 'json', raw: unknown, value: unknown][] = [
  ['integer', port, 'text', '7277', 7277],
  ['integer', port, 'text', '0', 0],
  ['integer', port, 'text', '65536', undefined],
  ['integer', port, 'text', '-1', undefined],
  ['integer', port, 'text', '1.5', undefined],
  ['integer', port, 'text', '1e3', undefined],
  ['integer', port, 'text', '', undefined],
  ['integer', port, 'text', 'abc', undefined],
  ['integer', port, 'json', 7277, 7277],
  ['integer', port, 'json', '7277', undefined],
  ['integer', port, 'json', 1.5, undefined],
  ['integer', port, 'json', null, undefined],
  ['toggle', toggle, 'text', 'true', true],
  ['toggle', toggle, 'text', '1', true],
  ['toggle', toggle, 'text', 'off', false],
  ['toggle', toggle, 'text', 'maybe', undefined],
  ['toggle', toggle, 'json', false, false],
  ['toggle', toggle, 'json', 'true', undefined],
  ['toggle', toggle, 'json', 1, undefined],
  ['text', text({ placeholder: 'x' }), 'text', '  ', undefined],
  ['text', text({ placeholder: 'x' }), 'json', 3, undefined],
  ['oneOf', oneOf(['a', 'b']), 'text', 'b', 'b'],
  ['oneOf', oneOf(['a', 'b']), 'text', 'B', undefined],
  ['path', path('file'), 'text', 'a/b', '/base/a/b'],
  ['path', path('file'), 'json', '/a/b', '/a/b'],
  ['path', path('file'), 'json', 3, undefined],
  ['duration', span, 'text', '60s', 60_000],
  ['duration', span, 'text', '5m', 300_000],
  ['duration', span, 'text', '12h', 12 * 3_600_000],
  ['duration', span, 'text', '30d', 30 * DAY],
  ['duration', span, 'text', '31d', undefined],
  ['duration', span, 'text', '500ms', 500],
  ['duration', span, 'text', '1500', 1500],
  ['duration', span, 'json', 1500, 1500],
  ['duration', span, 'json', '2m', 120_000],
  ['duration', span, 'text', '0', undefined],
  ['duration', span, 'text', '5 m', undefined],
  ['duration', span, 'text', '-5m', undefined],
  ['duration', span, 'text', '5y', undefined],
  ['duration', span, 'json', 1.5, undefined],
  ['list', list(port), 'text', ['1', '2,3'], [1, 2, 3]],
  ['list', list(port), 'text', '1, 2', [1, 2]],
  ['list', list(port), 'text', '1,,2', undefined],
  ['list', list(port), 'json', [1, 2], [1, 2]],
  ['list', list(port), 'json', [], []],
  ['list', list(port), 'json', 1, [1]],
  ['list', list(port), 'json', [1, 'x'], undefined],
  ['algorithm', algorithm, 'text', 'ES256', -7],
  ['algorithm', algorithm, 'text', 'eddsa', -8],
  ['algorithm', algorithm, 'text', '-257', -257],
  ['algorithm', algorithm, 'json', -257, -257],
  ['algorithm', algorithm, 'text', 'ES257', undefined],
  ['algorithm', algorithm, 'text', '-7.0', undefined],
  ['algorithm that the library cannot verify', algorithm, 'text', 'ES256K', undefined],
  ['algorithms', list(algorithm), 'text', 'EdDSA,-7', [-8, -7]],
];

describe('kinds of values', () => {
  test.each(rows)('%s from %3$s: %4$o', (_, kind, form, raw, value) => {
    expect(kind.read(raw, { form, base: '/base' })).toStrictEqual(value);
  });

  test.each([
    ['https://example.com', 'https://example.com'],
    ['https://example.com/', 'https://example.com'],
    ['HTTP://Localhost:7277', 'http://localhost:7277'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://example.com/login', undefined],
    ['https://user@example.com', undefined],
    ['ftp://example.com', undefined],
    ['example.com', undefined],
    ['*', undefined],
  ])('origin %s', (raw, value) => {
    expect(origin(raw)).toBe(value);
  });

  test.each([
    ['Example.com', 'example.com', 'example.com'],
    ['::1', '[::1]', '::1'],
    ['[::1]', '[::1]', '::1'],
    ['0.0.0.0', '0.0.0.0', '0.0.0.0'],
    ['example.com:80', undefined, undefined],
    ['[::1]:80', undefined, undefined],
    ['http://example.com', undefined, undefined],
    ['a b', undefined, undefined],
    ['user@example.com', undefined, undefined],
  ])('host %s', (raw, allowed, listened) => {
    expect(allowedHost(raw)).toBe(allowed);
    expect(hostName(raw)).toBe(listened);
  });

  test.each([
    ['memory:', 'memory:'],
    ['postgres://db/x', 'postgres://db/x'],
    ['a.json', '/base/a.json'],
    ['/a.json', '/a.json'],
  ])('store %s', (raw, value) => {
    expect(storeLocation(raw, { form: 'text', base: '/base' })).toBe(value);
  });

  test.each([
    ['off', 'off'],
    ['120', 120],
    [120, 120],
    ['0', undefined],
    [0, undefined],
    [1.5, undefined],
    ['none', undefined],
  ])('rate limit %s', (raw, value) => {
    expect(countOrOff(raw)).toBe(value);
  });

  test.each([
    [500, '500ms'],
    [60_000, '1m'],
    [90_000, '90s'],
    [DAY, '1d'],
    [14 * DAY, '14d'],
  ])('%d ms in words', (milliseconds, words) => {
    expect(inWords(milliseconds)).toBe(words);
  });
});
