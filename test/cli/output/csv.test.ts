import { describe, expect, test } from 'vitest';
import { csvLines } from '../../../src/cli/output/csv.js';
import { collected } from '../../collected.js';

const rows: [name: string, value: string | number | null, cell: string][] = [
  ['plain text', 'a', 'a'],
  ['a number', 3, '3'],
  ['nothing', null, ''],
  ['empty text', '', ''],
  ['a comma', 'a,b', '"a,b"'],
  ['quotes', 'say "hi"', '"say ""hi"""'],
  ['a line break', 'a\r\nb', '"a\r\nb"'],
  ['outer blanks', ' a ', '" a "'],
  ['a formula', '=1+1', "'=1+1"],
  ['a formula with quotes', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['plus, minus, at', '+1', "'+1"],
  ['a minus', '-1', "'-1"],
  ['an at', '@SUM', "'@SUM"],
  ['a tab in front', '\t=1', "'\t=1"],
  ['a full-width equals sign', '\uff1d1', "'\uff1d1"],
  ['a control character', 'a\u001b[31m', 'a\\x1b[31m'],
];

describe('CSV', () => {
  test.each(rows)('%s', async (_, value, cell) => {
    expect(await collected(csvLines(['h'], [[value]]))).toEqual(['h\r\n', `${cell}\r\n`]);
  });
});
