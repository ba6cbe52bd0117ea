import type { CredentialDescriptor } from '../authenticator/ports.js';
import { PasskeyError } from '../errors.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import { domException } from './dom-exception.js';

/**
 * Reads the members of a JSON dictionary as Web IDL and `parse…OptionsFromJSON` (§5.1.8, §5.1.9) do: a required member that is
 * missing, or one of the wrong type, is a TypeError, text that is not base64url an `EncodingError`. It is stricter than Web IDL,
 * which turns every value into a string or number: a test should not pass on a member that happens to be convertible.
 */
export interface Members {
  readonly path: string;
  has(name: string): boolean;
  string(name: string): string;
  optionalString(name: string): string | undefined;
  optionalBoolean(name: string): boolean | undefined;
  integer(name: string): number;
  optionalNumber(name: string): number | undefined;
  bytes(name: string): Uint8Array;
  dictionary(name: string): Members;
  optionalDictionary(name: string): Members | undefined;
  dictionaries(name: string): readonly Members[];
  optionalDictionaries(name: string): readonly Members[];
  optionalStrings(name: string): readonly string[];
  entries(): readonly (readonly [string, unknown])[];
}

/** @throws TypeError when `value` is no object. */
export function membersOf(value: unknown, path: string): Members {
  if (!isObject(value)) throw new TypeError(`Expected ${path} to be an object; got ${describe(value)}.`);
  const get = (name: string): unknown => readable(`${path}.${name}`, () => (Object.hasOwn(value, name) ? value[name] : undefined));
  const wrong = (name: string, expected: string): TypeError => {
    const got = get(name);
    const detail = got === undefined ? 'the member is missing' : `got ${describe(got)}`;
    return new TypeError(`Expected ${path}.${name} to be ${expected}; ${detail}.`);
  };
  const optional = <T>(name: string, expected: string, is: (value: unknown) => value is T): T | undefined => {
    const member = get(name);
    if (member === undefined) return undefined;
    if (!is(member)) throw wrong(name, expected);
    return member;
  };
  const required = <T>(name: string, expected: string, is: (value: unknown) => value is T): T => {
    const member = optional(name, expected, is);
    if (member === undefined) throw wrong(name, expected);
    return member;
  };
  // `map` would pass over the holes of a sparse array.
  const list = (members: readonly unknown[], name: string) =>
    Array.from(members, (item, index) => membersOf(item, `${path}.${name}[${index}]`));
  return {
    path,
    has: (name) => get(name) !== undefined,
    string: (name) => required(name, 'a string', isString),
    optionalString: (name) => optional(name, 'a string', isString),
    optionalBoolean: (name) => optional(name, 'a boolean', isBoolean),
    integer: (name) => required(name, 'a whole number', isInteger),
    optionalNumber: (name) => optional(name, 'a number', isNumber),
    bytes: (name) => decodeMember(required(name, 'a base64url string', isString), `${path}.${name}`),
    dictionary: (name) => membersOf(required(name, 'an object', isObject), `${path}.${name}`),
    optionalDictionary(name) {
      // Web IDL reads null as a dictionary without members.
      if (get(name) === null) return undefined;
      const member = optional(name, 'an object', isObject);
      return member && membersOf(member, `${path}.${name}`);
    },
    dictionaries: (name) => list(required(name, 'an array', Array.isArray), name),
    optionalDictionaries: (name) => list(optional(name, 'an array', Array.isArray) ?? [], name),
    optionalStrings: (name) => optional(name, 'an array of strings', isStrings) ?? [],
    entries: () => readable(path, () => Object.entries(value)).filter(([, member]) => member !== undefined),
  };
}

/** §5.8.3 from JSON. Descriptors of a type that is not known are ignored. */
export function readDescriptors(list: readonly Members[]): readonly CredentialDescriptor[] {
  return list
    .map((item) => ({ type: item.string('type'), id: item.bytes('id'), transports: item.optionalStrings('transports') }))
    .flatMap(({ type, id, transports }) => (type === 'public-key' ? [{ type, id, transports }] : []));
}

/** A value of an enumeration that the standard hands on as a string: unknown values count as missing (§2.1.1). */
export function knownValue<T extends string>(value: string | undefined, known: readonly T[]): T | undefined {
  return known.find((candidate) => candidate === value);
}

function decodeMember(text: string, path: string): Uint8Array {
  try {
    return decodeBase64url(text);
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    throw domException('EncodingError', `${path}: ${error.message}`);
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.findIndex((item) => !isString(item)) === -1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in a message. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object';
    case 'string':
      return `string ${JSON.stringify(value).slice(0, 40)}`;
    case 'number':
    case 'bigint':
    case 'boolean':
      return `${typeof value} ${value}`;
    default:
      return typeof value;
  }
}

/** @throws TypeError naming the member, with what its getter threw as cause. */
export function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new TypeError(`Expected ${path} to be readable; its getter threw.`, { cause });
  }
}
