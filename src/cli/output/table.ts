import truncatedWidth from 'fast-string-truncated-width';
import pc from 'picocolors';
import { chooseOutput, hasColour, type Io } from '../io.js';
import { printable } from './printable.js';

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Maximum useful width of a column, in terminal columns. A column is never wider than its content. */
  readonly max?: number;
  /**
   * How early the column shrinks if the terminal is narrow. The column with the highest number shrinks first. With 0 or undefined, it keeps
   * its width.
   */
  readonly yields?: number;
  /** The width at which this column stops shrinking as long as other columns can still shrink. Default: 6. */
  readonly least?: number;
  /** Whether the table leaves out this column if there is not enough room for all columns. */
  readonly spare?: boolean;
}

/** Rows of data, and how to convert each row to the cells of a table. */
export interface Rows<T> {
  readonly columns: readonly Column[];
  readonly rows: readonly T[];
  readonly toCells: (row: T) => readonly string[];
}

export const GAP = '  ';
const LEAST = 6;
const ELLIPSIS = '…';

/**
 * Renders rows as aligned columns. Lines are at most as wide as the terminal (or COLUMNS); longer text ends in `…`. If the output is a pipe
 * or a file, the text is complete. Reads the rows twice, first for the widths and then for the lines, so that not all lines are in memory
 * at once.
 */
export function* tableLines<T>(
  io: Io,
  columns: readonly Column[],
  rows: readonly T[],
  toCells: (row: T) => readonly string[],
): Generator<string> {
  const width = measureWidth(io);
  const wanted = widest(columns, rows, toCells);
  const shown = chooseColumns(columns, wanted, width);
  const pickShown = <U>(all: readonly U[]): U[] => all.filter((_, index) => shown.has(index));
  const left = pickShown(columns);
  const widths = fit(left, pickShown(wanted), width);
  const { dim } = pc.createColors(hasColour(io, chooseOutput(io)));
  yield `${headLine(left, widths, dim)}\n`;
  for (const row of rows) yield `${tableLine(left, widths, pickShown(toCells(row)))}\n`;
}

/**
 * Chooses which columns to show, by index. If there is not enough room for the minimum width of every column, leaves out the columns that
 * are `spare`.
 */
function chooseColumns(columns: readonly Column[], wanted: readonly number[], room: number): ReadonlySet<number> {
  const shown = new Set(columns.keys());
  const narrowest = ({ least = LEAST, yields = 0, title }: Column, index: number): number => {
    const most = wanted[index] ?? 0;
    return yields > 0 ? Math.min(most, Math.max(least, title.length)) : most;
  };
  const needed = () => [...shown].reduce((sum, index) => sum + narrowest(columns[index] ?? { title: '' }, index) + GAP.length, -GAP.length);
  for (const [index, { spare }] of columns.entries()) if (spare === true && needed() > room) shown.delete(index);
  return shown;
}

/** Renders the line with the titles of the columns. */
export function headLine(columns: readonly Column[], widths: readonly number[], paint: (text: string) => string): string {
  const titles = columns.map(({ title }) => title);
  return inColumns(columns, widths, { cells: titles, paint });
}

/** Renders one row. Escapes characters that a terminal would interpret. */
export function tableLine(columns: readonly Column[], widths: readonly number[], cells: readonly string[]): string {
  return inColumns(columns, widths, { cells: cells.map(printable), paint: (text) => text });
}

interface Cells {
  readonly cells: readonly string[];
  readonly paint: (text: string) => string;
}

function inColumns(columns: readonly Column[], widths: readonly number[], { cells, paint }: Cells): string {
  return columns
    .map((column, index) => place(cells[index] ?? '', { width: widths[index] ?? 0, align: column.align, paint }))
    .join(GAP)
    .trimEnd();
}

interface Place {
  readonly width: number;
  readonly align: 'right' | undefined;
  readonly paint: (text: string) => string;
}

function place(text: string, { width, align, paint }: Place): string {
  const shown = displayWidth(text) <= width ? text : cut(text, width);
  const rest = ' '.repeat(Math.max(0, width - displayWidth(shown)));
  return align === 'right' ? `${rest}${paint(shown)}` : `${paint(shown)}${rest}`;
}

/**
 * Shortens a string to at most `limit` terminal columns, with `…` at its end. (fast-string-truncated-width cuts wide characters too late.)
 */
export function cut(text: string, limit: number): string {
  let [width, end] = [ELLIPSIS.length, 0];
  for (const character of text) {
    width += displayWidth(character);
    if (width > limit) break;
    end += character.length;
  }
  return `${text.slice(0, end)}${ELLIPSIS}`;
}

/** Calculates the width of a string in terminal columns. A wide character has two columns, and a combining mark none. */
export const displayWidth = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : truncatedWidth(text).width);

/** Determines the width of the output in columns, from the terminal or the variable COLUMNS. Infinite if neither gives a width. */
export function measureColumns(io: Io): number {
  const output = chooseOutput(io);
  const columns = output.columns ?? Number(io.env.COLUMNS);
  if (Number.isInteger(columns) && columns > 0) return columns;
  return output.isTTY ? 80 : Number.POSITIVE_INFINITY;
}

export const measureWidth = (io: Io): number => Math.max(measureColumns(io), 40);

const WIDEST = 60;

/** Calculates the width that each column needs, in terminal columns. */
export function widest<T>(columns: readonly Column[], rows: readonly T[], toCells: (row: T) => readonly string[]): number[] {
  const most = columns.map(({ max = WIDEST }) => max);
  const wanted = columns.map(({ title }, index) => Math.min(title.length, most[index] ?? 0));
  for (const row of rows) {
    for (const [index, cell] of toCells(row).entries()) {
      const limit = most[index] ?? 0;
      const now = wanted[index] ?? 0;
      if (now < limit) wanted[index] = Math.max(now, Math.min(displayWidth(printable(cell)), limit));
    }
  }
  return wanted;
}

function fit(columns: readonly Column[], widths: readonly number[], room: number): readonly number[] {
  const wanted = [...widths];
  let excess = wanted.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1) - room;
  const order = columns.map((column, index) => ({ index, yields: column.yields ?? 0 })).filter(({ yields }) => yields > 0);
  order.sort((a, b) => b.yields - a.yields);
  for (const readFloor of [({ least = LEAST }: Column) => least, () => LEAST]) {
    for (const { index } of order) {
      const column = columns[index] ?? { title: '' };
      const now = wanted[index] ?? 0;
      const less = Math.max(Math.min(excess, now - Math.max(readFloor(column), column.title.length)), 0);
      wanted[index] = now - less;
      excess -= less;
    }
  }
  return wanted;
}
