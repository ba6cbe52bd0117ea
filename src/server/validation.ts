import { Ajv } from 'ajv';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import { type FieldError, PasskeyError } from '../errors.js';
import { escapePointer } from '../kernel/json-location.js';
import { asObject } from '../kernel/json-value.js';
import { isStorableText, STORABLE_TEXT } from '../kernel/storable.js';
import { count } from '../kernel/wording.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { parseUrl } from '../webauthn/rp-id.js';

/** Names of our JSON Schema formats. */
export const BASE64_FORMAT = 'base64url-or-base64';
export const HTTP_URL_FORMAT = 'http-url';
export const STORABLE_FORMAT = 'storable-text';
/** Pattern of a text with at least one visible character. */
export const NOT_BLANK = '\\S';

/** Options of the validator that Fastify runs the schemas with. All errors are collected, nothing is coerced, filled in or removed. */
export const VALIDATOR_OPTIONS = {
  allErrors: true,
  verbose: true,
  coerceTypes: false as const,
  removeAdditional: false as const,
  useDefaults: false as const,
  allowUnionTypes: true,
  formats: {
    [BASE64_FORMAT]: (text: string) => decodeBase64(text) !== undefined,
    [HTTP_URL_FORMAT]: isHttpUrl,
    [STORABLE_FORMAT]: isStorableText,
  },
};

/** An absolute http or https URL, with its slashes: `URL` alone would take `https:example.com` and drop tabs and line breaks. */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && parseUrl(text) !== undefined;
}

/** One error of the validator (Ajv). `data` is present because it runs verbosely. */
interface Complaint {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

/** Bounds the answer to a body that was made to have many errors. */
const MAX_FIELD_ERRORS = 32;

export function validationError(complaints: readonly Complaint[], cause: unknown): PasskeyError {
  const byPointer = new Map<string, FieldError>();
  for (const complaint of complaints) {
    const error = toFieldError(complaint);
    if (byPointer.size < MAX_FIELD_ERRORS && !byPointer.has(error.pointer)) {
      byPointer.set(error.pointer, error);
    }
  }
  return fieldErrors([...byPointer.values()], cause);
}

/** A `validation_failed` that names every field of `errors`. */
export function fieldErrors(errors: readonly FieldError[], cause?: unknown): PasskeyError {
  const message = errors.map(({ pointer, detail }) => `${pointer === '' ? 'The body' : pointer} ${detail}.`).join(' ');
  return new PasskeyError('validation_failed', message, { errors, ...(cause === undefined ? {} : { cause }) });
}

function toFieldError({ instancePath, keyword, params, data }: Complaint): FieldError {
  if (keyword === 'required') {
    return { pointer: `${instancePath}/${escapePointer(String(params.missingProperty))}`, detail: 'is missing' };
  }
  return { pointer: instancePath, detail: describe(keyword, params, data) };
}

/** Says what was expected and what came, but not the value: it may be a secret in the wrong place. */
function describe(keyword: string, params: Complaint['params'], data: unknown): string {
  switch (keyword) {
    case 'type':
      // JSON may write a number that no variable holds: 1e400.
      if (data === Infinity || data === -Infinity) return `must be between -${Number.MAX_VALUE} and ${Number.MAX_VALUE}`;
      return `must be ${[params.type].flat().map(withArticle).join(' or ')}, it is ${withArticle(typeName(data))}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'enum':
      return `must be one of ${JSON.stringify(params.allowedValues)}`;
    case 'minLength':
    case 'maxLength':
      return lengthMessage(keyword, params, { noun: 'character', length: measureLength(data) });
    case 'minItems':
    case 'maxItems':
      return lengthMessage(keyword, params, { noun: 'item', length: Array.isArray(data) ? data.length : 0 });
    case 'minProperties':
    case 'maxProperties':
      return lengthMessage(keyword, params, { noun: 'member', length: Object.keys(asObject(data)).length });
    case 'minimum':
      return `must be at least ${params.limit}, it is ${String(data)}`;
    case 'maximum':
      return `must be at most ${params.limit}, it is ${String(data)}`;
    case 'exclusiveMinimum':
      return `must be more than ${params.limit}, it is ${String(data)}`;
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}, it is ${String(data)}`;
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}, it is ${String(data)}`;
    case 'uniqueItems':
      return `must have each item once; items ${params.j} and ${params.i} are equal`;
    case 'additionalProperties':
      return `must not have the member ${JSON.stringify(params.additionalProperty)}`;
    case 'format':
      return describeFormat(params.format, String(data));
    case 'pattern':
      return params.pattern === NOT_BLANK
        ? 'must have a character that is not white space'
        : `has to match the pattern ${String(params.pattern)}`;
    case 'anyOf':
    case 'oneOf':
      return 'must have one of the shapes that the schema in /openapi.json allows';
    default:
      return `does not fit the schema: ${keyword} ${JSON.stringify(params)}`;
  }
}

/** A number is no secret, but a text or a list may hold one: only its length is told. */
function lengthMessage(
  keyword: string,
  { limit }: Complaint['params'],
  { noun, length }: { readonly noun: string; readonly length: number },
): string {
  return `must have at ${keyword.startsWith('min') ? 'least' : 'most'} ${count(Number(limit), noun)}, it has ${length}`;
}

function describeFormat(format: unknown, text: string): string {
  if (format === BASE64_FORMAT) return describeBase64(text);
  return format === STORABLE_FORMAT ? STORABLE_TEXT : 'must be an absolute http or https URL, such as https://example.com';
}

function describeBase64(text: string): string {
  const position = text.search(/[^A-Za-z0-9+/_=-]/u);
  return position === -1
    ? 'must be base64url or base64; its padding is wrong'
    : `must be base64url or base64; the character at position ${position} is in neither alphabet`;
}

function withArticle(type: unknown): string {
  return type === 'null' ? 'null' : `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`;
}

function typeName(data: unknown): string {
  return data === null ? 'null' : Array.isArray(data) ? 'array' : typeof data;
}

function measureLength(data: unknown): number {
  return typeof data === 'string' ? [...data].length : 0;
}

let ajv: Ajv | undefined;

/**
 * Compiles the schema of a route with its first request: all of them take longer than everything else that the server does before it
 * listens. Ajv keeps those that it has compiled, for further applications too.
 */
export const compileWithFirstRequest: FastifySchemaCompiler<FastifySchema> = ({ schema }) => {
  return (data: unknown) => {
    ajv ??= new Ajv(VALIDATOR_OPTIONS);
    const validate = ajv.compile(schema);
    return validate(data) || { error: validate.errors ?? [] };
  };
};

function refuse(): never {
  throw new TypeError('Expected the compilers that were set to be used.');
}

/** Keeps Fastify from loading compilers of its own, to be replaced by `setValidatorCompiler` and `setSerializerCompiler`. */
export const WITHOUT_COMPILERS = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } };
