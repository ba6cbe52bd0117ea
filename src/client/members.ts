import type { CredentialDescriptor } from '../authenticator/ports.js';
import type { JsonObject } from '../kernel/json-value.js';
import { describeValue, isBoolean, isInteger, isList, isNumber, isString, isStrings, type Reading } from './reading.js';

/** Names of the `DOMException`s that `create()` and `get()` throw (W3C WebAuthn L3 §5.1.3.1, §5.1.4.3, §5.1.8, §10.1). */
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

/** Creates a `DOMException` whose message, unlike a browser's, says which member was wrong and why. */
export function domException(name: DomExceptionName, message: string): Error {
  return new DOMException(message, name);
}

/**
 * Reader for the members of a JSON dictionary, which follows `parse…OptionsFromJSON` (§5.1.8, §5.1.9). Throws a TypeError for a required
 * member that is missing and for a member that does not convert, and an `EncodingError` for a string that is not base64url. The {@link
 * Reading} decides which types convert.
 */
export class Members {
  /** Path of the dictionary in error messages, e.g. `publicKey.rp`. */
  readonly path: string;
  readonly json: JsonObject;
  readonly #reading: Reading;

  private constructor(json: JsonObject, path: string, reading: Reading) {
    this.json = json;
    this.path = path;
    this.#reading = reading;
  }

  /** Creates the reader of a dictionary. @throws TypeError when `value` is not an object. */
  static of(value: unknown, path: string, reading: Reading): Members {
    const json = reading.dictionary(value, path);
    if (json === undefined) throw new TypeError(`Expected ${path} to be an object; got ${describeValue(value)}.`);
    return new Members(json, path, reading);
  }

  get mode(): Reading['mode'] {
    return this.#reading.mode;
  }

  get forCall(): boolean {
    return this.#reading.forCall;
  }

  has(name: string): boolean {
    return this.#get(name) !== undefined;
  }

  string(name: string): string {
    return this.optionalString(name) ?? this.#fail(name, 'a string');
  }

  optionalString(name: string): string | undefined {
    const value = this.#get(name);
    return value === undefined || isString(value) ? value : this.#convert(name, 'a string', this.#reading.string(value));
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.#get(name);
    return value === undefined || isBoolean(value) ? value : this.#convert(name, 'a boolean', this.#reading.boolean(value));
  }

  /** Reads a member of Web IDL's type `long`. */
  integer(name: string): number {
    const value = this.#get(name);
    if (isInteger(value)) return value;
    return this.#convert(name, 'a whole number', value === undefined ? undefined : this.#reading.long(value));
  }

  /** Reads a member of Web IDL's type `unsigned long`, such as a timeout in milliseconds. */
  optionalNumber(name: string): number | undefined {
    const value = this.#get(name);
    if (value === undefined || (isNumber(value) && this.#reading.isUnsignedLong(value))) return value;
    return this.#convert(name, 'a number', this.#reading.unsignedLong(value));
  }

  bytes(name: string): Uint8Array {
    return this.#decode(this.#text(name), `${this.path}.${name}`);
  }

  listOfBytes(name: string): readonly Uint8Array[] {
    if (!this.has(name)) this.#fail(name, 'an array of base64url strings');
    return this.optionalStrings(name).map((text, index) => this.#decode(text, `${this.path}.${name}[${index}]`));
  }

  optionalBytes(name: string): Uint8Array | undefined {
    return this.has(name) ? this.bytes(name) : undefined;
  }

  dictionary(name: string): Members {
    if (!this.has(name)) this.#fail(name, 'an object');
    return Members.of(this.#get(name), `${this.path}.${name}`, this.#reading);
  }

  optionalDictionary(name: string): Members | undefined {
    const value = this.#get(name);
    // Web IDL reads null as a dictionary without members.
    return value === undefined || (value === null && this.mode === 'strict') ? undefined : this.dictionary(name);
  }

  dictionaries(name: string): readonly Members[] {
    const value = this.#get(name);
    if (!isList(value)) return this.#fail(name, 'an array');
    return value.map((item, index) => Members.of(item, `${this.path}.${name}[${index}]`, this.#reading));
  }

  optionalDictionaries(name: string): readonly Members[] {
    return this.has(name) ? this.dictionaries(name) : [];
  }

  optionalStrings(name: string): readonly string[] {
    const value = this.#get(name);
    if (value === undefined || isStrings(value)) return value ?? [];
    const strings = isList(value) ? value.map((item) => (isString(item) ? item : this.#reading.string(item))) : [];
    return this.#convert(name, 'an array of strings', isList(value) && isStrings(strings) ? strings : undefined);
  }

  /** Reads a member of Web IDL's type `record`: dictionaries under keys that the caller chose. Rejects null, unlike a dictionary. */
  optionalRecord(name: string): readonly (readonly [string, Members])[] | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || value === null) return this.#fail(name, 'an object');
    return Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, Members.of(member, `${this.path}.${name}.${key}`, this.#reading)]);
  }

  /** Reports to the client's caller how the client treats a member. */
  remark(name: string, message: string): void {
    this.#reading.remark({ member: `${this.path}.${name}`, message });
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.json, name) ? this.json[name] : undefined;
  }

  #decode(text: string, path: string): Uint8Array {
    const decoded = this.#reading.base64url(text, path);
    if (decoded instanceof Uint8Array) return decoded;
    throw domException('EncodingError', `${path}: ${decoded}`);
  }

  #text(name: string): string {
    const value = this.#get(name);
    if (isString(value)) return value;
    return this.#convert(name, 'a base64url string', value === undefined ? undefined : this.#reading.string(value));
  }

  /** Reports that a member of a wrong type was converted, and returns the converted value. */
  #convert<T>(name: string, expected: string, converted: T | undefined): T {
    if (converted === undefined) return this.#fail(name, expected);
    this.remark(name, `Expected ${expected}; got ${describeValue(this.#get(name))}. Chromium reads it as ${JSON.stringify(converted)}.`);
    return converted;
  }

  #fail(name: string, expected: string): never {
    const detail = this.has(name) ? `got ${describeValue(this.#get(name))}` : 'the member is missing';
    throw new TypeError(`Expected ${this.path}.${name} to be ${expected}; ${detail}.`);
  }
}

/** Reads credential descriptors from JSON (§5.8.3). Ignores descriptors of an unknown type. */
export function readDescriptors(list: readonly Members[]): readonly CredentialDescriptor[] {
  return list
    .map((item) => ({ type: item.string('type'), id: item.bytes('id'), transports: item.optionalStrings('transports') }))
    .flatMap(({ type, id, transports }) => (type === 'public-key' ? [{ type, id, transports }] : []));
}
