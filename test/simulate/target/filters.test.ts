import { describe, expect } from 'vitest';
import { parseExpression } from '../../../src/simulate/target/expression.js';
import { quick as test, thorough } from '../../thorough.js';

const evaluate = (filters: string, v: unknown): unknown => parseExpression(`v | ${filters}`).evaluate({ v });

/** Rows that docs/targets.md shows are in targets-doc.test.ts. */
describe('a filter', () => {
  test.each<[string, unknown, unknown]>([
    ['json', '{"a":[1]}', { a: [1] }],
    ['json | at a[0]', '{"a":[1]}', 1],
    ['json', { a: 1 }, { a: 1 }],
    ['json', 'no JSON', undefined],
    ['at publicKey.rp', { publicKey: { rp: 'x' } }, 'x'],
    ['base64url', 'a+=', undefined],
    ['text', 'w6Q', 'ä'],
    ['number', 'twelve', undefined],
    ['number', '', undefined],
    ['boolean', '0', false],
    ['boolean', 'perhaps', undefined],
    ['split ,', '', []],
    ['split "|"', 'a|b', ['a', 'b']],
    ['encode', 'a\ud800/', 'a%EF%BF%BD%2F'],
    ['match /\\d+/', 'a17', '17'],
    ['match /A(b)?/i', 'xab', 'b'],
    ['match /a\\/(.)/', 'a/b', 'b'],
    ['match /(x|y)=/', 'y=', 'y'],
    ['match /none/', 'other', undefined],
    ['default 5', undefined, 5],
    ['default "5"', undefined, '5'],
    ['default none', null, 'none'],
    ['default true', 'given', 'given'],
    ['html', 'a&amp;b&#39;', "a&b'"],
    ['each at id', [{ id: 1 }, { id: 2 }], [1, 2]],
    ['split , | each number', '1,2', [1, 2]],
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
    ['default "a" b', /Expected one quoted string/],
  ])('refuses %s', (filter, message) => {
    expect(() => evaluate(filter, 'x')).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: expect.stringMatching(message) }),
    );
  });

  thorough('ends a pattern that would backtrack for ever', () => {
    expect(() => evaluate('match /^(a+)+$/', `${'a'.repeat(60)}!`)).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: expect.stringMatching(/to finish within 1 s/) }),
    );
  });

  test('looks for a pattern in the first 1 MiB', () => {
    expect(evaluate('match /needle/', `needle${'x'.repeat(1024 * 1024)}`)).toBe('needle');
    expect(evaluate('match /needle/', `${'x'.repeat(1024 * 1024)}needle`)).toBeUndefined();
  });
});
