import { describe, expect, test } from 'vitest';
import { parsePath, valueAt } from '../../../src/simulate/target/path.js';

const document = {
  user: { id: 7 },
  nodes: [{ attributes: { name: 'csrf_token', value: 'abc' } }, { attributes: { name: 'a=b]', value: 'odd' }, type: 'x y' }],
  'x-y.z': true,
};

describe('a path', () => {
  test.each([
    ['', document],
    ['nodes[attributes.name=csrf_token].attributes.value', 'abc'],
    ['nodes[attributes.name="a=b]"].attributes.value', 'odd'],
    ['nodes[type="x y"].attributes.value', 'odd'],
    ['["x-y.z"]', true],
    ['user["id"]', 7],
    ['[0]', undefined],
    ['nodes[9].type', undefined],
    ['nodes[type=none].type', undefined],
    ['user.id.more', undefined],
    // Members of the prototype are nobody's.
    ['user.constructor', undefined],
    ['nodes.length', undefined],
  ])('%j', (path, expected) => {
    expect(valueAt(document, parsePath(path))).toEqual(expected);
  });

  test('finds an element by the number or boolean that its member is', () => {
    expect(valueAt([{ n: 1 }, { n: 2, ok: true }], parsePath('[n=2].ok'))).toBe(true);
    expect(valueAt([{ n: 1 }, { n: 2, ok: true }], parsePath('[ok=true].n'))).toBe(2);
  });

  test.each(['a..b', 'a.', 'a b', 'a[', 'a[x]', 'a[0', 'a]', '{a}'])('refuses %j', (path) => {
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ code: 'configuration_invalid' }));
  });
});
