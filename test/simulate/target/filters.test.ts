import { describe, expect } from 'vitest';
import { parseExpression } from '../../../src/simulate/target/expression.js';
import { quick as test, thorough } from '../../thorough.js';

const evaluate = (filters: string, v: unknown): unknown => parseExpression(`v | ${filters}`).evaluate({ v });

describe('a filter', () => {
  test.each<[string, unknown, unknown]>([
    ['json', '{"a":[1]}', { a: [1] }],
    ['json | at a[0]', '{"a":[1]}', 1],
    ['json', { a: 1 }, { a: 1 }],
    ['json', 'no JSON', undefined],
    ['string', { a: 1 }, '{"a":1}'],
    ['at publicKey.rp', { publicKey: { rp: 'x' } }, 'x'],
    ['base64url', 'a+=', undefined],
    ['base64url', '+/8=', '-_8'],
    ['base64', '-_8', '+/8='],
    ['text', 'w6Q', 'ä'],
    ['number', '12.5', 12.5],
    ['number', 'twelve', undefined],
    ['number', '', undefined],
    ['boolean', 'true', true],
    ['boolean', '0', false],
    ['boolean', 'perhaps', undefined],
    ['split ","', 'a,b', ['a', 'b']],
    ['split ,', '', []],
    ['split "|"', 'a|b', ['a', 'b']],
    ['join ","', ['a', 1], 'a,1'],
    ['seconds', '60', 60_000],
    ['encode', 'a\ud800/', 'a%EF%BF%BD%2F'],
    ['match /id=(\\d+)/', 'x?id=42&y', '42'],
    ['match /\\d+/', 'a17', '17'],
    ['match /A(b)?/i', 'xab', 'b'],
    ['match /a\\/(.)/', 'a/b', 'b'],
    ['match /(x|y)=/', 'y=', 'y'],
    ['match /none/', 'other', undefined],
    ['default 5', undefined, 5],
    ['default "5"', undefined, '5'],
    ['default none', null, 'none'],
    ['default true', 'given', 'given'],
    ['encode', 'a b/c', 'a%20b%2Fc'],
    ['html', 'a&amp;b&#39;', "a&b'"],
    ['lower', 'AbC', 'abc'],
    ['trim', '  x ', 'x'],
    ['first', ['a', 'b'], 'a'],
    ['each at id', [{ id: 1 }, { id: 2 }], [1, 2]],
    ['split , | each number', '1,2', [1, 2]],
    ['is verify', 'verify', true],
    ['is 5', 5, true],
    ['is verify', undefined, false],
    ['json | default other', 'no JSON', 'other'],
    ['lower | trim', undefined, undefined],
  ])('%s of %j', (filters, value, expected) => {
    expect(evaluate(filters, value)).toEqual(expected);
  });

  test.each([
    ['upper', /Expected a filter \(json, .*is\); got "upper"/],
    ['constructor', /got "constructor"/],
    ['json x', /Expected no argument after the filter json; got x/],
    ['split', /Expected an argument after the filter split/],
    ['match abc', /Expected a pattern/],
    ['match /(/', /Expected a regular expression/],
    ['split "', /Expected a closing "/],
    ['default "a" b', /Expected one quoted text/],
  ])('refuses %s', (filter, message) => {
    expect(() => evaluate(filter, 'x')).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: expect.stringMatching(message) }),
    );
  });

  thorough('ends a pattern that would backtrack for ever', () => {
    expect(() => evaluate('match /^(a+)+$/', `${'a'.repeat(60)}!`)).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: expect.stringMatching(/to end within 1 s/) }),
    );
  });

  test('looks for a pattern in the first 1 MiB', () => {
    expect(evaluate('match /needle/', `needle${'x'.repeat(1024 * 1024)}`)).toBe('needle');
    expect(evaluate('match /needle/', `${'x'.repeat(1024 * 1024)}needle`)).toBeUndefined();
  });
});
