import { describe, expect } from 'vitest';
import { escapePointer, locateJsonError, locateUtf8Error, locateValue } from '../../src/kernel/json-location.js';
import { fc } from '../properties.js';
import { quick as test, thorough } from '../thorough.js';

describe('locateUtf8Error', () => {
  test.each([
    ['a byte of no character', [0x7b, 0x0a, 0x20, 0xff, 0x7d], 2, 2, '0xff'],
    ['a character that another byte cuts off', [0xc3, 0xa9, 0xe2, 0x82, 0x28], 1, 2, '0x28'],
    ['a character that the end cuts off', [0x7b, 0x22, 0xc3], 1, 3, 'the end'],
  ])('%s', (_, bytes, line, column, received) => {
    expect(locateUtf8Error(new Uint8Array(bytes))).toEqual({ line, column, received });
  });

  test('finds nothing in UTF-8', () => {
    expect(locateUtf8Error(new TextEncoder().encode('\ufeff{"é": "€😀"}'))).toBeUndefined();
  });
});

describe('locateJsonError', () => {
  test.each([
    ['', 1, 1, 'a JSON object', 'the end'],
    ['{"a":1,}', 1, 8, 'a member name in double quotes', '"}"'],
    ['[1,\n 2,\n]', 3, 1, 'a JSON value', '"]"'],
    ['{"é": "€😀", x}', 1, 14, 'a member name in double quotes', '"x"'],
    ['{\r\n"a": tru}', 2, 9, 'the word true', '"}"'],
    ['{"\ud800": x}', 1, 7, 'a JSON value', '"x"'],
    ['{}\n{}', 2, 1, 'the end', '"{"'],
  ])('%j: line %i, column %i', (text, line, column, expected, received) => {
    expect(locateJsonError(text)).toEqual({ line, column, expected, received });
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
          expect(locateJsonError(text) === undefined, text).toBe(parses);
        }
      }),
    );
  });
});

describe('locateValue', () => {
  const json = '{\n  "a": [1, {"b/c": "x,}"}],\n  "~": "\\"",\n  "e": [], "o": {}, "e": [2]\n}';

  test.each([
    ['', 1, 1],
    ['/a', 2, 8],
    ['/a/0', 2, 9],
    ['/a/1', 2, 12],
    ['/a/1/b~1c', 2, 20],
    ['/~0', 3, 8],
    ['/o', 4, 17],
  ])('finds the value at %j', (pointer, line, column) => expect(locateValue(json, pointer)).toEqual({ line, column }));

  test('finds the value around one that is not there', () => {
    expect(locateValue(json, '/x')).toEqual({ line: 1, column: 1 });
    expect(locateValue(json, '/a/7/y')).toEqual({ line: 2, column: 8 });
    expect(locateValue(json, '/o/x')).toEqual({ line: 4, column: 17 });
  });

  test('finds the last of repeated members, as JSON.parse does', () => {
    expect(locateValue(json, '/e')).toEqual({ line: 4, column: 26 });
  });

  test('names the start of what is no JSON', () => expect(locateValue('', '/a')).toEqual({ line: 1, column: 1 }));

  thorough('counts lines and columns of UTF-16, behind a string of 8 MB', () => {
    expect(locateValue(`{"é": "€😀",\n"x": "${'\\n'.repeat(4_000_000)}",\r\n "é€": "😀" , "y": 1}`, '/y')).toEqual({ line: 3, column: 20 });
  });

  test('finds every value of any document', () => {
    const pointersOf = (value: unknown, pointer: string): string[] => {
      if (typeof value !== 'object' || value === null) return [pointer];
      const members = Object.entries(value).flatMap(([name, member]) => pointersOf(member, `${pointer}/${escapePointer(name)}`));
      return [pointer, ...members];
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        // What JSON.parse gives, since "__proto__" is an ordinary member there.
        const text = JSON.stringify(value, null, indent);
        const places = pointersOf(JSON.parse(text), '').map((pointer) => JSON.stringify(locateValue(text, pointer)));
        expect(new Set(places).size).toBe(places.length);
      }),
    );
  });
});
