import type { Static, TSchema } from 'typebox';
import { isObject } from './json-value.js';

/** The first fault of a value, and its place. */
export interface Misfit {
  /** JSON Pointer. */
  readonly place: string;
  readonly message: string;
}

/** Whether values have the shape that a schema describes. */
export interface Shape<T> {
  fits(value: unknown): value is T;
  /** Fault of a value that does not fit. */
  misfitOf(value: unknown): Misfit;
}

/** The keywords of JSON Schema that our plain schemas use. Members that a schema does not name are allowed, unless it says otherwise. */
interface Keywords {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Keywords[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Counted in UTF-16 code units, where JSON Schema counts characters: the limits are far away, or 1. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly items?: Keywords;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  /** Records, whose values may be anything. */
  readonly patternProperties?: Readonly<Record<string, Keywords>>;
  readonly additionalProperties?: unknown;
}

const CHECKED = [
  'type',
  'const',
  'enum',
  'anyOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'items',
  'properties',
  'required',
  'patternProperties',
  'additionalProperties',
];

/** Keywords that say nothing of the value itself. */
const ANNOTATIONS = ['title', 'description', 'contentEncoding'];

type Check = (value: unknown) => Misfit | undefined;

/**
 * Reads a schema once, when it is first asked. Loading a validator for all of JSON Schema would take longer than all else that a short
 * command does.
 *
 * @throws TypeError for a schema with another keyword: values would be taken that it forbids.
 */
export function makeShape<S extends TSchema>(schema: S): Shape<Static<S>> {
  let check: Check | undefined;
  const ask: Check = (value) => {
    check ??= makeCheck(schema);
    return check(value);
  };
  return {
    fits: (value): value is Static<S> => ask(value) === undefined,
    misfitOf: (value) => ask(value) ?? misfit('has another shape'),
  };
}

function makeCheck(schema: Keywords): Check {
  const unknown = Object.keys(schema).find((keyword) => !CHECKED.includes(keyword) && !ANNOTATIONS.includes(keyword));
  if (unknown !== undefined) throw new TypeError(`Expected a schema with the keywords ${CHECKED.join(', ')}; got ${unknown}.`);
  if (schema.anyOf) return checkAny(schema.anyOf.map(makeCheck));
  if ('const' in schema) return (value) => (value === schema.const ? undefined : misfit('must be equal to constant'));
  const choices = schema.enum;
  if (choices) return (value) => (choices.includes(value) ? undefined : misfit('must be equal to one of the allowed values'));
  switch (schema.type) {
    case undefined:
      return () => undefined;
    case 'object':
      return object(schema);
    case 'array':
      return array(makeCheck(schema.items ?? {}), schema.minItems ?? 0);
    case 'string':
      return string(schema);
    case 'integer':
    case 'number':
      return number(schema);
    case 'null':
      return (value) => (value === null ? undefined : misfit('must be null'));
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : misfit('must be boolean'));
    default:
      throw new TypeError(`Expected a schema of a type of JSON; got ${schema.type}.`);
  }
}

function misfit(message: string): Misfit {
  return { place: '', message };
}

function below(name: string | number, { place, message }: Misfit): Misfit {
  return { place: `/${name}${place}`, message };
}

function checkAny(checks: readonly Check[]): Check {
  return (value) => {
    let first: Misfit | undefined;
    for (const check of checks) {
      const found = check(value);
      if (found === undefined) return undefined;
      first ??= found;
    }
    return first;
  };
}

function object({ properties = {}, required = [], patternProperties = {}, additionalProperties = true }: Keywords): Check {
  if (typeof additionalProperties !== 'boolean') throw new TypeError('Expected other members to be allowed or not.');
  for (const schema of Object.values(patternProperties)) {
    if (Object.keys(schema).length > 0) throw new TypeError('Expected a record whose values may be anything.');
  }
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    check: makeCheck(schema),
    optional: !required.includes(name),
  }));
  return (value) => {
    if (!isObject(value)) return misfit('must be object');
    for (const { name, check, optional } of members) {
      const member = value[name];
      if (member === undefined && !Object.hasOwn(value, name)) {
        if (optional) continue;
        return below(name, misfit('is missing'));
      }
      const found = check(member);
      if (found !== undefined) return below(name, found);
    }
    const stranger = additionalProperties ? undefined : Object.keys(value).find((name) => !Object.hasOwn(properties, name));
    return stranger === undefined ? undefined : below(stranger, misfit('is a member that this version does not know'));
  };
}

function array(check: Check, least: number): Check {
  return (value) => {
    if (!Array.isArray(value)) return misfit('must be array');
    if (value.length < least) return misfit(`must not have fewer than ${least} items`);
    for (const [index, each] of value.entries()) {
      const found = check(each);
      if (found !== undefined) return below(index, found);
    }
    return undefined;
  };
}

function string({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Keywords): Check {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (value) => {
    if (typeof value !== 'string') return misfit('must be string');
    if (value.length < minLength) return misfit(`must not have fewer than ${minLength} characters`);
    if (value.length > maxLength) return misfit(`must not have more than ${maxLength} characters`);
    return expression === undefined || expression.test(value) ? undefined : misfit(`must match pattern "${pattern}"`);
  };
}

function number({ type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Keywords): Check {
  return (value) => {
    if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) return misfit(`must be ${type}`);
    if (value < minimum) return misfit(`must be >= ${minimum}`);
    return value > maximum ? misfit(`must be <= ${maximum}`) : undefined;
  };
}
