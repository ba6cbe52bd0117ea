import { PasskeyError } from '../errors.js';

/**
 * Table with a condition for each member of a filter. If a member is added to the filter, every store fails to compile until it has the
 * condition.
 */
export type FilterTable<Filter, Condition> = {
  readonly [Name in keyof Filter]-?: (value: NonNullable<Filter[Name]>) => Condition;
};

/**
 * Finds the conditions of the members that a filter has.
 *
 * @throws PasskeyError `internal_error` for a member that is not in the table. If it were ignored, a change would affect more records than
 * requested.
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

/** Compares strings by code point. A comparison of UTF-16 units would put characters above U+FFFF before U+E000. */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Computes the sort rank of a UTF-16 unit. Surrogates come after all other units. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

export type SortValue = string | number | boolean | undefined;

/** Sorts items by a value. The sort is stable; items without a value come last in either direction. */
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

/** Takes one page of the items, and reads no more items than needed for that. */
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

/** Yields the items of a list that come after a certain item. */
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
