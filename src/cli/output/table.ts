import Table from 'cli-table3';
import pc from 'picocolors';
import { hasColour, type Io } from '../io.js';
import { printable } from './printable.js';

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Widest useful width in characters; the content decides below it. */
  readonly max?: number;
  /** Gives way when the terminal is narrow: higher first. 0 or none keeps its width. */
  readonly yields?: number;
}

const GAP = '  ';
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};
const LEAST = 6;

/** Plain columns, no longer than the terminal (or COLUMNS) is wide; what does not fit ends in `…`. A pipe or a file gets all. */
export function renderTable(io: Io, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = fit(columns, cells, widthOf(io));
  const colours = pc.createColors(hasColour(io, io.stdout));
  const table = new Table({
    chars: NO_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    head: columns.map(({ title }) => colours.dim(title)),
    colWidths: [...widths],
    colAligns: columns.map(({ align }) => align ?? 'left'),
  });
  for (const row of cells) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function widthOf(io: Io): number {
  const columns = io.stdout.columns ?? Number(io.env.COLUMNS);
  if (Number.isInteger(columns) && columns > 0) return Math.max(columns, 40);
  return io.stdout.isTTY ? 80 : Number.POSITIVE_INFINITY;
}

function fit(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): readonly number[] {
  const wanted = columns.map(({ title, max }, index) =>
    Math.min(Math.max(width(title), ...rows.map((row) => width(row[index] ?? ''))), max ?? 60),
  );
  let excess = wanted.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1) - room;
  const order = columns.map((column, index) => ({ index, yields: column.yields ?? 0 })).filter(({ yields }) => yields > 0);
  for (const { index } of order.toSorted((a, b) => b.yields - a.yields)) {
    const now = wanted[index] ?? 0;
    const less = Math.max(Math.min(excess, now - Math.max(LEAST, width(columns[index]?.title ?? ''))), 0);
    wanted[index] = now - less;
    excess -= less;
  }
  return wanted;
}

// Wide characters (CJK, emoji) take two columns; good enough to keep lines within the terminal.
function width(text: string): number {
  let sum = 0;
  for (const character of text) sum += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
  return sum;
}

type Cell = string | number | null;

/**
 * RFC 4180: CRLF after every line, quotes where needed. Text that a spreadsheet would run as a formula gets an
 * apostrophe in front (https://owasp.org/www-community/attacks/CSV_Injection). Null is an empty cell.
 */
export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = /^[=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  const shown = harmless
    .split(/(\r\n|\r|\n|\t)/)
    .map((part) => (/^[\r\n\t]+$/.test(part) ? part : printable(part)))
    .join('');
  return /[",\r\n]|^\s|\s$/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
