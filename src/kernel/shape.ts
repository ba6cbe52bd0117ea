import type { Static, TSchema } from 'typebox';
import { escapePointer } from './json-location.js';
import { isObject } from './json-value.js';
import { describeMisfit, type Keywords, nameType } from './misfit.js';

/** A mistake in a value, with its location. */
export interface Misfit {
  /** JSON Pointer to the value that has the mistake. */
  readonly place: string;
  /**
   * States what was expected, and the type of the received value. The message never shows a received string, which may be a misplaced
   * secret.
   */
  readonly message: string;
  /** The schema keyword that the value violates. */
  readonly keyword: string;
  /** The schema that the value violates. If the object has a member that its schema does not name, this is the schema of the object. */
  readonly schema: Keywords;
  /** The received value, which may be a secret. Undefined if the value is missing. */
  readonly value: unknown;
}

/** Checks values against a schema. */
export interface Shape<T> {
  fits(value: unknown): value is T;
  /**
   * Finds the mistakes in a value, in the order of the schema. Stops after {@link MOST_MISFITS} mistakes. Returns an empty list if the
   * value matches the schema.
   */
  findMisfits(value: unknown): readonly Misfit[];
}

/**
 * Functions that check strings, by the name of the string format. Each function returns a description of the mistake, or undefined for a
 * valid string.
 */
export type Formats = Readonly<Record<string, (text: string) => string | undefined>>;

const KEYWORDS = new Set<string>([
  'type',
  'const',
  'enum',
  'anyOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'items',
  'properties',
  'required',
  'patternProperties',
  'additionalProperties',
  // These say nothing of the value itself.
  'title',
  'description',
  'contentEncoding',
]);

const MOST_MISFITS = 1_000;

/**
 * Checks a value and tells whether it matches the schema. @param faults collects all mistakes; without it, the check ends at the first
 * mistake.
 */
type Check = (value: unknown, at: string, faults?: Misfit[]) => boolean;

/**
 * Makes the checker for a schema. It compiles the schema on first use. A validator for all of JSON Schema would take longer to load than
 * everything else that a short command loads.
 *
 * @throws TypeError for a schema with a keyword that this checker does not support and therefore could not enforce.
 */
export function makeShape<S extends TSchema>(schema: S, formats: Formats = {}): Shape<Static<S>> {
  let check: Check | undefined;
  const ask: Check = (value, at, faults) => {
    check ??= makeCheck(schema, formats);
    return check(value, at, faults);
  };
  return {
    fits: (value): value is Static<S> => ask(value, ''),
    findMisfits(value) {
      const faults: Misfit[] = [];
      ask(value, '', faults);
      return faults;
    },
  };
}

function makeCheck(schema: Keywords, formats: Formats): Check {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new TypeError(`Expected a schema with the keywords ${[...KEYWORDS].join(', ')}; got ${unknown}.`);
  const { anyOf, enum: choices } = schema;
  if (anyOf) return checkAnyOf(schema, anyOf, formats);
  if ('const' in schema) return (value, at, faults) => value === schema.const || refuse({ keyword: 'const', schema, value, at, faults });
  if (choices) return (value, at, faults) => choices.includes(value) || refuse({ keyword: 'enum', schema, value, at, faults });
  if (schema.type === undefined) return () => true;
  const checks = new Map([schema.type].flat().map((type) => [type === 'integer' ? 'number' : type, checkType(type, schema, formats)]));
  return (value, at, faults) => {
    const check = checks.get(nameType(value));
    return check === undefined ? refuse({ keyword: 'type', schema, value, at, faults }) : check(value, at, faults);
  };
}

function checkType(type: string, schema: Keywords, formats: Formats): Check {
  switch (type) {
    case 'object':
      return schema.patternProperties ? checkRecord(schema, formats) : checkObject(schema, formats);
    case 'array':
      return checkArray(schema, formats);
    case 'string':
      return checkString(schema, formats);
    case 'integer':
    case 'number':
      return checkNumber(type, schema);
    case 'null':
    case 'boolean':
      return () => true;
    default:
      throw new TypeError(`Expected a schema with a JSON type; got ${type}.`);
  }
}

interface Refusal {
  readonly keyword: string;
  readonly schema: Keywords;
  readonly value: unknown;
  readonly at: string;
  readonly faults: Misfit[] | undefined;
  readonly message?: string;
}

function refuse({ keyword, schema, value, at: place, faults, message }: Refusal): false {
  faults?.push({ place, keyword, schema, value, message: message ?? describeMisfit(keyword, schema, value) });
  return false;
}

const below = (at: string, name: string | number, faults: Misfit[] | undefined): string =>
  faults === undefined ? at : `${at}/${typeof name === 'number' ? name : escapePointer(name)}`;

const isEnough = (faults: Misfit[] | undefined): boolean => faults === undefined || faults.length >= MOST_MISFITS;

/**
 * Checks a value against several alternative schemas. If only one of them has the type of the value, reports the mistakes by that schema,
 * which say more than "fits no choice".
 */
function checkAnyOf(schema: Keywords, choices: readonly Keywords[], formats: Formats): Check {
  const all = choices.map((choice) => ({ types: [choice.type].flat(), check: makeCheck(choice, formats) }));
  return (value, at, faults) => {
    if (all.some(({ check }) => check(value, at))) return true;
    const [likely, ...others] = all.filter(({ types }) => types.includes(nameType(value)));
    if (likely === undefined || others.length > 0) return refuse({ keyword: 'anyOf', schema, value, at, faults });
    return likely.check(value, at, faults);
  };
}

function checkObject(schema: Keywords, formats: Formats): Check {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  if (typeof additionalProperties !== 'boolean') throw new TypeError('Expected additionalProperties to be true or false.');
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    member,
    check: makeCheck(member, formats),
    isRequired: required.includes(name),
  }));
  return (value, at, faults) => {
    if (!isObject(value)) return false;
    let fits = true;
    for (const { name, member, check, isRequired } of members) {
      if (Object.hasOwn(value, name)) fits = check(value[name], below(at, name, faults), faults) && fits;
      else if (isRequired) fits = refuse({ keyword: 'required', schema: member, value: undefined, at: below(at, name, faults), faults });
      if (!fits && isEnough(faults)) return false;
    }
    if (additionalProperties) return fits;
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(properties, name)) continue;
      fits = refuse({ keyword: 'additionalProperties', schema, value: value[name], at: below(at, name, faults), faults });
      if (isEnough(faults)) return false;
    }
    return fits;
  };
}

function checkRecord(schema: Keywords, formats: Formats): Check {
  const [check, ...others] = Object.values(schema.patternProperties ?? {}).map((member) => makeCheck(member, formats));
  if (check === undefined || others.length > 0) throw new TypeError('Expected a record with one schema for all its values.');
  return (value, at, faults) => isObject(value) && checkAll(Object.entries(value), check, at, faults);
}

function checkArray(schema: Keywords, formats: Formats): Check {
  const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const check = makeCheck(items, formats);
  return (value, at, faults) => {
    if (!Array.isArray(value)) return false;
    const keyword = value.length < minItems ? 'minItems' : value.length > maxItems ? 'maxItems' : undefined;
    return keyword === undefined ? checkAll(value.entries(), check, at, faults) : refuse({ keyword, schema, value, at, faults });
  };
}

function checkAll(values: Iterable<[string | number, unknown]>, check: Check, at: string, faults: Misfit[] | undefined): boolean {
  let fits = true;
  for (const [name, value] of values) {
    fits = check(value, below(at, name, faults), faults) && fits;
    if (!fits && isEnough(faults)) return false;
  }
  return fits;
}

function checkString(schema: Keywords, formats: Formats): Check {
  const { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const findFault = format === undefined ? undefined : formats[format];
  if (format !== undefined && findFault === undefined) throw new TypeError(`Expected a known format; got ${format}.`);
  return (value, at, faults) => {
    if (typeof value !== 'string') return false;
    // A character has one or two units.
    const isShort = value.length < 2 * minLength && countCharacters(value) < minLength;
    if (isShort) return refuse({ keyword: 'minLength', schema, value, at, faults });
    const isLong = value.length > maxLength && countCharacters(value) > maxLength;
    if (isLong) return refuse({ keyword: 'maxLength', schema, value, at, faults });
    if (expression?.test(value) === false) return refuse({ keyword: 'pattern', schema, value, at, faults });
    const message = findFault?.(value);
    return message === undefined || refuse({ keyword: 'format', schema, value, at, faults, message });
  };
}

const countCharacters = (text: string): number => [...text].length;

function checkNumber(type: 'integer' | 'number', schema: Keywords): Check {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, exclusiveMinimum = Number.NEGATIVE_INFINITY } = schema;
  return (value, at, faults) => {
    const number = Number(value);
    // JSON may write a number that no variable holds: 1e400.
    if (!Number.isFinite(number) || (type === 'integer' && !Number.isInteger(number))) {
      return refuse({ keyword: 'type', schema, value, at, faults });
    }
    const keyword =
      number < minimum ? 'minimum' : number > maximum ? 'maximum' : number <= exclusiveMinimum ? 'exclusiveMinimum' : undefined;
    return keyword === undefined || refuse({ keyword, schema, value, at, faults });
  };
}
