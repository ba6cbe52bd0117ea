import { isObject } from '../kernel/json-value.js';
import { didYouMean } from '../kernel/nearest.js';

/** Names of all options of a type. The compiler reports an error if a name is missing. */
export type OptionNames<T> = Readonly<Record<keyof T, unknown>>;

/**
 * Refuses misspelled options. Plain JavaScript has no compiler to report them, and they would otherwise be ignored.
 *
 * @param of name of the function that accepts the options, as written: `startServer()`.
 * @throws TypeError for a value that is not an object, and for a name that is not an option; the message names the nearest option.
 */
export function refuseUnknown<T extends object>(of: string, given: T, known: OptionNames<T>): void {
  if (!isObject(given)) throw new TypeError(`Expected the options of ${of} as an object; got ${given === null ? 'null' : typeof given}.`);
  const names = Object.keys(known);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${of} has no option ${JSON.stringify(unknown)}${didYouMean(unknown, names)}. It has ${names.join(', ')}.`);
}
