import { printable } from './printable.js';

type Cell = string | number | null;

/**
 * Writes CSV (RFC 4180): CRLF after every line, and quotes where they are needed. A cell that a spreadsheet would run as a formula starts
 * with an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection). Null becomes an empty cell.
 */
export async function* csvLines(
  header: readonly string[],
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>,
): AsyncGenerator<string> {
  yield `${header.map(cell).join(',')}\r\n`;
  for await (const row of rows) yield `${row.map(cell).join(',')}\r\n`;
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
