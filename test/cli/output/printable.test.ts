import { describe, expect, test } from 'vitest';
import { printable, printableLines, toJson } from '../../../src/cli/output/printable.js';

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
  ['letters of any script, and joined emoji', 'Zoë 日本 👩‍💻', 'Zoë 日本 👩‍💻'],
];

describe('what a terminal would act on', () => {
  test.each(rows)('is shown escaped: %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(rows)('is escaped in JSON, which keeps its value: %s', (_, text) => {
    const json = toJson({ text }, 2);
    expect(JSON.parse(json)).toStrictEqual({ text });
    expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
  });

  test('leaves our own line breaks', () => {
    expect(printableLines('a\nb\u001b')).toBe('a\nb\\x1b');
  });
});
