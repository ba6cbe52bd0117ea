import type { CredentialDescriptor } from '../authenticator/ports.js';
import { PasskeyError } from '../errors.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import { isObject, type JsonObject } from '../webauthn/json-value.js';

/** The names of `DOMException` that the two operations throw (W3C WebAuthn L3 §5.1.3.1, §5.1.4.3, §5.1.8, §10.1). */
export type DomExceptionName =
  | 'AbortError'
  | 'ConstraintError'
  | 'EncodingError'
  | 'InvalidStateError'
  | 'NotAllowedError'
  | 'NotSupportedError'
  | 'SecurityError'
  | 'SyntaxError'
  | 'UnknownError';

// A global of every runtime that this code meets; Node's types declare it only together with the DOM's.
declare const DOMException: new (message: string, name: string) => Error;

/** A `DOMException`. Unlike a browser's, its message says which member was wrong and why. */
export function domException(name: DomExceptionName, message: string): Error {
  return new DOMException(message, name);
}

/**
 * The members of a JSON dictionary, read as Web IDL and `parse…OptionsFromJSON` (§5.1.9, §5.1.10) read them: a required member that
 * is missing, or one of the wrong type, is a TypeError; text that is not base64url is an `EncodingError`. Stricter than Web IDL,
 * which converts every value to a string or number: a test should not pass because a member happens to be convertible.
 */
export interface Members {
  /** In messages, e.g. `publicKey.rp`. */
  readonly path: string;
  readonly json: JsonObject;
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

/** @throws TypeError when `value` is not an object. */
export function membersOf(value: unknown, path: string): Members {
  if (!isObject(value)) throw new TypeError(`Expected ${path} to be an object; got ${describe(value)}.`);
  const get = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
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
  const list = (members: readonly unknown[], name: string) => members.map((item, index) => membersOf(item, `${path}.${name}[${index}]`));
  return {
    path,
    json: value,
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
    entries: () => Object.entries(value).filter(([, member]) => member !== undefined),
  };
}

/** §5.8.3 from JSON. Descriptors of an unknown type are ignored. */
export function readDescriptors(list: readonly Members[]): readonly CredentialDescriptor[] {
  return list
    .map((item) => ({ type: item.string('type'), id: item.bytes('id'), transports: item.optionalStrings('transports') }))
    .flatMap(({ type, id, transports }) => (type === 'public-key' ? [{ type, id, transports }] : []));
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
  return Array.isArray(value) && value.every(isString);
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
