import { count } from './wording.js';

/**
 * The JSON Schema keywords that our schemas use. An object may have members that its schema does not name, unless `additionalProperties` is
 * false.
 */
export interface Keywords {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Keywords[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Keywords;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  /** For an object with arbitrary member names: the schema that all its values must match. */
  readonly patternProperties?: Readonly<Record<string, Keywords>>;
  readonly additionalProperties?: unknown;
  readonly description?: string;
}

/** Names the JSON Schema type of a value, such as `integer` or `null`. */
export function nameType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** Pattern of a string that has at least one visible character. */
export const NOT_BLANK = '\\S';

/**
 * Describes why a value does not match a schema: what was expected, and the type of the received value. The description never shows a
 * received string, which may be a misplaced secret.
 */
export function describeMisfit(keyword: string, schema: Keywords, value: unknown): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is a member that this version does not know';
    case 'type':
      if (value === Infinity || value === -Infinity) return `must be between -${Number.MAX_VALUE} and ${Number.MAX_VALUE}`;
      return `must be ${nameChoice(schema)}, it is ${withArticle(nameType(value))}`;
    case 'anyOf':
    case 'const':
    case 'enum':
      return `must be ${nameChoice(schema)}`;
    case 'minLength':
      return describeLength('least', schema.minLength, 'character', [...String(value)].length);
    case 'maxLength':
      return describeLength('most', schema.maxLength, 'character', [...String(value)].length);
    case 'minItems':
      return describeLength('least', schema.minItems, 'item', countItems(value));
    case 'maxItems':
      return describeLength('most', schema.maxItems, 'item', countItems(value));
    case 'minimum':
      return `must be at least ${schema.minimum}, it is ${String(value)}`;
    case 'maximum':
      return `must be at most ${schema.maximum}, it is ${String(value)}`;
    case 'exclusiveMinimum':
      return `must be more than ${schema.exclusiveMinimum}, it is ${String(value)}`;
    case 'pattern':
      return schema.pattern === NOT_BLANK ? 'must have a character that is not white space' : `has to match the pattern ${schema.pattern}`;
    default:
      return `does not fit the schema: ${keyword}`;
  }
}

/** Describes the length of a string or list that is too short or too long. It never shows the content, which may be secret. */
function describeLength(bound: 'least' | 'most', limit: number | undefined, noun: string, length: number): string {
  return `must have at ${bound} ${count(limit ?? 0, noun)}, it has ${length}`;
}

const countItems = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function nameChoice(schema: Keywords): string {
  if (schema.anyOf) return schema.anyOf.map(nameChoice).join(' or ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return `one of ${JSON.stringify(schema.enum)}`;
  return [schema.type ?? 'value'].flat().map(withArticle).join(' or ');
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
