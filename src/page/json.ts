import { isObject, type JsonObject } from '../kernel/json-value.js';

/** The value at `path`; undefined if part of the path is missing. */
export function getPath(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const member of path) {
    if (!isObject(at)) {
      return undefined;
    }
    at = at[member];
  }
  return at;
}

/** A copy of `object` with `value` at `path`. Undefined removes the member, and objects left empty by that. */
export function setPath(object: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [member, ...rest] = path;
  if (member === undefined) {
    return object;
  }
  const old = object[member];
  const next = rest.length === 0 ? value : setPath(isObject(old) ? old : {}, rest, value);
  const { [member]: _, ...others } = object;
  if (next === undefined || (rest.length > 0 && isObject(next) && Object.keys(next).length === 0)) {
    return others;
  }
  return { ...object, [member]: next };
}

/** The string at `path`; undefined if there is none. */
export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = getPath(value, path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = getPath(value, path);
  return typeof found === 'number' ? found : undefined;
}

/** The array at `path`; empty if there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = getPath(value, path);
  return Array.isArray(found) ? found : [];
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy without members that are null or undefined. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}
