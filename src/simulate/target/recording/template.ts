import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';
import { parseText } from '../expression.js';
import { escapeName, unescapeName } from '../template.js';
import { jsonInText, type Step } from './leaves.js';

/** Part of a string template: a literal string, or an expression. */
export type Piece = string | { readonly expression: string };

/**
 * A function that returns the replacement for the value at a path. If it returns undefined, the value is kept and the values inside it are
 * tried.
 */
export type Replace = (path: readonly Step[], value: unknown) => unknown;

/** Writes a value of a recorded request as a template, in which expressions replace everything that changes from run to run. */
export function writeTemplate(value: unknown, replace: Replace, path: readonly Step[] = []): unknown {
  const replaced = replace(path, value);
  if (replaced !== undefined) return replaced;
  if (typeof value === 'string') return writeJsonText(value, replace, path) ?? escapeBraces(value);
  if (Array.isArray(value)) return value.map((each: unknown, index) => writeTemplate(each, replace, [...path, { index }]));
  if (!isObject(value)) return value;
  return writeMembers(value, replace, path);
}

/** Writes the members of an object or the fields of a form as templates. */
export function writeMembers(value: JsonObject, replace: Replace, path: readonly Step[] = []): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [escapeName(key), writeTemplate(each, replace, [...path, { key }])]),
  );
}

/** Writes a string that contains JSON as a string with expressions in it. Undefined if nothing in the string needs to be replaced. */
function writeJsonText(text: string, replace: Replace, path: readonly Step[]): unknown {
  const json = jsonInText(text);
  if (json === undefined) return undefined;
  const inner = writeTemplate(json, replace, [...path, { json: true }]);
  const plain = writeTemplate(json, () => undefined);
  if (isDeepStrictEqual(inner, plain)) return undefined;
  return isTyped(inner) ? { $: `${inner.$} | string` } : embed(inner);
}

const isTyped = (value: unknown): value is { readonly $: string } => isObject(value) && typeof value['$'] === 'string';

export function writePieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? escapeBraces(piece) : `{${piece.expression}}`)).join('');
}

export const escapeBraces = (text: string): string => text.replaceAll(/[{}]/g, '$&$&');

/** Writes part of a profile as JSON inside a string. */
function embed(value: unknown): string {
  if (isTyped(value)) return `{${value.$} | string}`;
  if (Array.isArray(value)) return `[${value.map(embed).join(',')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, each]) => `${escapeBraces(JSON.stringify(unescapeName(key)))}:${embed(each)}`);
    return `{{${members.join(',')}}}`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  const parts = parseText(value);
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object') return `{${first.text} | string}`;
  return `"${parts.map((part) => (typeof part === 'string' ? escapeBraces(JSON.stringify(part).slice(1, -1)) : `{${part.text}}`)).join('')}"`;
}
