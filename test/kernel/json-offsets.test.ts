import { describe, expect, test } from 'vitest';
import { encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import { findJsonError, memberOffsets } from '../../src/kernel/json-offsets.js';
import { fc } from '../properties.js';
import { damaged } from '../webauthn/arbitraries.js';

describe('findJsonError', () => {
  test.each([
    ['{"a":tru}', 8, 'the word true', '"}"'],
    ['{"a":nul', 8, 'the word null', 'the end'],
    ['{"a":undefined}', 5, 'a JSON value', '"u"'],
    ['{"a" 1}', 5, '":"', '"1"'],
    ['{a:1}', 1, 'a member name in double quotes', '"a"'],
    ['{"a":1 "b":2}', 7, '"," or "}"', '"""'],
    ['[1,]', 3, 'a JSON value', '"]"'],
    ['[1', 2, '"," or "]"', 'the end'],
    ['"a', 2, 'the closing quote of a string', 'the end'],
    ['"a\nb"', 2, 'a control character to be escaped', '0x0a'],
    ['"\\x"', 2, 'an escape sequence', '"x"'],
    ['"\\', 2, 'an escape sequence', 'the end'],
    ['"\\u12g4"', 5, 'four hexadecimal digits after \\u', '"g"'],
    ['-', 1, 'a digit', 'the end'],
    ['01', 1, 'the end', '"1"'],
    ['1.', 2, 'a digit', 'the end'],
    ['1e+', 3, 'a digit', 'the end'],
    ['.5', 0, 'a JSON object', '"."'],
    ['{"é":x}', 6, 'a JSON value', '"x"'],
    ['\u00a0{}', 0, 'a JSON object', '0xc2'],
    [`${'['.repeat(300)}`, 200, 'at most 200 levels', '"["'],
  ])('finds what is wrong in %j', (text, offset, expected, received) => {
    expect(findJsonError(encodeUtf8(text))).toEqual({ offset, expected, received });
  });

  test('agrees with JSON.parse', () => {
    const texts = fc.json({ maxDepth: 3 }).map(encodeUtf8);
    fc.assert(
      fc.property(fc.oneof(texts, damaged(texts)), (value) => {
        expect(findJsonError(value) === undefined).toBe(parses(value));
      }),
      { numRuns: 150 },
    );
  });
});

describe('memberOffsets', () => {
  test('tells where values of the outermost object start', () => {
    const text = '{ "a" : 1, "\\u0062":{"a":2}, "é":[], "a":"last" }';
    const offsets = memberOffsets(encodeUtf8(text));
    expect([...offsets.keys()]).toEqual(['a', 'b', 'é']);
    expect(offsets.get('b')).toBe(text.indexOf('{"a"'));
    expect(offsets.get('a')).toBe(encodeUtf8(text).length - '"last" }'.length);
  });

  test('tells what it saw before an error', () => {
    expect(memberOffsets(fromHex('efbbbf7b2261223a312c'))).toEqual(new Map([['a', 8]]));
  });
});

function parses(value: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(value));
    return true;
  } catch {
    return false;
  }
}
