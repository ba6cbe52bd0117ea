/** A member that has to be of some kind: what TypeScript's types say, said again to callers who write JavaScript. */
export interface Expectation {
  /** Completes "Expected … to be". */
  readonly expected: string;
  holds(value: unknown): boolean;
  /** Told by its kind only. */
  readonly secret?: boolean;
}

/**
 * Holds members of an object against expectations, also those that are not there. `place` says what a member is called, with `*`
 * for its name.
 *
 * @returns what is wrong with the first that does not hold, in the words of a message; undefined when all do.
 */
export function firstWrong(object: object, place: string, expectations: Readonly<Record<string, Expectation>>): string | undefined {
  for (const [name, { expected, holds, secret = false }] of Object.entries(expectations)) {
    const wrong = (what: string): string => `Expected ${place.replace('*', name)} to be ${expected}; ${what}.`;
    try {
      const value: unknown = Reflect.get(object, name);
      if (!holds(value)) return wrong(`got ${secret ? typeof value : describe(value)}`);
    } catch {
      // A getter, or a proxy. What it throws may tell a secret.
      return wrong('it cannot be read');
    }
  }
  return undefined;
}

/** A value in a message. Bytes and objects are told by their kind only: they may be secrets. */
export function describe(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
  return 'an object';
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An array of such items only. `every` would pass over the holes of a sparse one. */
export function isListOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.findIndex((item) => !holds(item)) === -1;
}

/** An object that has these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function');
}

const isText = (value: unknown): value is string => typeof value === 'string';

export const BYTES: Expectation = { expected: 'a Uint8Array', holds: (value) => value instanceof Uint8Array };
export const TEXT: Expectation = { expected: 'a string', holds: isText };
export const FLAG: Expectation = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
export const OBJECT: Expectation = { expected: 'an object', holds: isObject };
export const TEXTS: Expectation = { expected: 'an array of strings', holds: (value) => isListOf(value, isText) };
export const FUNCTION: Expectation = { expected: 'a function', holds: (value) => typeof value === 'function' };

/** One of these texts. */
export function oneOf(...values: readonly string[]): Expectation {
  const named = values.map((value) => JSON.stringify(value)).join(', ');
  return { expected: `one of ${named}`, holds: (value) => isText(value) && values.includes(value) };
}

export function optional({ holds, ...expectation }: Expectation): Expectation {
  return { ...expectation, holds: (value) => value === undefined || holds(value) };
}
