import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonSyntaxError } from '../../src/store/json-syntax.js';

describe('findJsonSyntaxError', () => {
  test.each([
    ['', 1, 1, 'a value'],
    ['{', 1, 2, 'a member name in double quotes or "}"'],
    ['{"a":1,}', 1, 8, 'a member name in double quotes'],
    ['{"a" 1}', 1, 6, '":"'],
    ['{"a":}', 1, 6, 'a value'],
    ['{"a":1', 1, 7, '"," or the end of the list'],
    ['{"a":1]', 1, 7, '"," or the end of the list'],
    ['[1,\n 2,\n]', 3, 1, 'a value'],
    ['[1 2]', 1, 4, '"," or the end of the list'],
    ['{"a": "x\n"}', 1, 7, 'a value'],
    ["{'a': 1}", 1, 2, 'a member name in double quotes or "}"'],
    ['[01]', 1, 3, '"," or the end of the list'],
    ['[1.]', 1, 3, '"," or the end of the list'],
    ['["\\x"]', 1, 2, 'a value or "]"'],
    ['{}\n{}', 2, 1, 'the end of the text'],
    ['[,]', 1, 2, 'a value or "]"'],
    ['// no\n{}', 1, 1, 'a value'],
  ])('%j: line %i, column %i', (text, line, column, expected) => {
    expect(findJsonSyntaxError(text)).toEqual({ line, column, expected });
  });

  test('finds nothing in JSON, and something in what JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '}', ']', '\\', '1', 'x', '\n'), (json, at, insert) => {
        const start = at % (json.length + 1);
        for (const text of [json, json.slice(0, start) + insert + json.slice(start + 1)]) {
          let parses = true;
          try {
            JSON.parse(text);
          } catch {
            parses = false;
          }
          expect(findJsonSyntaxError(text) === undefined, text).toBe(parses);
        }
      }),
    );
  });
});
