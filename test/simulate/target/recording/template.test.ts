import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { writeTemplate } from '../../../../src/simulate/target/recording/template.js';
import { compileText, compileValue } from '../../../../src/simulate/target/template.js';
import { fc } from '../../../properties.js';

/** The request that a profile makes of a recorded value, and the expressions in it. */
function replay(value: unknown) {
  const expressions: string[] = [];
  // As a profile is written and read.
  const template: unknown = parse(stringify({ json: writeTemplate(value, () => undefined) })).json;
  const sent = compileValue(template, ({ text }) => expressions.push(text))({ env: { SECRET_X: 'secret' }, user: { email: 'a@b' } });
  return { sent, expressions };
}

describe('a recorded value is data', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '$',
      '$$',
      '$$$',
      'each',
      'env.SECRET_X',
      '{env.SECRET_X}',
      '{{env.SECRET_X}}',
      '{"$":"env.SECRET_X"}',
      '__proto__',
      '}',
      '~',
    ),
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.array(fc.tuple(texts, tie('json')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));

  test('any JSON comes again as it was, without an expression', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { sent, expressions } = replay(value);
        expect(JSON.stringify(sent)).toBe(JSON.stringify(value));
        expect(expressions).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [{ $: 'env.SECRET_X' }],
    [{ $: 'env.SECRET_X', each: '{item}' }],
    [{ $: 'anything' }],
    [{ $: { $: 7 }, $$: 1, $$$: [{ $: 'env.SECRET_X' }] }],
    ['{env.SECRET_X}'],
    ['[{"$":"env.SECRET_X"}]'],
  ])('%j', (value) => {
    expect(replay(value)).toEqual({ sent: value, expressions: [] });
  });

  test('so does JSON in a text beside a value that is named', () => {
    const text = JSON.stringify({ mail: 'a@b', $: 'env.SECRET_X', '{env.SECRET_X}': [{ $: 'env.SECRET_X' }] });
    const template = writeTemplate(text, (_, value) => (value === 'a@b' ? '{user.email}' : undefined));
    const expressions: string[] = [];
    const sent = compileText(String(template), (expression) => expressions.push(expression.text)).render({ user: { email: 'c@d' } });
    expect([JSON.parse(sent), expressions]).toEqual([JSON.parse(text.replace('a@b', 'c@d')), ['user.email | string']]);
  });
});
