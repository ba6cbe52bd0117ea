import { isObject } from '../webauthn/json-value.js';

/** JSON as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** The value at `path`, undefined when a step of the path is missing. */
export function getPath(value: unknown, path: readonly string[]): Json | undefined {
  let at: unknown = value;
  for (const member of path) {
    if (!isJsonObject(at)) {
      return undefined;
    }
    at = at[member];
  }
  return at as Json | undefined;
}

/** A copy of `object` with `value` at `path`; undefined removes the member, and every object that is empty after that. */
export function setPath(object: JsonObject, path: readonly string[], value: Json | undefined): JsonObject {
  const [member, ...rest] = path;
  if (member === undefined) {
    return object;
  }
  const old = object[member];
  const next = rest.length === 0 ? value : setPath(isJsonObject(old) ? old : {}, rest, value);
  const { [member]: _, ...others } = object;
  if (next === undefined || (rest.length > 0 && isJsonObject(next) && Object.keys(next).length === 0)) {
    return others;
  }
  return { ...object, [member]: next };
}

/** The string member, undefined when it is absent or something else. */
export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = getPath(value, path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = getPath(value, path);
  return typeof found === 'number' ? found : undefined;
}
