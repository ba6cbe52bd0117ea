import { describe, expect, test } from 'vitest';
import type { Io } from '../../../src/cli/io.js';
import { type Column, measureColumns, measureWidth, tableLines } from '../../../src/cli/output/table.js';
import { fakeIo } from '../fake-io.js';

const COLUMNS = [
  { title: 'ID', align: 'right' as const },
  { title: 'LABEL', yields: 2 },
  { title: 'RP ID', yields: 1 },
  { title: 'CREATED (UTC)' },
];
const LONG = [['12345', 'l'.repeat(50), 'r'.repeat(50), '2026-01-15 10:30']];

const renderTable = (io: Io, columns: readonly Column[], rows: readonly (readonly string[])[]): string =>
  [...tableLines(io, columns, rows, (row) => row)].join('').replace(/\n$/, '');

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

  test.each([
    [{ terminal: true }, 80, 80],
    [{ terminal: false }, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [{ terminal: true, columns: 39 }, 39, 40],
    [{ terminal: true, columns: 41, env: { COLUMNS: '50' } }, 41, 41],
    [{ env: { COLUMNS: '50' } }, 50, 50],
    [{ terminal: true, env: { COLUMNS: '0' } }, 80, 80],
    [{ terminal: true, env: { COLUMNS: 'wide' } }, 80, 80],
  ])('with %j, the output has %d columns, and text %d', (options, columns, width) => {
    const { io } = fakeIo(options);
    expect([measureColumns(io), measureWidth(io)]).toEqual([columns, width]);
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

  test('cut wide characters where they fit, and keep the columns behind them in line', () => {
    const { io } = fakeIo({ env: { COLUMNS: '40' } });
    const names = ['日本語の長い名前です', 'combining e\u0301 and ü', 'a’s “key” – 1'];
    const lines = renderTable(
      io,
      [{ title: 'LABEL', yields: 1 }, { title: 'NOW' }],
      names.map((name) => [name, 'x'.repeat(25)]),
    ).split('\n');
    expect(lines.slice(1)).toStrictEqual([
      `日本語の長い…  ${'x'.repeat(25)}`,
      `combining e\u0301 …  ${'x'.repeat(25)}`,
      `a’s “key” – 1  ${'x'.repeat(25)}`,
    ]);
  });

  test('read every row twice, however many there are, and hold none', () => {
    const work = (count: number) => {
      let [read, written] = [0, 0];
      const toCells = (row: number) => {
        read += 1;
        return [String(row), 'label', 'example.org', 'now'];
      };
      for (const line of tableLines(
        fakeIo().io,
        COLUMNS,
        Array.from({ length: count }, (_, index) => index),
        toCells,
      )) {
        if (line !== '') written += 1;
      }
      return { read, written };
    };
    expect(work(10_000)).toStrictEqual({ read: 20_000, written: 10_001 });
    expect(work(20_000)).toStrictEqual({ read: 40_000, written: 20_001 });
  });

  test('cut wide characters where the column ends', () => {
    const rows = [['1', '電話のパスキー電話のパスキー', 'example.com', '2026-01-15 10:30']];
    const [, row = ''] = renderTable(fakeIo({ terminal: true, columns: 51 }).io, COLUMNS, rows).split('\n');
    expect(row).toBe(' 1  電話のパスキー…   example.com  2026-01-15 10:30');
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
