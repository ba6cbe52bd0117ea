import { PasskeyError } from '../errors.js';

/** What each member of a filter asks for. A member that is added to the filter does not compile until every store answers it. */
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
