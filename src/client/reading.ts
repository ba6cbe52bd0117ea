import { PasskeyError } from '../errors.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import { decodeBase64, decodeBase64url } from '../webauthn/base64url.js';

/** Ways to read options: like Chromium, or strictly by the types of the standard. */
const READING_MODES = ['browser', 'strict'] as const;
export type ReadingMode = (typeof READING_MODES)[number];

/** Report of a wrong member in the options that browsers nevertheless accept. */
export interface Remark {
  /** Path of the member, e.g. `publicKey.timeout`. */
  readonly member: string;
  /** One sentence that names the expected type, the received type and the conversion. */
  readonly message: string;
}

/**
 * Conversions for members of a wrong type; each returns undefined if it cannot convert the value. `strict` converts nothing, so that no
 * test passes only because a member is convertible. `browser` converts like Web IDL; test/client/chromium-dialect.json records what
 * Chromium accepted.
 */
export interface Reading {
  readonly mode: ReadingMode;
  /**
   * True if the options are for a call of `create()` or `get()`. A call rejects more than `parse…OptionsFromJSON` does: too many
   * credentials, and a user handle that is too long.
   */
  readonly forCall: boolean;
  readonly remark: (remark: Remark) => void;
  string(value: unknown): string | undefined;
  boolean(value: unknown): boolean | undefined;
  long(value: unknown): number | undefined;
  unsignedLong(value: unknown): number | undefined;
  isUnsignedLong(value: number): boolean;
  dictionary(value: unknown, path: string): JsonObject | undefined;
  /** Decodes base64url to bytes, or returns a description of the mistake. */
  base64url(text: string, path: string): Uint8Array | string;
}

const nothing = (): undefined => undefined;

const STRICT: Omit<Reading, 'remark'> = {
  mode: 'strict',
  forCall: true,
  string: nothing,
  boolean: nothing,
  long: nothing,
  unsignedLong: nothing,
  isUnsignedLong: () => true,
  dictionary: (value) => (isObject(value) ? value : undefined),
  base64url: decodeStrictly,
};

/**
 * Creates the conversions of a mode.
 *
 * @param remark called for every member that is not of the standard's type but that browsers accept.
 */
export function createReading(mode: ReadingMode, remark: (remark: Remark) => void): Reading {
  if (mode === 'strict') return { ...STRICT, remark };
  return {
    mode,
    forCall: true,
    remark,
    string: toText,
    boolean: (value) => Boolean(value),
    long: (value) => mapNumber(value, (number) => number | 0),
    unsignedLong: (value) => mapNumber(value, (number) => number >>> 0),
    isUnsignedLong: (value) => value >>> 0 === value,
    dictionary(value, path) {
      if (isObject(value)) return value;
      if (value !== null && !Array.isArray(value)) return undefined;
      remark({ member: path, message: `Expected an object; got ${describeValue(value)}. Chromium reads it as an object without members.` });
      return {};
    },
    base64url(text, path) {
      const decoded = /[^A-Za-z0-9_-]/.test(text) || text.length % 4 === 1 ? undefined : decodeBase64(text);
      if (decoded === undefined) return decodeStrictly(text);
      if (!decoded.canonical) {
        remark({ member: path, message: 'Expected base64url; its last character has unused bits that are not 0. Chromium ignores them.' });
      }
      return decoded.bytes;
    },
  };
}

function decodeStrictly(text: string): Uint8Array | string {
  try {
    return decodeBase64url(text);
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return error.message;
  }
}

/**
 * Converts a value to a string as ECMAScript's ToString does. Undefined for an object with a `toString` member that is not a function,
 * which is possible in JSON.
 */
function toText(value: unknown): string | undefined {
  if (typeof value === 'symbol') return undefined;
  try {
    return String(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

/**
 * Converts a JSON value to a number as ECMAScript's ToNumber does, objects by way of their string. Undefined if JSON cannot contain the
 * result.
 */
function mapNumber(value: unknown, wrap: (number: number) => number): number | undefined {
  const primitive = typeof value === 'object' && value !== null ? toText(value) : value;
  const fails = primitive === undefined || typeof primitive === 'bigint' || typeof primitive === 'symbol';
  return fails ? undefined : wrap(Number(primitive));
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Tests whether a value fits a `long` of Web IDL. */
export function isInteger(value: unknown): value is number {
  return isNumber(value) && (value | 0) === value;
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isStrings(value: unknown): value is readonly string[] {
  return isList(value) && value.every(isString);
}

/** Describes a value for an error message. */
export function describeValue(value: unknown): string {
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
