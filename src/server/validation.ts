import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { type FieldError, PasskeyError } from '../errors.js';
import { type Formats, makeShape } from '../kernel/shape.js';
import { isStorableText, STORABLE_TEXT } from '../kernel/storable.js';
import { isBase64 } from '../webauthn/base64url.js';
import { parseUrl } from '../webauthn/rp-id.js';

/** Name of our JSON Schema format for bytes that are encoded in base64url or base64. */
export const BASE64_FORMAT = 'base64url-or-base64';
export const HTTP_URL_FORMAT = 'http-url';
export const STORABLE_FORMAT = 'storable-text';

const FORMATS: Formats = {
  [BASE64_FORMAT]: (text) => (isBase64(text) ? undefined : describeBase64(text)),
  [HTTP_URL_FORMAT]: (text) => (isHttpUrl(text) ? undefined : 'must be an absolute http or https URL, such as https://example.com'),
  [STORABLE_FORMAT]: (text) => (isStorableText(text) ? undefined : STORABLE_TEXT),
};

/**
 * Checks whether a string is an absolute http or https URL with its two slashes. `URL` alone would accept `https:example.com`, and would
 * drop tabs and line breaks.
 */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && parseUrl(text) !== undefined;
}

/** Maximum number of mistakes in one problem document. A client may send a body with very many mistakes. */
const MAX_FIELD_ERRORS = 32;

/** Makes a `validation_failed` error that names every field in `errors`. */
export function fieldErrors(errors: readonly FieldError[], cause?: unknown): PasskeyError {
  const message = errors.map(({ pointer, detail }) => `${pointer === '' ? 'The body' : pointer} ${detail}.`).join(' ');
  return new PasskeyError('validation_failed', message, { errors, ...(cause === undefined ? {} : { cause }) });
}

function describeBase64(text: string): string {
  const position = text.search(/[^A-Za-z0-9+/_=-]/u);
  return position === -1
    ? 'must be base64url or base64; its padding is wrong'
    : `must be base64url or base64; the character at position ${position} is in neither alphabet`;
}

/** Makes the validator of a route. It is compiled at the first request, reports all mistakes, and changes nothing in the body. */
export const compileWithFirstRequest: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const shape = makeShape(schema, FORMATS);
  return (data: unknown) => {
    const misfits = shape.findMisfits(data).slice(0, MAX_FIELD_ERRORS);
    return misfits.length === 0 || { error: fieldErrors(misfits.map(({ place, message }) => ({ pointer: place, detail: message }))) };
  };
};

function refuse(): never {
  throw new TypeError('Expected Fastify to use the compilers that were set.');
}

/**
 * Option that keeps Fastify from loading its own schema compilers, which `setValidatorCompiler` and `setSerializerCompiler` replace anyway.
 */
export const WITHOUT_COMPILERS = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } };
