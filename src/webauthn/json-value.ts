export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one: for reading members of untrusted JSON. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
