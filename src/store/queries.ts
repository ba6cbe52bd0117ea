import { PasskeyError } from '../errors.js';

/** The condition of each member of a filter. A member that is added to the filter does not compile until every store answers it. */
export type FilterTable<Filter, Condition> = {
  readonly [Name in keyof Filter]-?: (value: NonNullable<Filter[Name]>) => Condition;
};

/**
 * Finds the conditions of the members that are given.
 *
 * @throws PasskeyError `internal_error` for a member that is not in the table: left out, a change would reach more records than asked for.
 */
export function findConditions<Filter extends object, Condition>(filter: Filter, table: FilterTable<Filter, Condition>): Condition[] {
  const unknown = Object.keys(filter).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) {
    throw new PasskeyError('internal_error', `This store cannot filter by ${unknown}. Nothing was changed. Leave it out, or use another.`);
  }
  const conditions: Condition[] = [];
  for (const name in table) {
    const value = filter[name];
    if (value !== undefined && value !== null) conditions.push(table[name](value));
  }
  return conditions;
}

// How everything that a store keeps is compared and sorted, so that all adapters answer alike: PostgreSQL does the same with COLLATE "C".

/** Texts by code point. UTF-16 would put what lies beyond U+FFFF before U+E000. */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Sorts surrogates after everything else. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

export type SortValue = string | number | boolean | undefined;

/** Stable; what has no value comes last either way. */
export function sortedBy<T>(items: Iterable<T>, valueOf: (item: T) => SortValue, descending = false): T[] {
  return Array.from(items, (item) => ({ item, value: valueOf(item) }))
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined) return Number(a.value === undefined) - Number(b.value === undefined);
      const order =
        typeof a.value === 'string' && typeof b.value === 'string' ? compareText(a.value, b.value) : Number(a.value) - Number(b.value);
      return descending ? -order : order;
    })
    .map(({ item }) => item);
}

/** Reads no further than it has to. */
export function* takePage<T>(
  items: Iterable<T>,
  { offset = 0, limit = Infinity }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): Generator<T> {
  if (limit <= 0) return;
  let passed = 0;
  for (const item of items) {
    passed += 1;
    if (passed > offset) yield item;
    if (passed >= offset + limit) return;
  }
}

/** The items of a list that come behind one of them. */
export function* takeBehind<T>(items: Iterable<T>, isIt: (item: T) => boolean): Generator<T> {
  let found = false;
  for (const item of items) {
    if (found) yield item;
    else found = isIt(item);
  }
}

export function countAll(items: Iterable<unknown>): number {
  let found = 0;
  for (const _ of items) found += 1;
  return found;
}
