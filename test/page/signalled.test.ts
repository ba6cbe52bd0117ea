import { describe, expect, test } from 'vitest';
import { forget, readSignalled, remember } from '../../src/page/signalled.js';

describe('passkeys that the browser was asked to hide', () => {
  test('are remembered once, the newest last, and no more than 200', () => {
    expect(remember(['AQ', 'Ag'], 'AQ')).toStrictEqual(['Ag', 'AQ']);
    const many = Array.from({ length: 200 }, (_, index) => `id${index}`);
    expect(remember(many, 'new')).toStrictEqual([...many.slice(1), 'new']);
  });

  test('are forgotten when they have answered', () => {
    expect(forget(['AQ', 'Ag'], 'AQ')).toStrictEqual(['Ag']);
  });

  test.each([
    ['["AQ"]', ['AQ']],
    [undefined, []],
    ['{', []],
    ['[1]', []],
    ['"AQ"', []],
  ])('are read from %s', (text, ids) => {
    expect(readSignalled(text)).toStrictEqual(ids);
  });
});
