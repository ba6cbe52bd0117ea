import { isObject, type JsonObject } from '../kernel/json-value.js';

/** Reads the value at `path`; undefined if part of the path is missing. */
export function getPath(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const member of path) {
    if (!isObject(at)) return undefined;
    at = at[member];
  }
  return at;
}

/** Copies `object` and sets the member at `path` to `value`. Undefined removes the member, and also the objects that become empty. */
export function setPath(object: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [member, ...rest] = path;
  if (member === undefined) return object;
  const old = object[member];
  const next = rest.length === 0 ? value : setPath(isObject(old) ? old : {}, rest, value);
  const { [member]: _, ...others } = object;
  if (next === undefined || (rest.length > 0 && isObject(next) && Object.keys(next).length === 0)) {
    return others;
  }
  return { ...object, [member]: next };
}

/** Reads the string at `path`; undefined if there is none. */
export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = getPath(value, path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = getPath(value, path);
  return typeof found === 'number' ? found : undefined;
}

/** Reads the array at `path`; empty if there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = getPath(value, path);
  return Array.isArray(found) ? found : [];
}

/** Copies an object, leaving out members that are null or undefined. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}

/** Maximum length in characters of an object or list that stays on one line. */
const SHORT = 48;

/** Formats JSON for people: short values stay on one line. */
export function formatJson(value: unknown, indent = ''): string {
  const entries = listEntries(value);
  if (entries === undefined) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  const pad = Array.isArray(value) ? '' : ' ';
  const line = `${open}${pad}${entries.map(([name, member]) => name + formatJson(member)).join(', ')}${pad}${close}`;
  if (indent !== '' && line.length <= SHORT && !line.includes('\n')) return line;
  const inner = `${indent}  `;
  const lines = entries.map(([name, member]) => `${inner}${name}${formatJson(member, inner)}`);
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Lists the members of an object or array, each with the text to print before it; undefined for any other value. */
function listEntries(value: unknown): [string, unknown][] | undefined {
  if (Array.isArray(value)) return value.map((one: unknown): [string, unknown] => ['', one]);
  if (!isObject(value)) return undefined;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]): [string, unknown] => [`${JSON.stringify(name)}: `, member]);
}

/** Tells for each line of `text` whether its content differs from the JSON text `own`. Ignores layout and commas. */
export function changedLines(text: string, own: string): boolean[] {
  const known = new Set(own.split('\n').map(bare));
  return text.split('\n').map((line) => bare(line) !== '' && !known.has(bare(line)));
}

function bare(line: string): string {
  return line.trim().replace(/,$/, '');
}

/** Tests whether two values give the same JSON, with members in the same order. */
export function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
