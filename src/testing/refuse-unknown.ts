import { isObject } from '../kernel/json-value.js';
import { didYouMean } from '../kernel/nearest.js';

/** Names of all options of a type. The compiler reports a missing one. */
export type OptionNames<T> = Readonly<Record<keyof T, unknown>>;

/**
 * Refuses misspelled options, which would otherwise be ignored, because plain JavaScript has no compiler to report them.
 *
 * @param of the function that takes the options, as written: `startServer()`.
 * @throws TypeError for a value that is not an object, and for a name that is not an option; it names the nearest.
 */
export function refuseUnknown<T extends object>(of: string, given: T, known: OptionNames<T>): void {
  if (!isObject(given)) throw new TypeError(`Expected the options of ${of} as an object; got ${given === null ? 'null' : typeof given}.`);
  const names = Object.keys(known);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${of} has no option ${JSON.stringify(unknown)}${didYouMean(unknown, names)}. It has ${names.join(', ')}.`);
}
