import { describe, expect, test } from 'vitest';
import { isWithinDepth } from '../../src/webauthn/json-value.js';

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
