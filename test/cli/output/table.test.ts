import { describe, expect, test } from 'vitest';
import { renderTable, toCsv } from '../../../src/cli/output/table.js';
import { fakeIo } from '../fake-io.js';

const COLUMNS = [
  { title: 'ID', align: 'right' as const },
  { title: 'LABEL', yields: 2 },
  { title: 'RP ID', yields: 1 },
  { title: 'CREATED (UTC)' },
];
const LONG = [['12345', 'l'.repeat(50), 'r'.repeat(50), '2026-01-15 10:30']];

describe('tables', () => {
  test('align, and end no line in blanks', () => {
    const { io } = fakeIo();
    expect(
      renderTable(io, COLUMNS, [
        ['1', 'a', 'x.test', '2026-01-15 10:30'],
        ['20', 'bcd', 'y.test', ''],
      ]).split('\n'),
    ).toStrictEqual(['ID  LABEL  RP ID   CREATED (UTC)', ' 1  a      x.test  2026-01-15 10:30', '20  bcd    y.test']);
  });

  test('are whole where they go to a pipe or a file', () => {
    const [, line = ''] = renderTable(fakeIo().io, COLUMNS, [['1', 'l'.repeat(50), 'r'.repeat(60), 'now']]).split('\n');
    expect(line).toBe(` 1  ${'l'.repeat(50)}  ${'r'.repeat(60)}  now`);
  });

  test('keep to COLUMNS; the column that yields first is cut first', () => {
    const [, line = ''] = renderTable(fakeIo({ env: { COLUMNS: '80' } }).io, COLUMNS, LONG).split('\n');
    expect(line.length).toBeLessThanOrEqual(80);
    expect(line).toBe(`12345  ${'l'.repeat(5)}…  ${'r'.repeat(46)}…  2026-01-15 10:30`);
  });

  test('keep to the width of the terminal', () => {
    const [, line = ''] = renderTable(fakeIo({ terminal: true, columns: 120 }).io, COLUMNS, LONG).split('\n');
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line).toContain('r'.repeat(50));
  });

  test('escape control characters and count wide ones as two', () => {
    const { io } = fakeIo();
    const text = renderTable(io, COLUMNS, [['1', 'a\u001b[2Jb\nc', '日本.example', 'now']]);
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain('a\\x1b[2Jb\\nc  日本.example  now');
  });

  test('colour the head on a terminal only, and not with NO_COLOR', () => {
    const escape = '\u001b[';
    expect(renderTable(fakeIo({ terminal: true }).io, COLUMNS, LONG)).toContain(escape);
    expect(renderTable(fakeIo({ terminal: true, env: { NO_COLOR: '1' } }).io, COLUMNS, LONG)).not.toContain(escape);
    expect(renderTable(fakeIo().io, COLUMNS, LONG)).not.toContain(escape);
  });

  test.each([
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '3', TERM: 'dumb' }, true],
    [false, { FORCE_COLOR: '' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [true, { FORCE_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
  ] as const)('on a terminal: %s, with %j: coloured: %s', (terminal, env, coloured) => {
    expect(renderTable(fakeIo({ terminal, env }).io, COLUMNS, LONG).includes('\u001b[')).toBe(coloured);
  });
});

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
  test.each(rows)('%s', (_, value, cell) => {
    expect(toCsv(['h'], [[value]])).toBe(`h\r\n${cell}\r\n`);
  });
});
