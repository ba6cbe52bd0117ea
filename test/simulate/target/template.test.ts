import { describe, expect, test } from 'vitest';
import type { Expression } from '../../../src/simulate/target/expression.js';
import { compileText, compileValue } from '../../../src/simulate/target/template.js';

const scope = { user: { email: 'a@b', n: 3 }, list: ['x', { y: null }], flag: false, nothing: null };
const ignore = (): void => {};
const render = (value: unknown): unknown => compileValue(value, ignore)(scope);

describe('a template', () => {
  test.each<[unknown, unknown]>([
    ['plain', 'plain'],
    ['{user.email}!', 'a@b!'],
    ['{user.n}', '3'],
    ['{{{user.n}}}', '{3}'],
    ['{list}', '["x",{"y":null}]'],
    ['{flag}', 'false'],
    ['a{gone?}b', 'ab'],
    ['{gone | default "}"}', '}'],
    ['{user.email | match /a{1}/}', 'a'],
    [
      { a: '{user.n}', b: { $: 'user.n' }, c: { $: 'gone?' }, d: '{gone?}', e: 'x{gone?}' },
      { a: '3', b: 3, e: 'x' },
    ],
    [
      ['{gone?}', { $: 'list[0]' }, 1, null, true],
      ['x', 1, null, true],
    ],
    [{ $: 'flag' }, false],
    [{ $: 'nothing' }, null],
    [{ $: 'gone?' }, undefined],
  ])('%j', (template, expected) => {
    expect(render(template)).toEqual(expected);
  });

  test.each(['{gone}', '{user.gone}', '{nothing}', '{user.email | json}', { a: [{ $: 'gone' }] }])(
    'names what is absent in %j',
    (template) => {
      expect(() => render(template)).toThrow(/^\{.+\} has no value$/);
    },
  );

  test.each(['{', '}', '{a', 'x } y', '{}', '{[0]}', { $: 'a', b: 1 }, { $: 5 }])('refuses %j', (template) => {
    expect(() => render(template)).toThrow(expect.objectContaining({ code: 'configuration_invalid' }));
  });

  test('a header is left out when something in it is absent', () => {
    expect(compileText('Bearer {gone?}', ignore).renderWhole(scope)).toBeUndefined();
    expect(compileText('Bearer {user.n?}', ignore).renderWhole(scope)).toBe('Bearer 3');
  });

  test('tells which variables it reads', () => {
    const seen: Expression[] = [];
    compileValue({ a: '{user.email | lower}', b: [{ $: 'ask.x?' }] }, (expression) => seen.push(expression));
    expect(seen.map(({ variable, optional }) => [variable, optional])).toEqual([
      ['user.email', false],
      ['ask.x', true],
    ]);
  });
});
