import { locateJsonError } from '../../kernel/json-location.js';
import { isObject, isWithinDepth, type JsonObject, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { isSignCount } from '../../webauthn/limits.js';
import { invalid } from './shape.js';

/**
 * The JSON value of a text. Messages show places, never what stands there: it may be a key.
 *
 * @throws PasskeyError `validation_failed` naming line and column.
 */
export function parseJson(marked: string, title: string): unknown {
  // Editors of Windows begin a file with a mark.
  const text = marked.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Neither the cause nor what was found: both quote the text.
    const wrong = locateJsonError(text);
    const place = wrong === undefined ? '' : ` It is not JSON at ${wrong.line}:${wrong.column}: expected ${wrong.expected}.`;
    throw invalid(`Expected ${title}.${place || ' It is not JSON.'}`);
  }
  if (!isWithinDepth(value, MAX_JSON_LEVELS)) throw invalid(`Expected ${title}; got JSON nested more than ${MAX_JSON_LEVELS} levels deep.`);
  return value;
}

/** Names the kind of a value, without showing it. */
function kindOfValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** An object of a document, and its place there. */
export interface Located {
  readonly object: JsonObject;
  readonly at: string;
}

export function objectAt(value: unknown, at: string): Located {
  if (!isObject(value)) throw invalid(`Expected ${at} to be an object; got ${kindOfValue(value)}.`);
  return { object: value, at };
}

/** The objects of an array, or the one object that stands in its place. */
export function objectsAt(value: unknown, at: string): Located[] {
  return Array.isArray(value) ? value.map((each, index) => objectAt(each, `${at}[${index}]`)) : [objectAt(value, at)];
}

/** The objects of a member that has to be an array. */
export function listAt({ object, at }: Located, name: string): Located[] {
  const value = object[name];
  if (!Array.isArray(value)) throw invalid(`Expected ${at}.${name} to be an array; got ${kindOfValue(value)}.`);
  return objectsAt(value, `${at}.${name}`);
}

/** Absent members are undefined; `null` counts as absent, as many programs write it. */
function optional<T>(read: (located: Located, name: string) => T): (located: Located, name: string) => T | undefined {
  return (located, name) => (located.object[name] === undefined || located.object[name] === null ? undefined : read(located, name));
}

function expectation<T>(expected: string, read: (value: unknown) => T | undefined): (located: Located, name: string) => T {
  return ({ object, at }, name) => {
    const value = read(object[name]);
    if (value === undefined) throw invalid(`Expected ${at}.${name} to be ${expected}; got ${kindOfValue(object[name])}.`);
    return value;
  };
}

export const text = expectation('a text', (value) => (typeof value === 'string' ? value : undefined));
/** A text that may not be empty. */
export const name = expectation('a text that is not empty', (value) => (typeof value === 'string' && value !== '' ? value : undefined));
export const flag = expectation('true or false', (value) => (typeof value === 'boolean' ? value : undefined));
export const signCount = expectation('an unsigned 32-bit integer', (value) => (isSignCount(value) ? value : undefined));
/** base64url or base64, padded or not: programs differ, and the bytes are the same. */
export const bytes = expectation('base64url or base64', (value) => {
  const decoded = typeof value === 'string' ? decodeBase64(value) : undefined;
  return decoded?.canonical ? decoded.bytes : undefined;
});

export const textOrNone = optional(text);
export const flagOrNone = optional(flag);
export const signCountOrNone = optional(signCount);
export const bytesOrNone = optional(bytes);

/** The members that are there: an absent one is no member at all. */
export function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) Object.assign(kept, { [key]: value });
  return kept;
}
