import type { JsonObject } from '../../../kernel/json-value.js';
import { setInner, setMembers } from '../../engine/edits.js';
import type { ExpectedAnswer } from '../../engine/outcome.js';

/** A variant of the dictionary as it is sent. */
export interface ShapeVariant {
  readonly name: string;
  readonly edits: { readonly response: (response: JsonObject) => JsonObject };
  readonly ours?: ExpectedAnswer;
}

/** A value with its name. */
type Named = readonly [name: string, value: unknown];

/** What stands where a text in base64url should. None of it holds any bytes. */
export const NO_TEXT: readonly Named[] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['true', true],
  ['an empty array', []],
  ['an empty object', {}],
];

/** Texts that are no base64url of anything. */
const NO_BASE64: readonly Named[] = [
  ['an empty text', ''],
  ['text outside of both alphabets', '!*~'],
  ['U+0000', '\u0000'],
  ['a lone surrogate', '\ud800'],
];

/** What stands where a text in base64url should. */
export const NO_BYTES: readonly Named[] = [...NO_TEXT, ...NO_BASE64];

/** What stands where an object should. */
export const NO_OBJECT: readonly Named[] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['a text', 'response'],
  ['true', true],
  ['an empty array', []],
];

/** The values as members of the credential. */
export function asMembers(names: readonly string[], values: readonly Named[]): ShapeVariant[] {
  return values.map(([name, value]) => ({
    name: `${names.join(' and ')}: ${name}`,
    edits: { response: setMembers(Object.fromEntries(names.map((member) => [member, value]))) },
  }));
}

/** The values as members of `response`. */
export function asInnerMembers(name: string, values: readonly Named[]): ShapeVariant[] {
  return values.map(([what, value]) => ({ name: `${name}: ${what}`, edits: { response: setInner({ [name]: value }) } }));
}

/** The same variants, of which our own API answers these otherwise than the case says. */
export function except(variants: readonly ShapeVariant[], names: readonly string[], ours: ExpectedAnswer): ShapeVariant[] {
  return variants.map((variant) => (names.some((name) => variant.name.endsWith(name)) ? { ...variant, ours } : variant));
}
