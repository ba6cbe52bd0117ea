import { PasskeyError } from '../../errors.js';
import { didYouMean } from '../../kernel/nearest.js';
import { grouped, groupedCount } from '../../kernel/wording.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { integer, list, text } from '../config/values.js';
import { type Io, printAll, printJsonArray, say } from '../io.js';
import { csvLines } from './csv.js';
import { printable } from './printable.js';
import { type Column, tableLines } from './table.js';

/** A column of a list. `T` is what a row is made of. */
export interface ListColumn<T> extends Column {
  /** As `--json` has it. */
  value(item: T): string | number | boolean | null | readonly string[];
  /** As the table has it, where that is another. */
  cell?(item: T): string;
}

/** The columns of a list command. */
export interface Listing<T, Name extends string, SortName extends Name, SortKey> {
  /** The thing that it lists: `passkey`. */
  readonly noun: string;
  readonly columns: Readonly<Record<Name, ListColumn<T>>>;
  readonly names: readonly Name[];
  /** Columns of `--json` and `--csv` without `--columns`. */
  readonly standard: readonly Name[];
  readonly sorts: Readonly<Record<SortName, SortKey>>;
  readonly sortNames: readonly SortName[];
}

/** Which rows of a list are wanted, in which order, with which columns. */
interface Wanted<Name, SortKey> {
  readonly sort: { readonly by: SortKey; readonly descending: boolean } | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
  readonly columns: readonly Name[] | undefined;
}

const MOST = 1_000_000_000;

/** @throws PasskeyError `usage` */
export function readWanted<T, Name extends string, SortName extends Name, SortKey>(
  io: Io,
  flags: Flags,
  { names, sorts, sortNames }: Listing<T, Name, SortName, SortKey>,
): Wanted<Name, SortKey> {
  return {
    sort: typeof flags.sort === 'string' ? readSort(flags.sort, { sorts, sortNames }) : undefined,
    offset: flags.offset === undefined ? 0 : readFlag(io, integer({ min: 0, max: MOST }), '--offset', flags.offset),
    limit: flags.limit === undefined ? undefined : readFlag(io, integer({ min: 1, max: MOST }), '--limit', flags.limit),
    columns:
      flags.columns === undefined
        ? undefined
        : readFlag(io, list(text({ placeholder: 'name' })), '--columns', flags.columns).map((name) => findColumn('--columns', name, names)),
  };
}

function readSort<SortName extends string, SortKey>(
  given: string,
  { sorts, sortNames }: { sorts: Readonly<Record<SortName, SortKey>>; sortNames: readonly SortName[] },
) {
  const descending = given.startsWith('-');
  return { by: sorts[findColumn('--sort', descending ? given.slice(1) : given, sortNames)], descending };
}

function findColumn<Name extends string>(flag: string, given: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  const got = `got ${JSON.stringify(given.slice(0, 60))}${didYouMean(given, names)}`;
  throw new PasskeyError('usage', `${flag} expects ${flag === '--sort' ? 'one' : 'some'} of ${names.join(', ')}; ${got}.`);
}

/** The page that is wanted, as the operations take it. */
export function pageWanted<Name, SortKey>({ sort, offset, limit }: Wanted<Name, SortKey>) {
  return { offset, ...(sort && { sort }), ...(limit !== undefined && { limit }) };
}

/** Only a table has talk around it. */
export const isTable = (flags: Flags): boolean => flags.json !== true && flags.csv !== true;

/** Whether e-mails of users are asked for. */
export function showsUsers<Name extends string, SortKey>(flags: Flags, { columns }: Wanted<Name, SortKey>): boolean {
  return columns === undefined ? isTable(flags) : columns.some((name) => name === 'email' || (isTable(flags) && name === 'user'));
}

/** The rows of a list command, and what is said about them. */
interface Listed<T, Name extends string, SortName extends Name, SortKey> {
  readonly listing: Listing<T, Name, SortName, SortKey>;
  readonly wanted: Wanted<Name, SortKey>;
  /** A part of the rows at a time, so that JSON and CSV need not hold them all. */
  readonly portions: AsyncIterable<readonly T[]>;
  /** Counts the rows of all pages. */
  count(): Promise<number>;
  /** Says why there are none. */
  whyNone(): Promise<string>;
  /** The columns of the table without `--columns`. */
  table(rows: readonly T[]): readonly ListColumn<T>[];
}

/** Prints a list as JSON, CSV or a table. */
export async function printList<T, Name extends string, SortName extends Name, SortKey>(
  io: Io,
  flags: Flags,
  { listing, wanted, portions, count, whyNone, table }: Listed<T, Name, SortName, SortKey>,
): Promise<void> {
  const names = wanted.columns ?? listing.standard;
  if (flags.json === true) {
    return printJsonArray(
      io,
      mapped(portions, (row) => Object.fromEntries(names.map((name) => [name, listing.columns[name].value(row)]))),
    );
  }
  if (flags.csv === true) {
    const rows = mapped(portions, (row) => names.map((name) => csvCell(listing.columns[name].value(row))));
    await printAll(
      io,
      csvLines(names, rows, (cells) => cells),
    );
    return;
  }
  const rows: T[] = [];
  for await (const portion of portions) for (const row of portion) rows.push(row);
  const { offset, limit } = wanted;
  const isLast = (limit === undefined || rows.length < limit) && (offset === 0 || rows.length > 0);
  const total = isLast ? offset + rows.length : await count();
  if (total === 0) return say(io, await whyNone());
  if (rows.length > 0) {
    const columns = wanted.columns?.map((name) => listing.columns[name]) ?? table(rows);
    await printAll(
      io,
      tableLines(io, columns, rows, (row) => columns.map((column) => toCell(column, row))),
    );
  }
  sayPage(io, listing.noun, { offset, shown: rows.length, total });
}

async function* mapped<T, U>(portions: AsyncIterable<readonly T[]>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const portion of portions) yield* portion.map(map);
}

/** A cell of a table. */
export const toCell = <T>(column: ListColumn<T>, row: T): string => column.cell?.(row) ?? tableCell(column.value(row));

type Value = ReturnType<ListColumn<unknown>['value']>;

const csvCell = (value: Value): string | number | null =>
  typeof value === 'number' || typeof value === 'string' || value === null ? value : tableCell(value);

function tableCell(value: Value): string {
  if (value === null) return '';
  return typeof value === 'object' ? value.join(' ') : String(value);
}

/** Says which part of all is shown, where that is not all. */
function sayPage(io: Io, noun: string, { offset, shown, total }: { offset: number; shown: number; total: number }): void {
  if (shown === total) return;
  const all = groupedCount(total, noun);
  const last = offset + shown;
  const more = last < total ? `; --offset ${last} shows more` : '';
  say(
    io,
    shown === 0
      ? `There ${total === 1 ? 'is' : 'are'} only ${all}; --offset ${offset} leaves none.`
      : `Showing ${grouped(offset + 1)}-${grouped(last)} of ${all}${more}.`,
  );
}

/**
 * Why a list is empty: names the filters that match nothing, each alone or only together.
 *
 * @param matches whether anything matches one filter.
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
