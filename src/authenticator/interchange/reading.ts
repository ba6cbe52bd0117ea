import * as Type from 'typebox';
import { locateJsonError, splitPointer } from '../../kernel/json-location.js';
import { isWithinDepth, type JsonObject, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import type { Keywords } from '../../kernel/misfit.js';
import { makeShape } from '../../kernel/shape.js';
import { decodeBase64, decodeBase64url } from '../../webauthn/base64url.js';
import { MAX_SIGN_COUNT } from '../../webauthn/limits.js';
import { invalid } from './shape.js';

/**
 * Parses JSON. Error messages show only positions, because the values may be private keys.
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
    throw invalid(`Expected ${title}.${place || ' The input is not JSON.'}`);
  }
  if (!isWithinDepth(value, MAX_JSON_LEVELS)) throw invalid(`Expected ${title}; got JSON nested more than ${MAX_JSON_LEVELS} levels deep.`);
  return value;
}

/** Schema of a string member. The `description` of each schema completes the message "Expected … to be". */
export const text = Type.String({ description: 'a string' });
export const name = Type.String({ minLength: 1, description: 'a string that is not empty' });
export const flag = Type.Boolean({ description: 'true or false' });
export const signCount = Type.Integer({ minimum: 0, maximum: MAX_SIGN_COUNT, description: 'an unsigned 32-bit integer' });
/** Schema of bytes in base64url or base64, with or without padding. All forms are accepted because programs differ. */
export const base64 = Type.String({ format: 'base64', description: 'base64url or base64' });

/** Makes the schema of a member that may be absent or, as in many programs' files, `null`. */
export function orNone<T extends Type.TSchema>(schema: T) {
  const { description = '' }: Keywords = schema;
  return Type.Optional(Type.Union([schema, Type.Null()], { description }));
}

const FORMATS = {
  base64: (encoded: string) => (decodeBase64(encoded)?.canonical ? undefined : 'must be base64url or base64'),
};

/** Decodes a string that matches the schema `base64`. */
export const decode = (encoded: string): Uint8Array =>
  decodeBase64url(encoded.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''));

/**
 * Creates a function that checks a value against the schema and returns the value.
 *
 * @returns the function, whose argument `at` is the value's position in the document. It throws PasskeyError `validation_failed` naming the
 * first member that does not match.
 */
export function makeReader<S extends Type.TSchema>(schema: S): (value: unknown, at: string) => Type.Static<S> {
  const shape = makeShape(schema, FORMATS);
  return (value, at) => {
    if (shape.fits(value)) return value;
    const [misfit] = shape.findMisfits(value);
    const place = splitPointer(misfit?.place ?? '').map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`));
    throw invalid(`Expected ${at}${place.join('')} to be ${misfit?.schema.description}; got ${nameKind(misfit?.value)}.`);
  };
}

/** Names the type of a value for a message, without showing the value. */
function nameKind(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** An object from a document, with its position there. */
export interface Located {
  readonly object: JsonObject;
  readonly at: string;
}

const readObject = makeReader(Type.Record(Type.String(), Type.Unknown(), { description: 'an object' }));
const readArray = makeReader(Type.Array(Type.Unknown(), { description: 'an array' }));

export const objectAt = (value: unknown, at: string): Located => ({ object: readObject(value, at), at });

/** Lists the objects of an array. Treats a single object like an array of one. */
export function objectsAt(value: unknown, at: string): Located[] {
  return Array.isArray(value) ? value.map((each, index) => objectAt(each, `${at}[${index}]`)) : [objectAt(value, at)];
}

/** Lists the objects in a member, which must be an array. */
export const listAt = ({ object, at }: Located, member: string): Located[] => {
  const place = `${at}.${member}`;
  return objectsAt(readArray(object[member], place), place);
};

/** Copies an object, leaving out members that are undefined or `null`. */
export function present<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const [key, value] of Object.entries(members)) if ((value ?? null) !== null) Object.assign(kept, { [key]: value });
  return kept;
}
