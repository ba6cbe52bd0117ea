import { describe, expect, test } from 'vitest';
import { countValues, isWithinDepth, parseUntrustedJson } from '../../src/kernel/json-value.js';

describe('JSON of a sender that nobody vouches for', () => {
  test.each<[string, string]>([
    ['no JSON', '{'],
    ['more than 100,000 values', `[${'[],'.repeat(700_000)}1]`],
    ['as many levels', `${'[{"a":'.repeat(300_000)}1${'}]'.repeat(300_000)}`],
  ])('%s is not read', (_, text) => {
    expect(parseUntrustedJson(text)).toBeUndefined();
  });

  test('texts may have any length', () => {
    const value = { text: `${',[{'.repeat(50_000)}"\\` };
    expect(parseUntrustedJson(JSON.stringify(value))).toStrictEqual(value);
  });
});

describe('isWithinDepth', () => {
  test.each([
    ['null', 0],
    ['"text"', 0],
    ['{}', 1],
    ['[[], {"a": {"b": [1]}}]', 4],
    [`${'['.repeat(50)}${']'.repeat(50)}`, 50],
  ])('%s is nested %i deep', (json, levels) => {
    expect(isWithinDepth(JSON.parse(json), levels)).toBe(true);
    if (levels > 0) expect(isWithinDepth(JSON.parse(json), levels - 1)).toBe(false);
  });

  test('a value nested deeper than any stack is looked into as far as asked only', () => {
    expect(isWithinDepth(JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 100)).toBe(false);
  });
});

test.each([
  ['1', 1],
  ['[]', 1],
  ['{"a":[1,null,{"b":{}}],"c":"text"}', 7],
])('countValues counts %s and all inside it', (json, values) => {
  expect(countValues(JSON.parse(json), 100)).toBe(values);
  // Above the limit, how far does not matter.
  expect(countValues(JSON.parse(json), values - 1)).toBe(values);
});
