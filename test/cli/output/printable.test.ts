import { describe, expect, test } from 'vitest';
import { printable, printableLines, toJson, toJsonArray } from '../../../src/cli/output/printable.js';
import { collected } from '../../collected.js';

/** U+061C, U+200E–200F, U+202A–202E, U+2066–2069. */
const BIDI = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';

const rows: [name: string, text: string, shown: string][] = [
  ['a colour', '\u001b[31mred', '\\x1b[31mred'],
  ['a one-byte CSI', '\u009b31mred', '\\x9b31mred'],
  ['a title', '\u001b]0;x\u0007', '\\x1b]0;x\\x07'],
  ['line breaks and a tab', 'a\r\nb\tc', 'a\\r\\nb\\tc'],
  ['DEL and NUL', '\u007f\u0000', '\\x7f\\x00'],
  ['an override of the direction', 'a\u202egpj.exe', 'a\\u202egpj.exe'],
  ['every bidirectional control', BIDI, [...BIDI].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
  ['line separators', '\u2028\u2029', '\\u2028\\u2029'],
  ['no width', 'a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
  ['a soft hyphen', 'pay\u00adpal', 'pay\\xadpal'],
  ['Hangul fillers', '\u3164\u115f\u1160\uffa0', '\\u3164\\u115f\\u1160\\uffa0'],
  ['tags', 'a\u{e0001}\u{e0041}\u{e007f}', 'a\\u{e0001}\\u{e0041}\\u{e007f}'],
  ['joiners, also of emoji', 'a\u200cb\u200d 👩\u200d💻', 'a\\u200cb\\u200d 👩\\u200d💻'],
  ['variation selectors', '❤\ufe0f \u{1f600}\u{e0100} \u180b', '❤\\ufe0f 😀\\u{e0100} \\u180b'],
  ['invisible operators', '1\u2061\u2062\u2063\u20642', '1\\u2061\\u2062\\u2063\\u20642'],
  ['other format characters', '\u0600\u06dd\ufff9\u{110bd}\u{1d173}', '\\u0600\\u06dd\\ufff9\\u{110bd}\\u{1d173}'],
  ['the grapheme joiner and Khmer vowels', '\u034f\u17b4\u17b5', '\\u034f\\u17b4\\u17b5'],
  ['blanks that are no space', '\u00a0\u2003\u202f\u3000\u2800', '\\xa0\\u2003\\u202f\\u3000\\u2800'],
  ['half a surrogate pair', 'a\ud83d!', 'a\\ud83d!'],
  ['letters of any script, and emoji', 'Zoë e\u0301 日本 한글 नमस्ते 👩🏽 🎉', 'Zoë e\u0301 日本 한글 नमस्ते 👩🏽 🎉'],
];

describe('what a terminal would act on', () => {
  test.each(rows)('is shown escaped: %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(rows)('is escaped in JSON, which keeps its value: %s', (_, text) => {
    const json = toJson({ text }, 2);
    expect(JSON.parse(json)).toStrictEqual({ text });
    expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800]/u);
  });

  test('is escaped of every code point that Unicode calls invisible', () => {
    const shown: string[] = [];
    for (let code = 0; code <= 0x10_ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const isInvisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/u.test(character);
      if (isInvisible && printable(character) === character) shown.push(code.toString(16));
    }
    expect(shown).toEqual([]);
  });

  test('leaves our own line breaks', () => {
    expect(printableLines('a\nb\u001b')).toBe('a\nb\\x1b');
  });
});

describe('a long array as JSON', () => {
  test.each([[[]], [[1]], [[{ a: ['x\ny', { b: {} }], c: [] }, {}, 'é\u202e']]])('is the text of the whole: %j', async (rows) => {
    expect((await collected(toJsonArray(rows))).join('')).toBe(`${toJson(rows, 2)}\n`);
  });

  test('comes a row at a time', async () => {
    let asked = 0;
    const rows = (function* () {
      for (;;) yield { id: (asked += 1) };
    })();
    const pieces = toJsonArray(rows);
    await pieces.next();
    await pieces.next();
    expect(asked).toBe(2);
  });
});
