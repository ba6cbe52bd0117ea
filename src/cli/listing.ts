import type { Command } from 'commander';
import { PasskeyError } from '../errors.js';
import { didYouMean } from '../kernel/nearest.js';
import { grouped, groupedCount, spellFlag } from '../kernel/wording.js';
import { type Flags, readFlag } from './config/resolve.js';
import { integer, list, text } from './config/values.js';
import { addFlags } from './flags.js';
import { type Io, printAll, printJsonArray, say } from './io.js';
import { csvLines } from './output/csv.js';
import { printable } from './output/printable.js';
import { type Column, type Rows, tableLines } from './output/table.js';
import { quoteWord } from './own-command.js';
import { storeFlag } from './store-flag.js';

type Value = string | number | boolean | null | readonly string[];

/** A column of a list. `T` is the type of the data in a row. */
interface ListColumn<T, SortKey> extends Column {
  /** Returns the value of this column in `--json`. */
  value(item: T): Value;
  /** Returns the text of this column in the table, if it differs from the value. */
  cell?(item: T): string;
  /** The key by which `--sort` sorts this column. Without it, the list cannot be sorted by this column. */
  readonly sort?: SortKey;
}

/** Columns and wording of a list command. `T` is the type of the data in a row. */
export interface Listing<T, SortKey> {
  /** Name of one listed thing, such as `passkey`. */
  readonly noun: string;
  readonly columns: Readonly<Record<string, ListColumn<T, SortKey>>>;
  /** Names of the columns that `--json` and `--csv` output by default. */
  readonly standard: readonly string[];
  /** Chooses the columns that the table has by default. */
  table(rows: readonly T[]): readonly string[];
  /** Returns the value of `--after` with which the list continues after this row. */
  mark(item: T): string;
}

interface ListingOptions<T, SortKey, Row> extends Pick<Listing<T, SortKey>, 'noun' | 'table' | 'mark'> {
  /** Converts a listed thing to its row in `--json`. */
  toRow(item: T): Row;
  /** The columns for the members of the `--json` row, by the name of the member. */
  readonly members: Readonly<Record<keyof Row & string, Omit<ListColumn<T, SortKey>, 'value'>>>;
  /** Additional columns, which the user can request with `--columns`. */
  readonly more: Readonly<Record<string, ListColumn<T, SortKey>>>;
}

/** Makes a listing. Its columns are the members of the `--json` row, and the additional columns in `more`. */
export function defineListing<T, SortKey, Row extends Readonly<Record<string, Value>>>({
  toRow,
  members,
  more,
  ...listing
}: ListingOptions<T, SortKey, Row>): Listing<T, SortKey> {
  const looks = Object.entries<Omit<ListColumn<T, SortKey>, 'value'>>(members);
  const columns = looks.map(([name, look]) => [name, { ...look, value: (item: T) => toRow(item)[name] ?? null }] as const);
  return { ...listing, columns: { ...Object.fromEntries(columns), ...more }, standard: Object.keys(members) };
}

/** Names the columns by which a list can be sorted. */
const findSorts = <T, SortKey>({ columns }: Listing<T, SortKey>): string[] =>
  Object.keys(columns).filter((name) => columns[name]?.sort !== undefined);

/** Adds the flags for sorting, paging and output format to a list command. */
export function addListOptions<T, SortKey>(command: Command, listing: Listing<T, SortKey>): Command {
  const columns = Object.keys(listing.columns);
  const sorts = findSorts(listing);
  return addFlags(
    command,
    {
      sort: {
        about: `${sorts.join(', ')}; a leading - reverses the order`,
        completes: { words: sorts.flatMap((column) => [column, `-${column}`]) },
      },
      limit: 'at most this many',
      after: { about: `continue after this ${listing.noun}`, conflicts: 'offset' },
      offset: `skip this many ${listing.noun}s`,
      columns: { about: `show these columns, separated by commas: ${columns.join(', ')}`, completes: { words: columns, several: true } },
      json: { conflicts: 'csv' },
      csv: 'print comma-separated values (RFC 4180)',
    },
    'Output:',
  );
}

/** The rows, the order and the columns that the flags of a list command request. */
interface Wanted<SortKey> {
  readonly sort: { readonly by: SortKey; readonly descending: boolean } | undefined;
  /** The value of `--after` as the user wrote it. */
  readonly after: string | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
  readonly columns: readonly string[] | undefined;
}

const MOST = 1_000_000_000;

/** Reads the flags that {@link addListOptions} adds. @throws PasskeyError `usage` */
export function readWanted<T, SortKey>(io: Io, flags: Flags, listing: Listing<T, SortKey>): Wanted<SortKey> {
  const names = Object.keys(listing.columns);
  return {
    sort: typeof flags.sort === 'string' ? readSort(flags.sort, listing) : undefined,
    after: typeof flags.after === 'string' ? flags.after : undefined,
    offset: flags.offset === undefined ? 0 : readFlag(io, integer({ min: 0, max: MOST }), '--offset', flags.offset),
    limit: flags.limit === undefined ? undefined : readFlag(io, integer({ min: 1, max: MOST }), '--limit', flags.limit),
    columns:
      flags.columns === undefined
        ? undefined
        : readFlag(io, list(text({ placeholder: 'name' })), '--columns', flags.columns).map((name) =>
            requireColumn('--columns', name, names),
          ),
  };
}

/**
 * Reads `--after` for a list whose things are identified by a number.
 *
 * @param isThere checks whether a thing with this number exists.
 * @throws PasskeyError `usage`
 */
export async function readAfter(
  io: Io,
  { after }: { readonly after: string | undefined },
  { noun, isThere }: { readonly noun: string; isThere(id: number): Promise<boolean> },
): Promise<number | undefined> {
  if (after === undefined) return undefined;
  const id = readFlag(io, integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), '--after', after);
  if (await isThere(id)) return id;
  throw new PasskeyError('usage', `--after expects the id of a ${noun}; none has the id ${id}. Start again without --after.`);
}

function readSort<T, SortKey>(given: string, listing: Listing<T, SortKey>): Wanted<SortKey>['sort'] {
  const descending = given.startsWith('-');
  const name = requireColumn('--sort', descending ? given.slice(1) : given, findSorts(listing));
  const by = listing.columns[name]?.sort;
  return by === undefined ? undefined : { by, descending };
}

function requireColumn(flag: string, given: string, names: readonly string[]): string {
  if (names.includes(given)) return given;
  const got = `got ${JSON.stringify(given.slice(0, 60))}${didYouMean(given, names)}`;
  throw new PasskeyError('usage', `${flag} expects ${flag === '--sort' ? 'one' : 'some'} of ${names.join(', ')}; ${got}.`);
}

/** Converts the flags to the order and page that list operations accept. Each command reads `after` itself. */
export function pageWanted<SortKey>({ sort, offset, limit }: Wanted<SortKey>) {
  return { offset, ...(sort && { sort }), ...(limit !== undefined && { limit }) };
}

/** Checks whether the output is a table. Only a table has remarks before and after it. */
export const isTable = (flags: Flags): boolean => flags.json !== true && flags.csv !== true;

/** Checks whether the output shows the e-mail addresses of users. */
export function showsUsers<SortKey>(flags: Flags, { columns }: Wanted<SortKey>): boolean {
  return columns === undefined ? isTable(flags) : columns.some((name) => name === 'email' || (isTable(flags) && name === 'user'));
}

/** The rows that a list command prints, and the texts for the notes about these rows. */
interface Listed<T, SortKey> {
  /** The command that prints the list, such as `passkey list`. */
  readonly command: string;
  readonly listing: Listing<T, SortKey>;
  readonly wanted: Wanted<SortKey>;
  /** The rows in batches, so that not all of them must be in memory for JSON and CSV output. */
  readonly portions: AsyncIterable<readonly T[]>;
  /** Counts the rows on all pages. */
  count(): Promise<number>;
  /** Explains why the list is empty. */
  whyNone(): Promise<string>;
}

/** Prints a list as JSON, CSV or a table. */
export async function printList<T, SortKey>(
  io: Io,
  flags: Flags,
  { command, listing, wanted, portions, count, whyNone }: Listed<T, SortKey>,
): Promise<void> {
  const names = wanted.columns ?? listing.standard;
  const shown = names.flatMap((name) => listing.columns[name] ?? []);
  if (flags.json === true) {
    return printJsonArray(
      io,
      mapped(portions, (row) => Object.fromEntries(names.map((name, index) => [name, shown[index]?.value(row)]))),
    );
  }
  if (flags.csv === true) {
    const rows = mapped(portions, (row) => shown.map((column) => csvCell(column.value(row))));
    await printAll(io, csvLines(names, rows));
    return;
  }
  const rows: T[] = [];
  for await (const portion of portions) for (const row of portion) rows.push(row);
  const { after, offset, limit } = wanted;
  const last = rows.at(-1);
  const next = last === undefined || rows.length !== limit ? '' : nextPage(command, flags, listing.mark(last));
  if (after !== undefined) {
    await printTable();
    return say(io, sayBehind(listing.noun, { after, shown: rows.length, next }));
  }
  const isLast = (limit === undefined || rows.length < limit) && (offset === 0 || rows.length > 0);
  const total = isLast ? offset + rows.length : await count();
  if (total === 0) return say(io, await whyNone());
  await printTable();
  sayPage(io, listing.noun, { offset, shown: rows.length, total, next });

  async function printTable() {
    if (rows.length === 0) return;
    const { columns, toCells } = tableRows(listing, rows, { names: wanted.columns });
    await printAll(io, tableLines(io, columns, rows, toCells));
  }
}

/** Makes a note with the command that prints the next page: `; for more: …`. That page continues after the row that `mark` identifies. */
function nextPage(command: string, flags: Flags, mark: string): string {
  const { after: _, offset: __, store, ...others } = flags;
  const given = Object.entries(others).flatMap(([name, value]) => {
    if (typeof value === 'boolean') return [`${value ? '' : '--no'}${spellFlag(name).slice(value ? 0 : 1)}`];
    return [value].flat().flatMap((one) => (typeof one === 'string' ? [spellFlag(name), quoteWord(one)] : []));
  });
  return `; for more: \`${[command, ...given, '--after', quoteWord(mark)].join(' ')}${storeFlag(store)}\``;
}

/**
 * Makes a note that tells how many rows of a later page are shown. It leaves out the total, which would have to be counted for every page.
 */
function sayBehind(noun: string, { after, shown, next }: { after: string; shown: number; next: string }): string {
  if (shown === 0) return `No ${noun} comes after ${printable(after)}.`;
  return next === ''
    ? `Showing the last ${groupedCount(shown, noun)}.`
    : `Showing ${groupedCount(shown, noun)} after ${printable(after)}${next}.`;
}

async function* mapped<T, U>(portions: AsyncIterable<readonly T[]>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const portion of portions) yield* portion.map(map);
}

/** Converts rows to a table that can be printed, or from which the user can pick rows. */
export function tableRows<T, SortKey>(
  listing: Listing<T, SortKey>,
  rows: readonly T[],
  { names = listing.table(rows) }: { readonly names?: readonly string[] | undefined } = {},
): Rows<T> {
  const columns = names.flatMap((name) => listing.columns[name] ?? []);
  const toCells = (row: T) => columns.map((column) => column.cell?.(row) ?? tableCell(column.value(row)));
  return { columns, rows, toCells };
}

const csvCell = (value: Value): string | number | null =>
  typeof value === 'number' || typeof value === 'string' || value === null ? value : tableCell(value);

function tableCell(value: Value): string {
  if (value === null) return '';
  return typeof value === 'object' ? value.join(' ') : String(value);
}

/** Prints which part of the list is shown, unless the whole list is shown. */
function sayPage(io: Io, noun: string, o: { offset: number; shown: number; total: number; next: string }): void {
  const { offset, shown, total } = o;
  if (shown === total) return;
  const all = groupedCount(total, noun);
  const last = offset + shown;
  const more = last < total ? o.next : '';
  say(
    io,
    shown === 0
      ? `There ${total === 1 ? 'is' : 'are'} only ${all}; --offset ${offset} skips all of them.`
      : `Showing ${grouped(offset + 1)}-${grouped(last)} of ${all}${more}.`,
  );
}

/**
 * Explains why a list is empty: names the filters that each match nothing, or all filters if they match nothing only in combination.
 *
 * @param matches checks whether any thing matches one filter alone.
 */
export async function unmatched<A extends { readonly flag: string }>(
  asked: readonly A[],
  matches: (one: A) => Promise<boolean>,
): Promise<string> {
  const found = await Promise.all(asked.map(matches));
  const alone = asked.filter((_, index) => found[index] === false);
  const names = (alone.length > 0 ? alone : asked).map(({ flag }) => flag);
  const and = names.length === 2 ? `both ${names.join(' and ')}` : `all of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return printable(alone.length > 0 || names.length === 1 ? names.join(' or ') : and);
}
